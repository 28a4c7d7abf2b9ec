"""Write the report of ``fastkappa score``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from fastkappa.arrays import Floats
from fastkappa.cli.gate import Estimate
from fastkappa.cli.reports.output import Output, too_large
from fastkappa.formatting import count_text, label_text, printable
from fastkappa.results.report import left_outside
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.two_raters.table_kappas import TableKappas, WeightsName

if TYPE_CHECKING:
    from fastkappa.two_raters.agreement_result import AgreementResult

# The largest number of labels for which the table is printed. A larger table would not be readable.
LARGEST_PRINTED = 30


def report_on_table(
    file: str,
    columns: tuple[str, str],
    counts: SourceCounts,
    weights: WeightsName | Floats,
    sample_weight: str | None = None,
    *,
    has_interval: bool = False,
    is_ordered: bool = True,
) -> Output:
    """Return the report on two columns of a file, with weighted kappas if labels are ordered.

    If ``has_interval`` is True, compute the interval of kappa, which the gate, the sentence and
    JSON need.
    """
    found = TableKappas.of(
        counts.table,
        counts.labels,
        weights,
        raters=columns,
        weighted_rows=None if sample_weight is None else counts.n_items,
        largest=LARGEST_PRINTED,
        is_ordered=is_ordered,
    )
    interval: tuple[float, float] = (math.nan, math.nan)
    estimate: Callable[[], str] = found.sentence
    if has_interval:
        from fastkappa.two_raters.agreement_report import sentence_of

        result = _with_interval(columns, counts, weights)
        interval, estimate = result.interval, partial(sentence_of, result, found.items)
    of_file = {
        "file": file,
        "columns": dict(zip(("y1", "y2"), columns)),
        "rows": counts.n_rows,
        "missing": dict(zip(("y1", "y2"), counts.missing)),
        "dropped": counts.n_dropped,
        "outside": counts.n_outside,
    }
    left_out = {name: of_file[name] for name in ("dropped", "outside")}
    doubts = left_outside(counts.n_outside, is_weighted=counts.is_weighted)
    name_of_n = "n" if sample_weight is None else "sum of weights"
    figures = {name_of_n: found.n, **left_out, **dict(found.rows())}
    above = [
        *_headings(file, columns, counts, sample_weight),
        *too_large(counts.labels, LARGEST_PRINTED),
    ]
    return Output(
        f"{label_text(file)}: {', '.join(map(label_text, columns))}",
        [found._report()._replace(above=above, doubts=doubts)],
        {**of_file, **found.to_dict(), "interval": interval},
        [{"statistic": name, "value": value} for name, value in figures.items()],
        has_title=False,
        is_wide=True,
        estimates=[Estimate("kappa", found.kappa, interval[0])],
        sentences=lambda: [estimate()],
    )


def _with_interval(
    columns: tuple[str, str], counts: SourceCounts, weights: WeightsName | Floats
) -> AgreementResult:
    """Return the agreement of the two columns, including the interval of kappa."""
    # Importing these modules at the top would increase the running time for a small file by 10 %.
    from fastkappa.cli.agree_request import CONFIDENCE
    from fastkappa.cli.reports.agree_parts import check_whole
    from fastkappa.two_raters.agreement import make_result

    check_whole(counts.table)
    return make_result(
        counts.table,
        counts.labels,
        None if isinstance(weights, str) and weights == "none" else weights,
        CONFIDENCE,
        raters=columns,
        n_dropped=counts.n_dropped,
        n_outside=counts.n_outside,
        is_weighted=counts.is_weighted,
    )


def _headings(
    file: str, columns: tuple[str, str], counts: SourceCounts, sample_weight: str | None
) -> Iterator[str]:
    """Yield lines with the numbers of items counted and left out."""
    first, second = (printable(name) for name in columns)
    weighted = "" if sample_weight is None else f", weighted by {printable(sample_weight)}"
    yield (
        f"{count_text(counts.n_items, 'item')} rated in {first} (rows) and {second} (columns) of"
        f" {printable(file)}{weighted}"
    )
    if counts.n_dropped:
        missing = ", ".join(
            f"{n} in {printable(name)}" for name, n in dict(zip(columns, counts.missing)).items()
        )
        dropped = count_text(counts.n_dropped, "row")
        yield f"{dropped} dropped because of a missing rating ({missing})"
