"""Write the report of ``fastkappa measure``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np

from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.output import Output, Section, read_on, with_groups
from fastkappa.cli.words import arguments_named
from fastkappa.formatting import group_text, label_text
from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
    overall_concordance_correlation,
    repeatability,
)
from fastkappa.measurements.intraclass import IntraclassResult
from fastkappa.measurements.limits import PROPORTIONAL
from fastkappa.multirater.long_measurements import LongMeasurements
from fastkappa.plotting import plot_forest, plot_limits_of_agreement
from fastkappa.ratings.item_weights import ONE_ITEM_EACH
from fastkappa.results.report import Report, estimate_row, number_rows
from fastkappa.sources.arrow_columns import in_table
from fastkappa.statistics.scales import ScaleName
from fastkappa.two_raters.agreement_report import shared_clusters

CONCORDANCE = "concordance correlation"
NOT_COMPARED = (
    "No test compares the groups. To get the interval of a difference between two groups, see"
    ' "Compare two groups" in the guide to fastkappa measure.'
)
# The JSON fields that are the same for all groups.
OF_FILE = ("file", "raters")


def report_on_measurements(
    file: str,
    measured: LongMeasurements,
    *,
    confidence: float,
    scale: ScaleName | None,
    form: str,
    units: str | None,
    drop_missing: bool,
) -> Output:
    """Return the report on the measurements of two or more raters or methods.

    Raises
    ------
    ValueError
        If the raters did not measure the same items.
    """
    columns = measured.by_rater
    options: Any = {
        "confidence": confidence,
        "missing": "drop" if drop_missing else "raise",
        "clusters": measured.clusters,
    }
    raters, given = list(columns), in_table(columns)
    forms = intraclass_correlation(given, **options)
    chosen = chosen_form(forms, form)
    rows = number_rows({"n": forms.n_subjects, "dropped": forms.n_dropped})
    for one in forms:
        tested = zip(("F", "df1", "df2", "p"), (one.f, *one.degrees_of_freedom, one.p_value))
        rows.append(estimate_row(one.form, one.value, math.nan, one.interval))
        rows += number_rows({f"{name} of {one.form}": number for name, number in tested})
    fields: dict[str, Any] = {"file": file, "raters": raters, "intraclass": forms.to_dict()}
    names = ", ".join(map(label_text, raters))
    pictures = [
        Picture("The forms of the intraclass correlation.", lambda ax: plot_forest(forms, ax=ax))
    ]
    if len(raters) > 2:
        concordance: Any = overall_concordance_correlation(given, **options)
        limits = None
    else:
        first, second = raters
        pair = columns[first], columns[second]
        with arguments_named(y1=first, y2=second):
            concordance = replace(concordance_correlation(*pair, **options), raters=(first, second))
            limits = replace(limits_of_agreement(*pair, **options), raters=(first, second))
    repeated = repeatability(given, **options)
    found: list[Any] = [forms, concordance, repeated]
    fields["concordance"] = concordance.to_dict()
    of_all = concordance.value, concordance.standard_error, concordance.interval
    rows += [estimate_row(CONCORDANCE, *of_all), *number_rows(concordance._parts())]
    if limits is not None:
        found.insert(2, limits)
        fields["limits"] = limits.to_dict()
        rows += [estimate_row(name, value, math.nan, ends) for name, value, ends in limits.rows()]
        rows += number_rows({"standard deviation": limits.standard_deviation})
        rows.append(estimate_row(PROPORTIONAL, limits.slope, math.nan, limits.slope_interval))
        rows += number_rows({f"p of {PROPORTIONAL}": limits.slope_p_value})
        caption = "The difference between each item's measurements, against their mean."

        def plot(ax: Any) -> Any:
            return plot_limits_of_agreement(limits, units=units, ax=ax)

        pictures.insert(0, Picture(caption, plot))
    fields["repeatability"] = repeated.to_dict()
    rows += [estimate_row(name, value, math.nan, ends) for name, value, ends in repeated.rows()]
    reports = [forms._report(), concordance._report()]
    reports += [result._report(units) for result in found[2:]]
    sentences = [forms.sentence(chosen), concordance.sentence()]
    sentences += [result.sentence(units=units) for result in found[2:]]
    if scale is not None:
        readings = {form.form: forms.interpret(scale, form.form) for form in forms}
        readings[CONCORDANCE] = concordance.interpret(scale)
        reports.append(read_on(scale, readings))
        fields["interpretation"] = {name: one.to_dict() for name, one in readings.items()}
        sentences.append(readings[chosen].sentence(name=chosen))
        sentences.append(readings[CONCORDANCE].sentence(name=f"the {CONCORDANCE}"))
    return Output(
        f"{label_text(file)}: {names}",
        reports,
        fields,
        rows,
        pictures,
        sentences=lambda: sentences,
    )


def with_each_group(
    output: Output,
    group: str,
    groups: Mapping[Any, LongMeasurements],
    report_of: Callable[[LongMeasurements], Output],
) -> Output:
    """Return the output for all measurements, followed by the report on each group of a column.

    ``report_of`` is a function that returns the report on given measurements.
    """
    column = label_text(group)
    parts = {}
    with catch_warnings():
        # A cluster with several items can have only one item in each group, for example if each
        # group is a side of the body.
        filterwarnings("ignore", ONE_ITEM_EACH)
        for value, measured in groups.items():
            try:
                parts[label_text(value)] = report_of(measured)
            except ValueError as error:
                raise ValueError(f"{group_text(column, label_text(value))}: {error}") from error
    fields = [
        {"group": name, **{key: part.fields[key] for key in part.fields if key not in OF_FILE}}
        for name, part in parts.items()
    ]
    reports = [Report([NOT_COMPARED])] if len(parts) > 1 else []
    output = with_groups(output, column, parts).plus([Section(reports, {"groups": fields})])
    of_groups = [one.clusters for one in groups.values() if one.clusters is not None]
    n_groups = Counter(chain.from_iterable(np.unique(own).tolist() for own in of_groups))
    shared = shared_clusters(sum(n > 1 for n in n_groups.values()))
    return output._replace(title=f"{output.title}, by {column}").remarking(shared)


def chosen_form(forms: IntraclassResult, name: str) -> str:
    """Return the name of a form of the intraclass correlation, or raise if it is unknown."""
    try:
        return forms[name].form
    except KeyError as error:
        raise ValueError(f"--form: {error.args[0]}") from error
