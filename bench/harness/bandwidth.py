"""Measure how fast the arrays can be read, which limits the speed of counting.

The reader XORs the 64-bit words of both arrays in one loop, which LLVM compiles to wide loads. Its
speed was within 4 % of that of the fastest reader at every size from 1e4 to 1e8 items (int64,
Zen 5). The alternatives were compiled loops over one array after the other or over two or four
ranges at once, and np.sum, np.maximum.reduce and np.bitwise_xor.reduce. The NumPy functions took up
to four times as long if the arrays fitted in a cache.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numba
import numpy as np

from bench.harness import timing


def reader(arrays: tuple[np.ndarray, ...], max_threads: int) -> Callable[[], int]:
    """Return a function that reads the arrays once, as fast as possible.

    The function uses ``max_threads`` threads, or one thread if that is faster.
    """
    readers = [_reader(arrays, threads) for threads in sorted({1, max_threads})]
    return min(readers, key=lambda read: min(timing.time_call(read)[0] for _ in range(7)))


def _reader(arrays: tuple[np.ndarray, ...], num_threads: int) -> Callable[[], int]:
    bounds = [len(arrays[0]) * part // num_threads for part in range(num_threads + 1)]
    ranges = [[_words(array[start:stop]) for array in arrays] for start, stop in pairwise(bounds)]
    pool = _pool(num_threads - 1) if num_threads > 1 else None

    def read() -> int:
        others = [pool.submit(_read, part) for part in ranges[1:]] if pool else []
        return functools.reduce(lambda x, o: x ^ o.result(), others, _read(ranges[0]))

    return read


@functools.cache
def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size)


def _words(array: np.ndarray) -> np.ndarray:
    """Return an array as 64-bit words, without an incomplete last word."""
    return array.view(np.uint8)[: array.nbytes // 8 * 8].view(np.int64)


def _read(columns: list[np.ndarray]) -> int:
    result = 0
    for first, second in zip(columns[::2], [*columns[1::2], columns[0][:0]]):
        both = min(first.size, second.size)
        result ^= _xor_both(first[:both], second[:both])
        result ^= _xor(first[both:]) ^ _xor(second[both:])
    return result


# The function takes views of a range instead of whole arrays and two bounds, because LLVM uses wide
# loads only for loops that start at 0.
@numba.njit(nogil=True, cache=True)
def _xor_both(first, second):
    result = np.int64(0)
    for i in range(first.size):
        result ^= first[i] ^ second[i]
    return result


@numba.njit(nogil=True, cache=True)
def _xor(array):
    result = np.int64(0)
    for i in range(array.size):
        result ^= array[i]
    return result
