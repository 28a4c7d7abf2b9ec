"""Run work in threads. This is the only module that starts threads.

Kernels release the GIL and work on a range of items, so ordinary Python threads can divide
the work, each with its own table. No OpenMP runtime is needed. Forking is safe, because the child
process forgets the parent's threads and starts its own when needed.

The calling thread does part of the work. When all work has been handed out, the calling thread does
not wait for threads that have not started.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import PairKernels

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

# If counting is as fast as reading from memory, another thread is used only if it gets at least
# this many bytes. The minimum is higher than usual, because threads share the memory bandwidth.
BYTES_WORTH_A_THREAD = 1 << 23
# In general, another thread is used only if it gets at least this many pairs, which take about 100
# microseconds.
PAIRS_WORTH_A_THREAD = 1 << 18
# A thread gets at least this many pairs at a time, except at the end. If ranges were shorter,
# threads would more often wait for each other, because only one thread can hold the GIL.
SHORTEST_RANGE = PAIRS_WORTH_A_THREAD // 4
# The minimum number of items per thread if each item's group and rating are joined into one code.
# Joining takes longer than counting, so fewer items are enough for a thread.
JOINED_ITEMS = 1 << 17
MOST_CELLS_READ_AS_FAST = 1 << 8
# The pool allows at least this many threads, so that several callers can use it at once.
FEWEST_WORKERS = 32


def new_lock() -> AbstractContextManager[Any]:
    """Return a lock for an object that several of the user's threads can use at once."""
    return allocate_lock()


def available_threads() -> int:
    """Return the number of threads allowed by the cores, the CPU quota and OMP_NUM_THREADS."""
    threads = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    if quota := _cpu_quota():
        threads = max(1, min(threads, quota))
    requested = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if requested.isdecimal() and int(requested) > 0:
        threads = min(threads, int(requested))
    return threads


def resolve_num_threads(num_threads: int | None) -> int:
    """Validate the user's ``num_threads``, and return the number of threads to use."""
    if num_threads is None:
        return available_threads()
    if isinstance(num_threads, bool) or not hasattr(num_threads, "__index__"):
        raise TypeError(f"num_threads must be an integer or None, got {num_threads!r}.")
    if num_threads < 1:
        raise ValueError(f"num_threads must be at least 1, got {num_threads!r}.")
    return min(int(num_threads), available_threads())


class Division(NamedTuple):
    """The number of threads, and the minimum number of items in a range."""

    num_threads: int
    shortest_range: int


def division_of_pairs(
    kernels: PairKernels,
    first: AnyArray,
    second: AnyArray,
    n_cells: int,
    num_threads: int | None,
    *,
    looked_up: bool = False,
) -> Division:
    """Return a plan for dividing the pairs of two columns so that each thread has enough work.

    ``num_threads`` is the maximum number of threads; None means all available threads.
    ``looked_up`` is True if the labels are so far apart that their codes must be looked up.
    """
    worth_a_thread = PAIRS_WORTH_A_THREAD
    reads_as_fast = kernels.looks_up_as_fast() if looked_up else kernels.READS_AS_FAST
    if reads_as_fast and n_cells <= MOST_CELLS_READ_AS_FAST:
        worth_a_thread = BYTES_WORTH_A_THREAD // (first.dtype.itemsize + second.dtype.itemsize)
    threads = len(first) // worth_a_thread
    if threads > 1:
        threads = min(threads, available_threads() if num_threads is None else num_threads)
    return Division(max(1, threads), max(1, worth_a_thread // 4))


def division_of_joined(n_items: int, num_threads: int | None) -> Division:
    """Return a plan for dividing items whose group and rating are joined into one code."""
    most = num_threads or available_threads()
    return Division(max(1, min(n_items // JOINED_ITEMS, most)), SHORTEST_RANGE)


class ItemRanges:
    """Hand out ranges of items to threads, so that no thread waits long for the others."""

    def __init__(
        self, n_items: int, num_threads: int, shortest_range: int = SHORTEST_RANGE
    ) -> None:
        self._n_items = n_items
        self._shortest_range = shortest_range
        self._num_threads = num_threads
        self._next = 0
        self._lock = allocate_lock()

    def take(self, length: int) -> tuple[int, int] | None:
        """Return the range of the next items (at most ``length``), or None if none are left."""
        with self._lock:
            start, left = self._next, self._n_items - self._next
            if left <= 0:
                return None
            if self._num_threads > 1:
                # Ranges become shorter towards the end, so that all threads finish at about the
                # same time.
                length = min(length, max(left // (2 * self._num_threads), self._shortest_range))
            self._next = min(start + length, self._n_items)
            return start, self._next

    def abandon(self) -> None:
        """Stop handing out items."""
        with self._lock:
            self._next = self._n_items


def run_in_threads(
    work: Callable[[ItemRanges], Result],
    n_items: int,
    num_threads: int,
    shortest_range: int = SHORTEST_RANGE,
) -> list[Result]:
    """Run ``work`` in several threads and return the list of their results.

    ``work`` should take ranges of items until none are left. The calling thread also calls
    ``work``. A thread that starts late can find that no ranges are left. An exception in any thread
    is raised only after all threads have ended, because they read memory that the caller owns.
    """
    ranges = ItemRanges(n_items, num_threads, shortest_range)
    if num_threads == 1:
        return [work(ranges)]
    shares = _hand_out(work, ranges, num_threads - 1)
    try:
        own = work(ranges)
    except BaseException:
        ranges.abandon()
        raise
    finally:
        ended = _ended(shares, ranges)
    return [own, *(share.result() for share in ended)]


def read_ahead(
    read: Callable[[Item], Result], items: Iterable[Item], n_ahead: int, num_threads: int
) -> Iterator[Result]:
    """Yield ``read(item)`` for each item, in order, while threads read the next items.

    At most ``n_ahead`` results are held at a time. If ``read`` raises an exception, the caller gets
    the exception, and no further reads are started.
    """
    if num_threads == 1:
        yield from map(read, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(num_threads)
    left = iter(items)
    waiting = deque(pool.submit(read, item) for item in islice(left, n_ahead))
    try:
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(read, item) for item in islice(left, 1))
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def fill_in_threads(
    empty: tuple[AnyArray, ...],
    add: Callable[[tuple[AnyArray, ...], int, int], None],
    n_items: int,
    num_threads: int,
    longest: int,
    shortest_range: int = SHORTEST_RANGE,
) -> tuple[AnyArray, ...]:
    """Count all items in threads, each with its own tables, and return the sums of the tables.

    The tables have the shapes and dtypes of ``empty``. ``add(tables, start, stop)`` adds a range of
    at most ``longest`` items to the tables.
    """

    def work(ranges: ItemRanges) -> tuple[AnyArray, ...]:
        # np.zeros is used rather than np.zeros_like, which would touch all the memory of a large
        # table in advance.
        tables = tuple(np.zeros(table.shape, table.dtype) for table in empty)
        while bounds := ranges.take(longest):
            add(tables, *bounds)
        return tables

    parts = run_in_threads(work, n_items, num_threads, shortest_range)
    return tuple(sum(tables[1:], start=tables[0]) for tables in zip(*parts))


@cache
def _cpu_quota() -> int | None:
    """Return the number of CPUs (at least 1) that a container's quota allows, or None."""
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


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the thread pool that all calls share, which starts threads when they are needed."""
    # Imported only when the first thread is started, to keep `import fastkappa` fast.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max(FEWEST_WORKERS, os.cpu_count() or 1), "fastkappa")


def _hand_out(
    work: Callable[[ItemRanges], Result], ranges: ItemRanges, n_shares: int
) -> list[Future[Result]]:
    """Hand out the work to at most ``n_shares`` other threads, as shares that can be canceled."""
    from concurrent.futures import Future

    shares = []
    for _ in range(n_shares):
        share: Future[Result] = Future()
        shares.append(share)
        try:
            _pool().submit(_work_share, share, work, ranges)
        # No more threads can be started, or the interpreter is shutting down. Either way, the pool
        # might already have queued the share, so the share remains in the list.
        except RuntimeError:
            break
    return shares


def _work_share(
    share: Future[Result], work: Callable[[ItemRanges], Result], ranges: ItemRanges
) -> None:
    """Do the work of a share, unless the caller has canceled it."""
    if share.set_running_or_notify_cancel():
        try:
            share.set_result(work(ranges))
        except BaseException as error:
            share.set_exception(error)


def _ended(shares: list[Future[Result]], ranges: ItemRanges) -> list[Future[Result]]:
    """Cancel the shares that have not started, and return the others after they have ended."""
    from concurrent.futures import wait

    begun = [share for share in shares if not share.cancel()]
    try:
        wait(begun)
    # After Ctrl-C, wait for the threads, because they are still reading the arrays.
    except BaseException:
        ranges.abandon()
        wait(begun)
        raise
    return begun


if hasattr(os, "register_at_fork"):
    # The parent's threads do not exist in a child process, so the child needs a new pool.
    os.register_at_fork(after_in_child=_pool.cache_clear)
