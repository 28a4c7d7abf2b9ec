"""Ratings in long form give the same figures as an array, in any order and container."""

from __future__ import annotations

import datetime
import enum
import tracemalloc
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastkappa
from fastkappa import Ratings, fleiss_kappa, krippendorff_alpha, light_kappa, pairwise_kappa
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.multirater.statistics import rated_profiles
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.sparse_profiles import SparseProfiles
from tests.helpers.absent import library
from tests.helpers.published_raters import ANAESTHETISTS, DIAGNOSES, RELIABILITY_DATA
from tests.helpers.quick import n_examples
from tests.multirater.test_multirater_peers import CASES, close, irrcac, make_ratings, peer

pl = library("polars")

COEFFICIENTS: list[tuple[str, dict[str, Any]]] = [
    ("fleiss_kappa", {}),
    ("fleiss_kappa", {"weights": "linear"}),
    ("randolph_kappa", {}),
    ("gwet_ac1", {}),
    ("gwet_ac2", {"weights": "quadratic"}),
    ("conger_kappa", {}),
    ("conger_kappa", {"weights": "linear"}),
    ("light_kappa", {}),
    ("light_kappa", {"weights": "quadratic"}),
    ("krippendorff_alpha", {}),
    ("krippendorff_alpha", {"level": "ordinal"}),
    ("krippendorff_alpha", {"level": "interval"}),
]
Triples = tuple[list[Any], list[Any], list[Any]]


def triples_of(rows: Any, seed: int | None = None) -> Triples:
    """Return an array in long form, including missing ratings, in order or shuffled."""
    found = [(i, r, rating) for i, row in enumerate(rows) for r, rating in enumerate(row)]
    if seed is not None:
        np.random.default_rng(seed).shuffle(found)  # type: ignore[arg-type]
    items, raters, ratings = zip(*found)
    return [f"item {i}" for i in items], list(raters), list(ratings)


def long(triples: Triples, **options: Any) -> Ratings:
    item, rater, rating = triples
    return Ratings.from_long(item=item, rater=rater, rating=rating, **options)


def assert_same_figures(found: Ratings, expected: Ratings, method: Any = "asymptotic") -> None:
    """Compare all coefficients, with their errors."""
    for name in ("n_subjects", "n_raters", "n_missing", "n_paired", "order_is_known"):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.labels.tolist() == expected.labels.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, options in COEFFICIENTS:
            ours, theirs = (
                getattr(fastkappa, name)(ratings, interval_method=method, **options)
                for ratings in (found, expected)
            )
            assert ours.interval_method == theirs.interval_method
            precision = {"abs": 1e-6} if method is None else {"rel": 1e-10, "abs": 1e-12}
            for figure in ("value", "standard_error", "p_value", "interval", "disagreement"):
                assert getattr(ours, figure) == pytest.approx(
                    getattr(theirs, figure), nan_ok=True, **precision
                ), (name, options, figure)
        pairs, others = pairwise_kappa(found), pairwise_kappa(expected)
    for figure in ("values", "standard_errors", "n", "n_missing", "tables"):
        np.testing.assert_allclose(getattr(pairs, figure), getattr(others, figure), rtol=1e-12)


# The same figures as of an array.


@st.composite
def rows_of_ratings(draw: Any) -> list[list[int | None]]:
    """Draw at least one rating; some raters and subjects have none."""
    n_raters = draw(st.integers(2, 6))
    rating = st.one_of(st.none(), st.integers(0, draw(st.integers(0, 4))))
    row = st.lists(rating, min_size=n_raters, max_size=n_raters)
    rows: list[list[int | None]] = draw(st.lists(row, min_size=1, max_size=12))
    rows[0][0] = 0 if rows[0][0] is None else rows[0][0]
    return rows


@settings(max_examples=n_examples(60))
@given(rows_of_ratings(), st.integers(0, 1000))
def test_the_figures_of_an_array(rows: Any, seed: int) -> None:
    assert_same_figures(long(triples_of(rows, seed)), Ratings.from_array(rows))


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.9])
def test_the_figures_of_many_raters(missing: float) -> None:
    for n_raters, method in ((40, "asymptotic"), (6, None)):
        ratings = make_ratings(3, 5, n_raters, missing)
        assert_same_figures(long(triples_of(ratings, 0)), Ratings.from_array(ratings), method)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_irrcac(missing: float) -> None:
    names = {"gwet": "gwet_ac1", "fleiss": "fleiss_kappa", "conger": "conger_kappa"}
    for seed, n_labels, n_raters in CASES[::8]:
        ratings = make_ratings(seed, n_labels, n_raters, missing)
        given_ratings = long(triples_of(ratings, seed))
        for name, function in names.items():
            figures = irrcac(ratings, n_labels, "identity", name)
            result = getattr(fastkappa, function)(given_ratings)
            assert result.value == close(figures["coefficient_value"])
            assert result.standard_error == close(figures["se"])


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_the_package_krippendorff(level: Any) -> None:
    module = peer("krippendorff")
    for seed, n_labels, n_raters in CASES[::4]:
        ratings = make_ratings(seed, n_labels, n_raters, 0.4)
        expected = module.alpha(reliability_data=ratings.T, level_of_measurement=level)
        found = krippendorff_alpha(long(triples_of(ratings, seed)), level=level)
        assert found.value == close(expected)


def test_published_reliability_data() -> None:
    """Krippendorff (2011) lists each rating."""
    items, raters, ratings = triples_of(RELIABILITY_DATA)
    there = [rating is not None for rating in ratings]
    kept: Any = ([v for v, keep in zip(c, there) if keep] for c in (items, raters, ratings))
    given_ratings = long(tuple(kept))
    assert given_ratings.n_missing == 7
    for level, alpha in {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}.items():
        assert round(krippendorff_alpha(given_ratings, level=level).value, 3) == alpha


def anaesthetists(raters: str) -> Triples:
    """Return the ratings of Dawid and Skene (1979), with one character per rater's name."""
    found = [
        (patient, rater, int(grade))
        for patient, grades in enumerate(ANAESTHETISTS, 1)
        for rater, grade in zip(raters, grades)
    ]
    items, names, ratings = zip(*found)
    return list(items), list(names), list(ratings)


def test_published_gradings_of_one_rater_three_times() -> None:
    with pytest.raises(ValueError, match=r"rater '1' has 3 ratings of item 1, and 44 more pairs"):
        long(anaesthetists("1112345"))
    each = long(anaesthetists("abc2345"))
    assert each.rater_names == ("2", "3", "4", "5", "a", "b", "c")
    assert_same_figures(
        long(anaesthetists("1234567")),
        Ratings.from_array([[int(grade) for grade in grades] for grades in ANAESTHETISTS]),
    )


def test_the_bootstrap_resamples_subjects() -> None:
    rows = make_ratings(5, 3, 4, 0.2)
    result = fastkappa.conger_kappa(long(triples_of(rows)))
    expected = fastkappa.conger_kappa(rows)
    for one, other in zip(
        result.bootstrap(method="percentile", rng=0).interval,
        expected.bootstrap(method="percentile", rng=1).interval,
    ):
        # Two bootstraps with 9999 resamples: an end is known to about a fiftieth of the error.
        assert one == pytest.approx(other, abs=0.15 * expected.standard_error)


# The functions that coefficients need from profiles, by brute force.


def test_sparse_profiles_beside_loops() -> None:
    rng = np.random.default_rng(0)
    n_raters, n_labels = 7, 3
    rows, parts = [], []
    for length in (1, 3, 7):
        raters = np.sort(rng.permuted(np.tile(np.arange(7), (9, 1)), axis=1)[:, :length], axis=1)
        codes = rng.integers(0, n_labels, raters.shape)
        rows += [list(zip(a, b)) for a, b in zip(raters.tolist(), codes.tolist())]
        parts.append((raters * n_labels + codes, np.ones(9, np.int64)))
    profiles = SparseProfiles(parts, n_raters, n_labels)
    samples = rng.integers(0, 4, (2, len(rows)))
    margins = np.zeros((2, n_raters, n_labels), int)
    tables = np.zeros((2, 21, n_labels, n_labels), int)
    values, of_pairs = rng.random((n_raters, n_labels)), rng.random(tables.shape[1:])
    between = rng.random((n_labels, n_labels))
    number = {pair: i for i, pair in enumerate(combinations(range(n_raters), 2))}
    sums, pair_sums, distances = np.zeros((3, len(rows)))
    for i, row in enumerate(rows):
        for rater, code in row:
            margins[:, rater, code] += samples[:, i]
            sums[i] += values[rater, code]
        for (first, a), (second, b) in combinations(row, 2):
            tables[:, number[first, second], a, b] += samples[:, i]
            pair_sums[i] += of_pairs[number[first, second], a, b]
            distances[i] += between[a, b] + between[b, a]
        distances[i] += sum(between[code, code] for _, code in row)
    dense = np.full((len(rows), n_raters), n_labels)
    for i, row in enumerate(rows):
        for rater, code in row:
            dense[i, rater] = code
    for found in (profiles, Profiles(dense, np.ones(len(rows), np.int64), n_labels)):
        assert found.margins(samples).tolist() == margins.tolist()
        assert found.tables(samples).tolist() == tables.tolist()
        assert found.sums(values) == pytest.approx(sums)
        assert found.pair_sums(of_pairs) == pytest.approx(pair_sums)
    np.fill_diagonal(between, 0)
    zero = profiles.distances(between)
    assert zero == pytest.approx(Profiles(dense, np.ones(len(rows)), n_labels).distances(between))


# Memory.


def test_no_array_has_a_cell_for_each_item_and_rater() -> None:
    rng = np.random.default_rng(0)
    n_items, n_raters = 100_000, 10_000
    items = np.repeat(np.arange(n_items), 2)
    raters = np.stack([rng.integers(0, 5000, n_items), rng.integers(5000, n_raters, n_items)], 1)
    ratings = rng.integers(0, 3, len(items))
    tracemalloc.start()
    given_ratings = Ratings.from_long(item=items, rater=raters.reshape(-1), rating=ratings)
    result = fastkappa.conger_kappa(given_ratings)
    fastkappa.fleiss_kappa(given_ratings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.n_missing == n_items * (n_raters - 2)
    # An array of single bytes would take 1 GB.
    assert peak < 40e6
    with pytest.raises(ValueError, match="pairs of raters would have 449955000 cells"):
        light_kappa(given_ratings)


def test_too_many_pairs_of_raters(monkeypatch: pytest.MonkeyPatch) -> None:
    given_ratings = long(triples_of(DIAGNOSES))
    monkeypatch.setattr(rated_profiles, "MOST_CELLS", 15 * 25 - 1)
    for function in (light_kappa, pairwise_kappa):
        with pytest.raises(
            ValueError, match="the tables for the 15 pairs of raters would have 375 cells"
        ):
            function(given_ratings)
    assert fastkappa.conger_kappa(given_ratings).value == pytest.approx(0.441808540329)


# Items and raters.


@pytest.mark.parametrize(
    "identify",
    [
        lambda i: i,
        lambda i: np.asarray(i, np.uint8),
        lambda i: np.asarray(i, np.int8) - 100,
        lambda i: np.asarray(i, np.uint64) + np.uint64(1 << 63),
        lambda i: np.asarray(i) * (1 << 55),
        lambda i: np.asarray(i) * 1000,
        lambda i: np.asarray(i, np.float64),
        lambda i: np.asarray(i).astype(str),
        lambda i: [f"{n:03}" for n in i],
        lambda i: np.array([f"é{n}" for n in i], object),
        lambda i: pd.Series(i, dtype="Int64"),
        lambda i: pd.Series([f"{n}" for n in i], dtype="category"),
        lambda i: pl.Series([f"{n}" for n in i]),
        lambda i: np.datetime64("2020-01-01") + np.asarray(i),
    ],
)
def test_items_and_raters_of_every_type(identify: Any) -> None:
    rows = make_ratings(1, 4, 5, 0.2)
    expected = Ratings.from_array(rows)
    i, r = np.indices(rows.shape).reshape(2, -1)
    for columns in ((identify(i), r), (i, identify(r))):
        found = Ratings.from_long(item=columns[0], rater=columns[1], rating=rows.reshape(-1))
        assert found.n_subjects == len(rows)
        assert fastkappa.conger_kappa(found).value == pytest.approx(
            fastkappa.conger_kappa(expected).value, rel=1e-12
        )


@pytest.mark.parametrize(
    ("raters", "names"),
    [
        ([10, 9, 100], ("9", "10", "100")),
        (["10", "9", "100"], ("9", "10", "100")),
        (["Cat", "Ann", "Ben"], ("Ann", "Ben", "Cat")),
        ([2.0, 1.0, 10.0], ("1", "2", "10")),
        ([True, False, True], ("False", "True")),
        (pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-02"]), None),
        (pd.Categorical(["b", "a", "b"], ["b", "c", "a"], ordered=True), ("b", "a")),
    ],
)
def test_raters_are_sorted(raters: Any, names: Any) -> None:
    found = Ratings.from_long(item=[1, 2, 3], rater=raters, rating=[1, 2, 1]).rater_names
    if names is None:
        assert [name[:10] for name in found or ()] == ["2020-01-01", "2020-01-02"]
    else:
        assert found == names


def test_missing_ratings_and_what_has_no_name() -> None:
    nan = float("nan")
    found = Ratings.from_long(
        item=["a", "a", "b", "c", None, "a"],
        rater=["x", "y", "x", "z", "x", None],
        rating=[1, 2, 1, None, nan, -9],
        missing_codes=[-9],
    )
    # c is a subject without ratings, and z is a rater without ratings.
    assert (found.n_subjects, found.rater_names) == (3, ("x", "y", "z"))
    assert (found.n_missing, found.labels.tolist()) == (6, [1, 2])
    # A rating given after a dropped rating is not a second rating.
    assert long(([1, 1, 2], ["x", "x", "y"], [None, 5, 6])).n_missing == 2


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        (([1, 2, 2], ["a", "b", "b"], [1, 2, 3]), "rater 'b' has 2 ratings of item 2, and they"),
        (([1, 2, 2], ["a", "b", "b"], [1, 3, 3]), "of item 2, all of them equal. Leave out"),
        (
            ([7, 7, 8, 8, 7], ["a", "a", "b", "b", "a"], [1, 1, 1, 2, 1]),
            "rater 'a' has 3 ratings of item 7, and 1 more pairs of rater and item have several"
            " ratings. In 1 of the 2 pairs, the ratings differ",
        ),
        (([1, None], ["a", "b"], [1, 2]), "item is missing in 1 of 2 rows .* first in row 1"),
        (([1, 2], [float("nan"), 3], [1, 2]), "rater is missing in 1 of 2 rows"),
        (([1, 2], ["a", "a"], [1, 2]), "rater must have at least two different values, got 'a'"),
        (([1, 2], ["a", "b"], [1]), "got 2 of item, 2 of rater, 1 of rating"),
        (([1.5, 2], ["a", "b"], [1, 2]), "item must be whole numbers, .* with fractions"),
        (([1, 2], [[1, 2], [3, 4]], [1, 2]), "rater must be whole numbers, strings or dates"),
        (([1, 2], [object(), object()], [1, 2]), "rater must be whole numbers"),
        (([1, 2], ["a", "b"], [None, None]), "rating must contain at least one rating"),
        (([], [], []), "rating must not be empty"),
        (("item", [1], [2]), "item must be an array with one entry per rating, got 'item'"),
        (([1, 2, 3], ["a", "b", "a"], [1, 2, "x"]), "and also 'x'"),
    ],
)
def test_refusals(triples: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        long(triples)


def test_refusals_of_labels_and_missing_codes() -> None:
    triples = [1, 1, 2], ["a", "b", "a"], [1, 2, 3]
    with pytest.raises(ValueError, match="rating contains 3, which is not one of the labels"):
        long(triples, labels=[1, 2])
    with pytest.raises(ValueError, match="rating must have a value in at least one row"):
        long(([1, 2], ["a", "b"], [None, None]), labels=[1, 2])
    with pytest.raises(ValueError, match="missing_codes must be a list"):
        long(triples, missing_codes="x")
    with pytest.raises(ValueError, match="labels, missing_codes and clusters must not be passed"):
        fleiss_kappa(long(triples), labels=[1, 2, 3])


def test_raters_whose_names_look_alike() -> None:
    with pytest.warns(
        UserWarning, match="rater has names that differ only in how they are written"
    ):
        long(([1, 1], ["Ann", "Ann "], [1, 2]))


# The order of labels.


class Grade(enum.Enum):
    mild = 3
    severe = 1
    worst = 2


@pytest.mark.parametrize(
    "ratings",
    [
        pd.Categorical(["mild", "severe", "mild"], ["mild", "severe", "worst"], ordered=True),
        pl.Series(["mild", "severe", "mild"], dtype=pl.Enum(["mild", "severe", "worst"])),
        [Grade.mild, Grade.severe, Grade.mild],
    ],
    ids=["pandas", "polars", "enum"],
)
def test_a_declared_order(ratings: Any) -> None:
    found = Ratings.from_long(item=[1, 1, 2], rater=["a", "b", "a"], rating=ratings)
    assert found.labels.tolist() == ["mild", "severe", "worst"]
    assert found.order_is_known


def test_an_order_that_nobody_declared() -> None:
    triples = [1, 1, 2], ["a", "b", "a"], ["none", "mild", "severe"]
    with pytest.warns(LabelOrderWarning, match="mild < none < severe"):
        fleiss_kappa(long(triples), weights="linear")
    order = ["none", "mild", "severe"]
    assert long(triples, labels=order).labels.tolist() == order


def test_dates_are_ratings_too() -> None:
    days = [np.datetime64("2020-01-01"), np.datetime64("2020-01-02")]
    found = long(([1, 1], ["a", "b"], days))
    assert found.labels.tolist() == [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]


# Rows of triples that are passed as one column per rater.


@pytest.mark.filterwarnings("ignore:.* free text or spreadsheet cells")
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1)])
@pytest.mark.parametrize("shuffled", [False, True])
def test_triples_given_as_raters(order: Any, shuffled: bool) -> None:
    array = np.stack([*np.indices((30, 3)).reshape(2, -1), np.ravel(DIAGNOSES)[:90]], axis=1)
    array = array[:, order]
    if shuffled:
        array = np.random.default_rng(0).permutation(array)
    for rows in (array, array.astype(str), pd.DataFrame(array)):
        with pytest.warns(UserWarning, match="use Ratings.from_long. If not"):
            fleiss_kappa(rows)
    fleiss_kappa(Ratings.from_array(array))


def test_triples_of_several_kinds_given_as_raters() -> None:
    with pytest.raises(ValueError, match=r"same type, .*\. Ratings\.from_long reads one row per"):
        fleiss_kappa(pd.DataFrame({"item": [1, 1, 2], "rater": ["a", "b", "a"], "y": [1, 2, 1]}))


def test_ratings_that_are_no_triples() -> None:
    """Ratings of three raters repeat pairs of labels, at least if they agree."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*is undefined")
        fleiss_kappa([row[:3] for row in DIAGNOSES])
        krippendorff_alpha(rng.normal(170, 10, (50, 3)).round(1), level="interval")
        krippendorff_alpha(np.argsort(rng.random((3, 40)), axis=1).T, level="ordinal")
        for _ in range(300):
            n_labels, n = rng.integers(2, 12), rng.integers(4, 60)
            krippendorff_alpha(rng.integers(1, n_labels + 1, (n, 3)))
