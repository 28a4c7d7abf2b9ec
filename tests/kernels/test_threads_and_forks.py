"""Threads divide the work and survive a fork; each run is a separate process with a time limit."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

from fastkappa import confusion_counts
from fastkappa.kernels import threads
from fastkappa.ratings.column import Column
from fastkappa.ratings.read import read_columns
from fastkappa.tables import tally
from fastkappa.tables.count import count_unknown
from tests.helpers.fresh_python import run_python

# A mistake here looks like a hang: no run takes a tenth of this time.
LIMIT = 60

PREPARE = """
import os, sys
import numpy as np
from fastkappa import cohen_kappa_score, confusion_counts
from fastkappa.kernels import threads
threads.available_threads = lambda: 4  # as if there were four cores, on any machine
n = 3_000_000
y1 = np.arange(n) % 5
y2 = np.arange(n) % 3
expected = np.zeros((5, 5), np.int64)
np.add.at(expected, (y1, y2), 1)
backend = {backend!r}
def count():
    counts = confusion_counts(y1, y2, backend=backend, num_threads=4)
    assert counts.table.tolist() == expected.tolist(), counts.table
    given = confusion_counts(y1, y2, labels=[4, 3, 2, 1, 0], backend=backend, num_threads=4)
    assert given.table.tolist() == expected[::-1, ::-1].tolist(), given.table
    weighted = confusion_counts(y1, y2, sample_weight=y1, backend=backend, num_threads=4)
    assert weighted.table.tolist() == (expected * np.arange(5)[:, None]).tolist()
"""


def run(code: str, backend: str = "numpy", **environment: str) -> str:
    # Python warns about a fork while threads run.
    return run_python(PREPARE.format(backend=backend) + code, PYTHONWARNINGS="", **environment)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@needs_fork
def test_fork_after_use(backend: str) -> None:
    run(
        """
import warnings
count()
import threading
# Without its threads the test would show nothing.
assert threading.active_count() > 1, threading.enumerate()
warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
child = os.fork()
if child == 0:
    try:
        count()
        grandchild = os.fork()
        if grandchild == 0:
            count()
            os._exit(0)
        _, status = os.waitpid(grandchild, 0)
        os._exit(os.waitstatus_to_exitcode(status))
    except BaseException:
        import traceback
        traceback.print_exc()
        os._exit(1)
count()
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
count()
""",
        backend,
    )


@pytest.mark.slow
@needs_fork
def test_fork_of_worker_processes(backend: str) -> None:
    run(
        """
import multiprocessing, warnings
warnings.simplefilter("ignore", DeprecationWarning)
count()
with multiprocessing.get_context("fork").Pool(2) as pool:
    pool.starmap(count, [()] * 4)
count()
""",
        backend,
    )


@pytest.mark.slow
@needs_fork
def test_fork_while_other_threads_count(backend: str) -> None:
    """The lock of the pool can be held, and its threads can be busy, during the fork."""
    run(
        """
import threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)
count()
stop = threading.Event()
def work():
    while not stop.is_set():
        count()
busy = threading.Thread(target=work)
busy.start()
children = []
for _ in range(5):
    child = os.fork()
    if child == 0:
        try:
            count()
        except BaseException:
            os._exit(1)
        os._exit(0)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
stop.set()
busy.join()
assert codes == [0] * 5, codes
""",
        backend,
    )


def test_a_spawned_process_counts() -> None:
    run(
        """
import subprocess
subprocess.run([sys.executable, "-c", "import fastkappa, numpy as np; "
    "assert fastkappa.cohen_kappa_score(np.arange(9) % 3, np.arange(9) % 3) == 1"], check=True)
count()
"""
    )


def test_many_python_threads_at_once(backend: str) -> None:
    """Callers share one pool of threads, but must not share tables."""
    rng = np.random.default_rng(1)
    jobs = []
    for i in range(8):
        n = 550_000 + i
        y1, y2 = rng.integers(0, 4 + i, (2, n))
        expected = np.zeros((4 + i, 4 + i), np.int64)
        np.add.at(expected, (y1, y2), 1)
        jobs.append((y1, y2, expected))
    failures: list[Any] = []
    start = threading.Barrier(len(jobs))

    def work(y1: Any, y2: Any, expected: Any) -> None:
        try:
            start.wait(LIMIT)
            for num_threads in (2, 3, None):
                counts = confusion_counts(y1, y2, backend=backend, num_threads=num_threads)
                np.testing.assert_array_equal(counts.table, expected)
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=job, daemon=True) for job in jobs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(LIMIT)
    assert not any(worker.is_alive() for worker in workers)
    assert not failures


def test_counting_inside_a_thread_pool_of_the_callers(backend: str) -> None:
    run(
        """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(6) as pool:
    for future in [pool.submit(count) for _ in range(12)]:
        future.result()
""",
        backend,
    )


@pytest.mark.parametrize("num_threads", [1, 2, 8, 1000, np.int64(2), None])
def test_number_of_threads_changes_nothing(backend: str, num_threads: Any) -> None:
    n = 1_000_001
    y1, y2 = np.arange(n) % 7, np.arange(n) % 6
    counts = confusion_counts(y1, y2, backend=backend, num_threads=num_threads)
    expected = np.zeros((7, 7), np.int64)
    np.add.at(expected, (y1, y2), 1)
    np.testing.assert_array_equal(counts.table, expected)


@pytest.mark.parametrize(
    ("num_threads", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        ("x", TypeError),
        ("2", TypeError),
        (True, TypeError),
        (False, TypeError),
        (1.5, TypeError),
        (2.0, TypeError),
        ([2], TypeError),
    ],
)
def test_what_is_no_number_of_threads(num_threads: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="num_threads"):
        confusion_counts([0, 1], [0, 1], num_threads=num_threads)


def test_threads_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = threads.available_threads()
    assert 1 <= cores <= (os.cpu_count() or 1)
    assert threads.resolve_num_threads(10**6) <= cores
    assert threads.resolve_num_threads(1) == 1
    for value, expected in {
        "1": 1,
        " 1 ": 1,
        "1,4": 1,
        "0": cores,
        "": cores,
        "-2": cores,
        "all": cores,
        "100000": cores,
    }.items():
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert threads.available_threads() == expected
        assert threads.resolve_num_threads(None) == expected
        assert threads.resolve_num_threads(64) == expected


def test_few_labels_far_apart_take_a_thread_more_only_where_they_are_looked_up_slowly(
    kernels: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[int] = []

    def divide(*arguments: Any, **options: Any) -> threads.Division:
        division = threads.division_of_pairs(*arguments, **options)
        used.append(division.num_threads)
        return division

    monkeypatch.setattr(tally, "division_of_pairs", divide)
    near = columns_of([0, 1])
    far = columns_of([-30_000, 30_000])
    count_unknown(kernels, *near, 2)
    count_unknown(kernels, *far, 2)
    # 8 MB: one thread reads them as fast as two.
    assert used == [1 if kernels.READS_AS_FAST else 2, 1 if kernels.looks_up_as_fast() else 2]


def columns_of(labels: list[int]) -> tuple[Column, Column]:
    """Return two columns of 2 million small integers."""
    y1 = np.tile(np.array(labels, np.int16), 10**6)
    return read_columns(y1, y1[::-1].copy(), ("y1", "y2"))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_threads_keep_to_the_cores_of_the_process() -> None:
    code = """
import os
os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
from fastkappa.kernels import threads
assert threads.available_threads() == 1
"""
    run_python(code)


def test_one_thread_starts_none() -> None:
    code = """
import threading
import numpy as np
from fastkappa import confusion_counts
y = np.arange(1_500_000) % 5
for _ in range(2):
    confusion_counts(y, y{argument})
print(threading.active_count())
"""
    for argument, environment in ((", num_threads=1", {}), ("", {"OMP_NUM_THREADS": "1"})):
        assert run_python(code.format(argument=argument), **environment).strip() == "1"


def test_short_calls_start_no_threads() -> None:
    code = """
import threading
import numpy as np
from fastkappa import confusion_counts
y = np.arange(10_000) % 5
confusion_counts(y, y)
print(threading.active_count())
"""
    assert run_python(code).strip() == "1"


def test_an_error_on_another_thread_reaches_the_caller() -> None:
    """No work is still in progress afterwards."""
    started, ended = threading.Barrier(3, timeout=LIMIT), []
    failed = threading.Event()

    def work(ranges: threads.ItemRanges) -> None:
        started.wait()
        try:
            if threading.current_thread() is caller:
                failed.wait(LIMIT)  # If alone, it might take all ranges before the others run.
            while bounds := ranges.take(1000):
                if threading.current_thread() is not caller:
                    failed.set()
                    raise KeyError(bounds)
        finally:
            ended.append(threading.current_thread())

    caller = threading.current_thread()
    with pytest.raises(KeyError):
        threads.run_in_threads(work, 10**8, 3)
    assert len(ended) == 3
    assert caller in ended


@pytest.mark.parametrize("n_items", [0, 1, 2, 7, 1000, 300_000, 2_000_003])
@pytest.mark.parametrize("num_threads", [1, 2, 3, 7])
@pytest.mark.parametrize("length", [1, 1000, 10**7])
def test_ranges_cover_every_item_once(n_items: int, num_threads: int, length: int) -> None:
    length = max(length, n_items // 1000)

    def work(ranges: threads.ItemRanges) -> list[tuple[int, int]]:
        taken = []
        while bounds := ranges.take(length):
            assert 0 < bounds[1] - bounds[0] <= length
            taken.append(bounds)
        return taken

    parts = threads.run_in_threads(work, n_items, num_threads)
    taken = sorted(bounds for part in parts for bounds in part)
    assert [start for start, _ in taken] == [0, *(stop for _, stop in taken)][: len(taken)]
    assert (taken[-1][1] if taken else 0) == n_items


def test_no_range_after_they_are_abandoned() -> None:
    ranges = threads.ItemRanges(100, 1)
    assert ranges.take(10) == (0, 10)
    ranges.abandon()
    assert ranges.take(10) is None


def test_the_interpreter_ends_while_the_pool_lives() -> None:
    assert run("count(); print('end')").strip() == "end"


def test_a_share_that_begins_too_late_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool stores a share before it finds that no thread can be started."""
    stored: list[Any] = []

    class Pool:
        def submit(self, *call: Any) -> None:
            stored.append(call)
            raise RuntimeError("can't start new thread")

    def work(ranges: threads.ItemRanges) -> list[tuple[int, int]]:
        return list(iter(lambda: ranges.take(1000), None))

    monkeypatch.setattr(threads, "_pool", Pool)
    (taken,) = threads.run_in_threads(work, 10_000, 4)
    assert taken[-1][1] == 10_000
    ((function, share, *arguments),) = stored
    function(share, *arguments)
    assert share.cancelled()


def test_ctrl_c_waits_for_the_other_threads() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(ranges: threads.ItemRanges) -> None:
        if threading.current_thread() is caller:
            begun.wait(LIMIT)
            raise KeyboardInterrupt
        begun.set()
        while ranges.take(1):
            pass
        ended.set()

    caller = threading.current_thread()
    with pytest.raises(KeyboardInterrupt):
        threads.run_in_threads(work, 10**12, 2)
    assert ended.is_set()
