"""Labels that are probably mistakes cause a warning: remarks, totals, codes, missing marks."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest

from fastkappa import Ratings, agreement, confusion_counts, fleiss_kappa

FIRST, SECOND = ["x", "y", "z", "y"] * 3, ["x", "y", "z", "x"] * 3


def _silent(first: Any, second: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confusion_counts(first, second)
        fleiss_kappa(Ratings.from_raters([first, second]))


@pytest.mark.filterwarnings("ignore:.* agree on all")
def test_a_second_line_of_names_is_known_by_its_place() -> None:
    first, second = FIRST * 2, SECOND * 2
    with pytest.warns(UserWarning, match="first item of y1 and y2 has .* 'Ann', 'Ben'"):
        confusion_counts(["Ann", *first], ["Ben", *second])
    with pytest.warns(UserWarning, match="'Response'"):
        confusion_counts(["Response", *first], ["Response", *second])
    with pytest.warns(UserWarning, match=r"has: 'How severe is the lesion\?'\. If these labels"):
        confusion_counts(
            ["How severe is the lesion?", *first], ["How severe is the lesion?", *second]
        )
    _silent(["a rather rare label", *first], ["a rather rare label", *second])
    # A rare label, given by both raters to the first item, by them to the first and another item,
    # to another item only, and next to other rare labels.
    _silent(["rare", *first], ["rare", *second])
    _silent(["rare", *first, "x"], ["x", *second, "rare"])
    _silent([*first, "rare"], [*second, "odd"])
    _silent(["rare", *first, "odd", "x"], ["seldom", *second, "x", "even"])
    _silent(["rare", *"xyxy"], ["odd", *"xyyy"])


TYPING_ERRORS = [
    ("complaint", "complain"),
    ("complaint", "complaiint"),
    ("complaint", "complaimt"),
    ("complaint", "copmlaint"),
    ("very severe", "very sever"),
]
# Each has two labels, the second of which is rare.
ORDINARY = [
    *[("mild", "milder"), ("low", "lower"), ("M", "F"), ("I", "II"), ("stage IIIA", "stage IIIB")],
    *[("grade 1", "grade 2"), ("T1", "T2"), ("10a", "10b"), ("NN", "NNS"), ("PRON", "PROPN")],
    *[("B-EVENT", "I-EVENT"), ("typical", "atypical"), ("symptomatic", "asymptomatic")],
    *[("right", "light"), ("positive", "negative"), ("stable", "unstable"), ("2020-01", "2020-02")],
]


@pytest.mark.parametrize(("meant", "slip"), TYPING_ERRORS)
def test_a_rare_label_one_letter_apart(meant: str, slip: str) -> None:
    others = ["praise", "other", meant] * 40
    first, second = [meant] * 170 + [slip, *others], [meant] * 171 + others
    with pytest.warns(UserWarning, match=rf"'{slip}' with '{meant}' \(1 item\). Such pairs"):
        agreement(first, second)
    with pytest.warns(UserWarning, match=rf"'{slip}' with '{meant}' \(1 item\)"):
        fleiss_kappa(Ratings.from_raters([first, second, second]))
    # Next to 99 ratings, a single one is not a typing error.
    _silent([meant] * 9 + [slip, *others[:60]], [meant] * 10 + others[:60])
    with pytest.warns(UserWarning, match=rf"'{slip}' with '{meant}' \(6 items\)"):
        agreement([meant] * 9 + [slip] * 3 + others, [slip] * 3 + [meant] * 9 + others)


@pytest.mark.parametrize(("frequent", "rare"), ORDINARY)
def test_rare_labels_that_are_ordinary(frequent: str, rare: str) -> None:
    others = ["x", "y", "z", frequent] * 30
    _silent([frequent] * 300 + [rare, *others], [frequent] * 300 + [rare, *others])


def test_a_row_of_totals_is_known_by_its_numbers() -> None:
    first, second = [0, 1, 2, 1] * 4, [0, 1, 2, 2] * 4
    for sums in ((16, 20), (16.0, 20.0)):
        with pytest.warns(UserWarning, match=r"a row of totals: its ratings \(16.* and 20.*"):
            confusion_counts([*first, sums[0]], [*second, sums[1]])
    with pytest.warns(UserWarning, match="16 of rater 1 and 20 of rater 2 and 20 of rater 3"):
        fleiss_kappa(Ratings.from_raters([[*first, 16], [*second, 20], [*second, 20]]))
    # Another distant number, the sum of only one rater, and counts of lesions.
    _silent([*first, 13], [*second, 14])
    _silent([*first, 16], [*second, 2])
    _silent([0] * 9 + [1, 1, 2], [0] * 9 + [1, 1, 2])
    _silent([0] * 9 + [1, 1, 1, 1, 4], [0] * 9 + [1, 1, 1, 1, 4])


@pytest.mark.filterwarnings("ignore:.* agree on all")
def test_codes_for_missing_ratings_are_far_from_all_labels() -> None:
    first, second = [1, 2, 3, 2] * 4, [1, 2, 2, 2] * 4
    with pytest.warns(UserWarning, match="the ratings contain -9 and 99. Such numbers often"):
        confusion_counts([*first, -9, 99], [*second, 1, 99])
    codes = (-8, -99, -777, 77, 88, 98, 255, 888, 999, 32767, -(1 << 15), -(1 << 63))
    for code in (*codes, -2, -3, 9, 66, 96, 100, 127):
        with pytest.warns(
            UserWarning, match=f"the ratings contain {code} in y1. Such numbers often"
        ):
            confusion_counts([*first, code], [*second, 1])
    for code in (-9, 9, 99):
        with pytest.warns(
            UserWarning, match=f"the ratings contain {code} in y1. Such numbers often"
        ):
            confusion_counts([*range(-2, 3)] * 4 + [code], [*range(-2, 3)] * 4 + [0])
    with pytest.warns(UserWarning, match="the ratings contain -9 and -1. Such numbers often"):
        confusion_counts([*first, -9, -1], [*second, 1, -1])
    for odd in (0, 10, 11, 12):
        _silent([*first, odd], [*second, odd])
    for scale in ([0, 1, 2, 3, 5, 8, 13], [1, 2, 3, 12], [*range(6), 9], [1, 2, 20], [0, 1, 5]):
        _silent(scale * 4, scale * 4)
    for scale in ([401, 402, 403, 250, 780], [1, 2, 3, 50, 100, 200], [2019, 2020, 2021, 1999]):
        _silent(scale * 4, scale * 4)
    _silent(["0", "1", "2", "10"] * 4, ["0", "1", "2", "10"] * 4)
    with pytest.warns(UserWarning, match="the ratings contain 99. Such numbers often"):
        confusion_counts(["1", "2", "3", "99"] * 4, ["1", "2", "2", "99"] * 4)
    # Percentages, differences from -9 on, and a test with two labels.
    _silent([0, 50, 99, 98] * 4, [0, 50, 99, 97] * 4)
    _silent([-9, -1, 0, 3] * 4, [-9, -1, 0, 0] * 4)
    _silent([0, 99] * 8, [0, 99] * 8)
    _silent([*range(10)] * 4, [*range(10)] * 4)
    _silent([*range(-9, 10)] * 2, [*range(-9, 10)] * 2)
    # Sentiment, support vector machines, and a scale on both sides of 0.
    _silent([-1, 0, 1] * 8, [-1, 0, 0] * 8)
    _silent([-1, 1] * 8, [-1, 1] * 8)
    _silent([-2, -1, 0, 1, 2] * 4, [-2, -1, 0, 1, 1] * 4)
    _silent([0, 128, 255] * 8, [0, 128, 128] * 8)
    confusion_counts([*first, 99], [*second, 99], labels=[1, 2, 3, 99])


@pytest.mark.parametrize(
    ("labels", "rare"),
    [
        (("neg", "pos"), "neg (unsure)"),
        (("neg", "pos"), "neg*"),
        (("eq", "gt"), "eq?"),
        (("neg", "pos"), "neg/pos"),
        (("neg", "pos"), "pos [see note 3]"),
        (("neg", "pos"), "pos - see note"),
        (("neg", "pos"), "neg: blurred"),
        (("neg", "pos"), "neg\n\nThe cells are small."),
        (("neg", "pos"), "neg | blurred"),
        (("neg", "pos"), "neg\u2020"),
        (("neg", "pos"), "neg\u00b9"),
        (("neg", "pos"), "neg or pos"),
        (("mild", "severe"), "mild to severe"),
        (("neg", "pos"), "neg -> pos"),
        (("neg", "pos"), "neg \u2192 pos"),
    ],
)
def test_remarks_in_cells_of_ratings(labels: tuple[str, str], rare: str) -> None:
    y1, y2 = [*labels] * 12, [*labels] * 12
    with pytest.warns(
        UserWarning, match=rf"labels with remarks, .*{re.escape(repr(rare))} \(1 time"
    ):
        confusion_counts([*y1, rare], [*y2, labels[0]])
    with pytest.warns(UserWarning, match="labels with remarks"):
        fleiss_kappa(Ratings.from_raters([[*y1, rare], [*y2, labels[0]], [*y1, rare]]))
    # A label as frequent as others, or without a base.
    _silent([*labels, rare] * 4, [*labels, rare] * 4)
    _silent([*labels] * 9 + ["other (specify)"], [*labels] * 9 + ["and/or"])


@pytest.mark.parametrize("form", ["Other: {}", "other - {}", "Autre ({})", "Sonstiges, {}"])
def test_free_text_after_other(form: str) -> None:
    labels = ["billing", "delivery", "return"] * 9
    texts = [form.format(f"case {letter}") for letter in "abcdefghijkl"]
    y1, y2 = [*labels, *texts[:6], *labels[:6]], [*labels, *labels[:6], *texts[6:]]
    message = (
        rf"labels with remarks, .*{re.escape(repr(texts[0]))} \(1 time\).* and 2 more\. Remove"
    )
    with pytest.warns(UserWarning, match=message):
        confusion_counts(y1, y2)
    with pytest.warns(UserWarning, match=message):
        fleiss_kappa(Ratings.from_raters([y1, y2, [*labels, *labels[1:7], *labels[2:8]]]))
    # These are labels of a fixed list, few texts, and names.
    _silent([*labels, *texts] * 3, [*labels, *texts] * 3)
    _silent([*labels, *texts[:5]], [*labels, *texts[:5]])
    _silent([*labels, *"abcdefghijkl"], [*labels, *"abcdefghijkl"])


def test_names_with_parts_have_no_remarks() -> None:
    y1 = ["pos", "neg", "nmod"] * 9
    _silent([*y1, "nmod:poss"], [*y1, "nmod:poss"])


@pytest.mark.parametrize(
    "scale",
    [("1", "2", "3", "4A", "4B", "5"), ("401.9", "250.00", "V58.61"), ("0", "1", "2a", "2b")],
)
def test_codes_with_a_letter_beside_numbers_are_labels(scale: tuple[str, ...]) -> None:
    y1, y2 = [*scale] * 4, [*scale] * 3 + [*scale[::-1]]
    names = dict(zip(scale, "abcdef"))
    expected = agreement([names[x] for x in y1], [names[x] for x in y2]).kappa
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert agreement(y1, y2).kappa == expected
        fleiss_kappa(Ratings.from_raters([y1, y2, y1]))
    with pytest.warns(UserWarning, match="alphabetical"):
        agreement(y1, y2, weights="quadratic")


def test_as_many_numbers_as_words() -> None:
    y1, y2 = ["yes", "no", "1", "0"] * 6, ["yes", "no"] * 12
    with pytest.warns(UserWarning, match="y1 contains words, but also the numbers '1'"):
        confusion_counts(y1, y2)


STAND_INS = [
    *("", " ", "--", ".", "N.A.", "n/a", "nan", "NULL", "<NA>", "#REF!", "{}", "k.A.", "\u2014"),
    *("keine Angabe", "not rated", "Not applicable", "No answer", "skip", "TBD", "\\N", "____"),
    *("unrated", "Skipped", "not done", "no data", "Sin datos", ".z", "NASK", "\u200b"),
    *("Don\u2019t know", "cannot assess", "Refused", "Prefer not to say", "(NULL)", "k. A."),
    *("Choose an item.", "-- Select --", "--Please select--", "[Select]", "Select one"),
    *("Click or tap here to enter text.", "Choose an option\u2026", "Pending", "Not yet rated"),
]


@pytest.mark.parametrize("text", STAND_INS, ids=ascii)
def test_texts_for_missing_ratings(text: str) -> None:
    y1, y2 = [*"xyz" * 4, text], [*"xyz" * 4, "x"]
    with pytest.warns(UserWarning, match="often stand for a missing rating"):
        confusion_counts(y1, y2)
    with pytest.raises(ValueError, match="y1 contains numbers and also"):
        confusion_counts([*"123" * 4, text], [*"123" * 4, "1"])


SILENT = {
    "none as a grade": ["None", "mild", "severe"],
    "marks of parts of speech": ["NN", "VB", ".", ",", "?", "!"],
    "a scale with words at its ends": ["1 - strongly disagree", "2", "3", "5 - strongly agree"],
    "a scale with words in brackets": ["1 (low)", "2", "3 (high)"],
    "a scale with words in between": ["1 - never", "2", "3 - at times", "4", "5 - always"],
    "lists with an empty one": ["[]", "['a']", "['b']"],
    "moves of a game": ["+", "-", "="],
    "comparisons": ["<", ">", "<>", ":"],
    "grades of beef": ["Prime", "Choice", "Select"],
    "decisions": ["approved", "rejected", "pending"],
}


@pytest.mark.filterwarnings("ignore:.* agree on all")
@pytest.mark.parametrize("labels", SILENT.values(), ids=SILENT)
def test_labels_that_resemble_missing_ratings_are_silent(labels: list[str]) -> None:
    _silent(labels * 8, (labels[:-1] + labels[:1]) * 8)


def test_how_sure_a_rater_is_belongs_in_another_column() -> None:
    y1 = ["mild (70%)", "mild (90 %)", "severe (70%)"] * 6
    with pytest.warns(UserWarning, match=r"with remarks, .* 'mild \(70%\)' \(12 times\)"):
        confusion_counts(y1, y1)
    for form in ("{}, 0.{}", "{} (.{})", "{}: 0.{}", "{}|1.{}"):
        y1 = [form.format("mild", i) for i in (7, 9)] * 6 + [form.format("severe", 7)] * 6
        with pytest.warns(UserWarning, match="with remarks, .* 'mild"):
            confusion_counts(y1, y1)
    _silent(["cut (25%)", "rise (5%)"] * 6, ["cut (25%)", "rise (5%)"] * 6)
    _silent(["dose 0.5", "dose 0.25", "x: 2.5"] * 6, ["dose 0.5", "dose 0.25", "dose 0.5"] * 6)


@pytest.mark.parametrize("ditto", ["\u3003", "ditto", "idem", "\u540c\u4e0a"])
def test_marks_for_the_rating_above(ditto: str) -> None:
    y1, y2 = [*"xyzx" * 4, "z"], [*"xyzx" * 4, ditto]
    with pytest.warns(UserWarning, match=f"often stand for the rating above, .* '{ditto}'"):
        confusion_counts(y1, y2)
    with pytest.warns(UserWarning, match="often stand for the rating above"):
        fleiss_kappa(Ratings.from_raters([y1, y2, y2]))


@pytest.mark.parametrize("word", ["agree", "Agreed", "same", "concur", "confirmed"])
def test_words_for_the_rating_of_the_other_rater(word: str) -> None:
    first, second = [*FIRST, *FIRST], [*SECOND, *[word] * len(FIRST)]
    message = f"y2 has .* rating of the other rater, .*'{word}' .* stand for a rating, write that"
    with pytest.warns(UserWarning, match=message):
        confusion_counts(first, second)
    # These are the results of a comparison, and labels that both raters use.
    _silent(first, [*SECOND, *["better", word] * (len(FIRST) // 2)])
    _silent([*FIRST, word, word], [*SECOND, word, FIRST[0]])


MESSAGES = [
    *("ERROR: rate limit exceeded", "Error code: 429", "openai.RateLimitError: wait", "HTTP 500"),
    *("Failed to parse the answer", "timed out after 30 s", "429 Too Many Requests", "Timeout"),
]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_about_a_failed_request(message: str) -> None:
    with pytest.warns(UserWarning, match=rf"y2 has .* failed request.*{message}' \(2 times\)"):
        confusion_counts([*FIRST, "x", "y"], [*SECOND, message, message])
    # Both raters use such labels, so they can be kinds of errors.
    _silent([*FIRST, "error: a", "error: b"], [*SECOND, "error: b", "error: b"])


@pytest.mark.parametrize("refusal", ["I\u2019m sorry.", "I cannot assist.", "As an AI, I do not"])
def test_a_refusal_of_a_language_model(refusal: str) -> None:
    with pytest.warns(UserWarning, match=rf"missing rating, .*{refusal}' \(1 time\)"):
        Ratings.from_long(item=[1, 1, 2, 2, 3, 3], rater=[*"ab"] * 3, rating=[*"xyxyx", refusal])


@pytest.mark.parametrize(
    "label", ["error", "failed", "Error type A", "I am unable to walk about", "500 mg daily"]
)
def test_a_label_that_is_no_message(label: str) -> None:
    _silent([*FIRST, "x"], [*SECOND, label])
