"""Sum the distances ((a - b) / (a + b))**2 over all pairs of numbers, in linear time.

The sum cannot be computed from the moments of the numbers, and adding up the distances one by one
would take too long. However, within an octave, that is, for a between 2**e and 2**(e + 1), the
distance from a to any b is a smooth function of a, because its only pole, at a = -b, is far away.
Interpolation at 18 or more Chebyshev nodes is accurate to the last digit of a float64. Therefore
only the sums of the Chebyshev polynomials T_k over the numbers in each octave are needed. A matrix
of shape (N_NODES, N_NODES) represents the distances between two octaves. If two numbers are 60 or
more octaves apart, their distance is rounded to 1 in float64.

The interval of an octave extends from the smallest to the largest number in it, and positions are
measured from the middle of the interval. This preserves precision if all numbers are close to each
other and far from 0.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fastkappa.arrays import AnyArray, Floats

N_NODES = 20
# If a and b are more than this many octaves apart, (a - b) / (a + b) is 1 or -1 in float64.
FARTHEST = 60
# The sum of two numbers up to this limit does not overflow.
LARGEST_SUM = 8e307
# LEAST_EXPONENT is the exponent that ``np.frexp`` returns for the smallest positive float64.
# N_EXPONENTS is the number of different exponents of float64 numbers.
LEAST_EXPONENT, N_EXPONENTS = -1073, 2098


class RatioDistances:
    """Sums of the distances between non-negative numbers.

    Parameters
    ----------
    chunks : iterable of ndarray of shape (m,)
        The numbers, in chunks. NaN values are ignored.
    """

    def __init__(self, chunks: Iterable[Floats]) -> None:
        lowest, highest = np.full(N_EXPONENTS, np.inf), np.full(N_EXPONENTS, -np.inf)
        for chunk in chunks:
            octaves, starts, ordered = _by_octave(chunk[chunk > 0])
            if len(octaves):
                lows, highs = (f.reduceat(ordered, starts) for f in (np.minimum, np.maximum))
                lowest[octaves] = np.minimum(lowest[octaves], lows)
                highest[octaves] = np.maximum(highest[octaves], highs)
        self._octaves = np.flatnonzero(np.isfinite(lowest))
        self._position = np.zeros(N_EXPONENTS, np.intp)
        self._position[self._octaves] = np.arange(len(self._octaves))
        low, high = lowest[self._octaves], highest[self._octaves]
        self._middle = low + (high - low) / 2
        # If an octave has only one distinct number, the width of its interval is 0, and all nodes
        # equal that number.
        self._half = np.maximum(high - self._middle, self._middle - low)
        angles = (np.arange(N_NODES) + 0.5) * np.pi / N_NODES
        self._nodes = np.cos(angles)
        to_coefficients = 2 / N_NODES * np.cos(np.outer(np.arange(N_NODES), angles))
        to_coefficients[0] /= 2
        self._to_coefficients = to_coefficients

    @property
    def largest(self) -> float:
        """The largest distance between any two of the positive numbers."""
        if not self.n_octaves:
            return 0.0
        ends = [self._middle[0] - self._half[0]], [self._middle[-1] + self._half[-1]]
        return float(ratio_distance(*map(np.array, ends))[0])

    @property
    def n_octaves(self) -> int:
        """The number of octaves that contain at least one number."""
        return len(self._octaves)

    def no_moments(self, shape: tuple[int, ...]) -> Floats:
        """Return the `moments` of an empty set of numbers, for a stack of the given shape."""
        return np.zeros((*shape, self.n_octaves * N_NODES + 1))

    def moments(self, numbers: Floats, weights: Floats | None = None) -> Floats:
        """Return the sums of T_0 to T_(N_NODES - 1) per octave, followed by the number of zeros.

        Parameters
        ----------
        numbers : ndarray of shape (m,)
            Some of the numbers that were passed to the constructor.
        weights : ndarray of shape (..., m), default=None
            How many times each number occurs. None means once.

        Returns
        -------
        moments : ndarray of shape (..., n_octaves * N_NODES + 1)
        """
        shape = () if weights is None else weights.shape[:-1]
        sums = np.zeros((*shape, self.n_octaves, N_NODES))
        positive = numbers > 0
        zeros = numbers == 0
        n_zeros = np.asarray(zeros.sum() if weights is None else weights @ zeros, np.float64)
        if not positive.all():
            numbers = numbers[positive]
            weights = None if weights is None else weights[..., positive]
        if len(numbers):
            octaves, starts, order = _octave_order(numbers)
            found = self._position[octaves]
            place = self._places(numbers[order], found, starts)
            each = np.ones(len(order)) if weights is None else weights[..., order]
            # Chebyshev polynomials: T_(k + 1) = 2 t T_k - T_(k - 1). Each polynomial is multiplied
            # by the weights.
            before, now = each, each * place
            sums[..., found, 0] = np.add.reduceat(before, starts, axis=-1)
            sums[..., found, 1] = np.add.reduceat(now, starts, axis=-1)
            place += place
            for k in range(2, N_NODES):
                after = place * now
                after -= before
                before, now = now, after
                sums[..., found, k] = np.add.reduceat(now, starts, axis=-1)
        flat = sums.reshape(*shape, self.n_octaves * N_NODES)
        return np.concatenate([flat, n_zeros[..., None]], axis=-1)

    def coefficients(self, moments: Floats) -> Floats:
        """Return the coefficients of a function: the sum of a number's distances to other numbers.

        The other numbers are specified by their `moments`. The result contains the coefficients of
        T_0, T_1, ... in each octave, followed by the function's value at 0. The dot product of the
        coefficients and the moments of any numbers is the sum of the function over these numbers.
        """
        *shape, _ = moments.shape
        of_octaves = moments[..., :-1].reshape(*shape, self.n_octaves, N_NODES)
        n_zeros, n_each = moments[..., -1], of_octaves[..., 0]
        found = np.zeros_like(of_octaves)
        n_positive = n_each.sum(axis=-1)
        for i, octave in enumerate(self._octaves):
            near = np.flatnonzero(np.abs(self._octaves - octave) <= FARTHEST)
            rows = of_octaves[..., near, :]
            found[..., i, :] = rows.reshape(*shape, -1) @ self._between(i, near)
            found[..., i, 0] += n_positive - n_each[..., near].sum(axis=-1) + n_zeros
        flat = found.reshape(*shape, self.n_octaves * N_NODES)
        return np.concatenate([flat, n_positive[..., None]], axis=-1)

    def evaluate(self, coefficients: Floats, numbers: Floats) -> Floats:
        """Evaluate the function with these coefficients at each number. The value for NaN is 0."""
        values = np.zeros(len(numbers))
        values[numbers == 0] = coefficients[-1]
        of_octaves = coefficients[:-1].reshape(self.n_octaves, N_NODES)
        positive = np.flatnonzero(numbers > 0)
        if not len(positive):
            return values
        octaves, starts, order = _octave_order(numbers[positive])
        found = self._position[octaves]
        places = self._places(numbers[positive][order], found, starts)
        stops = [*starts[1:], len(order)]
        for i, start, stop in zip(found, starts, stops):
            # the Clenshaw recurrence
            place = places[start:stop]
            twice = 2 * place
            now, before = np.full(stop - start, of_octaves[i, -1]), np.zeros(stop - start)
            for coefficient in of_octaves[i, -2:0:-1]:
                after = twice * now
                after -= before
                after += coefficient
                now, before = after, now
            values[positive[order[start:stop]]] = place * now - before + of_octaves[i, 0]
        return values

    def _places(self, ordered: Floats, found: AnyArray, starts: AnyArray) -> Floats:
        """Return the position of each number in the interval of its octave, from -1 to 1."""
        lengths = np.diff(np.append(starts, len(ordered)))
        place = ordered - np.repeat(self._middle[found], lengths)
        half = self._half[found]
        place /= np.repeat(np.where(half > 0, half, 1.0), lengths)
        return np.asarray(place)

    def _between(self, i: int, near: AnyArray) -> Floats:
        """Return Chebyshev coefficients of the distances between octave i and the ``near`` octaves.

        The array has shape (len(near) * N_NODES, N_NODES).
        """
        # The numbers are scaled by the larger octave to prevent overflow and underflow of sums.
        units = -(np.maximum(self._octaves[near], self._octaves[i]) + LEAST_EXPONENT)
        middle, half = np.ldexp(self._middle[i], units), np.ldexp(self._half[i], units)
        middles = np.ldexp(self._middle[near], units)
        halves = np.ldexp(self._half[near], units)
        own = (half[:, None] * self._nodes)[:, None, :]
        others = (halves[:, None] * self._nodes)[:, :, None]
        apart = (middles - middle)[:, None, None] + (others - own)
        together = (middles + middle)[:, None, None] + (others + own)
        distances = (apart / together) ** 2
        change = self._to_coefficients
        return np.asarray((change @ distances @ change.T).reshape(-1, N_NODES))


def ratio_distance(a: Floats, b: Floats) -> Floats:
    """Return ((a - b) / (a + b))**2, or 0 where a and b are both 0."""
    if max(a.max(initial=0.0), b.max(initial=0.0)) > LARGEST_SUM:
        a, b = a / 2, b / 2
    together, apart = a + b, a - b
    np.divide(apart, together, out=apart, where=together > 0)
    apart *= apart
    return apart


def _octave_order(numbers: Floats) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Sort positive numbers by octave. Return the octaves, where each one starts, and the order."""
    octave = np.frexp(numbers)[1].astype(np.int16)
    octave -= LEAST_EXPONENT
    if octave[0] == octave[-1] and (octave == octave[0]).all():
        return octave[:1], np.zeros(1, np.intp), np.arange(len(numbers))
    # NumPy uses a fast radix sort for 16-bit integers.
    order = np.argsort(octave, kind="stable")
    ordered = octave[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[starts], starts, order


def _by_octave(numbers: Floats) -> tuple[AnyArray, AnyArray, Floats]:
    if not len(numbers):
        return np.empty(0, np.intp), np.empty(0, np.intp), numbers
    octaves, starts, order = _octave_order(numbers)
    return octaves, starts, numbers[order]
