"""The sentence of every result for a paper, and the interpretation of every coefficient."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import (
    agreement,
    agreement_by,
    agreement_from_confusion,
    datasets,
    fleiss_kappa,
    krippendorff_alpha,
    optimal_thresholds,
    pairwise_kappa,
)
from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
    overall_concordance_correlation,
    repeatability,
)
from fastkappa.statistics.scales import interpret
from tests.helpers.command_line import CommandLine, write_csv
from tests.helpers.published_measurements import MINI, WRIGHT
from tests.results.test_results import ODD, RESULTS, SCRIPT, frame

SKIN = datasets.load("skin_condition")
GRADES = datasets.load_items("anaesthetists").ratings[:, [0, 3, 4, 5]]
RATINGS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
METERS = [494, 395, 516, 434, 476, 557], [512, 430, 520, 428, 500, 600]
# Results without an estimate to report: tables, parts of other results, and drawn samples.
WITHOUT = {
    *("BootstrapResult", "ConfusionCounts", "DecodingResult", "Estimate", "Interpretation"),
    *("IntraclassCorrelation", "KappaPosterior", "Kappas", "LabelKappa", "LeaderboardRow"),
    *("MarginTests", "Proportion", "SourceCounts", "SpecificAgreement", "DisputedItems"),
}


@pytest.mark.parametrize("name", sorted({*RESULTS, *ODD}))
def test_a_result_has_a_sentence(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = {**RESULTS, **ODD}[name]()
        if type(result).__name__ in WITHOUT:
            return
        sentence = result.sentence()
    assert sentence.count(f"fastkappa {fastkappa.__version__}).") == 1
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "nan" not in sentence


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (
            lambda: agreement_from_confusion(SKIN.table, weights="linear"),
            ("linear weights", "two raters", "88 items", "was 0.51 (", "95 % score interval"),
        ),
        (
            lambda: agreement([1, 2, 2, None], [1, 2, 1, 1], missing="drop"),
            ("on 3 items, with 1 left out,", "no weights"),
        ),
        (
            lambda: fleiss_kappa(GRADES, clusters=np.arange(45) // 3),
            ("4 raters", "45 items in 15 clusters", "(95 % "),
        ),
        (
            lambda: krippendorff_alpha([[1, 1, None], [2, 2, 1], [1, 2, 2]]),
            ("Krippendorff's alpha (nominal)", "1 of 9 ratings missing"),
        ),
        (lambda: pairwise_kappa(GRADES), ("6 pairs of 4 raters", "95 % score interval")),
        (
            lambda: agreement_by(GRADES[:, 0], GRADES[:, 1], groups=np.arange(45) % 2),
            ("in 0 (n = 23)", "in 1 (n = 22)", "all 45 items", "difference "),
        ),
        (
            lambda: intraclass_correlation(RATINGS),
            ("ICC(A,1)", "absolute agreement", "was 0.29 (", "95 % F interval 0.02 to 0.76"),
        ),
        (
            lambda: concordance_correlation(*METERS),
            ("Lin's concordance correlation", "Fisher's scale", "6 items"),
        ),
        (
            lambda: overall_concordance_correlation(RATINGS),
            ("95 % t interval on Fisher's scale", "4 raters"),
        ),
        (
            lambda: limits_of_agreement([1.0, 2.0, 4.0], [1.5, 1.0, 3.0]),
            ("3 items", "95 % t interval", "95 % limits of agreement"),
        ),
        (
            lambda: optimal_thresholds([1, 1, 2, 2], [0.1, 0.3, 0.8, 0.9]),
            ("4 items", "on the same items"),
        ),
    ],
)
def test_what_a_sentence_says(make: Callable[[], Any], parts: tuple[str, ...]) -> None:
    sentence = make().sentence()
    for part in parts:
        assert part in sentence


def test_sentences_in_the_unit_of_the_measurements() -> None:
    """Bland and Altman (1986) give a mean of -2.1 l/min and limits of -79.7 and 75.5 (2 for 1.96).

    The within-item standard deviation of the first six subjects follows from their differences.
    """
    said = limits_of_agreement(WRIGHT, MINI).sentence(units="l/min")
    start = "The mean difference (first rater minus second rater) on 17 items was -2.1 l/min (95"
    assert said.startswith(start)
    assert " limits of agreement of -78.1 l/min (" in said
    assert ") and 73.9 l/min (" in said
    deviation = np.sqrt(np.mean(np.subtract(*METERS) ** 2) / 2)
    repeated = repeatability(np.transpose(METERS))
    assert f" was {deviation:.1f} l/min (95 %" in repeated.sentence(units="l/min")


def test_a_sentence_of_many_groups_names_those_at_the_ends() -> None:
    y1 = np.tile([1, 1, 2, 2], 24)
    y2 = np.where(np.arange(96) % 16 < np.arange(96) // 16, 3 - y1, y1)
    groups = np.arange(96) // 12
    found = agreement_by(y1, y2, groups=groups)
    kappas = [found[group].kappa for group in found]
    sentence = found.sentence()
    assert f"was between {min(kappas):.2f} (" in sentence
    assert f"and {max(kappas):.2f} (" in sentence
    assert "in 8 groups" in sentence


@pytest.mark.parametrize(
    "command",
    [
        ("agree", "--raters", "a", "b"),
        ("agree", "--raters", "a", "b", "--group", "g"),
        ("agree", "--raters", "a", "b", "c", "--group", "g"),
        ("score", "--y1", "a", "--y2", "b"),
        ("thresholds", "--y", "a", "--score", "s"),
        ("leaderboard", "FILE", "--id", "id", "--target", "a"),
        ("measure", "--raters", "s", "t"),
        ("measure", "--raters", "s", "t", "u"),
    ],
)
def test_sentences_on_the_command_line(command: tuple[str, ...], tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    a = random.integers(1, 4, 60)
    b, c = (np.where(random.random(60) < 0.7, a, random.integers(1, 4, 60)) for _ in "bc")
    path = write_csv(
        tmp_path / "r.csv",
        id=range(60),
        a=a,
        b=b,
        c=c,
        g=np.arange(60) % 2,
        s=a + b / 7,
        t=a + c / 7,
        u=b + c / 7,
    )
    name, *rest = [str(path) if part == "FILE" else part for part in command]
    program = CommandLine(name)
    lines = program.text_of(path, *rest, "--format", "sentence").splitlines()
    assert lines
    for line in lines:
        assert re.search(rf"fastkappa {re.escape(fastkappa.__version__)}\)\.$", line)
    assert program.json_of(path, *rest)["version"] == fastkappa.__version__
    html = program.text_of(path, *rest, "--format", "html")
    assert f"Made by fastkappa {fastkappa.__version__}." in html


def test_sentences_have_all_that_was_asked_for(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    a = random.integers(1, 4, 60)
    b, c = (np.where(random.random(60) < 0.7, a, random.integers(1, 4, 60)) for _ in "bc")
    pairs = np.arange(60) // 2
    path = write_csv(tmp_path / "r.csv", a=a, b=b, c=c, p=pairs, x=a + b / 7, y=a + c / 7)
    program, asked = CommandLine("agree"), ("--bootstrap", 40, "--seed", 1, "--scale", "altman")
    in_pairs = (*asked, "--cluster", "p", "--format", "sentence")
    result = agreement(a, b, clusters=pairs)
    low, high = fastkappa.bootstrap(result, n_resamples=40, rng=1).interval
    lines = program.text_of(path, "--raters", "a", "b", *in_pairs).splitlines()
    assert "(95 % score interval, widened by the design effect, 0." in lines[0]
    assert f"interval of kappa was {low:.2f} to {high:.2f} (BCa, 40 rep" in lines[1]
    word = result.interpret("altman")
    assert f"On the scale of Altman (1991), kappa was {word.reading}, at least " in lines[2]
    several = ("--raters", "a", "b", "c", "--coefficient", "gwet", *in_pairs)
    text = program.text_of(path, *several)
    assert "Fleiss" not in text
    # Sentences about raters and pairs state other coefficients.
    assert len(text.splitlines()) == 3
    ordinal = ("--raters", "a", "b", "c", "--coefficient", "krippendorff", "--level", "ordinal")
    (alpha,) = program.text_of(path, *ordinal, "--format", "sentence").splitlines()
    assert alpha.startswith("Krippendorff's alpha (ordinal) of 3 raters on 60 items was")
    assert "Gwet's AC1 (no weights) of 3 raters on 60 items in 30 clusters was" in text
    assert "bootstrap interval of Gwet's AC1 was" in text
    assert "On the scale of Altman (1991), Gwet's AC1 was" in text
    readers = ("--raters", "b", "c", "--reference", "a", *in_pairs)
    text = program.text_of(path, *readers)
    assert "score intervals, widened by the design effect; difference of " in text
    assert "On the scale of Altman (1991), kappa of c was" in text
    measure = ("--raters", "x", "y", "--scale", "cicchetti", "--form", "ICC3")
    text = CommandLine("measure").text_of(path, *measure, "--format", "sentence")
    repeated = repeatability(np.stack([a + b / 7, a + c / 7], axis=1))
    assert text.startswith("Intraclass correlation (ICC(C,1); ")
    assert f"(SEM) of x and y on 60 items was {repeated.within_sd:.4f} (95 % chi-sq" in text
    assert f"(smallest detectable change) {repeated.coefficient:.4f} (" in text
    assert "On the scale of Cicchetti (1994), ICC(C,1) was" in text


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--width", 0.2, "--rates", 0.3), ("95 % interval 0.", "label proportions of 0.3, 0.7")),
        (("--null", 0.6), ("a power of 0.8", "two-sided test of kappa = 0.6", "level of 0.05")),
        (("--null", 0.6, "--alternative", "greater"), ("in the test of kappa > 0.6 at",)),
        (
            ("--n", 120, "--design-effect", 1.4, "--cluster-size", 4),
            ("120 items in 30 clusters of 4 (design effect 1.4)", "2 raters"),
        ),
    ],
)
def test_a_plan_has_a_sentence(options: tuple[object, ...], parts: tuple[str, ...]) -> None:
    sentence = CommandLine("plan").text_of("--kappa", 0.8, *options, "--format", "sentence")
    for part in (*parts, f"fastkappa {fastkappa.__version__}"):
        assert part in sentence


def test_a_sentence_of_score_has_the_interval_of_agree(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", a=[1, 2, 2, 1, 2], b=[1, 2, 1, 1, 2], w=[1, 1, 2, 1, 0.5])
    score = CommandLine("score")
    plain = ("--y1", "a", "--y2", "b", "--weights", "none", "--format", "sentence")
    direct = agreement([1, 2, 2, 1, 2], [1, 2, 1, 1, 2]).sentence()
    assert score.text_of(path, *plain).strip() == direct.replace("two raters", "a and b")
    # Sums of weights have no interval.
    weighted = score.run(path, *plain, "--sample-weight", "w")
    assert "on 5 items whose weights sum to 5.5 was " in weighted.stdout
    assert "kappa has no interval, because the item weights are not whole" in weighted.stderr
    # Whole numbers are numbers of items.
    path = write_csv(tmp_path / "n.csv", a=[1, 2, 2, 1], b=[1, 2, 1, 2], n=[20, 15, 10, 5])
    counted = agreement([1, 2, 2, 1], [1, 2, 1, 2], sample_weight=[20, 15, 10, 5]).sentence()
    expected = counted.replace("two raters", "a and b")
    expected = expected.replace("50 items", "50 items (the weights of 4 rows)")
    assert score.text_of(path, *plain, "--sample-weight", "n").strip() == expected


@pytest.mark.parametrize(("n", "digits"), [(1, 2), (100, 2), (10_000, 3), (10**6, 4)])
def test_narrow_intervals_have_more_decimals(n: int, digits: int) -> None:
    """Kappa is 0.4 in each of these tables, and its interval narrows with the root of n."""
    result = agreement_from_confusion(np.array([[20, 5], [10, 15]]) * n)
    low, high = result.interval
    expected = f"was {0.4:.{digits}f} (95 % score interval {low:.{digits}f} to {high:.{digits}f};"
    assert expected in result.sentence()
    # The limits differ by at least two units of the last decimal.
    assert float(f"{high:.{digits}f}") - float(f"{low:.{digits}f}") > 1.9 * 10**-digits
    assert f"{low:.4f} to " in str(result)


def test_p_values_in_sentences_have_three_decimals() -> None:
    table = np.array([[20, 5], [10, 15]])
    for null, n in ((0.0, 1), (0.0, 4), (0.3, 1)):
        options: Any = {"null_kappa": null, "alternative": "greater"}
        p = agreement_from_confusion(table * n, **options).p_value
        expected = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
        assert f": {expected};" in agreement_from_confusion(table * n, **options).sentence()


def test_large_sums_have_no_exponent() -> None:
    scores = np.array([0.1, 0.2, 0.8, 0.9])
    weights = np.array([1e6, 2e6, 3e6, 1e6 + 0.5])
    found = optimal_thresholds([0, 0, 1, 1], scores, sample_weight=weights)
    assert "on the scores of 7000000 items, " in found.sentence()
    assert "on 7000000 items" in str(found)


# Interpretation.


def exceeded(result: Any, cut: float) -> float:
    """Return the probability of a true value above a cut, by the interval that ends there."""
    low, high = 1e-9, 1 - 1e-9
    side = 0 if cut < result.kappa else 1
    for _ in range(50):
        middle = (low + high) / 2
        end = agreement_from_confusion(
            result.table, confidence=middle, interval_method=result.interval_method
        ).interval[side]
        inside = end > cut if side == 0 else end < cut
        low, high = (middle, high) if inside else (low, middle)
    return (1 + low) / 2 if side == 0 else (1 - low) / 2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["asymptotic", "score", "profile"])
def test_proportions_are_those_of_the_intervals_own_method(method: Any) -> None:
    for table in ([[20, 20], [10, 50]], [[14, 1], [2, 23]]):
        result = agreement_from_confusion(table, interval_method=method)
        found = result.interpret("cicchetti").proportions
        above = [exceeded(result, cut) for cut in (0.4, 0.6, 0.75)]
        # A normal variable has some probability above 1.
        beyond = 0.0 if method != "asymptotic" else exceeded(result, 1.0)
        expected = np.array([1 - above[0], above[0] - above[1], above[1] - above[2]])
        assert list(found.values())[:3] == pytest.approx(expected / (1 - beyond), abs=2e-4)


def test_full_agreement_is_no_certainty() -> None:
    """If two raters agree on 50 items with equally frequent labels, kappa is uncertain."""
    result = agreement_from_confusion([[10, 0], [0, 10]])
    reading = result.interpret("landis-koch")
    assert (reading.reading, reading.confident_reading) == ("almost perfect", "substantial")
    assert 0.5 < reading.proportions["almost perfect"] < 0.999


def test_every_coefficient_is_interpreted() -> None:
    for distribution in ("t", "normal"):
        several = fleiss_kappa(GRADES, distribution=distribution)
        expected = interpret(
            several.value,
            lambda c, d=distribution: fleiss_kappa(GRADES, distribution=d, confidence=c).interval,
            "landis-koch",
        )
        found = several.interpret("landis-koch")
        assert found.proportions == pytest.approx(expected.proportions, abs=1e-9)
        assert found.confident_reading == expected.confident_reading
    icc = intraclass_correlation(RATINGS)
    for form in icc:
        reading = icc.interpret("cicchetti", form.form)
        assert reading.source == "Cicchetti (1994)"
        assert sum(reading.proportions.values()) == pytest.approx(1)
        # The lower end of the one-sided 95 % interval is that of the two-sided 90 % one.
        low, _ = intraclass_correlation(RATINGS, confidence=0.9)[form.form].interval
        bands = {"poor": -1.0, "fair": 0.4, "good": 0.6, "excellent": 0.75}
        confident = [name for name, begin in bands.items() if begin <= low]
        assert reading.confident_reading == (confident[-1] if confident else "poor")
    for found in (
        concordance_correlation(*METERS),
        overall_concordance_correlation(RATINGS),
    ):
        assert sum(found.interpret("fleiss").proportions.values()) == pytest.approx(1)


def test_ratings_of_a_design_with_fewer_ratings_than_raters() -> None:
    rows = [[1, 1, None], [None, 2, 1], [2, None, 2], [1, 2, None]]
    result = fleiss_kappa(rows)
    for one in (result, pickle.loads(pickle.dumps(result))):
        assert "of 3 raters on 4 items, 2 ratings each, was" in one.sentence()
    assert "2 to 3 ratings each, was" in fleiss_kappa([*rows, [1, 1, 1]]).sentence()
    assert "0 to 2 ratings each, was" in fleiss_kappa([*rows, [None] * 3]).sentence()
    # If at least half of the subjects have all ratings, a few are missing.
    assert "4 of 24 ratings missing, was" in fleiss_kappa([*rows, *[[1, 1, 1]] * 4]).sentence()


def test_subjects_with_a_single_rating_show_no_agreement() -> None:
    result = fastkappa.conger_kappa([[1, 1], [1, 2], [2, 2], [1, None], [None, 2]])
    assert "5 items, 3 of them with two ratings or more, 2 raters" in repr(result)
    assert "on 5 items, 3 of them with two ratings or more, 2 of 10 ratings" in result.sentence()


def test_sentences() -> None:
    """The sentence has coefficient, weights, raters, items, interval with method, and version."""
    version = f"fastkappa {fastkappa.__version__}"
    # Kappa is 0.4, exactly.
    two = fastkappa.agreement_from_confusion([[20, 5], [10, 15]], weights="linear", confidence=0.9)
    low, high = two.interval
    assert two.sentence() == (
        "Cohen's kappa (linear weights) of two raters on 50 items was 0.40 (90 % score interval"
        f" {low:.2f} to {high:.2f}; {version})."
    )
    named = fastkappa.agreement(frame()["a"], frame()["b"], clusters=np.arange(60) // 2)
    assert f"of a and b on 60 items in 30 clusters was {named.kappa:.2f}" in named.sentence()
    assert "score interval" in named.sentence()
    with pytest.warns(UserWarning, match="undefined"):
        undefined = fastkappa.agreement_from_confusion([[3, 0], [0, 0]])
    assert f"was undefined ({version})." in undefined.sentence()
    # Fleiss' kappa of these ratings is 11 / 35.
    ratings = [[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]]
    three = fastkappa.fleiss_kappa(ratings, weights="quadratic")
    low, high = three.interval
    assert three.sentence() == (
        "Fleiss' kappa (quadratic weights) of 3 raters on 4 items was 0.31 (95 % score"
        f" interval {low:.2f} to {high:.2f}; {version})."
    )
    assert fastkappa.conger_kappa(ratings, weights="linear").weights == "linear"
    light = fastkappa.light_kappa(ratings).sentence()
    assert light.startswith("Light's kappa (no weights) of 3 raters on 4 items was 0.33 (95 %")
    assert "score interval" in light
    by_t = fastkappa.fleiss_kappa(ratings, interval_method="asymptotic").sentence()
    assert "95 % t interval" in by_t
    alpha = fastkappa.krippendorff_alpha(ratings, level="ordinal").sentence()
    assert alpha.startswith("Krippendorff's alpha (ordinal) of 3 raters")
    best = fastkappa.leaderboard(
        [1, 2, 3] * 9, {"a": [1, 2, 2] * 9, SCRIPT: [1, 2, 3] * 9}, n_resamples=99, rng=0
    )
    low, high = best.interval[0].tolist()
    assert best.sentence() == (
        f"Cohen's kappa (no weights) of {SCRIPT}, first of 2 predictions on 27 items was 1.00"
        f" (95 % score interval {low:.2f} to {high:.2f}; {version}). Significantly below the"
        " leader: 1 of 1: a (simultaneous interval ends below 0, with a joint confidence of 95 %)."
    )
    assert (low, high) == fastkappa.agreement([1, 2, 3] * 9, [1, 2, 3] * 9).interval
    clustered = fastkappa.leaderboard(
        [1, 2, 3] * 9, [[1, 2, 2] * 9], clusters=list(range(9)) * 3, n_resamples=99, rng=0
    )
    assert "95 % interval of 99 bootstrap replicates of 9 clusters" in clustered.sentence()
    assert " of 0 on 27 items was 0.50 " in clustered.sentence()
