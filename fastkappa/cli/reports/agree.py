"""Read the ratings for ``fastkappa agree``, and choose which report to return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from warnings import catch_warnings, simplefilter

from fastkappa.choices import did_you_mean
from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.files.clustered_columns import AgainstReference, ClusteredPair
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.raters import RaterColumns, RatersRead, read_raters
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.files.two_columns import count_groups, count_ratings, pair_counts
from fastkappa.cli.progress import progress_bar
from fastkappa.cli.rater_remarks import repeated_items
from fastkappa.cli.reports.agree_groups import grouped_of, report_on_groups, with_reference_by_group
from fastkappa.cli.reports.agree_items import of_items
from fastkappa.cli.reports.agree_pair import report_on_pair
from fastkappa.cli.reports.agree_parts import SET_LEVELS, no_undefined_warnings, result_of
from fastkappa.cli.reports.agree_several import report_on_several
from fastkappa.cli.reports.output import Output
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_table import Columns
from fastkappa.statistics.clusters import Clusters


def read_and_report(
    request: AgreeRequest, source: Source, columns: RaterColumns, reading: Reading
) -> Output:
    """Read a source, and report on its raters.

    Raises
    ------
    ValueError
        If the source cannot be read, or if an option does not apply to its raters.
    ImportError
        If pyarrow is not installed.
    """
    is_long = columns.rating is not None
    if request.cluster in columns.rated:
        raise ValueError(f"--cluster must not name a column of ratings, got {request.cluster!r}.")
    if request.model is not None and request.raters and request.model not in request.raters:
        remedy = "add it to --raters" + (", or leave out --raters." if is_long else ".")
        raise ValueError(
            f"--model names {request.model!r}, which is not one of --raters: {remedy}"
            f"{did_you_mean(request.model, request.raters)}"
        )
    if request.reference is not None:
        return _report_on_reference(request, source, columns, reading)
    _check_sets(request, reading)
    of_alpha = request.level is not None or request.set_separator is not None
    are_two = not is_long and len(columns.raters) == 2 and not of_alpha
    if not is_long and request.duplicates != "error":
        raise ValueError(
            "--duplicates needs a file with one row per rating, or one file per rater."
        )
    lists_items = request.lists_items(columns)
    are_counted = are_two and request.cluster is None and not lists_items
    if request.sample_weight is not None and not are_counted:
        raise ValueError(
            "--sample-weight needs two raters in separate columns, and cannot be combined"
            " with --cluster, --item, --disputed or --gold."
        )
    if request.heat_map and request.pair is None and (not are_two or request.group is not None):
        raise ValueError(
            "--heat-map needs two raters in separate columns, and cannot be combined with"
            " --group. For more raters, choose two with --pair."
        )
    if are_two:
        _refuse_for_two(request)
    with progress_bar(source.files) as bar:
        reading = reading._replace(on_progress=bar.starts(source.files[0]))
        if are_two and not lists_items:
            return _report_on_two(request, source, reading)
        read = read_raters(
            source,
            columns,
            reading,
            request.group,
            request.cluster,
            duplicates=request.duplicates,
            separator=request.set_separator,
            model=request.model,
        )
    request = request._replace(raters=tuple(read.everyone.rater_names or ()))
    if read.everyone.n_raters == 2 and not of_alpha:
        return _report_on_two_read(request, read).remarking(read.remarks)
    if request.interval_method == "profile":
        raise ValueError(
            "--interval-method profile needs two raters, and cannot be combined with --level or"
            " --set-separator. Use asymptotic, score or auto."
        )
    return report_on_several(request, read).remarking(read.remarks)


def _refuse_for_two(request: AgreeRequest) -> None:
    for option in ("pair", "model", "coefficient"):
        if getattr(request, option) is not None:
            raise ValueError(f"--{option} needs three or more raters, got two.")


def _check_sets(request: AgreeRequest, reading: Reading) -> None:
    """Raise if an option does not apply to sets, or if a level requires sets but there are none."""
    if request.set_separator is None:
        if request.level in SET_LEVELS and request.level != "nominal":
            raise ValueError(f"--level {request.level} applies only to sets: use --set-separator.")
        return
    if not request.set_separator:
        raise ValueError("--set-separator must not be empty, got ''.")
    unused = {
        "--weights": request.weights != "none" or request.matrix is not None,
        "--labels": reading.labels is not None,
        "--coefficient": request.coefficient not in (None, "krippendorff"),
    }
    unused["--missing-codes"] = reading.codes is not None
    for option, is_given in unused.items():
        if is_given:
            raise ValueError(
                f"{option} cannot be combined with --set-separator: use only one of them."
            )
    if request.level not in (None, *SET_LEVELS):
        allowed = ", ".join(SET_LEVELS)
        raise ValueError(f"for sets, --level must be one of {allowed}, got {request.level!r}.")


def _report_on_two(request: AgreeRequest, source: Source, reading: Reading) -> Output:
    """Read two columns of ratings, and report on their agreement."""
    if request.cluster is not None:
        given = request.raters, request.cluster, request.group
        with no_undefined_warnings():
            pair = ClusteredPair.read(source, *given, reading)
        return _report_on_clusters(request, pair)
    first, second = request.raters
    columns = Columns(first, second, request.sample_weight, request.group)
    if request.group is None:
        return _report_on_table(request, count_ratings(source, columns, reading))
    groups = count_groups(source, columns, reading)
    tables = {group: part.table for group, part in groups.items() if group is not None}
    remarks = repeated_items(tables, request.raters)
    return _report_on_tables(request, groups).remarking(remarks)


def _report_on_two_read(request: AgreeRequest, read: RatersRead) -> Output:
    """Report on the ratings of two raters, and list their items if requested."""
    _refuse_for_two(request)
    if request.group is None:
        clusters = None
        if request.cluster is not None:
            # The clusters of the items that both raters rated.
            clusters = dict(read.whole.counted.clusters_of_pairs()).get(0)
        output = _report_on_table(request, pair_counts(read.whole), clusters)
    elif request.cluster is not None:
        arrays, labels = read.in_columns(request.group), read.whole.labels.tolist()
        given = request.raters, request.cluster, request.group
        with catch_warnings():
            # The same warnings were already issued when the file was read.
            simplefilter("ignore", UserWarning)
            pair = ClusteredPair(arrays, *given, labels)
            output = _report_on_clusters(request, pair)
    else:
        output = _report_on_tables(request, {g: pair_counts(p) for g, p in read.groups.items()})
    if not request.lists_items(read.columns):
        return output
    items, last, files = of_items(request, read, request.weights_of(read.whole.labels))
    return output.plus([items, *last])._replace(files=files)


def _report_on_table(
    request: AgreeRequest, counts: SourceCounts, clusters: Clusters | None = None
) -> Output:
    with no_undefined_warnings():
        return report_on_pair(request, result_of(counts, request, clusters))


def _report_on_tables(request: AgreeRequest, groups: Mapping[Any, SourceCounts]) -> Output:
    with no_undefined_warnings():
        return report_on_groups(request, grouped_of(request, groups))


def _report_on_reference(
    request: AgreeRequest, source: Source, columns: RaterColumns, reading: Reading
) -> Output:
    """Read the ratings and the reference, and report on each rater against the reference."""
    if columns.rating is not None or columns.item is not None:
        raise ValueError(
            "--reference needs a file with one column per rater, and cannot be combined with"
            " --item, --rater or --id. Join the files by item, or rank the raters' files with"
            " fastkappa leaderboard, using the reference as the truth."
        )
    if request.reference in columns.raters:
        raise ValueError(f"--reference must not be one of --raters, got {request.reference!r}.")
    with progress_bar(source.files) as bar, no_undefined_warnings():
        reading = reading._replace(on_progress=bar.starts(source.files[0]))
        rated = AgainstReference(
            source, request.raters, str(request.reference), request.cluster, request.group, reading
        )
        weights, of_two = request.weights_of(rated.labels), request.of_two
        whole = rated.grouped(weights, **of_two)
        if request.group is None:
            output = report_on_groups(request, whole)
        else:
            with catch_warnings():
                # The same warnings have already been issued for all items.
                simplefilter("ignore", UserWarning)
                by_group = rated.by_group(weights, **of_two)
                by_rater = rated.by_rater(weights, **of_two)
            output = with_reference_by_group(request, whole, by_group, by_rater)
    return output.remarking(rated.remarks)


def _report_on_clusters(request: AgreeRequest, pair: ClusteredPair) -> Output:
    """Report on two raters whose items form clusters."""
    with no_undefined_warnings():
        weights = request.weights_of(pair.labels)
        if request.group is not None:
            return report_on_groups(request, pair.grouped(weights, **request.of_two))
        return report_on_pair(request, pair.result(weights, **request.of_two))
