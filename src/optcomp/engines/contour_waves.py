"""The nodes of a contour sum: which of them matter, what the others may add at most, and the sum at any x."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from optcomp.engines.contour_saddles import BITS, Grid, Saddles
from optcomp.losses import SampledGaussianLoss, TwoPoint, TwoPointColumn
from optcomp.numerics.balls import Ball, ComplexBall, ball, ends, hull, nearest_float, precision, with_error
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.numerics.contour import (
    BallSpectrum,
    GridPoint,
    Line,
    Spectrum,
    complex_node,
    left_aliases,
    right_aliases,
)
from optcomp.numerics.ripples import Swing, TwoPointRipple
from optcomp.numerics.sampled_ripples import SampledNormalRipple
from optcomp.quantities import Enclosure, Real

__all__ = ["Waves", "log_of"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_MOST_SMOOTH = 150_000
_MOST_SINES = 1e8
_LEAST = 1e-250  # of a window
_MOST_NODES = 6_000_000
_MOST_WORK = 3e8  # nodes times different losses
_MOST_PERIOD = 20_000_000
_DEEPEST = -75.0  # where a ripple's period leaves nodes out
_LEAST_NOISE = 1e-200
_CHUNK = 1 << 17
_CARELESS, _CAREFUL = 2.5, 0.1  # how much larger, in logarithms, the first wave may be than the least possible
_LONG = 4096
_MANY = 160  # different epsilons, from which on whole intervals of heights are bounded
_FEW_PAIRS = 64
_MOST_BALLS, _MOST_BALL_NODES = 2e6, 20_000


@dataclass(frozen=True)
class Waves:
    """One line with its nodes, ready to be asked at any x near the one it was built for."""

    problem: Saddles
    line: Line
    spectrum: Spectrum | BallSpectrum
    grid: Grid | None
    second: tuple[tuple[float, Ball], ...]
    noise: float

    @staticmethod
    def build(  # noqa: PLR0913, PLR0917  # the question and how it was answered before
        problem: Saddles, tilt: float, x: float, log_delta: float, noise: float, attempt: int = 0
    ) -> Waves | None:
        """The cheapest line: smooth where waves end by themselves, else a period, else dithered."""
        with precision(BITS), np.errstate(all="ignore"):
            careful = _Builder(problem, x, log_delta, noise, _CAREFUL).build(tilt) if attempt else None
            return careful or _Builder(problem, x, log_delta, noise, _CARELESS).build(tilt)

    def sum_at(self, x: Ball, noise: float) -> Ball:
        """Delta at x of the losses with a Gaussian of that variance."""
        points: list[GridPoint | None] = [None] if self.grid is None else [*self.grid.point(x)]
        total = self.spectrum.value(x, points[0], noise)
        for point in points[1:]:
            total = total.union(self.spectrum.value(x, point, noise))
        aliases = left_aliases(self.line, x, self.problem.shrink)
        found = total - aliases.lower.union(aliases.upper)
        if noise == 0 and x + self.line.window >= self.problem.top:
            return found
        grown = [(tilt, k + ball(noise) * ball(tilt) * (ball(tilt) + 1) / 2) for tilt, k in self.second]
        right = right_aliases(self.line, x, grown)
        return found - right.union(ball(0))

    def bounds(self, x: Real) -> tuple[Fraction | float, Fraction | float]:
        """Two numbers around delta at x, not clipped."""
        with precision(BITS), np.errstate(all="ignore"):
            point = ball(x)
            upper = self.sum_at(point, self.noise)
            if not self.noise:
                return ends(upper)
            lower = 2 * upper - (3 * ball(self.noise) / 8).exp() * self.sum_at(point, 4 * self.noise)
            return ends(lower)[0], ends(upper)[1]

    def delta(self, x: Real) -> Enclosure:
        """Delta at x."""
        low, high = self.bounds(x)
        high = min(max(high, Fraction(0)), Fraction(1))
        return Enclosure(min(max(low, Fraction(0)), high), high)

    def epsilon(self, target: Enclosure, x: float) -> Enclosure | None:
        """The inverse, from secants on ln delta."""
        with precision(BITS):
            wanted = nearest_float(hull(target).log())
            top = ends(self.problem.top)[1]
        slope = self.line.tilt
        guess, value = max(x, 0.0), None
        previous: tuple[float, float] | None = None
        for _ in range(12):
            value = self.delta(Fraction(guess))
            middle = (value.lower + value.upper) / 2
            if middle <= 0:
                return None
            off = log_of(Fraction(middle)) - wanted
            if previous is not None and guess != previous[0]:
                found = -(off - previous[1]) / (guess - previous[0])
                slope = found if 0.05 * self.line.tilt < found < 100 * (self.line.tilt + 1) else slope
            previous = (guess, off)
            moved = max(guess + off / slope, 0.0)
            if abs(moved - guess) <= 1e-15 * guess or moved == guess:
                break
            small = abs(off) < 0.02 * float(value.relative_width)
            guess = moved
            if small:
                break
        if value is None:
            return None
        spread = (
            Fraction(value.relative_width) / Fraction(slope) if math.isfinite(value.relative_width) else Fraction(1)
        )
        rounding = Fraction(guess) / 2**52
        largest = top if isinstance(top, Fraction) else (2 * Fraction(guess) + 1000) * 2**60
        reach = spread * Fraction(11, 20) + rounding
        inverse = enclose_inverse(self.delta, target, Guess(Fraction(guess), reach, reach), largest=largest)
        if inverse is not None and not isinstance(top, Fraction) and inverse.upper >= largest:
            return None  # delta is not known to be 0 there
        return inverse


def log_of(value: Fraction) -> float:
    """The logarithm of a positive number of any size, about."""
    with precision(64):
        return nearest_float(ball(value).log())


@dataclass(frozen=True)
class _Nodes:
    """Some nodes, in order, and what is known of the ratios of randomized response there; nan where nothing is."""

    places: Places
    swing: Swing | None

    @staticmethod
    def joined(parts: list[_Nodes]) -> _Nodes:
        """All of them, without repetition."""
        places = np.concatenate([part.places for part in parts])
        first = np.argsort(places, kind="stable")
        first = first[np.concatenate([[True], np.diff(places[first]) > 0])]
        places = places[first]
        if all(part.swing is None for part in parts):
            return _Nodes(places, None)
        filled = [part.swing or Swing(*(np.full(len(part.places), np.nan) for _ in range(3))) for part in parts]
        modulus, angle, error = (
            np.concatenate(part)[first]
            for part in zip(*((each.modulus, each.angle, each.error) for each in filled), strict=True)
        )
        return _Nodes(places, Swing(modulus, angle, error))


class _Builder:
    """Chooses a line and its nodes for one x."""

    def __init__(self, problem: Saddles, x: float, log_delta: float, noise: float, cancelled: float) -> None:
        self.problem, self.x, self.log_delta, self.noise, self.cancelled = problem, x, log_delta, noise, cancelled

    def build(self, tilt: float) -> Waves | None:
        """See `Waves.build`."""
        best = self._cheapest(tilt)
        if best is None:
            return None
        self.tilt, self.wide, self.second = best
        self.budget = self._budget()
        if not math.isfinite(self.budget):
            return None
        for height in (200.0, 3000.0, 40_000.0):
            self.ripples = self.problem.followed.ripples(self.tilt, height)
            end = self._smooth_end()
            if end is not None and end <= height * 1.01:
                return self._finished(_Nodes(self._places_up_to(end), None), self._beyond(end), grid=None, noise=0.0)
            if end is None:
                break
        if self.problem.grid is not None:
            made = self._period(self.problem.grid)
            if made is not None:
                return made
        return self._dithered()

    def _cheapest(self, tilt: float) -> tuple[float, float, float] | None:
        """The tilt, window and second tilt with the smallest window, where too much does not cancel."""
        best: tuple[float, float, float] | None = None
        least = math.inf
        for factor in (1.0, 0.93, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3):
            theta = _short(tilt * factor)
            window, second = self.problem.window(theta, self.x, self.log_delta)
            height = self.problem.growth(theta) - theta * self.x - math.log(theta * (1 + theta))
            if not math.isfinite(window) or height > least + self.cancelled:
                continue
            least = min(least, height)
            if best is None or window < 0.9 * best[1]:
                best = (theta, window, second)
        return best if best is not None and _LEAST < best[1] < 1 / _LEAST else None

    def _budget(self) -> float:
        """The logarithm of what may be left out of the sum of ``2 |M/M(theta)| |kernel|``."""
        k = self.problem.growth(self.tilt)
        return self.log_delta - self.problem.loss + math.log(self.wide) - (k - self.tilt * self.x)

    def _unit(self) -> float:
        return 2 * math.pi / self.wide

    def _smooth_end(self) -> float | None:
        """The height where the waves have ended, if that is not too far."""
        cost = sum(each.cost for each in self.ripples if not isinstance(each, TwoPointRipple))
        most = min(_MOST_SMOOTH, _MOST_SINES / (cost + 1)) * self._unit()

        def ended(height: float) -> bool:
            return self._log_beyond(height) <= self.budget

        high = 8 * self._unit()
        while not ended(high):
            if high >= most:
                return None
            high = min(2 * high, most)
        low = high / 2
        for _ in range(3):
            middle = (low + high) / 2
            low, high = (low, middle) if ended(middle) else (middle, high)
        return high

    def _log_beyond(self, height: float, noise: float = 0.0) -> float:
        """The logarithm of a bound on the sum of ``2 rho/t^2`` over all nodes beyond a height."""
        total = sum(each.beyond(height) for each in self.ripples) - 0.4999 * noise * height**2
        return total + math.log(2 / (self._unit() * height))

    def _beyond(self, height: float, noise: float = 0.0) -> float:
        return math.exp(min(self._log_beyond(height, noise), 700.0)) * 1.01

    def _places_up_to(self, height: float) -> Places:
        return np.arange(math.ceil(height / self._unit()) + 1, dtype=np.int64)

    def _period(self, grid: Grid) -> Waves | None:
        """One period of a grid."""
        step = nearest_float(ball(grid.step))
        nodes = math.ceil(self.wide / step) | 1
        each = sum(ripple.cost for ripple in self.ripples if not isinstance(ripple, TwoPointRipple))
        patterned = any(ripple.period is not None for ripple in self.ripples)
        if nodes > _MOST_PERIOD or (not patterned and nodes * each > _MOST_SINES):
            return None
        self.wide = nodes * step
        window = nodes * ball(grid.step)
        kernel = step * -math.expm1(-step) / (math.expm1(-self.tilt * step) * math.expm1(-(self.tilt + 1) * step))
        cut = self.budget - math.log(2 * nodes * max(kernel, 1e-300))
        last = (nodes - 1) // 2
        kept = self._kept(last, cut, level=True, noise=0.0)
        if kept is None:
            return None
        lost = 2 * nodes * kernel * math.exp(min(cut, 700.0)) * 1.01
        return self._finished(kept, lost, grid=grid, noise=0.0, window=window)

    def _dithered(self) -> Waves | None:
        """All nodes up to where the added Gaussian ends them."""
        if self.noise <= _LEAST_NOISE:
            return None
        end = math.sqrt(2 * max(-self.budget + 5, 5.0) / self.noise)
        while self._log_beyond(end, self.noise) > self.budget:
            end *= 1.1
        last = math.ceil(end / self._unit())
        cut = self.budget - math.log(2 * (last + 1))
        cost = sum(each.cost for each in self.ripples if not isinstance(each, TwoPointRipple))
        if last * cost > _MOST_SINES and self._runs(last, cut) is None:
            return None
        kept = self._kept(last, cut, level=False, noise=self.noise)
        if kept is None:
            return None
        lost = 2 * (last + 1) * math.exp(min(cut, 700.0)) + self._beyond(end, self.noise)
        return self._finished(kept, lost, grid=None, noise=self.noise)

    # ------------------------------------------------------------------------------------------------ the nodes

    def _kept(self, last: int, cut: float, *, level: bool, noise: float) -> _Nodes | None:
        """The nodes up to ``last`` whose bound, kernel included unless ``level``, exceeds ``cut``; None: too many."""
        if last > _MOST_PERIOD and self._runs(last, cut) is None:
            return None
        found = [_Nodes(np.zeros(1, dtype=np.int64), None)]
        total, work = 0, 0.0
        for places in self._candidates(last, cut):
            nodes, cost = self._sifted(places, cut, level=level, noise=noise)
            work += len(places) * cost
            total += len(nodes.places)
            if total > _MOST_NODES or work > _MOST_WORK:
                return None
            found.append(nodes)
        return _Nodes.joined(found)

    def _sifted(self, places: Places, cut: float, *, level: bool, noise: float) -> tuple[_Nodes, float]:
        """Those of some nodes that matter, and the cost of one in units of a wave of one loss."""
        heights = (places * self._unit()).astype(np.float64)
        bound: Floats = np.zeros(len(places)) if level else -2.0 * np.log(heights) - 0.4999 * noise * heights**2
        pairs = next((each for each in self.ripples if isinstance(each, TwoPointRipple)), None)
        swing: Swing | None = None
        if pairs is not None and pairs.runs_fast and len(places) > _LONG and places[-1] - places[0] + 1 == len(places):
            swing = pairs.run(self._unit(), int(places[0]), len(places))
            bound += np.minimum(swing.modulus + swing.error, 0.0)
        alive = np.flatnonzero(bound > cut)
        for ripple in self.ripples:
            if not len(alive):
                break
            if ripple is not pairs or swing is None:
                enough = (cut - bound[alive]).astype(np.float64)
                bound[alive] += ripple.screen(heights[alive], np.zeros(len(alive)), enough)
                alive = alive[bound[alive] > cut]
        cost = 0.1 * pairs.size if swing is not None and pairs is not None else min(len(self.problem.losses), 64)
        kept = None if swing is None else Swing(swing.modulus[alive], swing.angle[alive], swing.error[alive])
        return _Nodes(places[alive], kept), cost + len(alive) / max(len(places), 1) * len(self.problem.losses)

    def _candidates(self, last: int, cut: float) -> Iterator[Places]:
        """Runs of nodes that cover all that may matter."""
        unit = self._unit()
        sparse = self._runs(last, cut)
        if isinstance(sparse, tuple):
            period, near = sparse
            turns = np.arange(math.floor((last * unit + near) / period) + 1)
            for start in range(0, len(turns), 1 << 14):
                middle = turns[start : start + (1 << 14)] * period / unit
                slack = 1 + 1e-9 * middle
                first = np.maximum(np.ceil(middle - near / unit - slack), 1).astype(np.int64)
                final = np.minimum(np.floor(middle + near / unit + slack), last).astype(np.int64)
                yield _runs(first, final)
        elif sparse is not None:
            yield from self._from_intervals(sparse, last, cut)
        else:
            starts = [1, *range(_LONG, last + 1, _CHUNK), last + 1]  # the first nodes are the most important ones
            for start, end in itertools.pairwise(sorted({min(each, last + 1) for each in starts})):
                yield np.arange(start, end, dtype=np.int64)

    def _runs(self, last: int, cut: float) -> tuple[float, float] | TwoPointRipple | None:
        """What leaves most nodes out: the period of one ripple and how far from it it is large, or many ripples."""
        unit = self._unit()
        periods = [each.period for each in self.ripples]
        known = [(near / period, period, near) for period, near in (each for each in periods if each is not None)]
        if known and min(known)[0] < 0.25 and cut - max(0.0, -2 * math.log(unit)) > _DEEPEST:
            return min(known)[1:]
        many = [each for each in self.ripples if isinstance(each, TwoPointRipple) and each.size > _MANY]
        return many[0] if many and last * unit > 4 / many[0].largest else None

    def _from_intervals(self, ripple: TwoPointRipple, last: int, cut: float) -> Iterator[Places]:
        """Whole intervals of heights are dropped first."""
        unit = self._unit()
        wide = 0.5 / ripple.largest
        borders = [0.5 * unit]
        while 0.1 * borders[-1] < wide and borders[-1] < last * unit:
            borders.append(borders[-1] * 1.1)
        start = borders[-1]
        rest = start + wide * np.arange(1, math.ceil((last * unit - start) / wide) + 2)
        edges = np.concatenate([borders, rest])
        for begin in range(0, len(edges) - 1, _CHUNK):
            low, high = edges[begin : begin + _CHUNK + 1][:-1], edges[begin : begin + _CHUNK + 1][1:]
            middle, half = (low + high) / 2, (high - low) / 2 * 1.000001
            enough = cut + 2 * np.log(low)
            alive = ripple.screen(middle, half, enough) > enough
            first = np.maximum(np.ceil(low[alive] / unit - 1e-6), 1).astype(np.int64)
            final = np.minimum(np.floor(high[alive] / unit + 1e-6), last).astype(np.int64)
            if alive.any():
                yield _distinct(_runs(first, final))

    def _finished(
        self, nodes: _Nodes, lost: float, *, grid: Grid | None, noise: float, window: Ball | None = None
    ) -> Waves | None:
        line = Line(self.tilt, ball(self.wide) if window is None else window)
        places = nodes.places
        log_growth = self.problem.followed.rough_log_growth(self.second, careful=True)
        tilts = [(self.second, ball(log_growth + 1e-8 * (1 + abs(log_growth))))]
        spectrum: Spectrum | BallSpectrum
        if self.problem.in_balls:
            if len(places) * len(self.problem.losses) > _MOST_BALLS or len(places) > _MOST_BALL_NODES:
                return None
            s = [complex_node(self.tilt, int(place), line.window) for place in places]
            growths = tuple((each, self._ball_growth(each)) for each in s)
            spectrum = BallSpectrum(line, growths, ball(lost) * growths[0][1].real)
        else:
            spectrum = Spectrum(line, self._exact_growth(), line.heights(places), self._swing(line, nodes), lost)
        return Waves(self.problem, line, spectrum, grid, tuple(tilts), noise)

    def _swing(self, line: Line, nodes: _Nodes) -> Swing:
        """The ratios at all nodes; those of randomized response may be known already."""
        heights = line.heights(nodes.places)
        total = nodes.swing or Swing(*(np.zeros(len(heights)) for _ in range(3)))
        known = np.zeros(len(heights), dtype=bool) if nodes.swing is None else np.isfinite(nodes.swing.modulus)
        for ripple in self.ripples:
            if isinstance(ripple, TwoPointRipple) and known.any():
                rest = ripple.swing(heights[~known])
                for whole, part in zip(
                    (total.modulus, total.angle, total.error), (rest.modulus, rest.angle, rest.error), strict=True
                ):
                    whole[~known] = part
        for ripple in self.ripples:
            if not (isinstance(ripple, TwoPointRipple) and known.any()):
                total = total + ripple.swing(heights)
        for part in (total.modulus, total.angle, total.error):
            part[0] = 0.0  # the first node is the tilt itself
        return Swing(total.modulus, total.angle, np.where(np.isfinite(total.error), total.error, 1e3))

    def _exact_growth(self) -> Ball:
        """K(theta)."""
        total = ball(0)
        columns = any(isinstance(loss, TwoPointColumn) for loss, _ in self.problem.losses)
        many = columns or len(self.problem.followed.epsilons) > _FEW_PAIRS
        if many:
            value, error = self.problem.followed.pair_log_growth(self.tilt)
            total += with_error(value, relative=0.0, absolute=error)
        others = [each for each in self.ripples if isinstance(each, SampledNormalRipple)]
        for ripple in others:
            value, error = ripple.log_growth
            total += with_error(value, relative=0.0, absolute=error)
        for loss, count in self.problem.losses:
            if isinstance(loss, TwoPointColumn) or (many and isinstance(loss, TwoPoint)):
                continue
            if isinstance(loss, SampledGaussianLoss):
                continue
            total += count * loss.growth(ball(self.tilt)).log()
        return total

    def _ball_growth(self, s: ComplexBall) -> ComplexBall:
        """M at a node; logarithms are added, since every product of complex boxes turns and widens them."""
        total, sign = 0 * s, 1
        for loss, count in self.problem.losses:
            factor = loss.growth(s)
            if factor.real < 0:  # away from the cut of the logarithm
                factor, sign = -factor, sign * (-1) ** (count % 2)
            total += count * factor.log()
        if total.is_finite():
            return sign * total.exp()
        product = 1 + 0 * s  # some factor may be 0
        for loss, count in self.problem.losses:
            product *= loss.growth(s) ** count
        return product


def _runs(first: Places, final: Places) -> Places:
    """All whole numbers of several runs."""
    sizes = np.maximum(final - first + 1, 0)
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return starts + np.arange(int(sizes.sum()))


def _distinct(ordered: Places) -> Places:
    """Sorted numbers without repetition."""
    return ordered[np.concatenate([[True], np.diff(ordered) > 0])] if len(ordered) else ordered


def _short(value: float) -> float:
    """The value rounded to 12 bits."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 4096), exponent - 12)
