"""Sources, what is refused, and that no floating-point number takes part in a draw."""

from __future__ import annotations

import ast
import importlib
import os
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PureDP,
    RandomizedResponse,
    Skellam,
    Staircase,
)
from optcomp.noise import GridStaircase, SeededSourceForTests, SystemSource, draw, draw_many, respond, respond_many

EXACT_MODULES = ["coins", "integers", "responses", "source", "staircase", "thresholds"]


@pytest.mark.parametrize("name", EXACT_MODULES)
def test_no_slow_sampler_names_a_float(name: str) -> None:
    path = importlib.import_module(f"optcomp.noise.{name}").__file__
    assert path is not None
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        assert not (isinstance(node, ast.Name) and node.id in {"float", "approximately", "round", "random"})
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math":
            assert node.attr in {"isqrt", "ceil", "floor", "gcd", "lcm"}
        if isinstance(node, ast.Attribute):
            assert "float" not in node.attr


def test_a_division_that_would_make_a_float_is_never_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Fraction becomes a float while single numbers are drawn."""

    def refuse(self: Fraction) -> float:
        raise AssertionError(self)

    monkeypatch.setattr(Fraction, "__float__", refuse)
    source = SeededSourceForTests(1)
    for mechanism in (
        DiscreteLaplace(scale="10/3"),
        DiscreteGaussian(variance="7/2"),
        Skellam(variance=3),
        GridStaircase(epsilon="1/2*ln(3)", steps=5, fall=2),
    ):
        assert all(type(draw(mechanism, source=source)) is int for _ in range(200))
    assert all(type(respond(PureDP(epsilon="1.5"), 1, source=source)) is int for _ in range(200))


@pytest.mark.parametrize("kind", [SystemSource, lambda: SeededSourceForTests(3)])
def test_bits_and_words_are_in_range_and_fair(kind: Any) -> None:
    source = kind()
    for length in (0, 1, 5, 64, 1000, 5000):
        assert 0 <= source.bits(length) < 2**length
    words = source.words(20_000)
    assert words.dtype == np.uint64
    ones = np.unpackbits(words.view(np.uint8)).mean()
    assert abs(ones - 0.5) < 0.003
    assert abs(sum(source.bits(1) for _ in range(20_000)) - 10_000) < 500
    assert source.words(0).shape == (0,)


def test_a_seed_repeats_and_says_that_it_is_not_secret() -> None:
    first, second = SeededSourceForTests(5), SeededSourceForTests(5)
    assert [first.bits(7) for _ in range(50)] == [second.bits(7) for _ in range(50)]
    assert not first.is_secret
    assert SystemSource.is_secret
    mechanism = DiscreteLaplace(scale=1000)
    draws = [draw_many(mechanism, 100, source=SeededSourceForTests(9)) for _ in range(2)]
    assert (draws[0] == draws[1]).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_never_repeats_the_bits_of_its_parent() -> None:
    source = SystemSource()
    source.bits(1)  # the pool is filled
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, source.bits(256).to_bytes(32, "big"))
        os._exit(0)
    os.waitpid(child, 0)
    seen = int.from_bytes(os.read(reading, 32), "big")
    os.close(reading)
    os.close(writing)
    assert seen != source.bits(256)


def test_threads_do_not_share_bits() -> None:
    source = SystemSource()
    seen: list[int] = []

    def take() -> None:
        seen.extend(source.bits(64) for _ in range(500))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 2000


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace(scale=1),
        Gaussian(variance=1),
        Staircase(epsilon=1, gamma="0.5"),
        RandomizedResponse(probability="0.7"),
        PureDP(epsilon=1),
        ApproxDP(epsilon=1, delta=0),
        DiscreteLaplace(scale=1).repeated(2),
        Skellam(variance=10**6),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_remedy(mechanism: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        draw(mechanism)
    assert caught.value.remedy
    with pytest.raises(UnsupportedError):
        draw_many(mechanism, 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: draw(DiscreteLaplace(scale=1), source=3),  # type: ignore[arg-type]
        lambda: draw_many(DiscreteLaplace(scale=1), -1),
        lambda: draw_many(DiscreteLaplace(scale=1), True),
        lambda: SeededSourceForTests(-1),
        lambda: SeededSourceForTests(1.5),  # type: ignore[arg-type]
        lambda: respond(PureDP(epsilon=1), 2),
        lambda: respond(PureDP(epsilon=1), -1),
        lambda: respond(PureDP(epsilon=1), True),
        lambda: respond(PureDP(epsilon=1), 0, categories=1),
        lambda: respond(RandomizedResponse(probability="0.5", categories=3), 0, categories=4),
        lambda: respond(ApproxDP(epsilon=1, delta=0), 2),
        lambda: respond_many(PureDP(epsilon=1), [0, 2]),
        lambda: respond_many(PureDP(epsilon=1), [0.5]),  # type: ignore[list-item]
        lambda: respond_many(PureDP(epsilon=1), np.array([True])),
        lambda: GridStaircase(epsilon=0, steps=3, fall=1),
        lambda: GridStaircase(epsilon=1, steps=3, fall=0),
        lambda: GridStaircase(epsilon=1, steps=3, fall=4),
        lambda: GridStaircase.of(Staircase(epsilon=1, gamma="0.5"), step="0.3"),
        lambda: GridStaircase(epsilon=1, steps=3, fall=1).losses(4),
    ],
)
def test_wrong_parameters_are_refused(call: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        call()
    assert caught.value.field
    assert caught.value.remedy


def test_only_responses_respond() -> None:
    with pytest.raises(UnsupportedError):
        respond(DiscreteLaplace(scale=1), 0)
    with pytest.raises(UnsupportedError):
        respond_many(DiscreteLaplace(scale=1), [0])
