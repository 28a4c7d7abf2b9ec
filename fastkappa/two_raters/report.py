"""An agreement as text for a person, and as HTML for a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from fastkappa.formatting import figure, interval_text, label_text, p_value_text, table_lines

if TYPE_CHECKING:
    from fastkappa.two_raters.result import AgreementResult

# A larger table is not read by a person.
LARGEST_TABLE = 20
NAMES = {
    "kappa": "kappa",
    "observed_agreement": "observed agreement",
    "scott_pi": "Scott's pi",
    "krippendorff_alpha": "Krippendorff's alpha",
    "bennett_s": "Bennett's S (PABAK)",
    "brennan_prediger": "Brennan-Prediger",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2",
    "bangdiwala_b": "Bangdiwala's B",
}
# Without weights these two repeat the one above them.
ONLY_WEIGHTED = ("brennan_prediger", "gwet_ac2")
UNWEIGHTED = ("observed_agreement", "bennett_s", "gwet_ac1", "bangdiwala_b")


def as_text(result: AgreementResult) -> str:
    """Return the report that a result prints as."""
    lines = [_headline(result), *_remarks(result), "", *_table_lines(result)]
    rows = [
        (
            name,
            figure(value),
            figure(error, ""),
            interval_text(interval, "", width=7),
        )
        for name, value, error, interval in _shown_rows(result)
    ]
    rows.insert(0, ("", "value", "std. error", f"{100 * result.confidence:g} % interval"))
    facts = list(_facts(result))
    margin = max(len(first) for first, *_ in (*rows, *facts))
    lines += [f"{a:<{margin}}{b:>10}{c:>12}{d:>21}".rstrip() for a, b, c, d in rows]
    lines += ["", *(f"{name:<{margin}}{value:>10}" for name, value in facts)]
    return "\n".join(lines)


def as_html(result: AgreementResult) -> str:
    """Return the tables that a notebook shows for a result."""
    parts = [f"<p>{escape(line)}</p>" for line in (_headline(result), *_remarks(result))]
    if len(result.labels) <= LARGEST_TABLE:
        labels = [label_text(label) for label in result.labels.tolist()]
        rows = [[label, *row] for label, row in zip(labels, result.table.tolist())]
        parts.append(_html_table(["", *labels], rows))
    interval_head = f"{100 * result.confidence:g} % interval"
    parts.append(
        _html_table(
            ["", "value", "standard error", interval_head],
            [
                [
                    name,
                    figure(value),
                    figure(error, ""),
                    interval_text(interval, ""),
                ]
                for name, value, error, interval in _shown_rows(result)
            ],
        )
    )
    parts.append(_html_table(["", ""], [list(fact) for fact in _facts(result)]))
    return "\n".join(parts)


def _headline(result: AgreementResult) -> str:
    items = "1 item" if result.n == 1 else f"{result.n} items"
    return f"Agreement of two raters on {items}, {len(result.labels)} labels, {_weights(result)}"


def _weights(result: AgreementResult) -> str:
    if result.weights is None:
        return "no weights"
    return f"{result.weights} weights" if isinstance(result.weights, str) else "weights of a matrix"


def _remarks(result: AgreementResult) -> Iterator[str]:
    if result.n_dropped:
        first, second = result.missing
        yield (
            f"{result.n_dropped} left out for a missing rating ({first} of the first rater,"
            f" {second} of the second)"
        )
    if result.n_outside:
        yield f"{result.n_outside} left out for a rating outside the labels"
    if math.isnan(result.kappa):
        yield f"kappa is undefined: {why_undefined(result)}"


def _table_lines(result: AgreementResult) -> Iterator[str]:
    if len(result.labels) > LARGEST_TABLE:
        return
    yield from table_lines([label_text(label) for label in result.labels.tolist()], result.table)
    yield ""


def _shown_rows(
    result: AgreementResult,
) -> Iterator[tuple[str, float, float, tuple[float, float]]]:
    weighted = result.weights is not None
    for name, value, error, interval in result.rows():
        if name in ONLY_WEIGHTED and not weighted:
            continue
        unweighted = weighted and (name in UNWEIGHTED or name not in NAMES)
        shown = NAMES.get(name, f"  {name}")
        yield shown + (" (no weights)" if unweighted else ""), value, error, interval


def _facts(result: AgreementResult) -> Iterator[tuple[str, str]]:
    yield "z of kappa = 0", figure(result.z)
    yield "p of kappa = 0", p_value_text(result.p_value, 2)
    yield "null standard error", figure(result.null_standard_error)
    yield "largest kappa possible", figure(result.kappa_max)
    yield "expected agreement", figure(result.expected_agreement)
    if result.weights is not None:
        yield "weighted agreement", figure(result.weighted_observed_agreement)
        yield "  expected by chance", figure(result.weighted_expected_agreement)
    if len(result.labels) == 2:
        yield "prevalence index", figure(result.prevalence_index)
        yield "bias index", figure(result.bias_index)


def why_undefined(result: AgreementResult) -> str:
    """Return why kappa is undefined, for a result in which it is."""
    both = result.table.sum(axis=0) + result.table.sum(axis=1)
    used = [label_text(label) for label, n in zip(result.labels.tolist(), both) if n]
    if len(used) == 1:
        return f"all ratings are {used[0]}, so that no disagreement is expected by chance"
    return "the weights make no disagreement between the labels that occur"


def _html_table(head: list[str], rows: list[list[Any]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th>{escape(str(row[0]))}</th>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
