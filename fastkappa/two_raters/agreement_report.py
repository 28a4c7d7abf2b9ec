"""Write the report and the sentence about the agreement of two raters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import users_stacklevel
from fastkappa.formatting import count_text, figure, label_text, p_value_text, printable
from fastkappa.ratings.label_order import warn_of_order
from fastkappa.results.report import (
    RATERS,
    Grid,
    Report,
    counts_grid,
    estimate_grid,
    facts,
    is_planned,
    left_outside,
    null_text,
)
from fastkappa.results.sentence import estimate_sentence, estimate_text, interval_name, p_rounded
from fastkappa.statistics.clusters import are_joined, doubt_of_clusters, widened_text
from fastkappa.statistics.intervals.doubt import wide_intervals
from fastkappa.statistics.weights import Weights, weights_text, what_needs_order
from fastkappa.tables.doubtful_tables import warn_of_measured

# A placeholder for AgreementResult. Importing that class would be circular, because its module
# imports this one.
_Result: TypeAlias = Any

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
# The keys of `to_dict`, except the keys of the indices.
IN_DICTIONARY = (
    *("raters", "n", "n_clusters", "design_effect", "missing", "missing_clusters", "n_dropped"),
    *("n_outside", "labels", "table", "expected_table", "weights", "kappa", "standard_error"),
    *("null_standard_error", "textbook_standard_error", "confidence", "distribution", "interval"),
    *("interval_method", "doubt", "null_kappa", "alternative", "z", "p_value"),
    "observed_agreement",
    *("expected_agreement", "weighted_observed_agreement", "weighted_expected_agreement"),
    *("kappa_max", "pabak", "prevalence_index", "bias_index", "bangdiwala_b", "category_kappas"),
)
# Without weights, Brennan-Prediger equals Bennett's S, and AC2 equals AC1, so reports leave out
# these two indices.
ONLY_WEIGHTED = ("brennan_prediger", "gwet_ac2")
# With fewer labels than this, the ratings of nearly all items are at most one label apart, so
# reports leave out the proportion of such items.
FEWEST_APART = 4
# The maximum number of unused labels that a report lists.
MOST_UNUSED = 5
UNWEIGHTED = ("observed_agreement", "bennett_s", "gwet_ac1", "bangdiwala_b")


def report_of(result: _Result) -> Report:
    """Return the report on an agreement result."""
    rows, columns = map(label_text, result.raters)
    caption = f"How many items got each pair of labels: rows {rows}, columns {columns}"
    return Report(
        [
            agreed_on(result, " (rows) and ", " (columns)"),
            *_remarks(result),
        ],
        [
            *counts_grid(result.labels, result.table, caption=caption),
            *_estimate_grids(result),
            facts(_facts(result), "Tests and other figures"),
        ],
        list(_beyond_range(result)),
        doubts=list(_doubts(result)),
        notes=wide_intervals([("", result)]),
    )


def _beyond_range(result: _Result) -> Iterator[str]:
    """Yield a line about intervals that extend beyond the range of their index, if any exist."""
    if any(low < -1 or high > 1 for *_, (low, high) in result.rows()):
        method = result.interval_method
        unlike = "" if method == "asymptotic" else f"; the interval of kappa is a {method} interval"
        yield (
            "intervals that extend beyond 1 are asymptotic, so they are inaccurate for few items"
            f"{unlike}"
        )


def sentence_of(result: _Result, items: str | None = None) -> str:
    """Return an agreement result as a sentence for a paper. ``items`` describes the items.

    Examples
    --------
    >>> from fastkappa import agreement_from_confusion
    >>> print(agreement_from_confusion([[20, 5], [10, 15]]).sentence())  # doctest: +ELLIPSIS
    Cohen's kappa (no weights) of two raters on 50 items was 0.40 (95 % score interval 0.13 to
    0.62; fastkappa ...).
    """
    first, second = map(printable, result.raters)
    raters = "two raters" if result.raters == RATERS else f"{first} and {second}"
    test = ""
    if is_planned(result.null_kappa, result.alternative):
        null = null_text(result.null_kappa, result.alternative)
        test = f"test of {null}: {p_rounded(result.p_value)}"
    return estimate_sentence(
        f"Cohen's kappa ({weights_text(result.weights)}) of {raters} on"
        f" {items or count_text(result.n, 'item')}{in_clusters(result)}{_left_out(result)}",
        result.kappa,
        result.interval,
        f"{interval_name(result)}{widened_text(result, ',')}",
        test,
    )


def _left_out(result: _Result) -> str:
    n = result.n_dropped + result.n_outside
    # A row with an integer weight can stand for several items.
    number = count_text(n, "row") if result.is_weighted else str(n)
    return f", with {number} left out," if n else ""


def why_undefined(result: _Result) -> str:
    """Return the reason why the kappa of a result is undefined."""
    both = result.table.sum(axis=0) + result.table.sum(axis=1)
    used = [label_text(label) for label, n in zip(result.labels.tolist(), both) if n]
    if len(used) == 1:
        return f"all ratings are {used[0]}, so no disagreement is expected by chance"

    return "the weights between all labels that occur are 0"


def agreed_on(result: _Result, between: str, after: str = "", items: str = "") -> str:
    """Return the first line of a report, with the raters and the numbers of items and labels.

    ``between`` is the text between the raters' names, ``after`` is the text after the second name,
    and ``items`` describes the items.
    """
    items = items or f"{count_text(result.n, 'item')}{in_clusters(result)}"
    first, second = map(printable, result.raters)
    raters = "two raters" if result.raters == RATERS else f"{first}{between}{second}{after}"
    return (
        f"Agreement of {raters} on {items}, {count_text(len(result.labels), 'label')},"
        f" {weights_text(result.weights)}"
    )


def repr_of(result: _Result) -> str:
    """Return the repr of a result, which names the weights."""
    return (
        f"<AgreementResult: kappa {estimate_text(result.kappa, result.interval, digits=4)},"
        f" n = {result.n}{in_clusters(result)}, {count_text(len(result.labels), 'label')},"
        f" {weights_text(result.weights)}>"
    )


def in_clusters(result: _Result) -> str:
    """Return the number of clusters as text, or an empty string if there are no clusters."""
    return "" if result.clusters is None else f" in {count_text(result.n_clusters, 'cluster')}"


def shared_clusters(n: int) -> list[str]:
    """Return a list with a remark about the ``n`` clusters that groups share, or [] if n is 0."""
    if not n:
        return []
    return [
        f"the groups share {count_text(n, 'cluster')}, each counted once; if cluster numbers"
        " restart in each group, make them distinct"
    ]


def _remarks(result: _Result) -> Iterator[str]:
    if result.n_dropped:
        known = result.raters != RATERS
        names = map(printable, result.raters) if known else ("the first rater", "the second")
        missing = ", ".join(f"{n} of {name}" for n, name in zip(result.missing, names))
        of_clusters = f" or cluster ({result.missing_clusters})" if result.missing_clusters else ""
        n = count_text(result.n_dropped, "row" if result.is_weighted else "item")
        yield f"{n} left out because of a missing rating ({missing}){of_clusters}"
    yield from _unused_labels(result)
    if math.isnan(result.kappa):
        yield f"kappa is undefined: {why_undefined(result)}"
    if are_joined(result.clusters) and result.n_clusters == 1:
        yield "standard errors and intervals are undefined: all items are in one cluster"


def _doubts(result: _Result) -> Iterator[str]:
    """Yield the reasons why figures cannot be trusted."""
    yield from left_outside(result.n_outside, is_weighted=result.is_weighted)
    if result.doubt:
        yield result.doubt
    own = result.clusters
    if are_joined(own) and own.n_clusters > 1 and doubt_of_clusters(own.n_clusters):
        is_asymptotic = result.interval_method == "asymptotic"
        which = "intervals" if is_asymptotic else "intervals of the other indices"
        is_normal = result.distribution == "normal"
        less = ". Use distribution='t' for wider intervals" if is_normal else ""
        if less and not is_asymptotic:
            less += ", although it also makes the interval of kappa asymptotic"
        yield doubt_of_clusters(own.n_clusters, which) + less


def _unused_labels(result: _Result) -> Iterator[str]:
    """Yield a line about the effect of unused labels, if there are any."""
    used = result.table.any(axis=0) | result.table.any(axis=1)
    unused = [label_text(label) for label in result.labels[~used].tolist()]
    if not unused:
        return
    named = ", ".join(unused[:MOST_UNUSED]) + (", ..." if unused[MOST_UNUSED:] else "")
    can = "" if result.interval_method == "asymptotic" else ", and can change the interval of kappa"
    n_labels = count_text(len(result.labels), "label")
    yield (
        f"{len(unused)} of the {n_labels} never used ({named}): unused labels change Bennett's S,"
        f" Brennan-Prediger and Gwet's AC{can}"
    )


def _estimate_grids(result: _Result) -> Iterator[Grid]:
    """Yield grids of the indices, of the kappa of each label, and of the agreement on each label.

    Without weights, the indices and kappas share one grid.
    """
    weighted = result.weights is not None
    rows = result.rows()
    n_indices = len(rows) - 2 * len(result.labels)
    shown = [
        (NAMES[name] + (" (no weights)" if weighted and name in UNWEIGHTED else ""), *figures)
        for name, *figures in rows[:n_indices]
        if weighted or name not in ONLY_WEIGHTED
    ]
    n_kappas = len(rows) - len(result.labels)
    of_labels = [(f"  {name}", *figures) for name, *figures in rows[n_indices:n_kappas]]
    if weighted:
        yield estimate_grid(shown, result.confidence)
        alone = "Each label against all others, without weights"
        yield estimate_grid(of_labels, result.confidence, of=alone)
    else:
        yield estimate_grid(shown + of_labels, result.confidence)
    alike = [
        (f"  {label_text(label)}", *figures)
        for label, (_, *figures) in zip(result.labels.tolist(), rows[n_kappas:])
    ]
    yield estimate_grid(alike, result.confidence, of="Specific agreement on each label")


def _facts(result: _Result) -> Iterator[tuple[str, str]]:
    yield "interval of kappa", f"{result.interval_method}{widened_text(result)}"
    for name, value in figures_of(result).items():
        yield name, p_value_text(value) if name.startswith("p of") else figure(value)


def figures_of(result: _Result) -> dict[str, float]:
    """Return a dictionary of the statistics that are reported without a standard error."""
    null = null_text(result.null_kappa, result.alternative)
    found = {f"z of {null}": result.z, f"p of {null}": result.p_value}
    if result.clusters is None:
        found["null standard error"] = result.null_standard_error
    else:
        found["design effect"] = result.design_effect
    found["p of Stuart-Maxwell test"] = result.margins.stuart_maxwell.p_value
    if what_needs_order(result.weights) is not None:
        found["mean rank, first minus second"] = result.margins.mean_rank_difference
        if len(result.labels) >= FEWEST_APART:
            found["at most one label apart"] = result.agreement_within(1).value
    found["largest kappa possible"] = result.kappa_max
    found["expected agreement"] = result.expected_agreement
    if result.weights is not None:
        found["weighted agreement"] = result.weighted_observed_agreement
        found["weighted chance agreement"] = result.weighted_expected_agreement
    if len(result.labels) == 2:
        found["prevalence index"] = result.prevalence_index
        found["bias index"] = result.bias_index
    return found


def warn_of_weights(
    weights: Weights, labels: AnyArray, table: AnyArray, *, are_known: bool
) -> None:
    """Warn if the weights do not suit the labels.

    Weights need ordered labels. Labels that look like measurements need weights, unless the labels
    ``are_known``, because they were given or declared.
    """
    why = what_needs_order(weights)
    if why is not None:
        warn_of_order(labels, why, users_stacklevel(), is_known=are_known)
    elif weights is None and not are_known:
        warn_of_measured(labels, table)
