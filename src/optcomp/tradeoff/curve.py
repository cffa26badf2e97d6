"""The least missed detection as a function of the false alarm: what privacy means to an attacker."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import Profile, compose
from optcomp.errors import InvalidParameterError
from optcomp.losses import GaussianLoss
from optcomp.mechanisms import Mechanism
from optcomp.quantities import Enclosure, Number, html_table, probability, real
from optcomp.sources import KOV15, states
from optcomp.theorems.kov15 import Corner
from optcomp.tradeoff.duality import ProfileCurve
from optcomp.tradeoff.finite import FinitePair
from optcomp.tradeoff.listing import corners_of
from optcomp.tradeoff.normal_curve import NearestGaussians, NormalCurve, nearest_to
from optcomp.tradeoff.polygon import Polygon
from optcomp.tradeoff.region import PrivacyRegion

__all__ = ["TradeoffCurve"]

_SHOWN = ("0.001", "0.01", "0.05", "0.1", "0.25", "0.5")
_OPPOSITE = {"add_one": "remove_one", "remove_one": "add_one"}  # all other relations cover both orders
_FARTHEST = 700.0  # of the logarithm of odds between two ends
_PLACES = 32  # at which a curve that is no polygon is compared with normal curves


@dataclass(frozen=True, repr=False)
class TradeoffCurve:
    """The trade-off between the two errors of an attacker who guesses which of two neighbouring data sets was used.

    Made by `of`. A test says "the second data set". It errs by a *false alarm* when the first one was used, and by a
    *missed detection* when the second one was. The curve gives the least probability of a missed detection for each
    probability of a false alarm: it is convex, falls from at most 1 to 0, and the higher it lies, the better for
    privacy. (1 - missed detection is an attack's true positive rate, the false alarm is its false positive rate.)

    Args:
        shape: How it is known: by corners, by a profile, or as the curve of normal noise.
        source: What it was made of.
    """

    shape: Polygon | ProfileCurve | NormalCurve
    source: Profile | FinitePair | PrivacyRegion | None = None

    @staticmethod
    @states(KOV15, "Theorem 2.1 and section 2, as a curve")
    def of(
        source: Profile | Mechanism | FinitePair | PrivacyRegion | Sequence[Iterable[Number]],
        *,
        adjacency: str | None = None,
    ) -> TradeoffCurve:
        """The trade-off curve of a composition, of one mechanism, of two rows of probabilities, or of a region.

        Args:
            source: A profile or mechanism gives the worst case over neighbouring data sets, in both orders where its
                adjacency allows both. A `FinitePair`, or two rows of exact probabilities, gives the tests of its first
                data set against its second. A `PrivacyRegion` gives its lower edge.
            adjacency: As in `optcomp.compose`, for a mechanism; a profile has its own.

        **Guarantee**: every number that the curve gives lies in its enclosure. For a profile the curve is the optimum:
        every test errs at least that much, and some composition with the listed guarantees has a test that comes as
        close as one likes.

        Raises:
            InvalidParameterError: When the source is none of these.

        >>> import optcomp as oc
        >>> curve = oc.TradeoffCurve.of(oc.PureDP(epsilon="ln(3)"))
        >>> print(curve.missed_detection(false_alarm="0.1"))
        0.7
        """
        if isinstance(source, tuple | list) and len(source) == 2:
            return TradeoffCurve.of(FinitePair(first=source[0], second=source[1]))
        if isinstance(source, FinitePair):
            return TradeoffCurve(Polygon.of(_corners_of_pair(source)), source)
        if isinstance(source, PrivacyRegion):
            return TradeoffCurve(_of_region(source), source)
        if isinstance(source, Mechanism):
            return TradeoffCurve.of(compose(source, adjacency=adjacency))
        if not isinstance(source, Profile):
            raise InvalidParameterError(
                field="source",
                value=source,
                condition="must be a Profile, a Mechanism, a FinitePair, two rows of probabilities, or a PrivacyRegion",
                remedy="Compose the mechanisms first: optcomp.compose([...]).",
            )
        return TradeoffCurve(_of_profile(source), source)

    @property
    def vertices(self) -> tuple[Corner, ...] | None:
        """The corners, by rising false alarm; None where the curve is no polygon, or has too many to list.

        They are exact where all probabilities are rational, and enclosures otherwise.
        """
        return self.shape.corners if isinstance(self.shape, Polygon) else None

    def missed_detection(self, false_alarm: Number) -> Enclosure:
        """The least missed detection of a test with this false alarm; its safe side is the lower end.

        **Guarantee**: ``lower <= f(false_alarm) <= upper``; no test misses less than ``lower``.

        Raises:
            InvalidParameterError: When the false alarm is no probability.
        """
        found = self.shape.missed_detection(probability(false_alarm, field="false_alarm"))
        return Enclosure(found.lower, found.upper, "lower")

    def delta(self, epsilon: Number) -> Enclosure:
        """The profile again: the least delta at an epsilon of either sign.

        It is ``1 - min over a of (f(a) + e^epsilon a)``, by convex duality. For a `FinitePair` it speaks of the second
        data set against the first: ``sup_S Q(S) - e^epsilon P(S)``.

        **Guarantee**: ``lower <= delta <= upper``.
        """
        return self.shape.delta(real(epsilon, field="epsilon"))

    @property
    def symmetrised(self) -> TradeoffCurve:
        """One curve that holds for both orders of the data sets: the largest convex one below this and its inverse."""
        if isinstance(self.shape, ProfileCurve):
            return self if self.shape.symmetric else self._under("add_or_remove_one")
        return self if isinstance(self.shape, NormalCurve) else TradeoffCurve(self.shape.symmetrised, self.source)

    @property
    def inverse(self) -> TradeoffCurve:
        """The curve of the data sets in the other order."""
        if isinstance(self.shape, ProfileCurve):
            return self if self.shape.symmetric else self._under(_OPPOSITE[self.shape.profile.adjacency or ""])
        return self if isinstance(self.shape, NormalCurve) else TradeoffCurve(self.shape.inverse, self.source)

    @property
    def oriented(self) -> TradeoffCurve:
        """The curve on which a false alarm accuses somebody whose data were not used.

        It is this one, but for a profile of added records only, which speaks of the data set without the record first.
        """
        profile = self.shape.profile if isinstance(self.shape, ProfileCurve) else None
        is_other = profile is not None and profile.adjacency == "add_one" and not profile.is_symmetric
        return self.inverse if is_other else self

    def _under(self, adjacency: str) -> TradeoffCurve:
        """The curve of the same composition under another adjacency."""
        if not isinstance(self.shape, ProfileCurve):
            return self
        profile = self.shape.profile
        return TradeoffCurve.of(Profile(mechanism=profile.mechanism, adjacency=adjacency, engine=profile.engine))

    def nearest_gaussians(self, *, false_alarms: tuple[Number, Number] | None = None) -> NearestGaussians:
        """The nearest trade-off curves of normal noise, from both sides.

        Args:
            false_alarms: The range in which to compare, inside of (0, 1). It may be left out where the curve is known
                by its corners: then the whole is compared.

        **Guarantee**: the least mu whose curve lies below, and the greatest mu whose curve lies above, each lie in
        their enclosures.

        Raises:
            InvalidParameterError: When the range is needed and missing, or not inside of (0, 1).

        Source: the order of Gaussian differential privacy (Dong, Roth, Su 2022).
        """
        if isinstance(self.shape, NormalCurve):
            return NearestGaussians(self.shape.mu, self.shape.mu, None)
        if false_alarms is None:
            if isinstance(self.shape, ProfileCurve):
                raise InvalidParameterError(
                    field="false_alarms",
                    value=None,
                    condition="must be given: at the very ends this curve is like no normal one",
                    remedy="Give a range such as ('1e-6', '0.5').",
                )
            return nearest_to(self.shape, None)
        low, high = (probability(each, field="false_alarms") for each in false_alarms)
        if not 0 < low < high < 1:
            raise InvalidParameterError(
                field="false_alarms",
                value=false_alarms,
                condition="must be two numbers in order, inside of 0 and 1",
                remedy="Give a range such as ('1e-6', '0.5').",
            )
        places = list(_places(low, high))
        shape = self.shape
        if isinstance(shape, ProfileCurve):
            return nearest_to(shape.sampled(places), (low, high))
        return nearest_to(shape.between(low, high), (low, high))

    def _repr_html_(self) -> str:
        """What a notebook shows: a few points."""
        rows = [(place, str(self.missed_detection(place))) for place in _SHOWN]
        return html_table("Trade-off curve", ("false alarm", "least missed detection"), rows)

    def __repr__(self) -> str:
        """The kind of curve."""
        if isinstance(self.shape, Polygon):
            return f"TradeoffCurve({len(self.shape.lower)} corners)"
        return f"TradeoffCurve({type(self.shape).__name__})"


def _corners_of_pair(pair: FinitePair) -> Iterator[Corner]:
    for point in pair.tradeoff:
        yield Corner(Enclosure.exactly(point.false_alarm), Enclosure.exactly(point.missed_detection))


def _of_profile(profile: Profile) -> Polygon | ProfileCurve | NormalCurve:
    if len(profile.sides) > 1:
        return ProfileCurve(profile, symmetric=True)
    composite = profile.sides[0].composite
    if not composite.failures and composite.kinds == {GaussianLoss}:
        loss, _ = composite.losses[0]
        if isinstance(loss, GaussianLoss):
            return NormalCurve(loss.mu_squared)
    corners = corners_of(composite)
    if corners is not None:
        return Polygon.of(corners)
    return ProfileCurve(profile, symmetric=profile.is_symmetric)


def _of_region(region: PrivacyRegion) -> Polygon:
    if region.is_exact:
        return Polygon.of(region.corners())
    outer, inner = Polygon.of(region.corners("upper")), Polygon.of(region.corners("lower"))
    return Polygon(outer.lower, inner.upper)


def _places(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """Places from low to high, evenly spaced in the logarithm of the odds."""
    start, end = (_log_odds(each) for each in (low, high))
    yield low
    for place in range(1, _PLACES):
        level = start + (end - start) * place / _PLACES
        if abs(level) < _FARTHEST:
            small = Fraction(math.exp(-abs(level)))
            found = (small if level < 0 else Fraction(1)) / (1 + small)
            if low < found < high:
                yield found
    yield high


def _log_odds(value: Fraction) -> float:
    rest = value.denominator - value.numerator
    return math.log(value.numerator) - math.log(rest)
