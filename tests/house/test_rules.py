"""Each rule about inputs is tested at each entrance: the right kappa, or a warning or error.

The two lists, rules here and entrances in `tests.helpers.entrances`, make the table of all tests. A
new rule is tested at every entrance, and a new entrance must follow every rule.
"""

from __future__ import annotations

import re
import warnings
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

pytest.importorskip("typer")

from fastkappa import cohen_kappa_score
from tests.helpers.absent import library
from tests.helpers.entrances import ENTRANCES, Options

metrics = library("sklearn.metrics")

# Twelve items with three labels, ten of them equal; 4 of 12 would be equal by chance.
FIRST = [0, 1, 2] * 4
SECOND = [0, 1, 2, 0, 1, 2, 1, 1, 2, 0, 2, 2]
KAPPA = (Fraction(10, 12) - Fraction(1, 3)) / (1 - Fraction(1, 3))


def exact(y1: list[Any], y2: list[Any], order: list[Any], power: int) -> Fraction:
    """Return the kappa for weights ``

    i - j
     ** power``, by its definition.
    """
    first, second = ([order.index(label) for label in ratings] for ratings in (y1, y2))
    observed = sum(abs(i - j) ** power for i, j in zip(first, second))
    expected = sum(abs(i - j) ** power for i in first for j in second)
    return 1 - Fraction(observed * len(y1), expected)


def named(*labels: Any) -> tuple[list[Any], list[Any]]:
    """Return the twelve items with these labels."""
    return [labels[i] for i in FIRST], [labels[i] for i in SECOND]


def more(y1: list[Any], y2: list[Any], *items: tuple[Any, Any]) -> tuple[list[Any], list[Any]]:
    return [*y1, *(a for a, _ in items)], [*y2, *(b for _, b in items)]


NUMBERS, WORDS = named(1, 2, 3), named("x", "y", "z")
# With 20 more items of the first label, 30 of 32 are equal, and 588 of 1024 by chance.
SIGNS = Fraction(30 * 32 - 588, 1024 - 588)
QUADRATIC = exact(*NUMBERS, [1, 2, 3], 2)
# Seventy items in no order, on all but eight of which the raters agree.
SEVENTY = [
    list(map(int, "2210112011210210222202221011221202102122012002010221001201212121111110"))
    for _ in range(2)
]
SEVENTY[1][::9] = [(label + 1) % 3 for label in SEVENTY[1][::9]]
# One of the two spellings of the letter e with an acute accent.
COMPOSED, COMBINING = "caf\u00e9", "cafe\u0301"


class Rule(NamedTuple):
    """The ratings of two raters, and the result expected from an entrance.

    Attributes
    ----------
    ratings : tuple of list
    kappa : Fraction or None
        The right kappa; None if the meaning of the ratings is unclear.
    word : str
        A pattern of the warning or error that an entrance may give instead, "" for none.
    options : Options
    needs : str
        The kind of ratings that an entrance must accept: see `tests.helpers.entrances`.
    one_rater : bool
        Whether it is a rule about the ratings of the first rater alone.
    """

    ratings: tuple[list[Any], list[Any]]
    kappa: Fraction | None = None
    word: str = ""
    options: Options = Options()
    needs: str = "strings"
    one_rater: bool = True


def drop(**options: Any) -> Options:
    return Options(missing="drop", **options)


RULES = {
    "numbers": Rule(NUMBERS, KAPPA, needs="numbers"),
    "words": Rule(WORDS, KAPPA),
    "weights": Rule(NUMBERS, QUADRATIC, "", Options(weights="quadratic"), "numbers"),
    "given order": Rule(
        named("low", "mid", "high"),
        QUADRATIC,
        options=Options(labels=["low", "mid", "high"], weights="quadratic"),
    ),
    "order of the alphabet": Rule(
        named("low", "mid", "high"), None, "alphabetical", Options(weights="quadratic")
    ),
    "numbers as strings": Rule(named("8", "9", "10"), QUADRATIC, "", Options(weights="quadratic")),
    "a rating outside the labels": Rule(
        more(*NUMBERS, (7, 1)), None, r"\b7\b|outside", Options(labels=[1, 2, 3]), "numbers"
    ),
    # An estimator of scikit-learn uses scikit-learn's words.
    "missing": Rule(more(*NUMBERS, (None, 1)), None, "missing|Unknown label type", needs="missing"),
    "missing, left out": Rule(
        more(*NUMBERS, (None, 1)), KAPPA, "missing|no label", drop(), "missing"
    ),
    "blank": Rule(more(*WORDS, ("", "x"), ("y", "")), None, r"''|missing|blank"),
    "blank, left out": Rule(
        more(*WORDS, ("", "x"), ("y", "")), KAPPA, r"''|missing|no label", drop()
    ),
    "a space": Rule(more(*WORDS, (" ", "x")), None, r"' '|missing"),
    **{
        f"{text!r} for missing": Rule(more(*WORDS, (text, "x"), ("y", text)), None, re.escape(text))
        # `tests/ratings/test_lookalikes.py` has the others.
        for text in ("-", "?", "n.a.", "na", "missing", "#VALUE!", "[]", "Not rated", ".a")
    },
    **{
        f"{text!r} for missing, of one rater": Rule(
            more(*WORDS, (text, "x"), (text, "y")), None, rf"{re.escape(text)}|missing"
        )
        for text in ("NA", "nan", "None", "<NA>", "null")
    },
    "'-' for missing, left out": Rule(more(*WORDS, ("-", "x"), ("y", "-")), None, "'-'", drop()),
    "a refusal": Rule(more(*WORDS, ("I'm sorry, but I cannot rate this.", "x")), None, "I'm sorry"),
    "a stand-in that is a label": Rule(
        named("yes", "no", "NA"), KAPPA, "", Options(labels=["yes", "no", "NA"])
    ),
    "case": Rule(more(*WORDS, ("X", "x")), None, "'X'"),
    "case, of both raters": Rule(more(*WORDS, ("X", "x"), ("x", "X")), None, "'X'"),
    "a blank at the end": Rule(more(*WORDS, ("x ", "x")), None, "'x '"),
    "Unicode": Rule(more(*named(COMPOSED, "y", "z"), (COMBINING, COMPOSED)), None, "alike|differ"),
    "zero width alone": Rule(more(*WORDS, ("\u200b", "x")), None, r"u200b.*missing"),
    "zero width": Rule(more(*WORDS, ("x\u200b", "x")), None, "alike|differ"),
    "no-break space": Rule(more(*WORDS, ("x\u00a0", "x")), None, "alike|differ"),
    "a dash": Rule(more(*named("x-y", "y", "z"), ("x\u2013y", "x-y")), None, "are written"),
    "a Cyrillic letter": Rule(more(*named("A", "B", "C"), ("\u0410", "A")), None, "are written"),
    "a hyphen": Rule(more(*named("no x", "y", "z"), ("no-x", "no x")), None, "are written"),
    "a set in another order": Rule(
        more(*named("x;y", "y", "z"), ("y;x", "x;y")), None, "are written"
    ),
    "a set in a cell": Rule(more(*WORDS, ("x; y", "x"), ("x; y", "y")), None, "'x; y'.*several"),
    "a list in a cell": Rule(
        more(*WORDS, ('["x", "y"]', "x"), ('["x", "y"]', "y")),
        None,
        r'"y"\]\', which contain several',
    ),
    "a list of a tool in a cell": Rule(
        more(*WORDS, ('{"choices": ["x", "y"]}', "x"), ("y", "y")), None, "which contain several"
    ),
    "given codes that are equal as numbers": Rule(
        named("1.1", "1.10", "2.1"), KAPPA, "", Options(labels=["1.1", "1.10", "2.1"])
    ),
    "an entity of HTML": Rule(more(*named("<5", "y", "z"), ("&lt;5", "<5")), None, "are written"),
    "a text as Excel writes it": Rule(more(*WORDS, ('="x"', "x")), None, "are written"),
    "percent": Rule(more(*named("10%", "20%", "30%"), ("10 %", "10%")), None, "are written"),
    "a code with its text": Rule(
        more(*named("1 - mild", "2 - none", "3 - severe"), ("1. mild", "1 - mild"), ("mild",) * 2),
        None,
        "are written",
    ),
    "a letter for yes": Rule(
        more(*named("yes", "no", "unclear"), ("Y", "yes"), ("Y", "Y")), None, "'Y'"
    ),
    "a date for a range": Rule(
        more(*named("1-2", "3-4", "5-6"), ("2024-01-02", "1-2"), ("2-Jan",) * 2), None, "2-Jan"
    ),
    "signs": Rule(more(*named("0", "+", "-"), *[("0", "0")] * 20), SIGNS, needs="columns"),
    "a letter among numbers": Rule(more(*NUMBERS, ("l", 1)), None, "'l'", needs="mixed"),
    "a letter among numbers, left out": Rule(
        more(*NUMBERS, ("l", 1)), None, "'l'", drop(), needs="mixed"
    ),
    "a letter among strings of numbers": Rule(more(*named("1", "2", "3"), ("l", "1")), None, "'l'"),
    "a letter among strings of numbers, left out": Rule(
        more(*named("1", "2", "3"), ("2x", "1")), None, "'2x'", drop()
    ),
    "yes, no and a code": Rule(
        ([0, 1, 9, 1] * 4, [0, 1, 1, 1] * 4),
        None,
        "9.*missing",
        needs="found labels",
        one_rater=False,
    ),
    "a mark for the rating above": Rule(more(*WORDS, ("ditto", "x")), None, "'ditto'"),
    "a word for the rating of the other rater": Rule(
        more(*WORDS, ("agree", "x")), None, "'agree'", needs="columns", one_rater=False
    ),
    "a remark": Rule(
        more(*named("neg", "pos", "unclear"), *[("neg", "neg")] * 3, ("neg (unsure)", "neg")),
        None,
        "with remarks",
    ),
    "a typing error": Rule(
        more(
            *named("complaint", "other", "praise"),
            *[("complaint", "complaint")] * 100,
            ("complain", "complaint"),
        ),
        None,
        r"'complain' with 'complaint' \(1 item\)",
        one_rater=False,
    ),
    "two forms that both raters mix": Rule(
        more(*named("G1", "G2", "x"), *zip(["G1", "Grade 1"] * 3, ["Grade 1", "G1"] * 3)),
        None,
        "'Grade 1' with 'G1'|'G1' with 'Grade 1'",
        one_rater=False,
    ),
    "a scale with words at its ends": Rule(named("1 - never", "2", "3 - always"), KAPPA),
    "numbers among words": Rule(
        more(*named("mild", "none", "severe"), ("-9", "mild")), None, "'-9'"
    ),
    "no label in common": Rule(
        (["a", "b"] * 6, ["c", "c", "d"] * 4), None, "in common", one_rater=False
    ),
    "no number in common": Rule(
        ([1, 2] * 6, [3, 3, 4] * 4), None, "in common", needs="found labels", one_rater=False
    ),
    "two names for each label": Rule(
        (["p 1", "p 2", "n"] * 4, ["y1", "y2", "n"] * 4), None, "mostly coincide", one_rater=False
    ),
    "a second spelling": Rule(
        more(*named("mild", "none", "severe"), *[("mil", "mild")] * 3),
        None,
        "similar spellings",
        one_rater=False,
    ),
    "numbers from 0 and from 1": Rule(
        ([*FIRST * 2], [i + 1 for i in SECOND * 2]),
        None,
        "1 higher than",
        needs="found labels",
        one_rater=False,
    ),
    "numbers in opposite directions": Rule(
        (FIRST * 2, [2 - i for i in SECOND * 2]),
        None,
        "opposite directions",
        needs="found labels",
        one_rater=False,
    ),
    "counts of two labels": Rule(
        ([3, 5, 1, 2, 0, 4] * 2, [2, 0, 4, 3, 5, 1] * 2),
        None,
        "add up to 5 for all 12 items, as in a table with one column of counts",
        needs="found labels",
        one_rater=False,
    ),
    "booleans beside numbers": Rule(
        ([True, False] * 6, SECOND), None, "booleans", needs="columns", one_rater=False
    ),
    "booleans with other labels": Rule(
        ([True, False] * 6, [True, False] * 5 + [False, True]),
        None,
        "booleans|[Tt]rue",
        Options(labels=[1, 2, 3]),
        "columns",
        one_rater=False,
    ),
    "0 far below a scale": Rule(
        more(*named(5, 6, 7), (0, 5), (6, 0)), None, "contain 0.*missing", needs="found labels"
    ),
    "booleans beside 0 and 1": Rule(
        ([True, False] * 6, [1, 0] * 5 + [0, 1]),
        Fraction(2, 3),
        needs="columns",
        one_rater=False,
    ),
    "labels in another order": Rule(
        tuple(ratings * 4 for ratings in (named("x", "y", "z")[0], named("y", "z", "x")[1])),
        None,
        "different categories",
        one_rater=False,
    ),
    "decimal commas": Rule(named("1,5", "2,5", "3,5"), None, "decimal"),
    "commas between thousands": Rule(named("1,200", "2,200", "3,200"), None, "thousands"),
    "numbers beside strings": Rule(
        (NUMBERS[0], named("1", "2", "3")[1]),
        KAPPA,
        "string|one kind|compared",
        one_rater=False,
    ),
    "ids": Rule(
        ([*range(1, 41)], [1, 2, 3, 1] * 10),
        word=r"\bids\b",
        needs="columns",
        one_rater=False,
    ),
    "labels with gaps under weights": Rule(
        named(1, 2, 5), None, "equally spaced", Options(weights="quadratic"), "found labels"
    ),
    # The kappa is that of ascending order.
    "given numbers that rise and fall": Rule(
        NUMBERS,
        QUADRATIC,
        "neither ascending nor descending",
        Options(labels=[1, 3, 2], weights="quadratic"),
        "numbers",
    ),
    "given strings of numbers that rise and fall": Rule(
        named("1", "2", "3"), None, "neither ascending", Options(["1", "3", "2"], "quadratic")
    ),
    "given numbers in descending order": Rule(
        NUMBERS, QUADRATIC, "", Options(labels=[3, 2, 1], weights="quadratic"), "numbers"
    ),
    "a line of Qualtrics": Rule(
        more(*WORDS, ('{"ImportId":"QID1"}', '{"ImportId":"QID2"}')), None, "Qualtrics"
    ),
    "a formula in place of its value": Rule(more(*WORDS, ("=B3", "=A3")), None, "formula"),
    **{
        f"a second line of {noun}": Rule(
            more([first], [second], *zip(*WORDS)),
            None,
            "second line of column names",
            needs="in order",
            one_rater=False,
        )
        for noun, first, second in (("names", "Ann", "Ben"), ("types", "category", "category"))
    },
    "rows of an earlier export": Rule(
        tuple(ratings[:40] + ratings for ratings in SEVENTY),
        None,
        "as the first 40 items",
        needs="in rows",
        one_rater=False,
    ),
    "a column shifted by a row": Rule(
        (SEVENTY[0][1:], SEVENTY[1][:-1]),
        None,
        "shifted by one row",
        needs="in rows",
        one_rater=False,
    ),
    "a column filled down": Rule(
        (SEVENTY[0], [*SEVENTY[1][:40], *[2] * 30]),
        None,
        "same rating for the last 32",
        needs="in rows",
        one_rater=False,
    ),
    **{
        f"{code} for missing": Rule(
            more(*NUMBERS, (code, 1), (2, code), (code, code)),
            None,
            f"{code}.*mean a missing rating",
            needs="found labels",
        )
        for code in (-1, 9, 66, 99, -(1 << 31))
    },
    "99 that is a label": Rule(
        named(1, 2, 99), KAPPA, "", Options(labels=[1, 2, 99]), "numbers", one_rater=False
    ),
    "a row of totals": Rule(
        more(*NUMBERS, (sum(NUMBERS[0]), sum(NUMBERS[1]))),
        None,
        "totals",
        needs="found labels",
        one_rater=False,
    ),
    "a header among words": Rule(
        more(*WORDS, ("a", "b")), None, "names? of the columns", needs="names"
    ),
}


def asked() -> list[Any]:
    """Return each rule with each entrance that accepts such ratings and options."""
    return [
        pytest.param(rule, entrance, id=f"{of_rule}-{of_entrance}")
        for of_rule, rule in RULES.items()
        for of_entrance, entrance in ENTRANCES.items()
        if rule.needs in entrance.takes
        and (entrance.drops or rule.options.missing == "raise")
        and (entrance.has_weights or rule.options.weights is None)
        and (entrance.reads_both or rule.one_rater)
    ]


@pytest.mark.every(3)
@pytest.mark.parametrize(("rule", "entrance"), asked())
def test_no_wrong_number_without_a_word(rule: Any, entrance: Any) -> None:
    said = ""
    kappa = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            kappa = entrance.kappa(*map(list, rule.ratings), rule.options)
        except (ValueError, TypeError) as error:
            said = str(error)
            assert rule.word, said
    texts = [str(warning.message) for warning in caught]
    # Entrances with clusters have one item per cluster, so that all entrances have the same kappa.
    texts = [text for text in texts if "each cluster has one item" not in text]
    said = " ".join([said, *texts])
    if rule.word and re.search(rule.word, said):
        return
    assert rule.kappa is not None, f"{kappa} without a word: {said!r}"
    if entrance.reads_both:
        assert kappa == pytest.approx(float(rule.kappa), abs=1e-14), said
        assert not texts


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_drop_in_does_as_scikit_learn(rule: Any) -> None:
    y1, y2 = rule.ratings
    # None in a list is missing, and the error mentions it.
    if None in y1:
        with pytest.raises(ValueError, match="contains NaN"):
            cohen_kappa_score(y1, y2)
        return
    options = {"labels": rule.options.labels, "weights": rule.options.weights}
    outcomes = []
    for function in (metrics.cohen_kappa_score, cohen_kappa_score):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                outcomes.append(function(y1, y2, **options))
            except (ValueError, TypeError) as error:
                # Older versions of scikit-learn do not show the labels.
                outcomes.append((type(error), str(error).rstrip(".").partition("; Got")[0]))
    theirs, ours = outcomes
    assert ours == (
        theirs if isinstance(theirs, tuple) else pytest.approx(theirs, abs=1e-15, nan_ok=True)
    )
