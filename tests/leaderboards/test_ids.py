"""Items matched by ids of every kind, compared with Python dictionaries."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

from fastkappa import leaderboard
from fastkappa.leaderboards.items.alignment import ItemIds
from tests.helpers.absent import STRING_TYPE, library

polars = library("polars")


def _texts(numbers: Any) -> list[str]:
    return [str(number) for number in numbers.tolist()]


# The containers in which a user can pass strings.
STRINGS: dict[str, Callable[[Any], Any]] = {
    "NumPy": lambda a: np.array(_texts(a) or [""])[: len(a)],
    "NumPy, variable width": lambda a: np.array(_texts(a), STRING_TYPE),
    "list": _texts,
    "Arrow": lambda a: pyarrow.array(_texts(a), pyarrow.string()),
    "Arrow, sliced": lambda a: pyarrow.array(["no", *_texts(a)], pyarrow.string())[1:],
    "Arrow, in chunks": lambda a: pyarrow.chunked_array(
        [_texts(a[:9]), _texts(a[9:])], pyarrow.large_string()
    ),
    "Arrow dictionary": lambda a: pyarrow.array(_texts(a), pyarrow.string()).dictionary_encode(),
    "pandas": lambda a: pandas.Series(_texts(a), dtype="str"),
    "pandas objects": lambda a: pandas.Series(_texts(a), dtype=object),
    "polars": lambda a: polars.Series(_texts(a), dtype=polars.String),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "int64": lambda a: a - 50,
    "uint64 beyond int64": lambda a: a.astype(np.uint64) + np.uint64(2**63),
    "far apart": lambda a: a * 10**15,
    "whole floats": lambda a: a.astype(float),
    "dates": lambda a: a.astype("M8[D]"),
    "beyond ASCII": lambda a: [f"\xe9t\xe9 {x:03d}" for x in a.tolist()],
    "beyond ASCII in NumPy": lambda a: np.array([f"\xe9 {x}" for x in [*a.tolist(), 0]])[:-1],
    "long": lambda a: [f"{x:0200d}" for x in a.tolist()],
    "with a NUL at the end": lambda a: [f"{x}\0" for x in a.tolist()],
    "with NULs in Arrow": lambda a: pyarrow.array([f"{x}\0" for x in a.tolist()], "string"),
    "beyond ASCII, with NULs": lambda a: np.array([f"\xe9\0{x}" for x in [*a.tolist(), 0]])[:-1],
    "strings and numbers": lambda a: [str(x) if x % 3 else x for x in a.tolist()],
}
PAIRS = [(name, one, STRINGS["list"]) for name, one in STRINGS.items()]
PAIRS += [(name, STRINGS["Arrow"], one) for name, one in STRINGS.items()]
PAIRS += [(name, one, one) for name, one in OTHERS.items()]


def _as_list(ids: Any) -> list[Any]:
    if isinstance(ids, list):
        return ids
    how = next(how for how in ("to_pylist", "to_list", "tolist") if hasattr(ids, how))
    found: list[Any] = getattr(ids, how)()
    return found


@pytest.fixture(params=["with pyarrow", "without pyarrow"])
def pyarrow_or_not(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with pyarrow, and with its import failing."""
    if request.param == "without pyarrow":
        monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.usefixtures("pyarrow_or_not")
@pytest.mark.parametrize("name", ["NumPy", "NumPy, variable width", "list", *OTHERS])
def test_what_looks_ids_up_changes_nothing(name: str) -> None:
    if "Arrow" not in name:
        make = {**OTHERS, **STRINGS}[name]
        test_against_a_plain_loop(name, make, make)


@pytest.mark.parametrize(("name", "mine", "theirs"), PAIRS)
def test_against_a_plain_loop(name: str, mine: Any, theirs: Any) -> None:
    rng = np.random.default_rng(0)
    for n_items, n_others in ((1, 0), (30, 30), (60, 80), (60, 20)):
        numbers = rng.permutation(150)[:n_items]
        drawn = rng.choice(np.append(numbers, 200 + np.arange(5)), n_others)
        for others in (drawn, rng.permutation(numbers), numbers):
            first, second = mine(numbers), theirs(others)
            found = ItemIds(first, "ids").align(second, "others")
            ids, other_ids = _as_list(first), _as_list(second)
            items = range(n_items) if found.items is None else found.items.tolist()
            places_ = range(len(other_ids)) if found.others is None else found.others.tolist()
            once = [one for one in ids if other_ids.count(one) == 1]
            pairs = [(ids[i], other_ids[j]) for i, j in zip(items, places_, strict=True)]
            assert sorted(pairs, key=str) == sorted(zip(once, once), key=str)
            assert found.missing == [one for one in ids if one not in other_ids]
            assert found.extra == list(dict.fromkeys(o for o in other_ids if o not in ids))
            assert found.repeated == [one for one in ids if other_ids.count(one) > 1]


@pytest.mark.parametrize("name", ["int64", "NumPy", "list", "Arrow"])
def test_lists_one_after_the_other_each_have_their_own_order(name: str) -> None:
    rng = np.random.default_rng(1)
    make = {**OTHERS, **STRINGS}[name]
    ids = ItemIds(make(np.arange(9000)), "ids")
    orders = [rng.permutation(9000) for _ in range(2)]
    # Nearly the order of the ids: only the last two are exchanged.
    orders.append(np.append(np.arange(8998), [8999, 8998]))
    lists = [make(order) for order in orders]
    buffer = lists[0]
    for i in (0, 0, 1, 2, 2, 0):
        if isinstance(buffer, np.ndarray):
            # Written to the same memory.
            buffer[:] = make(orders[i])
        found = ids.align(buffer if isinstance(buffer, np.ndarray) else lists[i], "others")
        assert found.items is None
        assert found.others is not None
        assert orders[i][found.others].tolist() == list(range(9000))
    assert ids.align(make(np.arange(9000)), "others").others is None


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("make", [np.array, pyarrow.array, list])
def test_many_lists_at_once_each_have_their_own_order(make: Any, num_threads: int) -> None:
    rng = np.random.default_rng(2)
    texts = [f"{i:x}" for i in range(900)]
    ids = ItemIds(make(texts), "ids")
    orders = [rng.permutation(900) for _ in range(20)]
    orders[3] = orders[4] = orders[2]
    orders[7] = orders[19] = np.arange(900)
    lists = [make([texts[i] for i in order.tolist()]) for order in orders]
    lists[11] = make([*texts[1:], "new", "new"])
    lists[12] = orders[12] + 900
    found = ids.align_all([(own, f"list {j}") for j, own in enumerate(lists)], num_threads)
    assert (found[7].others, found[19].others) == (None, None)
    assert (found[11].missing, found[11].extra) == (["0"], ["new"])
    assert len(found[12].missing) == len(found[12].extra) == 900
    for j in {*range(20)} - {7, 11, 12, 19}:
        assert found[j].is_complete()
        assert orders[j][found[j].others].tolist() == list(range(900))
    wrong = [None, *texts]
    with pytest.raises(ValueError, match=r"^list 16 must not contain missing values"):
        ids.align_all([(own, "a list") for own in lists[:15]] + [(wrong, "list 16")], num_threads)


@pytest.mark.parametrize("odd", ["an id", "\xe9", "a\0", "a\0b", "a", ""])
@pytest.mark.parametrize("make", [np.array, pyarrow.array, list])
def test_strings_that_end_alike_are_told_apart(make: Any, odd: str) -> None:
    # NumPy's arrays have no NULs at the end of a string.
    texts = [f"{i:06d}" for i in range(3000)]
    texts[-1] = odd if make is not np.array else odd.rstrip("\0")
    order = np.random.default_rng(2).permutation(len(texts))
    found = ItemIds(make(texts), "ids").align(make([texts[i] for i in order.tolist()]), "others")
    assert found.is_complete()
    assert found.others is not None
    assert order[found.others].tolist() == list(range(3000))
    texts[2000] = texts[7]
    with pytest.raises(ValueError, match="more than once: '000007'"):
        ItemIds(make(texts), "ids")


def test_numbers_are_not_strings() -> None:
    found = ItemIds([1, 2, 3], "ids").align(["1", "2", "3"], "others")
    assert found.mismatch() == (
        "3 missing (1, 2, 3), 3 extra ('1', '2', '3'), one list of ids has strings and the other"
        " does not"
    )


def test_floats_too_large_to_tell_ids_apart() -> None:
    # In a CSV file, a single id written as 3.0 turns all ids into floats.
    with pytest.raises(ValueError, match="must not contain floats of 2"):
        ItemIds(np.array([2.0**53, 3.0]), "ids")
    assert ItemIds(np.array([2.0**53 - 1, 3.0]), "ids").align([2**53 - 1, 3], "o").is_complete()


def test_large_integers_of_either_byte_order() -> None:
    ids = np.array([2**63, 2**63 + 1, 7], ">u8")
    assert len(ItemIds(ids, "ids").align([-(2**63), -(2**63) + 1, 7], "others").missing) == 2
    assert ItemIds(ids, "ids").align(ids.astype("<u8"), "others").is_complete()


def test_masked_ids_are_refused() -> None:
    with pytest.raises(ValueError, match="others must not have masked entries, got one at"):
        ItemIds([1, 2], "ids").align(np.ma.array([1, 2], mask=[False, True]), "others")


@pytest.mark.parametrize(
    ("ids", "others"),
    [([2**63, -1], [-1, 2**63]), ([2**53 + 1, 2**53, 0], [0, 2**53, 2**53 + 1.0 - 1])],
)
def test_whole_numbers_that_a_float_cannot_hold(ids: list[Any], others: list[Any]) -> None:
    found = ItemIds([*ids, 5.0], "ids").align(others, "others")
    assert found.missing == [one for one in ids if one not in others] + [5]
    assert found.repeated == [one for one in ids if others.count(one) > 1]
    with pytest.raises(ValueError, match=r"got 0\.5"):
        ItemIds([*ids, 0.5], "ids")


def test_times_are_the_same_in_a_list_and_in_any_unit() -> None:
    days = [datetime(2020, 1, i) for i in (1, 2, 3)]
    texts = ["2020-01-03", "2020-01-02", "2020-01-01"]
    for others in (
        np.array(texts, "M8[ns]"),
        pandas.to_datetime(pandas.Series(texts)),
        list(pandas.to_datetime(pandas.Series(texts))),
        [day.date() for day in days[::-1]],
    ):
        found = ItemIds(days, "ids").align(others, "others")
        assert found.is_complete()
        assert found.others is not None
        assert found.others.tolist() == [2, 1, 0]
    found = ItemIds(days[:2], "ids").align(np.array(texts, "M8[ns]"), "others")
    assert found.mismatch() == f"1 extra ({np.datetime64(texts[0], 'ns')!r})"
    # 1000 years later, the number of nanoseconds exceeds 2^63.
    far = np.array(["3000-01-01"], "M8[s]")
    with pytest.raises(ValueError, match=r"3000-01-01T00:00:00, which cannot be.*\[ns\]"):
        ItemIds(far, "ids").align(np.array(texts, "M8[ns]"), "others")


@pytest.mark.parametrize("n_labels", [3, 40])
def test_the_order_of_the_items_changes_nothing(n_labels: int) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, n_labels, 3000)
    columns = [np.where(rng.random(3000) < 0.7, truth, rng.permutation(truth)) for _ in range(3)]
    matrix = np.abs(rng.normal(size=(n_labels, n_labels)))
    np.fill_diagonal(matrix, 0)
    options: dict[str, Any] = {"weights": matrix, "labels": range(n_labels), "rng": 0}
    options["n_resamples"] = 40
    expected = leaderboard(truth, columns, **options)
    ids = rng.permutation(10**6)[:3000]
    orders = [rng.permutation(3000) for _ in columns]
    for own in (ids, ids.astype(str)):
        pairs = [(own[order], column[order]) for order, column in zip(orders, columns)]
        found = leaderboard(truth, pairs, ids=own, **options)
        assert found.to_dict() == expected.to_dict()


def test_who_answers_otherwise_where_it_is_hard_is_refused() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 4, 500)
    honest = np.where(rng.random(500) < 0.6, truth, rng.integers(1, 4, 500))
    cheater = np.where(honest == truth, honest, 9)
    n_hard = int((honest != truth).sum())
    predictions = {"cheater": cheater, "honest": honest}
    with pytest.raises(
        ValueError,
        match=r"^prediction 'cheater' has labels other than 1 < 2 < 3"
        rf" for {n_hard} of 500 items: 9 \({n_hard}\)\. .* allow_other_labels=True to allow",
    ):
        leaderboard(truth, predictions, labels=[1, 2, 3])
    board = leaderboard(truth, predictions, labels=[1, 2, 3], allow_other_labels=True, rng=0)
    assert board.names == ("cheater", "honest")
    assert board.kappa[0] == 1
    assert board.other_labels.tolist() == [n_hard, 0]
    assert board.n.tolist() == [500 - n_hard, 500]
    assert "other labels" in str(board)
    # Items whose true label is not among the given labels are left out of all predictions.
    assert leaderboard(truth, {"honest": honest}, labels=[1, 2, 3, 4], rng=0).n[0] == 500
    some = leaderboard(np.where(cheater == 9, 9, truth), predictions, labels=[1, 2, 3], rng=0)
    assert some.other_labels.tolist() == [0, 0]
    assert some.n.tolist() == [500 - n_hard] * 2


def test_ids_that_count_from_0_and_from_1() -> None:
    ids = np.arange(60)
    truth, predicted = np.random.default_rng(1).integers(0, 3, (2, 60))
    shifted = {"one": (ids + 1, predicted)}
    with pytest.raises(ValueError, match=r"1 missing \(0\), 1 extra \(60\), as if one list"):
        leaderboard(truth, shifted, ids=ids)
    with pytest.warns(UserWarning, match="ids of prediction 'one' match all items except one at"):
        leaderboard(truth, shifted, ids=ids, on_mismatch="drop", min_coverage=0.5, n_resamples=0)
    with pytest.raises(ValueError, match=r"1 extra \(99\)\. Use"):
        leaderboard(truth, {"one": ([99, *ids[1:]], truth)}, ids=ids)
