"""Interpret coefficients of agreement using published scales, which are only conventions.

A band can include or exclude its upper bound, because the published scales use both forms, such as
"0.75 or less" and "below 0.40".
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from fastkappa.choices import check_choice
from fastkappa.frame import data_frame
from fastkappa.results.report import Report
from fastkappa.results.result import Result
from fastkappa.results.sentence import versioned

# A function that returns the limits of the interval at a given confidence level.
Ends: TypeAlias = Callable[[float], tuple[float, float]]
# The normal deviates of the intervals from which a confidence distribution is interpolated.
DEVIATES = (0.4, 0.8, 1.2, 1.6, 2.0, 2.5, 3.0, 3.5, 4.2, 5.0)


class Band(NamedTuple):
    """A labeled band of values, which includes ``upper`` itself only if ``inclusive`` is true."""

    upper: float
    inclusive: bool
    reading: str


class Scale(NamedTuple):
    """A published scale, divided into bands. The first band begins at -1."""

    source: str
    bands: tuple[Band, ...]


class _Interpretation(NamedTuple):
    scale: str
    source: str
    reading: str
    proportions: dict[str, float]
    confident_reading: str
    confidence: float


class Interpretation(Result, _Interpretation):
    """The interpretation of an agreement coefficient on a published scale.

    Attributes
    ----------
    scale : str
        The name of the scale.
    source : str
        The publication that defines the scale.
    reading : str
        The label of the band that contains the coefficient, or 'undefined' if the coefficient is
        NaN.
    proportions : dict
        The proportion of the confidence distribution that lies in each band. The confidence
        distribution is defined by the coefficient's intervals at all confidence levels, and is
        restricted to values between -1 and 1. The proportions sum to 1, or are NaN if there is no
        interval.
    confident_reading : str
        The label of the highest band that the coefficient reaches or exceeds with the given
        confidence (Gwet 2014), or 'undefined' if there is no interval. Because the confidence is
        one-sided, the lower limit of a two-sided interval with the same confidence can be in a
        lower band.
    confidence : float
        The one-sided confidence level of ``confident_reading``.
    """

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per band and the column ``proportion``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(
            {"proportion": list(self.proportions.values())}, ("band", list(self.proportions))
        )

    def in_short(self) -> str:
        """Return a short text with the coefficient's band and ``confident_reading``."""
        if self.confident_reading == "undefined":
            return self.reading
        return f"{self.reading}, {self._at_least()}"

    def sentence(self, *, name: str | None = None) -> str:
        """Return the interpretation as a sentence for a paper."""
        name = name or "the agreement"
        return versioned(f"On the scale of {self.source}, {name} was {self.in_short()}")

    def _report(self) -> Report:
        lines = [f"read by {self.source}: {self.reading}"]
        if math.isnan(sum(self.proportions.values())):
            return Report(lines)
        bands = [
            f"  {band}: {part:.1%} of the confidence distribution"
            for band, part in self.proportions.items()
        ]
        return Report([*lines, *bands, f"  {self._at_least()}"])

    def _at_least(self) -> str:
        percent = f"{100 * self.confidence:g} %"
        return f"at least {self.confident_reading} (one-sided, with {percent} confidence)"

    def __repr__(self) -> str:
        return f"<Interpretation: {self.reading}, by {self.scale}>"


def _scale(source: str, *bands: tuple[float, bool, str]) -> Scale:
    return Scale(source, tuple(Band(*band) for band in bands))


ScaleName: TypeAlias = Literal["cohen", "landis-koch", "mchugh", "fleiss", "altman", "cicchetti"]
SCALES: dict[ScaleName, Scale] = {
    "cohen": _scale(
        "Cohen (1960), as commonly tabled",
        (0.00, True, "none"),
        (0.20, True, "none to slight"),
        (0.40, True, "fair"),
        (0.60, True, "moderate"),
        (0.80, True, "substantial"),
        (1.00, True, "almost perfect"),
    ),
    "landis-koch": _scale(
        "Landis and Koch (1977)",
        (0.00, False, "poor"),
        (0.20, True, "slight"),
        (0.40, True, "fair"),
        (0.60, True, "moderate"),
        (0.80, True, "substantial"),
        (1.00, True, "almost perfect"),
    ),
    "mchugh": _scale(
        "McHugh (2012), with the share of data that are reliable",
        (0.00, False, "disagreement"),
        (0.20, True, "none (0-4 % reliable)"),
        (0.40, False, "minimal (4-15 % reliable)"),
        (0.60, False, "weak (15-35 % reliable)"),
        (0.80, False, "moderate (35-63 % reliable)"),
        (0.90, True, "strong (64-81 % reliable)"),
        (1.00, True, "almost perfect (82-100 % reliable)"),
    ),
    "fleiss": _scale(
        "Fleiss (1981)",
        (0.40, False, "poor"),
        (0.75, True, "fair to good"),
        (1.00, True, "excellent"),
    ),
    "altman": _scale(
        "Altman (1991)",
        (0.20, True, "poor"),
        (0.40, True, "fair"),
        (0.60, True, "moderate"),
        (0.80, True, "good"),
        (1.00, True, "very good"),
    ),
    "cicchetti": _scale(
        "Cicchetti (1994)",
        (0.40, False, "poor"),
        (0.60, False, "fair"),
        (0.75, False, "good"),
        (1.00, True, "excellent"),
    ),
}


def find_scale(name: str) -> Scale:
    """Return the scale with this name, or raise if it is unknown."""
    return SCALES[check_choice("scale", name, tuple(SCALES))]


def read_value(value: float, scale: str) -> str:
    """Return the label of the band that contains the value, or 'undefined' for NaN.

    Examples
    --------
    >>> from fastkappa.statistics.scales import read_value
    >>> read_value(0.75, "fleiss"), read_value(0.75, "cicchetti")
    ('fair to good', 'excellent')
    """
    return "undefined" if math.isnan(value) else _band_of(value, find_scale(scale).bands).reading


def interpret(
    value: float, ends: Ends, scale: ScaleName, confidence: float = 0.95
) -> Interpretation:
    """Interpret a value on a scale, taking its uncertainty into account.

    The intervals at all confidence levels define a confidence distribution of the true value. The
    probability that the true value is above a cut is the confidence level of the one-sided interval
    that starts at the cut.

    Parameters
    ----------
    value : float
        The coefficient of agreement.
    ends : callable
        A function that returns the limits of the interval at a given confidence level.
    scale : {'cohen', 'landis-koch', 'mchugh', 'fleiss', 'altman', 'cicchetti'}
        The name of the scale.
    confidence : float, default=0.95
        The one-sided confidence level of ``confident_reading``.

    Returns
    -------
    interpretation : Interpretation

    References
    ----------
    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, fourth edition, chapter 6.

    T. Schweder and N. L. Hjort (2016). Confidence, Likelihood, Probability: Statistical Inference
    with Confidence Distributions. Cambridge University Press.

    Examples
    --------
    Use a normal interval:

    >>> from fastkappa.statistics.inference import symmetric_interval
    >>> from fastkappa.statistics.scales import interpret
    >>> reading = interpret(
    ...     0.4915, lambda confidence: symmetric_interval(0.4915, 0.0510, confidence), "landis-koch"
    ... )
    >>> reading.confident_reading, round(reading.proportions["moderate"], 3)
    ('moderate', 0.947)
    """
    source, bands = find_scale(scale)
    proportions = _proportions(value, ends, bands)
    confident = "undefined"
    at_least = 0.0
    for band in reversed(bands):
        at_least += proportions[band.reading]
        # The lowest band is always reached, even if rounding leaves the sum below the confidence
        # level.
        if at_least >= confidence or (band is bands[0] and not math.isnan(at_least)):
            confident = band.reading
            break
    reading = read_value(value, scale)
    return Interpretation(scale, source, reading, proportions, confident, confidence)


def _proportions(value: float, ends: Ends, bands: tuple[Band, ...]) -> dict[str, float]:
    """Return the proportion of the confidence distribution, truncated to [-1, 1], in each band."""
    low, high = (math.nan, math.nan) if math.isnan(value) else ends(0.5)
    if math.isnan(low + high):
        return {band.reading: math.nan for band in bands}
    # If the error is unknown, or the whole distribution is outside the range, all the probability
    # is assigned to the band that contains the value.
    pieces = [float(band is _band_of(value, bands)) for band in bands]
    if low < high:
        found = _Distribution(value, ends)
        above = [found.above(cut) for cut in (-1.0, *(band.upper for band in bands))]
        between = [max(one - other, 0.0) for one, other in pairwise(above)]
        pieces = between if sum(between) > 0 else pieces
    return {band.reading: piece / sum(pieces) for band, piece in zip(bands, pieces)}


class _Distribution:
    """A confidence distribution, interpolated from intervals at several confidence levels."""

    def __init__(self, value: float, ends: Ends) -> None:
        # The interval limits in ascending order, and the normal deviates of their confidence
        # levels.
        self._ends, self._deviates = [value], [0.0]
        for deviate in DEVIATES:
            low, high = ends(math.erf(deviate / math.sqrt(2)))
            if low < self._ends[0]:
                self._ends.insert(0, low)
                self._deviates.insert(0, deviate)
            if high > self._ends[-1]:
                self._ends.append(high)
                self._deviates.append(-deviate)

    def above(self, cut: float) -> float:
        """Return the probability that the true value is above a cut."""
        ends, deviates = self._ends, self._deviates
        if not ends[0] < cut < ends[-1]:
            return 0.5 if cut == ends[0] == ends[-1] else float(cut <= ends[0])
        place = bisect_left(ends, cut)
        # The interpolation uses two neighbors on each side, and is exact for a normal interval.
        nearest = range(max(place - 2, 0), min(place + 2, len(ends)))
        deviate = 0.0
        for i in nearest:
            others = [j for j in nearest if j != i]
            deviate += deviates[i] * math.prod(
                (cut - ends[j]) / (ends[i] - ends[j]) for j in others
            )
        # The curve can oscillate if an interval limit is at the end of the range, so the result is
        # limited to the deviates of the two nearest limits.
        deviate = min(max(deviate, deviates[place]), deviates[place - 1])
        return math.erfc(-deviate / math.sqrt(2)) / 2


def _band_of(value: float, bands: tuple[Band, ...]) -> Band:
    within = (b for b in bands if value < b.upper or (b.inclusive and value == b.upper))
    return next(within, bands[-1])
