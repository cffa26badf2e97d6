"""The drawing packages are optional: one error says how to get them."""

from __future__ import annotations

import importlib
from types import ModuleType

from optcomp.errors import UnsupportedError

__all__ = ["required"]


def required(name: str) -> ModuleType:
    """An optional package, loaded when it is needed.

    Raises:
        UnsupportedError: When it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UnsupportedError(
            field="figure",
            value=name,
            condition=f"needs the package {name.partition('.')[0]}, which is not installed",
            remedy="Install it: pip install 'optcomp[plot]'.",
        ) from None
