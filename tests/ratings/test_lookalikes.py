"""Labels and names that look alike cause a warning; merely similar ones do not."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa import (
    ConfusionAccumulator,
    Ratings,
    agreement,
    agreement_by,
    confusion_counts,
    confusion_from_source,
    fleiss_kappa,
    leaderboard,
)
from fastkappa.ratings.looks import (
    LONGEST_SCANNED,
    REFUSAL,
    SCANNED,
    WITH_PERCENT,
    alike_among,
    with_characters_shown,
    without_remark,
)
from fastkappa.ratings.missing import AROUND, RULE

COMPOSED, COMBINING = "caf\u00e9", "cafe\u0301"
CHARACTERS = WRITTEN = "how they are written"
ALIKE = [
    ((COMPOSED, COMBINING), CHARACTERS),
    (("non-toxic", "non\u2013toxic"), CHARACTERS),
    (("1-2", "1\u20132"), CHARACTERS),
    (("a - b", "a \u2014 b"), CHARACTERS),
    (("a-b", "a\u2010b"), CHARACTERS),
    (("a-b", "a\u2011b"), CHARACTERS),
    (("a-b", "a\u2212b"), CHARACTERS),
    (("-1", "\u22121"), CHARACTERS),
    (("ab", "a\u00adb"), CHARACTERS),
    (("ab", "a\u200bb"), CHARACTERS),
    (("ab", "\ufeffab"), CHARACTERS),
    (("ab", "a\x00b"), CHARACTERS),
    (("A", "\u0410"), CHARACTERS),
    (("B", "\u0412"), CHARACTERS),
    (("cat", "c\u0430t"), CHARACTERS),
    (("A", "\u0391"), CHARACTERS),
    (("don't", "don\u2019t"), CHARACTERS),
    (("\u0130yi", "iyi"), CHARACTERS),
    (("\U0001f44d", "\U0001f44d\ufe0f"), CHARACTERS),
    (("1 - mild", "1 \u2013 mild"), CHARACTERS),
    (("a b", "a\u00a0b"), WRITTEN),
    (("\u039d\u0391\u0399", "\u03bd\u03b1\u03b9"), WRITTEN),
    (("\u041d\u0435\u0442", "\u043d\u0435\u0442"), WRITTEN),
    (("not toxic", "not_toxic", "Not-toxic"), WRITTEN),
    (("not toxic", "not\u2013toxic"), WRITTEN),
    (("a;b", "b;a"), WRITTEN),
    (("a, b", "B,a"), WRITTEN),
    (("a|b|c", "c|a|b"), WRITTEN),
    (("['a', 'b']", "['b', 'a']"), WRITTEN),
    (("10 %", "10%", "10"), WRITTEN),
    (("caf&eacute;", COMPOSED), WRITTEN),
    (('="low"', "low"), WRITTEN),
    (('"low"', "low"), WRITTEN),
    (("'low", "low"), WRITTEN),
    (('="01"', "1"), WRITTEN),
    (("<p>low</p>", "low<br/>", "low"), WRITTEN),
    (("low.", "low", "low:"), WRITTEN),
    (("2-Jan", "02-Jan", "1-2"), WRITTEN),
    (("10-19", "Oct-19"), WRITTEN),
    (("mod\u00e9r\u00e9", "mod\u00c3\u00a9r\u00c3\u00a9"), CHARACTERS),
    (("\u062e\u06cc\u0644\u06cc", "\u062e\u064a\u0644\u064a"), CHARACTERS),
    (("\U0001f44d", "\U0001f44d\U0001f3fd"), CHARACTERS),
    (("5mg", "5 mg"), WRITTEN),
    (("stage 2", "Stage2", "stage-2", "Stage II"), WRITTEN),
    (("stage iia", "stage 2a"), WRITTEN),
    (("A1", "A01"), WRITTEN),
    (("class A", "A"), WRITTEN),
    (("A", "**A**", "`A`", "'A'", "(A)", "A)"), WRITTEN),
    (("low", '["low"]', '{"choices": ["low"]}'), WRITTEN),
    (("1 mild", "mild"), WRITTEN),
    (("1 - mild", "1", "mild"), WRITTEN),
    (("1. mild", "1) Mild"), WRITTEN),
    (("1 - not_mild", "not-mild"), WRITTEN),
    (("mild (1)", "mild [1]", "mild", "1 - mild"), WRITTEN),
    (("mild = 1", "mild: 1", "1"), WRITTEN),
    (("A. none", "A) none", "a"), WRITTEN),
    (("A. none", "None"), WRITTEN),
    (("Answer: A", "a", "**A**"), WRITTEN),
    (("Option B", "B"), WRITTEN),
    (("pos", "__label__pos"), WRITTEN),
    (("pos", "http://ex.org/labels#pos"), WRITTEN),
    (("pos", '{"label": "pos"}', "b'pos'", "\\text{pos}", "\u00abpos\u00bb"), WRITTEN),
    (("C", "$\\boxed{C}$"), WRITTEN),
    (("Yes", "Y", "TRUE", "ja"), WRITTEN),
    (("F", "false", "No", "Nein"), WRITTEN),
    (("II", "2"), WRITTEN),
    (("1-2", "2024-01-02 00:00:00"), WRITTEN),
    (("1-2", "2024-02-01"), WRITTEN),
    (("1/2", "01. Feb"), WRITTEN),
    (("3-5", "05.03.2024", "3/5/2024"), WRITTEN),
    (("10-12", "12. Okt"), WRITTEN),
    (("\u22653", ">=3"), CHARACTERS),
    (("3 + 4", "3+4"), WRITTEN),
    (("< 1", "<1"), WRITTEN),
    (("3+4=7", "3+4", "3 + 4 = 7"), WRITTEN),
    (("\u20ac 5", "5 \u20ac", "$5"), WRITTEN),
    (("II", "ll", "Il"), WRITTEN),
    (("III", "|||", "Ill"), WRITTEN),
    (("IV", "lV", "1V"), WRITTEN),
    (("\u25cb", "\u3007", "\u25ef"), WRITTEN),
    (('[{"a": true, "b": false}]', '[{"b": false, "a": true}]'), WRITTEN),
    # Greek capitals look like Latin capitals, and their lower-case letters count as alike.
    (("A", "a", "\u0391", "\u03b1"), WRITTEN),
]
APART = {
    "words like numerals": ("ill", "well", "vi", "li", "l", "I"),
    "objects": ('{"a": 1, "b": 2}', '{"a": 2, "b": 1}', "{a: 1}"),
    "signs": ("+", "-", "\u00b1", "<", ">", "="),
    "ranges": ("1-2", "2-3", "12", "0"),
    "forms": ("10-K", "10", "8-K", "K"),
    "a hierarchy": ("1", "1.a", "1.b", "1.1", "a"),
    "codes with texts": ("1 - mild", "2 - mild", "3 - none"),
    "accents": ("e", "\u00e9", "\u00e8", "cote", "c\u00f4t\u00e9", "a", "\u00e4"),
    "units": ("mg", "\u00b5g", "mm", "\u03bcm", "m", "%", "5%", "50 %"),
    "Greek letters": ("\u03b1", "a", "\u03b2", "b"),
    "phonetics": ("e", "\u03b5", "b", "\u03b2", "x", "\u03c7"),
    "Cyrillic words": (
        "\u0434\u0430",
        "\u043d\u0435\u0442",
        "\u0412\u0435\u0441",
        "\u0420\u043e\u0441\u0442",
    ),
    "Chinese words": ("\u4e0d", "\u662f"),
    "marks": ("A", "A-", "A+", "B"),
    "grades": ("1a", "1b", "2a", "A", "B"),
    "stages": ("I", "1", "stage I", "stage IA", "stage II", "stage V", "stage 3"),
    "numbers before words": ("1 mild", "2 mild", "10 mild", "5 mg", "5"),
    "intervals": ("(0, 10]", "(10, 20]", "[0-9]", "10-19", "20-29", "Oct"),
    "smileys": (":)", ":(", "(:", "_", "__"),
    "tags": ("B-PER", "I-PER", "O"),
    "sets": ("a;b", "a;c", "a"),
    "signs within words": ("negative", "x -1", "x 1"),
    "words with a hyphen": ("well-known", "wellknown", "resign", "re-sign"),
    "times": ("10:30", "1030", "10"),
    "days": ("2-Jan", "1-Feb", "3-Jan", "Jan-02"),
    "tokens": ("<s>", "<unk>", "<pad>", "", "s", "unk"),
    "punctuation": (".", ",", ":", ";", "...", "''", "$"),
    "long ids": ("1234567890123456789", "1234567890123456788", "12345678901234567890"),
    "stars": ("A", "A*", "A**", "*"),
    "letters": ("Y", "N", "T", "F", "S", "J"),
    "a letter beside a word": ("F", "M", "No"),
    "answers of one kind": ("yes", "true"),
    "parts of a whole": ("cluster (1)", "cluster (2)", "cluster"),
    "parts in order": ("Skin: other", "Eye: other", "other", "Skin: rash"),
    "dates": ("2024-01-02", "2025-01-02", "2-Jan", "1-Feb", "2024-01-02 12:00:00"),
    "one letter": ("I", "1", "V", "x"),
    "decimals": ("J10.1", "J10.01", "v1.0", "v1.00"),
    "sums": ("3+4", "4+3", "7", "3+3"),
    "comparisons of two": ("A", "B", "slightly A", "much B", "A=B"),
    "sites": ("kidney", "left kidney", "right kidney", "kidney: left"),
}


@pytest.mark.filterwarnings("ignore:.*which contain several labels")
@pytest.mark.parametrize(("labels", "how"), ALIKE, ids=ascii)
def test_labels_that_look_alike(labels: tuple[str, ...], how: str) -> None:
    # Some look alike only next to certain others.
    others = {"II": ["I"], "Yes": ["no"], "F": ["T"]}.get(labels[0], [])
    with pytest.warns(UserWarning, match=f"that differ only in {how}, but are counted") as caught:
        confusion_counts([*labels, *others, "x"], ["x", *others, *labels], labels=None)
    # Lists are also reported as sets of labels.
    (said,) = [str(one.message) for one in caught if "several labels" not in str(one.message)]
    assert said.count("(2 times)") == len(labels)


@pytest.mark.parametrize("labels", APART.values(), ids=APART)
def test_labels_that_do_not(labels: tuple[str, ...]) -> None:
    assert not alike_among({*labels})


# Label sets of corpora, clinics and questionnaires, without duplicate labels.
ORDINARY = {
    "liar": "true|false|half-true|mostly-true|barely-true|pants-fire",
    "ptb": (
        "CC|CD|DT|EX|FW|IN|JJ|JJR|JJS|LS|MD|NN|NNS|NNP|NNPS|PDT|POS|PRP|PRP$|RB|RBR|RBS"
        "|RP|SYM|TO|UH|VB|VBD|VBG|VBN|VBP|VBZ|WDT|WP|WP$|WRB|.|,|:|``|''|$|#|-LRB-|-RRB-"
    ),
    "ud": (
        "acl|advcl|advmod|amod|appos|aux|aux:pass|case|cc|ccomp|compound|compound:prt"
        "|conj|cop|csubj|dep|det|det:predet|discourse|fixed|flat|flat:foreign|iobj|list"
        "|mark|nmod|nmod:poss|nmod:tmod|nsubj|nsubj:pass|nummod|obj|obl|obl:npmod"
        "|parataxis|punct|root|xcomp"
    ),
    "tnm": "T0|T1|T1a|T1b|T2|T3|T4|Tx|Tis|N0|N1|N2|Nx|M0|M1",
    "gleason": "3+3|3+4|4+3|4+4|4+5|5+4|5+5",
    "her2": "0|1+|2+|3+",
    "age": "0-4|5-9|10-14|15-19|20-24|65+|<1|>=85",
    "amino": "A|R|N|D|C|Q|E|G|H|I|L|K|M|F|P|S|T|W|Y|V",
    "langs": (
        "en|de|fr|es|it|pt|nl|no|sv|da|fi|ja|zh|ko|ru|ar|he|hi|tr|pl|cs|ro|hu|el|th|vi|id|ms"
    ),
    "likert2": "1 - strongly disagree|2 - disagree|3 - neutral|4 - agree|5 - strongly agree",
    "pref": "A|B|tie|A is better|B is better|A much better",
    "sites": "left kidney|right kidney|kidney|left lung|right lung|lung|liver",
    "units": "5 mg|10 mg|5 ml|10%|20%|5",
    "rhetoric": "Background: motivation|Background: prior work|Method|Result|Method: details",
    "ratio": "1/2|1/3|2/3|1/4|3/4",
    "german": "1+|1|1-|2+|2|2-|3+|3|3-",
    "roman2": "grade I|grade II|grade III|grade IV",
    "dialog": "s|sd|b|ba|bk|aa|ny|nn|na|ng|qy|qw|qo|t1|t3|x|%",
    "qa": "Q1: yes|Q1: no|Q2: yes|Q2: no|yes|no",
    "discourse": "cause|cause-effect|effect|contrast",
    "days": "2024-01-01|2024-01-02|2024-01-03|2024-02-01|2024-03-01",
}


@pytest.mark.parametrize("labels", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_label_sets(labels: str) -> None:
    assert alike_among(set(labels.split("|"))) == []


def test_labels_in_ascii_need_no_look_into_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unicodedata", None)
    labels = ["not toxic", "a;b", "1 - mild", "10 %"] * 2
    confusion_counts(labels, labels)


def test_crosses_look_like_the_letter() -> None:
    assert alike_among(["\u00d7", "\u2715", "X", "y"]) == [["X", "\u00d7", "\u2715"]]


def test_several_groups_of_look_alikes() -> None:
    labels = ["Yes", "yes", "No", "no", "x;y", "y;x"] * 2
    with pytest.warns(UserWarning, match="counted separately") as caught:
        confusion_counts(labels, labels)
    (warning,) = caught
    for group in ("No no", "Yes yes", "x;y y;x"):
        first, second = group.split()
        assert f"'{first}' (4 times), '{second}' (4 times)" in str(warning.message)


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
    with pytest.warns(
        UserWarning, match=r"differ only in how they are written, .*'Yes' \(12 times\), 'yes' \(4"
    ):
        getattr(total, result)()
    # A later batch with the same labels causes no second warning.
    total.update(["Yes", "No"] * 6, ["Yes", "No"] * 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(total, result)()
    odd = of_batches([(["1", "2"] * 6, ["1", "2"] * 6), (["l"], ["l"])])
    for _ in range(2):
        with pytest.raises(ValueError, match=r"numbers and also 'l' \(1 time\)"):
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
    with pytest.warns(UserWarning, match="alphabetical.* Pass labels= in the intended order"):
        agreement(y1, y2, weights="quadratic")


@pytest.mark.parametrize("labels", [("0", "-"), ("0", "1", "+"), ("0", "x+")])
def test_other_signs_among_numbers_are_no_scale(labels: tuple[str, ...]) -> None:
    y: Any = [*labels[:-1]] * 9 + [labels[-1]]
    with pytest.raises(ValueError, match="contains numbers and also"):
        agreement(y, y)


@pytest.mark.parametrize("make", [list, tuple])
def test_lists_as_ratings_are_told_what_takes_sets(make: Any) -> None:
    y = [make("ab"), make("ba"), make("c")] * 4
    with pytest.raises(ValueError, match="krippendorff_alpha with level='jaccard'"):
        agreement(y, y)


NAMES = ["North", "north", "south"] * 4
FIRST, SECOND = ["x", "y", "z", "y"] * 3, ["x", "y", "z", "x"] * 3
COLUMNS = {"a": FIRST, "b": SECOND, "where": NAMES}
NAMED = {
    "groups": lambda: agreement_by(FIRST, SECOND, groups=NAMES),
    "clusters": lambda: agreement(FIRST, SECOND, clusters=NAMES),
    "clusters of several raters": lambda: fleiss_kappa(
        Ratings.from_raters([FIRST, SECOND], clusters=NAMES)
    ),
    "clusters of predictions": lambda: leaderboard(
        FIRST, {"one": SECOND}, clusters=NAMES, n_resamples=0
    ),
    "groups of a source": lambda: confusion_from_source(COLUMNS, "a", "b", group="where"),
}


@pytest.mark.parametrize("of_names", NAMED.values(), ids=NAMED)
def test_groups_and_clusters_whose_names_look_alike(of_names: Any) -> None:
    with pytest.warns(
        UserWarning, match="names that differ only in how they are written"
    ) as caught:
        of_names()
    assert all("'North'" in str(warning.message) for warning in caught)


def _long(items: dict[str, list[str]]) -> Ratings:
    rows = [(item, rater) for rater, rated in items.items() for item in rated]
    names, raters = zip(*rows)
    return Ratings.from_long(item=names, rater=raters, rating=["x", "y"] * (len(rows) // 2))


@pytest.mark.parametrize("other", ["I1", "i1 ", "і1"])
def test_items_that_each_rater_writes_in_another_way(other: str) -> None:
    with pytest.warns(UserWarning, match="item contains 1 group of similar names: .* use one"):
        ratings = _long({"Ann": ["i1", "i2"], "Ben": [other, "i2"]})
    assert ratings.n_subjects == 3


def test_items_that_a_rater_tells_apart() -> None:
    # "aB" and "ab" are ids of two videos, and Ann rated both.
    assert _long({"Ann": ["aB", "ab"], "Ben": ["aB", "cd"]}).n_subjects == 3
    assert _long({"Ann": ["aB", "ab"], "Ben": ["aB", "ab"]}).n_subjects == 2


def test_items_of_a_crowd_need_no_look() -> None:
    rng = np.random.default_rng(0)
    items = np.repeat(np.arange(1000), 3)
    raters = np.concatenate([rng.choice(20, 3, replace=False) for _ in range(1000)])
    names = np.char.add("item ", items.astype(str)).tolist()
    labels = [*(items % 3)[:-1], 2]
    ratings = Ratings.from_long(item=names, rater=raters, rating=labels)
    assert ratings.n_subjects == 1000


@pytest.mark.parametrize(
    "options",
    [
        ("--raters", *"abc"),
        ("--raters", *"ab", "--cluster", "item"),
        ("--raters", *"ab", "--reference", "c"),
    ],
)
def test_groups_of_raters_in_a_file(tmp_path: Path, options: tuple[str, ...]) -> None:
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine, write_csv

    item = range(len(FIRST))
    path = write_csv(tmp_path / "r.csv", **COLUMNS, c=FIRST, item=item)
    run = CommandLine("agree").run(path, *options, "--group", "where")
    assert run.exit_code == 0
    assert "column 'where' has names that differ only in how they are written" in run.stderr


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["Köln", "KÖLN"], ["'Köln'", "'KÖLN'"]),
        (["Köln", "Ko\u0308ln"], [r"'K\xf6ln'", r"'Ko\u0308ln'"]),
        (["öz", "\u00f6z\u200b"], ["'öz'", r"'öz\u200b'"]),
        (["n\u043e", "no"], [r"'n\u043e'", "'no'"]),
        ([r"a\b", r"A\b"], [r"'a\\b'", r"'A\\b'"]),
    ],
)
def test_only_characters_that_differ_are_escaped(labels: list[str], shown: list[str]) -> None:
    assert with_characters_shown(labels) == shown


@given(st.text(st.characters(categories=["L"]), min_size=1))
def test_single_words_need_no_search(word: str) -> None:
    """Rules about remarks, refusals and lines skip single words, because they cannot match."""
    assert word.isalpha()
    assert word.strip(AROUND) == word
    assert not without_remark(word)
    assert not any(one.fullmatch(word) for one in (RULE, WITH_PERCENT))
    assert not REFUSAL.match(word.lower())
    assert not (SCANNED.fullmatch(word.casefold()) and len(word.casefold()) > LONGEST_SCANNED)


def test_a_tag_is_no_abbreviation_of_another() -> None:
    # Most tokens are outside spans, so a rare tag coincides with O by chance.
    y1, y2 = ["O"] * 300 + ["PER"] * 30, ["O"] * 297 + ["ORG"] * 3 + ["PER"] * 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fleiss_kappa(Ratings.from_raters({"one": y1, "two": y2, "three": y1}))
