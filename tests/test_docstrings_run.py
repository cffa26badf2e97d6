"""The examples in the docstrings of all modules run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import optcomp

MODULES = ["optcomp", *sorted(module.name for module in pkgutil.walk_packages(optcomp.__path__, prefix="optcomp."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(".__main__")])
def test_the_examples_of_a_module_print_what_they_say(name: str) -> None:
    module = importlib.import_module(name)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(example, out=said.append)
    assert not runner.failures, "".join(said)
