"""Agreement by group, compared with the agreement of each group alone."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import agreement, agreement_by, compare_strata
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.kernels import threads
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.ratings.column import read_column
from fastkappa.ratings.read import read_columns
from fastkappa.tables.by_group import count_by_group
from fastkappa.tables.known_labels import KnownLabels
from tests.helpers.absent import library

pl = library("polars")


def ratings(n: int, n_groups: int = 3, n_labels: int = 4, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    y1 = rng.integers(0, n_labels, n)
    y2 = np.where(rng.random(n) < 0.6, y1, rng.integers(0, n_labels, n))
    return rng.integers(0, n_groups, n), y1, y2


def slow_tables(groups: Any, y1: Any, y2: Any, labels: Any) -> dict[Any, list[list[int]]]:
    """Return the table of each group, counted item by item."""
    position = {label: i for i, label in enumerate(labels)}
    tables: dict[Any, Any] = {}
    for group, a, b in zip(groups, y1, y2):
        table = tables.setdefault(group, np.zeros((len(labels), len(labels)), int))
        if a in position and b in position:
            table[position[a], position[b]] += 1
    return {group: tables[group].tolist() for group in sorted(tables)}


KINDS = {
    "whole numbers": lambda codes: codes,
    "bytes": lambda codes: codes.astype(np.uint8),
    "negative": lambda codes: (codes - 3).astype(np.int8),
    "far apart": lambda codes: codes * 10**9 - 10**17,
    "beyond int64": lambda codes: codes.astype(np.uint64) + np.uint64(2**63),
    "floats": lambda codes: codes.astype(np.float32),
    "strided": lambda codes: np.repeat(codes, 3)[::3],
    "big-endian": lambda codes: codes.astype(">i4"),
    "booleans": lambda codes: codes > 1,
    "strings": lambda codes: np.array(["bb", "a", "dd", "c", "e"])[codes],
    "list of strings": lambda codes: np.array(["bb", "a", "dd", "c", "e"])[codes].tolist(),
    "dates": lambda codes: np.datetime64("2020-02-28") + codes,
    "pandas": lambda codes: pd.Series(codes),
    "categorical": lambda codes: pd.Categorical.from_codes(codes, ["z", "y", "x", "w", "v"]),
    "polars": lambda codes: pl.Series(np.array(["bb", "a", "dd", "c", "e"])[codes]),
    "pyarrow": lambda codes: pa.array(
        np.array(["b", "a", "d", "c", "e"])[codes]
    ).dictionary_encode(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_those_of_each_group(kind: str, backend: str) -> None:
    change = KINDS[kind]
    columns = [change(codes) for codes in ratings(5000)]
    groups, first, second = (read_column(c, "c") for c in columns)
    first, second = read_columns(columns[1], columns[2], ("y1", "y2"))
    found = count_by_group(get_kernels(backend), groups, first, second, None, 2)
    plain = [np.asarray(c).tolist() for c in columns]
    labels = sorted({*plain[1], *plain[2]})
    assert found.rows.tolist() == labels
    expected = slow_tables(*plain, labels)
    assert found.layers.tolist() == list(expected)
    assert found.counts.tolist() == list(expected.values())
    assert not found.n_outside.any()

    wanted = [labels[1], labels[0]]
    given = np.array(wanted, "M8[D]") if kind == "dates" else wanted
    known = KnownLabels(given, first, second)
    found = count_by_group(get_kernels(backend), groups, first, second, known, 2)
    expected = slow_tables(*plain, wanted)
    assert found.counts.tolist() == list(expected.values())
    totals = [plain[0].count(group) for group in expected]
    assert (found.n_outside + found.counts.sum(axis=(1, 2))).tolist() == totals


@pytest.mark.filterwarnings("ignore:the ratings contain")
@pytest.mark.parametrize("late", [(-5, 1, 2), (1, 900_000, 0), (10**12, 3, -(10**15)), (2, 2, 78)])
def test_labels_that_a_sample_has_not(late: Any) -> None:
    columns = [codes.astype(np.int64) for codes in ratings(50_000)]
    for column, value in zip(columns, late):
        column[40_001] = value
    found = agreement_by(*columns[1:], groups=columns[0])
    labels = sorted({*columns[1].tolist(), *columns[2].tolist()})
    expected = slow_tables(*(c.tolist() for c in columns), labels)
    assert {g: r.table.tolist() for g, r in found.items()} == expected


def test_results_are_those_of_each_group_alone() -> None:
    groups, y1, y2 = ratings(3000)
    names = np.array(["north", "south", "east"])[groups]
    found = agreement_by(y1, y2, groups=names, weights="quadratic", confidence=0.9)
    assert list(found) == ["east", "north", "south"]
    assert len(found) == 3
    for name, result in found.items():
        alone = agreement(y1[names == name], y2[names == name], weights="quadratic", confidence=0.9)
        assert json.dumps(result.to_dict()) == json.dumps(alone.to_dict())
    assert found.pooled.kappa == agreement(y1, y2, weights="quadratic").kappa
    assert vars(found.equality) == vars(compare_strata(dict(found), confidence=0.9))


def test_a_group_that_cannot_be_compared() -> None:
    tables = {"a": [[40, 10], [8, 42]], "b": [[30, 12], [9, 49]], "c": [[90, 0], [10, 0]]}
    items = [
        (group, i, j)
        for group, table in tables.items()
        for i in (0, 1)
        for j in (0, 1)
        for _ in range(table[i][j])
    ]
    columns = [list(column) for column in zip(*items)]
    given: Any = {"groups": columns[0], "interval_method": "asymptotic"}
    found = agreement_by(*columns[1:], **given)
    assert (found["c"].kappa, found["c"].standard_error) == (0, 0)
    with pytest.warns(UserWarning, match="the standard error is 0 in stratum 'c'") as warned:
        assert math.isnan(found.equality.p_value)
    assert warned[0].filename == __file__
    dropped = agreement_by(*columns[1:], undefined="drop", **given).equality
    two = compare_strata([tables["a"], tables["b"]], interval_method="asymptotic")
    assert dropped.p_value == two.p_value
    assert dropped.undefined == ("c",)
    with pytest.raises(ValueError, match="undefined must be 'nan' or 'drop', got 'omit'"):
        agreement_by(*columns[1:], groups=columns[0], undefined="omit")  # type: ignore[arg-type]


def test_many_groups() -> None:
    groups, y1, y2 = ratings(200_000, n_groups=20_000, n_labels=3)
    found = count_by_group(
        get_kernels(), read_column(groups, "g"), *read_columns(y1, y2, ("y1", "y2")), None, 2
    )
    expected = np.zeros((20_000, 3, 3), int)
    np.add.at(expected, (groups, y1, y2), 1)
    assert (found.counts == expected[found.layers]).all()
    assert found.counts.sum() == 200_000


def test_threads_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = ratings(1_000_000)
    read = (read_column(columns[0], "g"), *read_columns(columns[1], columns[2], ("y1", "y2")))
    one = count_by_group(get_kernels(), *read, None, 1)
    monkeypatch.setattr(threads, "JOINED_ITEMS", 1000)
    four = count_by_group(get_kernels(), *read, None, 4)
    assert (one.counts == four.counts).all()


def test_no_copy_is_made() -> None:
    import tracemalloc

    columns = [codes.astype(np.uint8) for codes in ratings(4_000_000)]
    tracemalloc.start()
    agreement_by(*columns[1:], groups=columns[0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000


def test_too_many_tables_are_refused() -> None:
    n = 200_000
    with pytest.raises(ValueError, match=r"200000 groups, each with \d+ rows and .* too many"):
        agreement_by(np.arange(n) % 500, np.arange(n) % 499, groups=np.arange(n))


def test_missing_groups_and_ratings() -> None:
    groups = ["a", "a", None, "b", "b", "b", "a"]
    y1, y2 = [1, 2, 1, 1, None, 2, 2], [1, 2, 2, 1, 1, 2, 1]
    with pytest.raises(
        ValueError, match="groups has 1 missing value in 7 items, the first at position 2"
    ):
        agreement_by(y1, y2, groups=groups)
    found = agreement_by(y1, y2, groups=groups, missing="drop")
    assert found.missing == (1, 1, 0)
    assert found.n_dropped == 2
    assert {group: result.n for group, result in found.items()} == {"a": 3, "b": 2}
    assert found.pooled.n_dropped == 2


def test_labels_leave_items_out_by_group() -> None:
    found = agreement_by(
        [0, 1, 2, 0, 1, 2], [0, 1, 0, 1, 0, 2], groups=[1, 1, 1, 2, 2, 3], labels=[1, 0]
    )
    assert {group: (r.n, r.n_outside) for group, r in found.items()} == {1: (2, 1), 2: (2, 0)}
    assert found.pooled.n_outside == 2
    assert found[1].table.tolist() == [[1, 0], [0, 1]]


def test_groups_in_which_kappa_is_undefined() -> None:
    with pytest.warns(undefined_metric_warning(), match=r"undefined in 1 of 2 groups \('b'\)"):
        found = agreement_by([1, 2, 2, 1, 1], [1, 2, 1, 1, 1], groups=list("aaabb"))
    assert math.isnan(found["b"].kappa)
    assert "undefined" in str(found)
    with pytest.warns(undefined_metric_warning(), match="stratum 'b'"):
        assert math.isnan(found.equality.p_value)


def test_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    groups, y1, y2 = ratings(300)
    found = agreement_by(y1, y2, groups=groups)
    lines = str(found).splitlines()
    n_labels = len(found.pooled.labels)
    assert lines[0] == f"Agreement of two raters on 300 items, {n_labels} labels, no weights"
    assert lines[2].split() == ["group", "n", "kappa", "std.", "error", "95", "%", "interval"]
    assert [line.split()[0] for line in lines[3:7]] == ["0", "1", "2", "all"]
    clusters = np.arange(300) // 10
    with_clusters = agreement_by(y1, y2, groups=groups, clusters=clusters, weights="linear")
    assert f"300 items in 30 clusters, {n_labels} labels, linear weights" in str(with_clusters)
    assert "300 items in 3 groups and 30 clusters, with" in with_clusters.sentence()
    assert repr(found) == "<GroupedAgreement: 3 groups, n = 300>"
    frame = found.to_frame()
    assert frame.loc[1, "kappa"] == found[1].kappa
    assert frame["n"].sum() == 300
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas"):
        found.to_frame()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (([1], [1, 2], [1, 2]), r"same length, got \{'groups': 1, 'y1': 2, 'y2': 2\}"),
        (([], [], []), "must not be empty, got no items"),
        (([0.5, 1.5], [1, 2], [1, 2]), "groups must be labels, got numbers with fractions"),
        (([1, 2], [1, 2], ["a", "b"]), "the ratings cannot be compared"),
    ],
)
def test_what_is_refused(arguments: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        agreement_by(*arguments[1:], groups=arguments[0])
    with pytest.raises(ValueError, match="missing must be"):
        agreement_by([1], [1], groups=[1], missing="keep")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"not among the labels \[5\]"):
        agreement_by([1, 2], [1, 2], groups=[1, 2], labels=[5])


@pytest.mark.parametrize("method", [None, "profile", "asymptotic"])
def test_intervals_computed_together_are_those_of_each_group_alone(method: Any) -> None:
    groups, y1, y2 = ratings(900, n_groups=40)
    results = agreement_by(y1, y2, groups=groups, weights="quadratic", interval_method=method)
    alone = {group: result.interval for group, result in results.items()}
    again = agreement_by(y1, y2, groups=groups, weights="quadratic", interval_method=method)
    first = again[3].interval  # Known values are kept.
    frame = again.to_frame()
    assert again[3].interval is first
    assert dict(zip(frame.index, zip(frame["lower"], frame["upper"]))) == alone
    assert {group: result.interval for group, result in again.items()} == alone


@pytest.mark.parametrize("clusters", [None, np.arange(300) // 5])
def test_errors_by_students_t(clusters: Any) -> None:
    groups, y1, y2 = ratings(300)
    found = agreement_by(y1, y2, groups=groups, clusters=clusters, distribution="t")
    for group, result in found.items():
        own = groups == group
        some = None if clusters is None else clusters[own]
        alone = agreement(y1[own], y2[own], clusters=some, distribution="t")
        assert result.interval == pytest.approx(alone.interval)
        assert result.standard_error == pytest.approx(alone.standard_error)
    assert found.equality.interval_method == "asymptotic"
    with pytest.raises(ValueError, match="distribution must be 'normal' or 't'"):
        agreement_by(y1, y2, groups=groups, distribution="u")  # type: ignore[call-overload]


def test_a_common_kappa_of_unequal_groups_is_called_an_average() -> None:
    """Kappa is exactly 0.8 in one group and 0 in the other, or 0.8 in both."""
    high, none = [[45, 5], [5, 45]], [[25, 25], [25, 25]]
    remark = "the values differ, so the common kappa is only their average"
    assert remark in str(compare_strata({"a": high, "b": none}))
    assert remark not in str(compare_strata({"a": high, "b": high}))
