"""Define the contenders: fastkappa, and the code that people use instead.

Each contender is prepared for a case, so that what a user would write only once, such as a
hard-coded number of labels, is not timed. The prepared function takes both raters' ratings and
returns the table of counts or the quadratic kappa.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import fastkappa
from bench.harness.cases import DTYPES, Case
from fastkappa.kernels import dispatch

Function = Callable[[np.ndarray, np.ndarray], Any]


class Contender(NamedTuple):
    """A function that returns a table or kappa, and the library that it needs."""

    name: str
    gives: str
    prepare: Callable[[Case], Function]
    library: str
    tolerance: float = 1e-12
    takes: Callable[[Case], bool] = lambda case: True
    # Whether the contender needs ten seconds or more for the largest cases. If so, these cases are
    # run only once.
    slow: bool = False


def contenders(gives: str, case: Case) -> list[Contender]:
    """Return the installed contenders that support the case, in registry order."""
    return [
        contender
        for contender in registry()
        if contender.gives == gives and why_left_out(contender) is None and contender.takes(case)
    ]


def find(gives: str, name: str) -> Contender:
    """Return a contender by name."""
    return next(c for c in registry() if c.gives == gives and c.name == name)


def why_left_out(contender: Contender) -> str | None:
    """Return the reason why a contender cannot be run here, or None if it can."""
    if contender.library in dispatch.BACKENDS:
        return dispatch.why_missing(contender.library)
    if contender.library == "compile_scorer":
        there = hasattr(fastkappa, "compile_scorer")
        return None if there else "fastkappa.compile_scorer does not exist yet"
    there = importlib.util.find_spec(contender.library) is not None
    return None if there else f"{contender.library} is not installed"


def left_out() -> list[str]:
    """Return one line per contender that cannot be run here."""
    reasons = ((c, why_left_out(c)) for c in registry())
    return [f"left out: {c.name} ({c.gives}): {reason}" for c, reason in reasons if reason]


@functools.cache
def registry() -> tuple[Contender, ...]:
    """Return all contenders, whether installed or not."""
    all_threads = 2 if (os.cpu_count() or 1) > 1 else 1
    ours = [
        Contender(
            fastkappa_name(backend, threads),
            "table",
            functools.partial(_confusion_counts, backend, threads),
            backend,
        )
        for backend in dispatch.BACKENDS
        for threads in sorted({1, all_threads})
    ]
    return (
        *ours,
        Contender("scikit-learn", "table", _sklearn_table, "sklearn", slow=True),
        Contender("np.bincount", "table", _bincount_table, "numpy"),
        Contender("njit loop", "table", _njit_table, "numba"),
        Contender("boost-histogram", "table", _boost_histogram, "boost_histogram"),
        Contender("fastkappa", "kappa", _drop_in, "fastkappa"),
        Contender(
            "compiled scorer",
            "kappa",
            _compiled_scorer,
            "compile_scorer",
            takes=lambda case: case.dtype != "mixed",
        ),
        Contender("scikit-learn", "kappa", _sklearn_kappa, "sklearn", slow=True),
        Contender("np.bincount", "kappa", _bincount_kappa, "numpy"),
        Contender("njit loop", "kappa", _njit_kappa, "numba"),
        Contender("boost-histogram", "kappa", _boost_histogram_kappa, "boost_histogram"),
        # torchmetrics computes in float32, so its result needs a larger tolerance.
        Contender(
            "torchmetrics",
            "kappa",
            _torchmetrics,
            "torchmetrics",
            tolerance=1e-5,
            takes=lambda case: case.lowest == 0,
            slow=True,
        ),
    )


def fastkappa_name(backend: str, threads: int) -> str:
    return f"fastkappa {backend}, {threads} thread{'s' if threads > 1 else ''}"


def _confusion_counts(backend: str, threads: int, case: Case) -> Function:
    return lambda y1, y2: (
        fastkappa.confusion_counts(y1, y2, backend=backend, num_threads=threads).table
    )


def _drop_in(case: Case) -> Function:
    return functools.partial(fastkappa.cohen_kappa_score, weights="quadratic")


def _compiled_scorer(case: Case) -> Function:
    dtype = DTYPES[case.dtype][0]
    return fastkappa.compile_scorer(labels=case.labels, weights="quadratic", dtype=dtype)


def _sklearn_table(case: Case) -> Function:
    from sklearn.metrics import confusion_matrix

    return confusion_matrix


def _sklearn_kappa(case: Case) -> Function:
    from sklearn.metrics import cohen_kappa_score

    return functools.partial(cohen_kappa_score, weights="quadratic")


def _bincount_table(case: Case) -> Function:
    n_labels, lowest = case.n_labels, case.lowest

    def table(y1, y2):
        if lowest:
            y1, y2 = y1 - lowest, y2 - lowest
        if n_labels**2 - 1 > np.iinfo(y1.dtype).max:
            y1 = y1.astype(np.intp)
        counts = np.bincount(y1 * n_labels + y2, minlength=n_labels * n_labels)
        return counts.reshape(n_labels, n_labels)

    return table


def _bincount_kappa(case: Case) -> Function:
    return _kappa_of(_bincount_table(case))


def _kappa_of(count: Function) -> Function:
    return lambda y1, y2: _quadratic_kappa(count(y1, y2))


def _quadratic_kappa(table: np.ndarray) -> float:
    """Return quadratic kappa, computed as in typical NumPy code."""
    label = np.arange(len(table))
    weights = (label[:, None] - label) ** 2
    expected = np.outer(table.sum(axis=1), table.sum(axis=0) / table.sum())
    return 1 - (weights * table).sum() / (weights * expected).sum()


@functools.cache
def _compile_table_loop(n_labels: int, lowest: int) -> Function:
    import numba

    @numba.njit
    def table(y1, y2):
        counts = np.zeros((n_labels, n_labels), np.int64)
        for i in range(y1.size):
            counts[np.int64(y1[i]) - lowest, np.int64(y2[i]) - lowest] += 1
        return counts

    return table


@functools.cache
def _compile_kappa_loop(n_labels: int, lowest: int) -> Function:
    import numba

    @numba.njit
    def kappa(y1, y2):
        first = np.zeros(n_labels, np.int64)
        second = np.zeros(n_labels, np.int64)
        observed = 0
        for i in range(y1.size):
            a = np.int64(y1[i]) - lowest
            b = np.int64(y2[i]) - lowest
            first[a] += 1
            second[b] += 1
            observed += (a - b) * (a - b)
        expected = 0.0
        for a in range(n_labels):
            for b in range(n_labels):
                expected += float(first[a]) * float(second[b]) * (a - b) * (a - b)
        return 1 - observed * y1.size / expected

    return kappa


def _njit_table(case: Case) -> Function:
    """Return a typical compiled loop, with a hard-coded range of labels and without checks."""
    return _compile_table_loop(case.n_labels, case.lowest)


def _njit_kappa(case: Case) -> Function:
    """Return a loop as copied from notebooks, with two margins and one sum but no table."""
    return _compile_kappa_loop(case.n_labels, case.lowest)


def _boost_histogram(case: Case) -> Function:
    import boost_histogram

    threads = 2 if (os.cpu_count() or 1) > 1 else 1

    def table(y1, y2):
        axes = [
            boost_histogram.axis.Integer(
                case.lowest, case.lowest + case.n_labels, underflow=False, overflow=False
            )
            for _ in range(2)
        ]
        histogram = boost_histogram.Histogram(*axes, storage=boost_histogram.storage.Int64())
        return histogram.fill(y1, y2, threads=threads if y1.size > 10**5 else None).view()

    return table


def _boost_histogram_kappa(case: Case) -> Function:
    return _kappa_of(_boost_histogram(case))


def _torchmetrics(case: Case) -> Function:
    import torch
    from torchmetrics.functional import cohen_kappa

    def kappa(y1, y2):
        return cohen_kappa(
            torch.from_numpy(y1),
            torch.from_numpy(y2),
            task="multiclass",
            num_classes=case.n_labels,
            weights="quadratic",
        )

    return kappa
