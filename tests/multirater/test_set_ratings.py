"""Ratings that are sets, compared with definitions, exact arithmetic and nltk."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    alternative_annotator_test,
    compare_raters,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_kappa,
)
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.multirater.statistics.set_distances import set_distances

# Emotions that three annotators saw in eight posts.
POSTS: list[list[Any]] = [
    [{"joy"}, {"joy", "pride"}, {"joy"}],
    [{"fear"}, {"fear"}, {"fear", "anger"}],
    [{"anger", "disgust"}, {"disgust"}, {"anger", "disgust"}],
    [set(), {"joy"}, set()],
    [{"pride"}, {"joy", "pride"}, {"joy", "pride"}],
    [{"fear", "anger"}, {"anger", "disgust"}, {"disgust", "joy", "fear"}],
    [{"joy"}, {"joy"}, None],
    [{"disgust"}, None, None],
]
# nltk 3.10.4, AnnotationTask(...).alpha() for the posts without None or an empty set, because
# nltk's distances divide by 0 for two empty sets.
FULL = [row for row in POSTS if all(row)]
OF_NLTK = {"jaccard": 0.4757085020242915, "masi": 0.36083123425692687}


def exact_distance(level: str, one: Any, other: Any) -> Fraction:
    if one == other:
        return Fraction(0)
    jaccard = Fraction(len(one & other), len(one | other))
    if level == "jaccard":
        return 1 - jaccard
    factor = Fraction(2, 3) if one <= other or other <= one else Fraction(1, 3)
    return 1 - jaccard * factor


def exact_alpha(level: str, rows: list[list[Any]]) -> Fraction:
    """Return alpha by its definition, from every pair of ratings."""
    units = [[r for r in row if r is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    every = [rating for unit in units for rating in unit]
    observed = sum(
        (
            Fraction(1, len(unit) - 1) * exact_distance(level, a, b)
            for unit in units
            for a, b in permutations(unit, 2)
        ),
        Fraction(0),
    )
    expected = sum((exact_distance(level, a, b) for a, b in permutations(every, 2)), Fraction(0))
    return 1 - observed * (len(every) - 1) / expected


@pytest.mark.parametrize("level", ["jaccard", "masi"])
@pytest.mark.parametrize("rows", [POSTS, FULL, POSTS[::-1]])
def test_alpha_is_exact(level: Any, rows: Any) -> None:
    found = krippendorff_alpha(rows, level=level)
    assert found.value == pytest.approx(float(exact_alpha(level, rows)), rel=1e-13)
    assert found.method == f"Krippendorff's alpha ({level})"


@pytest.mark.parametrize("level", ["jaccard", "masi"])
def test_nltk_had_the_same(level: Any) -> None:
    assert krippendorff_alpha(FULL, level=level).value == pytest.approx(OF_NLTK[level], rel=1e-12)


@pytest.mark.parametrize("level", ["jaccard", "masi"])
def test_nltk_has_the_same(level: Any) -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    distance = pytest.importorskip("nltk.metrics.distance")
    function = {"jaccard": distance.jaccard_distance, "masi": distance.masi_distance}[level]
    triples = [
        (rater, item, frozenset(rating))
        for item, row in enumerate(FULL)
        for rater, rating in enumerate(row)
    ]
    theirs = agreement.AnnotationTask(data=triples, distance=function).alpha()
    assert krippendorff_alpha(FULL, level=level).value == pytest.approx(theirs, rel=1e-12)
    assert krippendorff_alpha(FULL, level=function).value == pytest.approx(theirs, rel=1e-12)


def test_distances_as_published() -> None:
    # Passonneau (2006), section 3: M is 1, 2/3, 1/3 and 0; nltk documents .667 for the first.
    sets = np.empty(5, object)
    sets[:] = [frozenset(s) for s in ({1, 2}, {1, 2, 3, 4}, {2, 9}, {7}, ())]
    masi, jaccard = set_distances("masi", sets), set_distances("jaccard", sets)
    assert masi[0] == pytest.approx([0, 1 - 1 / 2 * 2 / 3, 1 - 1 / 3 * 1 / 3, 1, 1])
    assert jaccard[0] == pytest.approx([0, 1 / 2, 2 / 3, 1, 1])
    assert masi[4].tolist() == [1, 1, 1, 1, 0]
    for found in (masi, jaccard):
        assert (found == found.T).all()


def test_a_function_a_matrix_and_a_name_are_one() -> None:
    by_name = krippendorff_alpha(POSTS, level="masi")
    function = krippendorff_alpha(POSTS, level=lambda a, b: float(exact_distance("masi", a, b)))
    labels = by_name.labels.tolist()
    matrix = [[float(exact_distance("masi", a, b)) for b in labels] for a in labels]
    by_matrix = krippendorff_alpha(POSTS, level=matrix, labels=labels)
    for other in (function, by_matrix):
        assert other.value == pytest.approx(by_name.value, rel=1e-12)
        assert other.standard_error == pytest.approx(by_name.standard_error, rel=1e-9)


def test_a_function_of_other_labels() -> None:
    ratings = [[1, 1, 2], [4, 4, 7], [2, 2, 1], [7, 4, 7]]
    by_function = krippendorff_alpha(ratings, level=lambda a, b: (a - b) ** 2)
    assert by_function.value == pytest.approx(krippendorff_alpha(ratings, level="interval").value)


def test_sets_of_one_label_are_that_label() -> None:
    ratings = [["a", "a", "b"], ["b", "b", None], ["c", "a", "c"]]
    sets = [[None if r is None else {r} for r in row] for row in ratings]
    names = krippendorff_alpha(ratings)
    for level in ("nominal", "jaccard", "masi"):
        assert krippendorff_alpha(sets, level=level).value == pytest.approx(names.value, rel=1e-12)
    assert fleiss_kappa(sets).value == pytest.approx(fleiss_kappa(ratings).value, rel=1e-12)


def test_forms_of_sets() -> None:
    expected = krippendorff_alpha(POSTS, level="masi").value
    columns = [list(column) for column in zip(*POSTS)]
    by_rater = Ratings.from_raters(dict(zip(["Ann", "Ben", "Cat"], columns)))
    assert by_rater.n_missing == 3
    assert by_rater.rater_names == ("Ann", "Ben", "Cat")
    array = np.empty((len(POSTS), 3), object)
    for i, row in enumerate(POSTS):
        array[i] = row
    masked = np.ma.MaskedArray(array, mask=[[r is None for r in row] for row in POSTS])
    codes = [[frozenset({"?"}) if r is None else r for r in row] for row in POSTS]
    others = [by_rater, array, masked, Ratings.from_array(codes, missing_codes=[{"?"}])]
    strings = [["?" if r is None else r for r in row] for row in POSTS]
    others.append(Ratings.from_array(strings, missing_codes=["?"]))
    pandas = pytest.importorskip("pandas")
    others.append(pandas.DataFrame(array, columns=["Ann", "Ben", "Cat"]))
    for ratings in others:
        assert krippendorff_alpha(ratings, level="masi").value == pytest.approx(expected)


def test_labels_are_the_sets_by_size() -> None:
    labels = Ratings.from_array(POSTS).labels.tolist()
    assert labels[:3] == [frozenset(), frozenset({"disgust"}), frozenset({"fear"})]
    assert [len(label) for label in labels] == sorted(len(label) for label in labels)
    given = [*labels[::-1], frozenset({"unused"})]
    assert Ratings.from_array(POSTS, labels=given).labels.tolist() == given
    assert Ratings.from_array(POSTS, labels=[set(s) for s in given]).labels.tolist() == given


def test_the_bootstrap_of_sets() -> None:
    result = krippendorff_alpha(POSTS, level="masi")
    low, high = result.bootstrap(rng=0, n_resamples=200).interval
    assert low < result.value < high


@pytest.mark.parametrize(
    ("ratings", "arguments", "message"),
    [
        (POSTS, {"level": "interval"}, "requires numeric labels"),
        (POSTS, {"level": "ratio"}, "requires numeric labels"),
        (
            [["a", "b"], ["a", "a"]],
            {"level": "masi"},
            "level='masi' requires sets as ratings, got 'a'",
        ),
        (
            [[{"a"}, "b"], [{"a"}, {"b"}]],
            {},
            "all ratings must be sets, but rater 2 also contains 'b'",
        ),
        (POSTS, {"labels": [{"joy"}]}, "which is not one of the labels"),
        (
            POSTS,
            {"labels": ["joy"]},
            "labels must be sets, because the ratings are sets, got 'joy'",
        ),
        (POSTS, {"labels": [{"joy"}, {"joy"}]}, "labels must be distinct, got"),
        (
            POSTS,
            {"level": lambda a, b: len(a - b)},
            r"level must return the same number for two labels in either order, got 0 for"
            r" frozenset\(\) and frozenset\(\{'disgust'\}\), and 1 for",
        ),
        (POSTS, {"level": lambda a, b: 1.0}, "diagonal must be"),
        (POSTS, {"level": lambda a, b: "far"}, "level must return a number for every pair"),
        (POSTS, {"level": "cosine"}, "level must be .*'jaccard', 'masi' or a matrix"),
    ],
)
def test_refusals(ratings: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        krippendorff_alpha(ratings, **arguments)


def test_an_order_that_sets_have_not_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="depends on the order of the labels"):
        krippendorff_alpha(POSTS, level="ordinal")


def test_many_sets_take_little_time() -> None:
    rng = np.random.default_rng(4)
    members = [frozenset(np.flatnonzero(row).tolist()) for row in rng.random((600, 12)) < 0.3]
    rows = [[members[i], members[j]] for i, j in rng.integers(0, 600, (1000, 2))]
    found = krippendorff_alpha(rows, level="masi")
    assert abs(found.value) < 0.1


@pytest.mark.parametrize("codes", [9, "joy"])
def test_missing_codes_are_a_list(codes: Any) -> None:
    with pytest.raises(ValueError, match=f"missing_codes must be a list of ratings, got {codes!r}"):
        Ratings.from_array(POSTS, missing_codes=codes)


@pytest.mark.parametrize("level", ["jaccard", "masi", "nominal"])
def test_a_row_per_rating(level: Any) -> None:
    """Sets in long form, in any order of rows, give the same results as the array."""
    rows = [(i, j, tags) for i, row in enumerate(POSTS) for j, tags in enumerate(row)]
    items, raters, ratings = zip(*np.random.default_rng(0).permutation(np.array(rows, object)))
    clusters = [item // 2 for item in items]
    long = Ratings.from_long(item=items, rater=raters, rating=list(ratings), cluster=clusters)
    one = krippendorff_alpha(POSTS, level=level, clusters=np.arange(len(POSTS)) // 2)
    other = krippendorff_alpha(long, level=level)
    assert other.value == pytest.approx(one.value, abs=1e-14)
    assert other.standard_error == pytest.approx(one.standard_error, abs=1e-14)
    assert long.labels.tolist() == one.labels.tolist()
    assert not long.order_is_known
    without = Ratings.from_long(
        item=items, rater=raters, rating=list(ratings), missing_codes=[set()]
    )
    assert without.n_missing == 5


def as_lists(rows: list[list[Any]]) -> list[list[Any]]:
    return [[None if r is None else sorted(r) for r in row] for row in rows]


def in_long_form(rows: list[list[Any]]) -> Ratings:
    triples = [(i, j, rating) for i, row in enumerate(rows) for j, rating in enumerate(row)]
    item, rater, rating = map(list, zip(*triples))
    return Ratings.from_long(item=item, rater=rater, rating=rating)


def in_frame(rows: list[list[Any]], name: str, make: str) -> Any:
    columns = {f"rater {i}": list(column) for i, column in enumerate(zip(*rows))}
    return getattr(pytest.importorskip(name), make)(columns)


LISTS: dict[str, Callable[[list[list[Any]]], Any]] = {
    "lists": list,
    "tuples": lambda rows: [[r if r is None else tuple(r) for r in row] for row in rows],
    "arrays": lambda rows: [[r if r is None else np.array(r, object) for r in row] for row in rows],
    "pandas": lambda rows: in_frame(rows, "pandas", "DataFrame"),
    "polars": lambda rows: in_frame(rows, "polars", "DataFrame"),
    "Arrow": lambda rows: in_frame(rows, "pyarrow", "table"),
    "long": in_long_form,
    "raters": lambda rows: Ratings.from_raters(
        {str(i): list(column) for i, column in enumerate(zip(*rows))}
    ),
}


@pytest.mark.parametrize("level", ["jaccard", "masi"])
@pytest.mark.parametrize("form", LISTS)
def test_lists_are_the_sets_of_their_labels(form: str, level: Any) -> None:
    found = krippendorff_alpha(LISTS[form](as_lists(POSTS)), level=level)
    assert found.value == pytest.approx(float(exact_alpha(level, POSTS)), rel=1e-12)


def test_a_list_that_cannot_be_a_set_is_refused() -> None:
    with pytest.raises(ValueError, match="a rating that is a list must contain only labels"):
        krippendorff_alpha([[[{}], ["a"]], [["b"], ["b"]]], level="jaccard")


def test_labels_of_sets_are_present_or_absent() -> None:
    result = fleiss_kappa(POSTS)
    found = {one.label: one for one in result.by_label}
    assert list(found) == sorted({label for row in POSTS for one in row if one for label in one})
    sampled = {one.label: one for one in fleiss_kappa(FULL).for_population(n_raters=9).by_label}
    for label, one in found.items():
        binary = [[None if r is None else label in r for r in row] for row in POSTS]
        alone = fleiss_kappa(binary)
        assert one.value == pytest.approx(alone.value, rel=1e-12)
        assert one.interval == pytest.approx(alone.interval, rel=1e-6)
        assert one.n_ratings == sum(given is True for row in binary for given in row)
        of_full = fleiss_kappa([row for row, full in zip(binary, POSTS) if full in FULL])
        of_full = of_full.for_population(n_raters=9)
        assert sampled[label].standard_error == pytest.approx(of_full.standard_error, rel=1e-9)


@pytest.mark.parametrize("level", ["jaccard", "masi"])
def test_raters_are_compared_by_the_distances_of_sets(level: Any) -> None:
    given = Ratings.from_array(FULL)
    raters = compare_raters(given, coefficient="alpha", weights=level)
    assert raters.value == pytest.approx(float(exact_alpha(level, FULL)), rel=1e-12)
    for i, without in enumerate(raters.without.values):
        others = [[*row[:i], *row[i + 1 :]] for row in FULL]
        assert without == pytest.approx(float(exact_alpha(level, others)), rel=1e-12)
    assert f"kappa ({level} weights)" in raters.sentence()
    counts = {label: counts.tolist() for label, counts in raters.counts_by_label()}
    assert counts["joy"] == [sum("joy" in row[i] for row in FULL) for i in range(3)]
    pairs = pairwise_kappa(given, weights=level)
    one, two = ([row[i] for row in FULL] for i in (0, 2))
    apart = sum(exact_distance(level, a, b) for a, b in zip(one, two)) / Fraction(len(FULL))
    chance = sum(exact_distance(level, a, b) for a in one for b in two) / Fraction(len(FULL) ** 2)
    assert pairs.values[0, 2] == pytest.approx(float(1 - apart / chance), rel=1e-12)
    many = Ratings.from_array(FULL * 8)
    tested = alternative_annotator_test(many, 0, weights=level)
    matrix = set_distances(level, many.labels)
    with pytest.warns(LabelOrderWarning):
        expected = alternative_annotator_test(many, 0, weights=matrix)
    assert tested.p_values.tolist() == expected.p_values.tolist()


LABEL_OR_NONE = {"ann": ["x", "y", None, "x"], "ben": ["x", None, "y", "y"], "cat": [*"xyyx"]}


@pytest.mark.parametrize("container", [list, set, tuple])
def test_empty_sets_among_sets_of_one_label_are_warned_of(container: Any) -> None:
    sets = {
        name: [container(() if label is None else (label,)) for label in labels]
        for name, labels in LABEL_OR_NONE.items()
    }
    rows = [(i, name, own[i]) for name, own in sets.items() for i in range(4)]
    item, rater, rating = (list(column) for column in zip(*rows))
    long = {"item": item, "rater": rater, "rating": rating}
    expected = krippendorff_alpha(Ratings.from_raters(LABEL_OR_NONE)).value
    for read in (
        lambda **codes: Ratings.from_raters(sets, **codes),
        lambda **codes: Ratings.from_array([*zip(*sets.values())], **codes),
        lambda **codes: Ratings.from_long(**long, **codes),
    ):
        with pytest.warns(UserWarning, match=r"^2 of 12 ratings are empty sets, and all others"):
            read()
        found = krippendorff_alpha(read(missing_codes=[[]]))
        assert found.value == pytest.approx(expected, abs=1e-15)
    # With one label, an empty set means that the label does not apply.
    Ratings.from_raters({"ann": [{"x"}, set(), {"x"}], "ben": [{"x"}, {"x"}, set()]})
