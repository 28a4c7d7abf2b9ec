"""Labels that look alike are warned of, and labels that only resemble each other are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from fastkappa import ConfusionAccumulator, agreement

COMPOSED, COMBINING = "caf\u00e9", "cafe\u0301"


def rated(*labels: str) -> tuple[list[str], list[str]]:
    """Return ratings in which each label occurs several times."""
    first = [*labels, "zz", "ww"] * 3
    return first, [*first[1:], first[0]]


@pytest.mark.parametrize(
    ("labels", "how"),
    [
        ((COMPOSED, COMBINING), "look-alike characters"),
        (("non-toxic", "non\u2013toxic"), "look-alike characters"),
        (("a - b", "a \u2014 b"), "look-alike characters"),
        (("a-b", "a\u2010b"), "look-alike characters"),
        (("a-b", "a\u2011b"), "look-alike characters"),
        (("-1", "\u22121"), "look-alike characters"),
        (("ab", "a\u00adb"), "look-alike characters"),
        (("ab", "a\u200bb"), "look-alike characters"),
        (("ab", "\ufeffab"), "look-alike characters"),
        (("ab", "a\x00b"), "look-alike characters"),
        (("A", "\u0410"), "look-alike characters"),
        (("cat", "c\u0430t"), "look-alike characters"),
        (("A", "\u0391"), "look-alike characters"),
        (("don't", "don\u2019t"), "look-alike characters"),
        (("\u0130yi", "iyi"), "look-alike characters"),
        (("\U0001f44d", "\U0001f44d\ufe0f"), "look-alike characters"),
        (("a b", "a\u00a0b"), "case and blanks"),
        (("\u039d\u0391\u0399", "\u03bd\u03b1\u03b9"), "case"),
        (("\u041d\u0435\u0442", "\u043d\u0435\u0442"), "case"),
        (("not toxic", "not_toxic", "Not-toxic"), "case and the sign between words"),
        (("a;b", "b;a"), "the order of a list"),
        (("a, b", "B,a"), "the order of a list"),
        (("a|b|c", "c|a|b"), "the order of a list"),
        (("['a', 'b']", "['b', 'a']"), "the order of a list"),
    ],
    ids=ascii,
)
def test_labels_that_look_alike_are_warned_of(labels: tuple[str, ...], how: str) -> None:
    with pytest.warns(UserWarning, match=f"labels that differ in {how} alone, .* counted apart"):
        agreement(*rated(*labels))


@pytest.mark.parametrize(
    "labels",
    [
        ("A", "A-", "A+", "B"),
        ("negative", "x -1", "x 1"),
        ("a", "\u00e4", "o", "\u00f6"),
        # Of phonetics, and of units.
        ("e", "\u03b5", "b", "\u03b2", "x", "\u03c7"),
        ("mm", "\u03bcm", "m"),
        ("\u0434\u0430", "\u043d\u0435\u0442"),
        ("\u0412\u0435\u0441", "\u0420\u043e\u0441\u0442"),
        ("B-PER", "I-PER", "O"),
        ("a;b", "a;c", "a"),
        ("resign", "re-sign"),
        ("\u4e0d", "\u662f"),
    ],
    ids=ascii,
)
def test_labels_that_resemble_each_other_are_silent(labels: tuple[str, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement(*rated(*labels))


def merged(batches: list[tuple[list[str], list[str]]]) -> ConfusionAccumulator:
    total = ConfusionAccumulator()
    for batch in batches:
        part = ConfusionAccumulator()
        part.update(*batch)
        total += part
    return total


def updated(batches: list[tuple[list[str], list[str]]]) -> ConfusionAccumulator:
    total = ConfusionAccumulator()
    for batch in batches:
        total.update(*batch)
    return total


def read_again(batches: list[tuple[list[str], list[str]]]) -> ConfusionAccumulator:
    return ConfusionAccumulator.from_json(updated(batches).to_json())


@pytest.mark.parametrize("of_batches", [updated, merged, read_again])
@pytest.mark.parametrize("result", ["kappa", "agreement"])
def test_labels_of_several_batches_are_judged_together(
    of_batches: Callable[..., ConfusionAccumulator], result: str
) -> None:
    total = of_batches([(["Yes", "No"] * 6, ["Yes", "No"] * 6), (["yes", "No"] * 2,) * 2])
    with pytest.warns(UserWarning, match=r"differ in case alone, .*'Yes' \(12 times\), 'yes' \(4"):
        getattr(total, result)()
    # A later batch with the same labels is no news.
    total.update(["Yes", "No"] * 6, ["Yes", "No"] * 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(total, result)()
    odd = of_batches([(["1", "2"] * 6, ["1", "2"] * 6), (["l"], ["l"])])
    for _ in range(2):
        with pytest.raises(ValueError, match=r"numbers, and among them 'l' \(1 time\)"):
            getattr(odd, result)()


def test_ordinary_batches_are_silent() -> None:
    total = ConfusionAccumulator()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in (["a", "b", "a"], ["c", "c", "b"], ["d"]):
            total.update(batch, batch)
            total.kappa()
        total.subtract(["d"], ["d"])
        assert total.agreement().n == 6


@pytest.mark.parametrize(
    "scale", [("0", "+", "-"), ("0", "+", "++"), ("0", "1+", "2+", "3+"), ("0", "+", "+/-")]
)
def test_signs_beside_0_are_a_scale(scale: tuple[str, ...]) -> None:
    y1, y2 = ["0"] * 9 + [*scale] * 2, ["0"] * 9 + [*scale, *scale[::-1]]
    same = [dict(zip(scale, "abcd"))[rating] for rating in y1]
    other = [dict(zip(scale, "abcd"))[rating] for rating in y2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert agreement(y1, y2).kappa == agreement(same, other).kappa
        assert agreement(y1, y2, missing="drop").n == len(y1)
    with pytest.warns(UserWarning, match="alphabetical.* Give labels= in the order"):
        agreement(y1, y2, weights="quadratic")


@pytest.mark.parametrize("labels", [("0", "-"), ("0", "1", "+"), ("0", "x+")])
def test_other_signs_among_numbers_are_no_scale(labels: tuple[str, ...]) -> None:
    y: Any = [*labels[:-1]] * 9 + [labels[-1]]
    with pytest.raises(ValueError, match="holds numbers, and among them"):
        agreement(y, y)


@pytest.mark.parametrize("make", [list, tuple])
def test_lists_as_ratings_are_told_what_takes_sets(make: Any) -> None:
    y = [make("ab"), make("ba"), make("c")] * 4
    with pytest.raises(ValueError, match="krippendorff_alpha with level='jaccard'"):
        agreement(y, y)
