"""Raters who code the same labels differently cause a warning; disagreement does not."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    cohen_kappa_score,
    confusion_counts,
    confusion_from_source,
    datasets,
    fleiss_kappa,
    leaderboard,
)
from fastkappa.tables.two_codings import may_be_coded_apart, two_codings
from tests.helpers.command_line import write_csv

RNG = np.random.default_rng(0)
FIRST = RNG.integers(0, 5, 60)
SECOND = np.where(RNG.random(60) < 0.8, FIRST, RNG.integers(0, 5, 60))
DOSES = np.array(["5mg", "10mg", "20mg", "none", "other"])
NAMES = {
    "units": (DOSES, "5 milligrams,10 milligrams,20 milligrams,none,other"),
    "letters": (np.array([*"PNUab"]), "Pos,Neg,unclear,a,b"),
    "signs": (np.array(["5+", "<5", "a", "b", "c"]), ">=5,<5,a,b,c"),
    "months": (np.array(["1 Mar", "2 Mai", "3 Okt", "x", "y"]), "1 March,2 May,3 October,x,y"),
    "all": (np.array([*"ABCDE"]), "K1,K2,K3,K4,K5"),
}


def _nearly(ratings: list[Any]) -> list[Any]:
    """Return ratings that are no copy, because the first one has the label of another."""
    return [next(label for label in ratings if label != ratings[0]), *ratings[1:]]


@pytest.mark.parametrize(("first", "second"), NAMES.values(), ids=NAMES)
def test_two_names_for_a_label(first: Any, second: str) -> None:
    y1, y2 = first[FIRST].tolist(), np.array(second.split(","))[SECOND].tolist()
    with pytest.warns(UserWarning, match="labels used only by y1 mostly coincide .*Such pairs"):
        confusion_counts(y1, y2)
    with pytest.warns(UserWarning, match="used only by two mostly .* only by the other raters"):
        fleiss_kappa(Ratings.from_raters({"one": y1, "two": y2, "three": _nearly(y1)}))
    with pytest.warns(UserWarning, match="with labels used only by prediction 'two'"):
        leaderboard(y1, {"one": y1, "two": y2}, n_resamples=0)


OTHER_NUMBERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "from 2": (lambda y: y + 1, "y2 seems to number the labels 1 higher than y1"),
    "from 0": (lambda y: y - 1, "y2 seems to number the labels 1 lower than y1"),
    "by 10": (lambda y: y + 10, "10 higher than y1"),
    "reversed": (lambda y: 6 - y, "y1 and y2 seem to number the labels in opposite directions"),
    "reversed, from 2": (
        lambda y: 7 - y,
        "in opposite directions: unweighted kappa is .* y2 reversed",
    ),
}


@pytest.mark.parametrize(("recoded", "word"), OTHER_NUMBERS.values(), ids=OTHER_NUMBERS)
@pytest.mark.parametrize("kind", [int, str])
def test_two_numberings(recoded: Any, word: str, kind: Any) -> None:
    first, second = (y.astype(kind) for y in (FIRST + 1, recoded(SECOND + 1)))
    right = agreement(FIRST, SECOND).kappa
    with pytest.warns(UserWarning, match=word) as caught:
        confusion_counts(first, second)
    assert f"would be {right:.2f} with" in str(caught[0].message)
    with pytest.warns(UserWarning, match=word):
        agreement(first, second, labels=sorted({*first.tolist(), *second.tolist()}, key=int))


def _graded(n: int, noise: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return two raters' grades from 0 to 4 of the same items."""
    quality = rng.normal(size=n)
    cuts = [-1.6, -0.6, 0.6, 1.6]
    first, second = (np.searchsorted(cuts, quality + noise * rng.normal(size=n)) for _ in "ab")
    return first, second


@pytest.mark.parametrize("way", [1, -1])
def test_the_same_labels_shifted_although_unweighted_kappa_is_low(way: int) -> None:
    first, second = (y + 1 for y in _graded(2000, 0.4, np.random.default_rng(0)))
    unweighted, right = (agreement(first, second, weights=w).kappa for w in (None, "quadratic"))
    assert unweighted < 0.5
    given = cohen_kappa_score(first, second + way, weights="quadratic")
    assert right - given > 0.2
    how = f"y2 seems to number the labels 1 {'higher' if way > 0 else 'lower'} than y1"
    message = f"{how}: quadratic kappa is {given:.2f}, and would be {right:.2f} without"
    with pytest.warns(UserWarning, match=message):
        confusion_counts(first, second + way)
    with pytest.warns(UserWarning, match=message.replace("y1", "y_true").split(" than y_true:")[1]):
        leaderboard(first, {"one": second + way}, n_resamples=0)
    # Without the last label, the labels are not the same labels shifted.
    second = np.where(second == (5 if way > 0 else 1), second - way, second)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(first, second + way)


def test_raters_who_do_without_the_last_labels_use_one_numbering() -> None:
    rng = np.random.default_rng(0)
    for n in (50, 500, 5000):
        for noise in (0.2, 0.4, 0.7):
            first, second = _graded(n, noise, rng)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                confusion_counts(first, np.maximum(second, 1))
                confusion_counts(np.minimum(first, 3), np.maximum(second, 1))


def test_two_labels_in_opposite_meanings() -> None:
    first, second = FIRST % 2, SECOND % 2
    with pytest.warns(UserWarning, match="in opposite directions"):
        agreement(first, 1 - second)
    with pytest.warns(UserWarning, match="in opposite directions"):
        confusion_counts(first, 2 - second)


SECOND_SPELLINGS = {
    "abbreviations": ("mild,moderate,severe", "mil,mod.,sev"),
    "one letter": ("left,none,unclear", "L,n,U"),
    "typing error": ("moderate,none,severe", "modrate,none,severe"),
    "plural": ("truck,bus,bicycle", "trucks,bus,bicycles"),
    "accents": ("l\u00e9ger,mod\u00e9r\u00e9,s\u00e9v\u00e8re", "leger,modere,severe"),
    "folders": ("cat,dog,fish", "labels/cat,labels/dog,labels/fish"),
    "answers": ("A,B,C", "Answer is A,Answer is B,Answer is C"),
    "sentences": ("mild,none,severe", "It is mild.,It is none.,It is severe."),
    "JSON": ("pos,neg,neu", '{"is": {"pos"}}#{"is": {"neg"}}#{"is": {"neu"}}'),
    "umlauts": ("m\u00e4\u00dfig,keine,schwer", "maessig,keine,schwer"),
}


@pytest.mark.parametrize(("written", "other"), SECOND_SPELLINGS.values(), ids=SECOND_SPELLINGS)
def test_second_spellings_of_one_rater(written: str, other: str) -> None:
    first, second = FIRST % 3, SECOND % 3
    labels, spelt = np.array(written.split(",")), np.array(re.split("[,#]", other))
    y1, y2 = labels[first].tolist(), labels[second].tolist()
    mixed = np.where(np.arange(60) % 3 == 0, spelt[first], labels[first]).tolist()
    match = "similar spellings are nearly always given to the same items: '.*' with '"
    for pair in ((mixed, y2), (y2, mixed)):
        with pytest.warns(UserWarning, match=match):
            confusion_counts(*pair)
    with pytest.warns(UserWarning, match=match):
        fleiss_kappa(Ratings.from_raters({"one": mixed, "two": y1, "three": y2}))
    with pytest.warns(UserWarning, match=match):
        leaderboard(y1, {"one": y1, "two": mixed}, n_resamples=0)


MIXED_FORMS = {
    "plural": ("cat,dog,bird", "cats,dogs,birds"),
    "numbers in words": ("1/4,2/4,3/4", "1 out of 4,2 out of 4,3 out of 4"),
    "a word before a number": ("G1,G2,G3", "Grade 1,Grade 2,Grade 3"),
    "an abbreviated unit": ("1 pt,2 pts,3 pts", "1 point,2 points,3 points"),
    "a typing error": ("tumor,edema,other", "tumour,edema,other"),
    "codes without a dot": ("E11.9,I10.0,J44.1", "E119,I100,J441"),
    "words without a blank": ("not toxic,very toxic,other", "notToxic,veryToxic,other"),
    "Cyrillic": ("степень 1,степень 2,нет", "ст. 1,ст. 2,нет"),
}


@pytest.mark.filterwarnings("ignore:.* agree on all")
@pytest.mark.parametrize(("written", "other"), MIXED_FORMS.values(), ids=MIXED_FORMS)
def test_two_forms_that_both_raters_mix(written: str, other: str) -> None:
    labels, spelt = np.array(written.split(",")), np.array(other.split(","))
    rng = np.random.default_rng(1)
    first, second = (
        np.where(rng.random(60) < 0.4, spelt[y % 3], labels[y % 3]).tolist()
        for y in (FIRST, SECOND)
    )
    match = "similar spellings are nearly always given to the same items: '.*' with '"
    with pytest.warns(UserWarning, match=match):
        confusion_counts(first, second)
    with pytest.warns(UserWarning, match=match):
        fleiss_kappa(Ratings.from_raters({"one": first, "two": second, "three": _nearly(first)}))


# Labels that raters distinguish, although their names could mean the same.
TOLD_APART = ["mild|milder", "G1|grade 1", "1 m|1 month", "hypertension|hypotension", "B1|1|2"]


@pytest.mark.parametrize("labels", TOLD_APART)
def test_similar_labels_that_raters_tell_apart_are_silent(labels: str) -> None:
    names = np.array([*labels.split("|"), "x", "y", "z"])
    first, second = (np.minimum(y, len(names) - 1) for y in (FIRST, SECOND))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(names[first].tolist(), names[second].tolist())


@pytest.mark.parametrize(
    ("rare", "frequent", "is_named"),
    [
        *(("positve", "positive", True), ("Posittive", "Positive", True)),
        *(("POSITJVE", "POSITIVE", True), ("very posiitve", "very positive", True)),
        *(("hypotension", "hypertension", False), ("atypical", "typical", False)),
        *(("GradeB", "GradeA", False), ("grade 2", "grade 1", False), ("none", "nine", False)),
    ],
)
def test_a_rare_label_with_one_slip_is_named_whatever_it_meets(
    rare: str, frequent: str, is_named: bool
) -> None:
    y1 = [*[frequent] * 100, *["other"] * 20, rare]
    y2 = [*[frequent] * 100, *["other"] * 20, "other"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        confusion_counts(y1, y2)
        fleiss_kappa(Ratings.from_raters({"one": y1, "two": y2, "three": y2}))
    named = [f"{rare!r} for {frequent!r}" in str(one.message) for one in caught]
    assert named == [True] * 2 * is_named


@pytest.mark.parametrize(
    ("common", "finer"),
    [
        ("NNP,VB,JJ", "NNPS,VBD,JJR"),
        ("nn,vb,s", "nns,vbd,sh"),
        ("E11,I10,J44", "E11.9,I10.9,J44.1"),
        ("T1,T2,T4", "T1a,T2,T4b"),
        ("stage I,stage II,stage III", "stage IA,stage IIB,stage III"),
        ("likely,typical,possible", "unlikely,atypical,impossible"),
        ("likely,unlikely,even", "very likely,very unlikely,even"),
        ("mild,none,severe", "minimal,normal,serious"),
        ("nsubj,obj,csubj", "nsubj:pass,obj,csubj:pass"),
    ],
)
def test_finer_labels_of_one_rater_are_silent(common: str, finer: str) -> None:
    labels, own = np.array(common.split(",")), np.array(finer.split(","))
    first, second = FIRST % 3, SECOND % 3
    mixed = np.where(np.arange(60) % 3 == 0, own[first], labels[first]).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(mixed, labels[second].tolist())


def test_labels_that_look_alike_are_warned_of_once() -> None:
    y1, y2 = np.array(["neg", "pos", "odd"])[FIRST % 3], np.array(["neg", "pos", "odd"])[SECOND % 3]
    mixed = np.where(np.arange(60) % 3 == 0, np.char.capitalize(y1), y1).tolist()
    with pytest.warns(UserWarning, match="differ only in how they are written") as caught:
        confusion_counts(mixed, y2.tolist())
    assert len(caught) == 1


def test_an_empty_label_has_no_spellings() -> None:
    with pytest.warns(UserWarning, match="counted as labels: ''"):
        confusion_counts(["", "a", ":", ":"], ["", "a", "", ""])


PERMUTATIONS = {
    "a model's classes": (["entailment", "neutral", "contradiction"], [1, 2, 0]),
    "clusters": ([0, 1, 2, 3, 4], [2, 0, 3, 1, 4]),
    "two words": (["no", "yes"], [1, 0]),
    "two of four": ([*"abcd"], [3, 1, 2, 0]),
}


@pytest.mark.filterwarnings("ignore:.* agree on all")
@pytest.mark.parametrize(("labels", "moved"), PERMUTATIONS.values(), ids=PERMUTATIONS)
def test_labels_that_stand_for_other_categories(labels: list[Any], moved: list[int]) -> None:
    first, second = FIRST % len(labels), SECOND % len(labels)
    y1, y2 = np.array(labels)[first], np.array(labels)[np.array(moved)[second]]
    right = agreement(first, second).kappa
    with pytest.warns(UserWarning, match="y1 and y2 use the same labels, but .* different"):
        confusion_counts(y1, y2)
    named = ", ".join(f"{labels[i]!r} of y1" for i, j in enumerate(moved) if i != j)
    with pytest.warns(UserWarning, match=f"would be {right:.2f} with these labels") as caught:
        agreement(y1, y2, labels=labels)
    assert all(f"{name} with" in str(caught[0].message) for name in named.split(", "))
    with pytest.warns(UserWarning, match="one and two use the same labels"):
        fleiss_kappa(Ratings.from_raters({"one": y1, "two": y2, "three": _nearly(y1)}))
    with pytest.warns(UserWarning, match="prediction 'two' use the same labels"):
        leaderboard(y1, {"one": y1, "two": y2}, n_resamples=0)


def _noisy(truth: Any, share: float, n_labels: int, rng: Any) -> Any:
    """Return ratings of which a share is right and the rest guessed."""
    return np.where(rng.random(len(truth)) < share, truth, rng.integers(0, n_labels, len(truth)))


# Two raters of the same items, as functions of the truth, the number of labels and a generator.
RATERS: dict[str, Callable[[Any, int, Any], tuple[Any, Any]]] = {
    "independent": lambda t, k, rng: (t, rng.permutation(t)),
    "weak": lambda t, k, rng: (_noisy(t, 0.4, k, rng), _noisy(t, 0.4, k, rng)),
    "good": lambda t, k, rng: (_noisy(t, 0.85, k, rng), _noisy(t, 0.85, k, rng)),
    "a step higher": lambda t, k, rng: (
        t,
        np.where(rng.random(len(t)) < 0.8, np.minimum(t + 1, k - 1), t),
    ),
    "a step lower": lambda t, k, rng: (
        _noisy(t, 0.8, k, rng),
        np.where(rng.random(len(t)) < 0.8, np.maximum(t - 1, 0), t),
    ),
    "neighbours": lambda t, k, rng: tuple(
        np.clip(t + rng.integers(-1, 2, len(t)), 0, k - 1) for _ in "ab"
    ),
    "one frequent label": lambda t, k, rng: (
        np.where(rng.random(len(t)) < 0.9, 0, t),
        np.where(rng.random(len(t)) < 0.9, 0, t),
    ),
    "rare errors": lambda t, k, rng: (np.where(t == 1, 1, 0), _noisy(t // k, 0.97, k, rng)),
    "two labels confused": lambda t, k, rng: tuple(
        np.where(t < 2, rng.integers(0, 2, len(t)), t) for _ in "ab"
    ),
    "one label called another": lambda t, k, rng: (
        t,
        np.where((t == 0) & (rng.random(len(t)) < 0.7), 1, t),
    ),
    "half of each label moved": lambda t, k, rng: (
        t,
        np.where(rng.random(len(t)) < 0.5, (t + 1) % k, t),
    ),
    "sorted items and guesses": lambda t, k, rng: (np.sort(t), rng.integers(0, k, len(t))),
}


@pytest.mark.parametrize("rate", RATERS.values(), ids=RATERS)
def test_ordinary_raters_are_seldom_warned_of(rate: Any) -> None:
    rng = np.random.default_rng(5)
    n_warned = 0
    for n_labels in (2, 3, 5):
        labels = np.array([*"vwxyz"][:n_labels])
        for n in [12] * 60 + [30] * 60 + [200] * 60:
            truth = rng.choice(n_labels, n, p=rng.dirichlet(np.full(n_labels, 3.0)))
            first, second = rate(truth, n_labels, rng)
            table = np.bincount(first * n_labels + second, minlength=n_labels**2)
            n_warned += _is_warned(labels, table.reshape(n_labels, n_labels))
    # Fewer than one in two hundred.
    assert n_warned <= 2


def _is_warned(labels: Any, table: Any) -> bool:
    return two_codings(labels, table, ("a", "b"), are_given=False) is not None


@pytest.mark.parametrize("n", [12, 50])
@pytest.mark.parametrize("n_labels", [2, 5])
@pytest.mark.parametrize("words", [True, False])
def test_independent_raters_are_seldom_warned_of(n: int, n_labels: int, words: bool) -> None:
    rng = np.random.default_rng(n * n_labels)
    labels = np.array([*"abcdefg"][:n_labels]) if words else np.arange(n_labels)
    shares = 0.5 ** np.arange(n_labels)
    for p in (shares / shares.sum(), np.full(n_labels, 1 / n_labels)):
        cells = np.outer(p, p).ravel()
        tables = rng.multinomial(n, cells, size=500).reshape(-1, n_labels, n_labels)
        assert sum(_is_warned(labels, table) for table in tables) <= 5


@pytest.mark.parametrize("n", [40, 60, 150, 300])
def test_many_labels_of_few_items_are_not_exchanged(n: int) -> None:
    rng = np.random.default_rng(n)
    labels = np.arange(30)
    tables = rng.multinomial(n, np.full(900, 1 / 900), size=50).reshape(-1, 30, 30)
    assert not any(_is_warned(labels, table) for table in tables)
    # Each label once, in another order, like ids.
    assert not _is_warned(labels, np.eye(30, dtype=int)[rng.permutation(30)])


def test_labels_that_one_rater_alone_uses_are_seldom_warned_of() -> None:
    # Each rater gives a tenth of the items a label that nobody else uses.
    rng = np.random.default_rng(3)
    alike = 0.15 * np.eye(4) + 0.025
    cells = np.zeros((6, 6))
    cells[:4, :4], cells[4, :4], cells[:4, 5], cells[4, 5] = alike, 0.03, 0.03, 0.01
    cells /= cells.sum()
    for labels in (np.array([*"abcdef"]), np.arange(6)):
        tables = rng.multinomial(40, cells.ravel(), size=500).reshape(-1, 6, 6)
        assert sum(_is_warned(labels, table) for table in tables) <= 5


def test_a_rater_who_is_one_step_too_high_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(FIRST, np.minimum(FIRST + 1, 4))


def test_raters_of_another_severity_are_seldom_warned_of() -> None:
    rng = np.random.default_rng(4)

    def table() -> Any:
        latent = rng.normal(size=30)
        ratings = [
            np.digitize(latent + 0.4 * rng.normal(size=30) + bias, [-1, 0, 1]) for bias in (0, 0.8)
        ]
        return np.histogram2d(*ratings, bins=np.arange(5))[0].astype(int)

    assert sum(_is_warned(np.arange(4), table()) for _ in range(500)) <= 5


@pytest.mark.parametrize("name", datasets.names())
def test_real_tables_are_silent(name: str) -> None:
    table = np.asarray(datasets.load(name).table)
    for labels in (np.arange(len(table)), np.arange(len(table)).astype("U") + "x"):
        assert not _is_warned(labels, table)


def test_raters_who_never_agree_are_told_of_blanks() -> None:
    # Blanks for agreement were dropped: each label meets each other label.
    first = np.array(["a", "b", "c"])[np.arange(36) % 3]
    second = np.array(["b", "c", "c", "a", "a", "b"])[[0, 1, 3, 2, 4, 5] * 6]
    assert not (first == second).any()
    with pytest.warns(UserWarning, match="agree on none of 36 items. If a blank means the same"):
        confusion_counts(first.tolist(), second.tolist())
    with pytest.warns(UserWarning, match="one and two agree on none of 36 items"):
        fleiss_kappa(Ratings.from_raters({"one": first, "two": second}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(first[:18].tolist(), second[:18].tolist())
        confusion_counts([*first, "a"], [*second, "a"])


def test_labels_that_were_cut() -> None:
    whole = np.array(["Normal", "Moderate", "Moderately severe", "Minimal", "Malignant"])
    first, second = whole[FIRST].tolist(), [label[:8] for label in whole[SECOND]]
    with pytest.warns(UserWarning, match="'Malignant' of y1 with 'Malignan' of y2"):
        confusion_counts(first, second)
    with pytest.warns(UserWarning, match="'Malignant' of one with 'Malignan' of two"):
        fleiss_kappa(Ratings.from_raters({"one": first, "two": second}))
    # Raters who agree less.
    less = np.where(np.arange(60) % 2, second, [*second[7:], *second[:7]]).tolist()
    with pytest.warns(UserWarning, match="'Malignant' of y1 with 'Malignan' of y2"):
        confusion_counts(first, less)
    # A rater who never uses the longest label.
    own = np.array(["Normal", "Moderate", "Moderate", "Minimal", "Minimal"])[SECOND].tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(first, own)


def test_one_column_as_both_raters_is_judged(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=[1, 2])
    assert confusion_from_source(path, "a", "a").table.tolist() == [[1, 0], [0, 1]]


def test_a_table_that_needs_a_closer_look_is_found_among_many() -> None:
    n_found = 0
    for labels in (np.arange(4), np.array(list("abcd"))):
        for _ in range(300):
            tables = RNG.integers(0, 9, (3, 4, 4)) + RNG.integers(0, 40) * np.eye(4, dtype=int)
            alone = any(may_be_coded_apart(labels, table, table) for table in tables)
            together = may_be_coded_apart(labels, tables.min(axis=0), tables.max(axis=0))
            assert together or not alone
            n_found += alone
    assert 20 < n_found < 580
