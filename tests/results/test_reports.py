"""The text and HTML of reports: grids, wide characters, headings, and the names of weights."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import datasets
from fastkappa.formatting import text_width
from fastkappa.results.html import as_html
from fastkappa.results.report import Grid, Report, facts
from fastkappa.results.text import as_text
from fastkappa.thresholds.rounding import find_rounding
from fastkappa.thresholds.rounding_report import RoundingReport
from tests.results.test_results import CODES, TABLE, width


def test_a_result_prints_as_a_table() -> None:
    difference = fastkappa.compare_independent([[20, 5], [10, 15]], [[40, 5], [5, 50]])
    error, z = (f"{x:.4f}" for x in (difference.standard_error, difference.z))
    p = f"{difference.p_value:#.2g}"
    low, high = (f"{end:.4f}" for end in difference.interval)
    # 0.4 and 79 / 99, exactly.
    assert str(difference).splitlines() == [
        "Difference of two kappas, no weights",
        "",
        "                       value  std. error       95 % interval",
        "kappa of first        0.4000",
        "kappa of second       0.7980",
        f"difference           -0.3980      {error}  {low} to {high}",
        "",
        f"z of no difference   {z}",
        f"p{p:>27}",
    ]
    assert repr(difference) == f"<KappaDifference: -0.3980 ({low} to {high}), p = {p}, no weights>"


# The results whose figures depend on weights, given the weights.
WEIGHTED: dict[str, Callable[[Any], Any]] = {
    "AgreementResult": lambda w: fastkappa.agreement_from_confusion(TABLE, weights=w),
    "KappaDifference": lambda w: fastkappa.compare_predictions(
        *CODES[1:], y_true=CODES[0], weights=w
    ),
    "Leaderboard": lambda w: fastkappa.leaderboard(
        CODES[0], [*CODES[1:]], weights=w, labels=[0, 1, 2], rng=0
    ),
    "MultiRaterResult": lambda w: fastkappa.conger_kappa(CODES.T, weights=w),
    "PairwiseKappa": lambda w: fastkappa.pairwise_kappa(CODES.T, weights=w),
    "RaterComparison": lambda w: fastkappa.compare_raters(CODES.T, weights=w),
    "RoundingReport": lambda w: RoundingReport.of(
        find_rounding(CODES[0], CODES[1], weights=w, rng=np.random.default_rng(0)),
        CODES[0],
        CODES[1],
        w,
        "spline",
    ),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_repr_names_the_weights(name: str) -> None:
    matrix = np.arange(9).reshape(3, 3) % 4
    texts = {"linear": "linear weights", None: "no weights|unweighted", "m": "weights of a matrix"}
    for weights, text in texts.items():
        given: Any = matrix + matrix.T if weights == "m" else weights
        assert re.search(text, repr(WEIGHTED[name](given)))


def test_wide_grids_go_on_beneath() -> None:
    head = ["name", *(f"column {i}" for i in range(12))]
    rows = [["one", *("1" for _ in range(12))], ["other", *("2" for _ in range(12))]]
    lines = as_text(Report([], [Grid(head, rows)])).splitlines()
    blocks = "\n".join(lines).split("\n\n")
    assert len(blocks) == 2
    assert all(block.splitlines()[1].startswith("one  ") for block in blocks)
    assert sum(block.splitlines()[0].count("column") for block in blocks) == 12
    assert as_html(Report([], [Grid(head, rows)])).count('<th scope="col">column') == 12


def test_wide_characters_are_aligned() -> None:
    lines = as_text(Report([], [Grid(("", "kappa"), [("重症", "1"), ("mild", "2")])])).splitlines()
    assert [width(line) for line in lines] == [14, 14, 14]


@pytest.mark.parametrize(
    ("text", "columns"),
    # Only letters, without the marks above and below them: Thai, Hindi, Hebrew, a circle.
    [("ที่", 1), ("ดี", 1), ("कुत्ते", 3), ("שָׁלוֹם", 4), ("1\u20dd", 1)],
)
def test_marks_take_no_column(text: str, columns: int) -> None:
    assert text_width(text) == columns


@pytest.mark.parametrize("size", [10, 11])
def test_zeros_are_dots_only_in_large_tables_that_are_printed(size: int) -> None:
    result = fastkappa.agreement_from_confusion(np.eye(size, dtype=int))
    printed, html = str(result), result._repr_html_()
    assert (" . " in printed) == (size > 10)
    assert "<td>.</td>" not in html
    # Every off-diagonal cell, and no total.
    assert html.count("<td>0</td>") == size * (size - 1)


def test_a_column_of_text_is_left_aligned() -> None:
    rows = [("7", "0.50", "no, yes"), ("12", "1.00", "no (2), maybe, yes")]
    grid = Grid(("item", "apart", "labels"), rows, least_width=0, text_columns=[2])
    assert as_text(Report([], [grid])).splitlines() == [
        "item  apart  labels",
        "7      0.50  no, yes",
        "12     1.00  no (2), maybe, yes",
    ]
    html = as_html(Report([], [grid]))
    assert html.count('class="text"') == 3
    assert '<td>0.50</td><td class="text">no, yes</td>' in html


def test_heads_of_html_are_not_indented() -> None:
    html = fastkappa.agreement_from_confusion([[20, 5], [10, 15]])._repr_html_()
    assert re.search(r"<th[^>]*>observed agreement<", html)
    assert not re.search(r"<th[^>]*>\s", html)


@pytest.mark.parametrize("name", datasets.names())
def test_published_tables_print_in_80_columns(name: str) -> None:
    rated = datasets.load(name)
    result = fastkappa.agreement_from_confusion(rated.table, labels=rated.labels)
    assert max(map(len, str(result).splitlines())) <= 80


def test_text_and_html_of_a_report() -> None:
    grid = Grid(("", "n"), [("a", "1")], caption="<counts>", above="counts")
    report = Report(["<p>", "  one", "  two"], [grid], ["end"], heading="Part")
    assert (
        as_text(report) == "Part\n\n<p>\n  one\n  two\n\ncounts\n\n          n\na         1\n\nend"
    )
    assert as_html(report).splitlines()[:7] == [
        "<h2>Part</h2>",
        "<p>&lt;p&gt;</p>",
        "<ul>",
        "<li>one</li>",
        "<li>two</li>",
        "</ul>",
        "<table>",
    ]
    assert "<caption>&lt;counts&gt;</caption>" in as_html(report)


def test_tables_of_given_labels_name_their_axes() -> None:
    best = str(fastkappa.optimal_thresholds([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]))
    assert "True labels (rows) and the labels given (columns)\n\n" in best
    decoded = str(fastkappa.decode_probabilities([[0.9, 0.1], [0.2, 0.8]]))
    assert "Expected counts of true labels (rows) and the labels given (columns)\n\n" in decoded


def test_an_optimistic_or_conditional_kappa_says_so() -> None:
    best = str(fastkappa.optimal_thresholds([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]))
    assert "chosen on these items, so this kappa is optimistic" in best
    with pytest.warns(UserWarning, match="undefined"):
        single = fastkappa.optimal_thresholds([1, 1], [0.1, 0.2])
    assert "optimistic" not in str(single)
    decoded = str(fastkappa.decode_probabilities([[0.9, 0.1], [0.2, 0.8]]))
    assert "if the probabilities are right" in " ".join(decoded.split())


@pytest.mark.parametrize(
    ("weights", "name"),
    [
        (None, "no weights"),
        ("quadratic", "quadratic weights"),
        ([[0, 1, 2], [1, 0, 1], [2, 1, 0]], "weights of a matrix"),
    ],
)
def test_a_difference_names_its_weights(weights: Any, name: str) -> None:
    table = np.array(TABLE)
    joint = np.zeros((3, 3, 3), int)
    joint[range(3), :, range(3)] = table
    of_results = fastkappa.compare_independent(
        *(fastkappa.agreement_from_confusion(t, weights=weights) for t in (table, table.T))
    )
    for difference, n in (
        (fastkappa.compare_independent(table, table.T, weights=weights), ""),
        (fastkappa.compare_paired(joint, weights=weights), f" on {table.sum()} items"),
        (of_results, ""),
    ):
        assert str(difference).startswith(f"Difference of two kappas{n}, {name}\n")
        assert difference.sentence().startswith(f"Kappa ({name}) was")
        assert json.dumps(difference.to_dict()["weights"]) == json.dumps(weights)


def test_long_names_are_truncated_but_figures_are_wrapped() -> None:
    rates = ", ".join(f"0.{digit}123" for digit in range(1, 10))
    text = as_text(Report([], [facts([("n" * 50, rates), ("items", "7")])]))
    assert "n" * 37 + "…" in text
    assert " ".join(text.replace("n" * 37 + "…", "").split()) == f"{rates} items 7"
    assert max(map(len, text.splitlines())) <= 80
