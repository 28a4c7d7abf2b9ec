"""The only place that starts threads.

Kernels release the GIL and work on a range of items, so ordinary Python threads divide
the work, each with a table of its own. No OpenMP runtime is needed, and a fork is safe:
the child forgets the parent's pool and makes its own when it needs one.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import PairKernels

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

# The least that a thread takes, while there is as much.
SHORTEST_RANGE = 1 << 17
# Threads take some 100 microseconds to start, in which one reads so much, or counts so many
# pairs where that takes more time than to read them.
BYTES_WORTH_A_THREAD = 1 << 24
PAIRS_WORTH_A_THREAD = 1 << 18
MOST_CELLS_READ_AS_FAST = 1 << 8

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_pool_size = 0


def new_lock() -> AbstractContextManager[Any]:
    """Return a lock, for objects that the user's own threads may call at the same time."""
    return threading.Lock()


def available_threads() -> int:
    """Return how many threads may run: cores, CPU quota and OMP_NUM_THREADS."""
    threads = _usable_cores()
    requested = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if requested.isdecimal() and int(requested) > 0:
        threads = min(threads, int(requested))
    return threads


def resolve_num_threads(num_threads: int | None) -> int:
    """Return the number of threads to use for the ``num_threads`` a user gave."""
    if num_threads is None:
        return available_threads()
    if isinstance(num_threads, bool) or not hasattr(num_threads, "__index__"):
        raise TypeError(f"num_threads must be an integer or None, got {num_threads!r}.")
    if num_threads < 1:
        raise ValueError(f"num_threads must be at least 1, got {num_threads!r}.")
    return min(int(num_threads), available_threads())


def threads_worth_it(
    kernels: PairKernels, first: AnyArray, second: AnyArray, n_cells: int, num_threads: int | None
) -> int:
    """Return how many threads have enough pairs to count, at least one.

    They are at most ``num_threads``, None standing for all that may run.
    """
    n_items = len(first)
    if kernels.READS_AS_FAST and n_cells <= MOST_CELLS_READ_AS_FAST:
        worth = n_items * (first.dtype.itemsize + second.dtype.itemsize) // BYTES_WORTH_A_THREAD
    else:
        worth = n_items // PAIRS_WORTH_A_THREAD
    if worth <= 1:
        return 1
    return min(worth, available_threads() if num_threads is None else num_threads)


class ItemRanges:
    """Gives the threads a range of items at a time, so that none waits for long."""

    def __init__(self, n_items: int, num_threads: int) -> None:
        self._n_items = n_items
        self._num_threads = num_threads
        self._next = 0
        self._lock = threading.Lock()

    def take(self, length: int) -> tuple[int, int] | None:
        """Return the next items as start and stop, at most ``length``, or None at the end."""
        with self._lock:
            start, left = self._next, self._n_items - self._next
            if left <= 0:
                return None
            if self._num_threads > 1:
                # Ranges get shorter, so that the threads end at the same time.
                length = min(length, max(left // (2 * self._num_threads), SHORTEST_RANGE))
            self._next = min(start + length, self._n_items)
            return start, self._next

    def abandon(self) -> None:
        """Give out no more items."""
        with self._lock:
            self._next = self._n_items


def run_in_threads(
    work: Callable[[ItemRanges], Result], n_items: int, num_threads: int
) -> list[Result]:
    """Return what ``work`` returns in each thread, after taking ranges until none is left.

    The calling thread works too. An exception in any thread is raised when all have
    ended, because they read memory that the caller owns.
    """
    ranges = ItemRanges(n_items, num_threads)
    if num_threads == 1:
        return [work(ranges)]
    pool = _pool_of(num_threads - 1)
    others = [pool.submit(work, ranges) for _ in range(num_threads - 1)]
    try:
        own = work(ranges)
    except BaseException:
        ranges.abandon()
        raise
    finally:
        for other in others:
            other.exception()
    return [own, *(other.result() for other in others)]


def read_ahead(
    read: Callable[[Item], Result], items: Iterable[Item], n_ahead: int, num_threads: int
) -> Iterator[Result]:
    """Yield what ``read`` returns for each item, in their order, while threads read the next ones.

    At most ``n_ahead`` results wait. What ``read`` raises is raised here, and nothing more read.
    """
    if num_threads == 1:
        yield from map(read, items)
        return
    pool = _pool_of(num_threads)
    left = iter(items)
    waiting = deque(pool.submit(read, item) for item in islice(left, n_ahead))
    try:
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(read, item) for item in islice(left, 1))
            yield result
    finally:
        for one in waiting:
            one.cancel()


def fill_in_threads(
    empty: tuple[AnyArray, ...],
    add: Callable[[tuple[AnyArray, ...], int, int], None],
    n_items: int,
    num_threads: int,
    longest: int,
) -> tuple[AnyArray, ...]:
    """Return tables like the empty ones with all items, each thread's added up.

    ``add(tables, start, stop)`` adds a range of at most ``longest`` items.
    """

    def work(ranges: ItemRanges) -> tuple[AnyArray, ...]:
        # Unlike zeros_like, zeros touches no memory of a large table before it is counted in.
        tables = tuple(np.zeros(table.shape, table.dtype) for table in empty)
        while bounds := ranges.take(longest):
            add(tables, *bounds)
        return tables

    parts = run_in_threads(work, n_items, num_threads)
    return tuple(sum(tables[1:], start=tables[0]) for tables in zip(*parts))


def _usable_cores() -> int:
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    quota = _cpu_quota()
    return max(1, min(cores, quota)) if quota else cores


def _cpu_quota() -> int | None:
    """Return the whole CPUs a container's quota allows, at least one, or None."""
    global _quota, _quota_known
    if not _quota_known:
        _quota, _quota_known = _read_cpu_quota(), True
    return _quota


_quota: int | None = None
_quota_known = False


def _read_cpu_quota() -> int | None:
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            quota, period = file.read().split()
    except (OSError, ValueError):
        try:
            with open("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") as file:
                quota = file.read().strip()
            with open("/sys/fs/cgroup/cpu/cpu.cfs_period_us") as file:
                period = file.read().strip()
        except OSError:
            return None
    if quota == "max" or int(quota) <= 0:
        return None
    return max(1, round(int(quota) / int(period)))


def _pool_of(size: int) -> ThreadPoolExecutor:
    # Imported here: most programs never need a pool, and imports take time.
    from concurrent.futures import ThreadPoolExecutor

    global _pool, _pool_size
    with _lock:
        if _pool is None or _pool_size < size:
            # A smaller pool may still be at work for another thread: it ends by itself.
            _pool = ThreadPoolExecutor(size, thread_name_prefix="fastkappa")
            _pool_size = size
        return _pool


def _forget_pool() -> None:
    """Start again in a forked child: the parent's threads do not exist there."""
    global _lock, _pool, _pool_size
    _lock = threading.Lock()
    _pool = None
    _pool_size = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
