"""What can an attacker tell?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from optcomp.documents import read_pair
from optcomp.errors import InvalidParameterError
from optcomp.plotting import FORMATS, Panel, Picture, Series, save
from optcomp.quantities import Enclosure, probability
from optcomp.theorems.kov15 import Corner
from optcomp.tradeoff import AttackRisk, NearestGaussians, TradeoffCurve
from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.source import Source

__all__ = ["ErrorPair", "TradeoffAnswer", "TradeoffRequest", "draw_curve", "refuse_existing", "tradeoff_of"]

_USUAL = ("0.001", "0.01", "0.05", "0.1", "0.25", "0.5")
_IN_WORDS = ("0.05",)
_MOST_DRAWN = 500  # corners
_PLACES = 64  # at which any other curve is drawn


@dataclass(frozen=True, kw_only=True)
class TradeoffRequest:
    """A question about a trade-off curve.

    Args:
        source: The plan; not used where there are probabilities.
        probabilities: A file with two rows of probabilities, instead of a plan.
        false_alarms: Where the curve is asked; a usual list by default.
        prior: The probability that a person's data were used, for the error of the best guess.
        gaussians: The range in which the nearest normal curves are looked for; by default the whole, where that is
            known by few corners.
        picture: A file that the curve is drawn into.
        force: Whether a picture that is there already may be replaced.
    """

    source: Source
    probabilities: str | None = None
    false_alarms: tuple[str, ...] = ()
    prior: str | None = None
    gaussians: tuple[str, str] | None = None
    picture: str | None = None
    force: bool = False


@dataclass(frozen=True, kw_only=True)
class ErrorPair:
    """One point of the curve, in the terms of a test and in those of an attack."""

    false_alarm: Fraction
    missed_detection: Enclosure
    true_positive_rate: Enclosure


@dataclass(frozen=True, kw_only=True)
class TradeoffAnswer:
    """A trade-off curve.

    Args:
        title: The plan's title.
        adjacency: The relation between neighbouring data sets.
        assumption: What the answer rests on where mechanisms are sampled.
        pairs: The points that were asked for.
        advantage: The largest difference of true and false positive rate.
        prior: As asked.
        bayes_error: The least error of a guess under that prior.
        corners: All corners, where the curve is a polygon that can be listed.
        gaussians: The nearest normal curves, where that was asked or is easy.
        words: Sentences for people.
        picture: The file that was written.
    """

    title: str | None
    adjacency: str | None
    assumption: str | None
    pairs: tuple[ErrorPair, ...]
    advantage: Enclosure
    prior: Fraction | None
    bayes_error: Enclosure | None
    corners: tuple[Corner, ...] | None
    gaussians: NearestGaussians | None
    words: tuple[str, ...]
    picture: str | None


def tradeoff_of(request: TradeoffRequest) -> TradeoffAnswer:
    """The trade-off curve of a plan, or of two rows of probabilities.

    Raises:
        InvalidParameterError: When the plan or a number is wrong, or the picture is there already.
    """
    title: str | None = None
    adjacency: str | None = None
    assumption: str | None = None
    if request.picture is not None:
        refuse_existing(request.picture, force=request.force)
    if request.probabilities is None:
        plan = request.source.plan()
        profile = plan.profile()
        title, adjacency = plan.title, plan.adjacency
        assumption = assumption_of(profile.mechanism, adjacency)
        curve = TradeoffCurve.of(profile)
    else:
        source = request.source
        if source.path is not None or source.each or source.counts or source.adjacency is not None:
            raise InvalidParameterError(
                field="probabilities",
                value=request.probabilities,
                condition="must stand alone, without a plan, counts or an adjacency",
                remedy="Give one of them.",
            )
        pair = read_pair(
            request.probabilities, standard_input=request.source.standard_input, format=request.source.format
        )
        curve = TradeoffCurve.of(pair)
    curve = curve.oriented
    risk = AttackRisk(curve)
    places = sorted({probability(each, field="false_alarm") for each in request.false_alarms or _USUAL})
    prior = None if request.prior is None else probability(request.prior, field="prior")
    answer = TradeoffAnswer(
        title=title,
        adjacency=adjacency,
        assumption=assumption,
        pairs=tuple(
            ErrorPair(
                false_alarm=place,
                missed_detection=curve.missed_detection(place),
                true_positive_rate=risk.true_positive_rate(place),
            )
            for place in places
        ),
        advantage=risk.advantage,
        prior=prior,
        bayes_error=None if prior is None else risk.bayes_error(prior),
        corners=curve.vertices,
        gaussians=_gaussians(curve, request.gaussians),
        words=tuple(risk.in_words(false_positive_rate=place) for place in request.false_alarms or _IN_WORDS),
        picture=request.picture,
    )
    if request.picture is not None:
        draw_curve(curve, title=title or "Trade-off curve", path=Path(request.picture))
    return answer


def refuse_existing(path: str, *, force: bool) -> None:
    """Refuse a file that cannot be drawn into, or is there already and is not to be replaced, before any work."""
    target = Path(path)
    wrong: tuple[str, str] | None = None
    if target.suffix not in FORMATS:
        wrong = f"must end in {', '.join(FORMATS)}", "Rename it."
    elif not target.parent.is_dir() or target.is_dir():
        wrong = "must be a file in a folder that exists", "Check the folder."
    elif not force and (target.is_symlink() or target.exists()):
        wrong = "is there already", "Add --force to replace it."
    if wrong is not None:
        raise InvalidParameterError(field="picture", value=path, condition=wrong[0], remedy=wrong[1])


def _gaussians(curve: TradeoffCurve, wanted: tuple[str, str] | None) -> NearestGaussians | None:
    if wanted is not None:
        return curve.nearest_gaussians(false_alarms=wanted)
    if curve.vertices is not None and len(curve.vertices) > _MOST_DRAWN:
        return None
    try:
        return curve.nearest_gaussians()
    except InvalidParameterError:  # it needs a range, and none was given
        return None


def draw_curve(curve: TradeoffCurve, *, title: str, path: Path, attack: Series | None = None) -> None:
    """Draw a trade-off curve, perhaps with what an attack reached beside it.

    Args:
        curve: The curve.
        title: Above the picture.
        path: Ends in ``.svg``, ``.pdf`` or ``.png``.
        attack: Points to draw beside the curve.

    Raises:
        InvalidParameterError: When the ending is another one, or the file cannot be written.
    """
    points = list(_drawn(curve))
    line = Series(label="least missed detection", x=tuple(x for x, _ in points), y=tuple(y for _, y in points))
    none, whole = Enclosure.exactly(0), Enclosure.exactly(1)
    guessing = Series(label="guessing blindly", x=(none, whole), y=(whole, none), kind="guide")
    panel = Panel(
        title=title,
        x_label="false alarm",
        y_label="missed detection",
        series=(guessing, line) if attack is None else (guessing, line, attack),
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        square=True,
        legend="upper right",
    )
    caption = "No test has errors below the curve."
    try:
        save(Picture(name=path.stem, title=title, caption=caption, sources=(), panels=(panel,)), path)
    except OSError as error:
        raise InvalidParameterError(
            field="picture",
            value=str(path),
            condition=f"cannot be written ({error.strerror})",
            remedy="Check the folder.",
        ) from None


def _drawn(curve: TradeoffCurve) -> Iterator[tuple[Enclosure, Enclosure]]:
    corners = curve.vertices
    if corners is not None and len(corners) <= _MOST_DRAWN:
        for corner in corners:
            yield corner.false_alarm, corner.missed_detection
        return
    for place in range(_PLACES + 1):
        alarm = Fraction(place, _PLACES) ** 3  # closer together where the curve is steep
        yield Enclosure.exactly(alarm), curve.missed_detection(alarm)
