"""Define the options of ``fastkappa agree`` that determine its report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import typer

from fastkappa.arrays import AnyArray
from fastkappa.cli.declared import NOT_AN_OPTION
from fastkappa.cli.options import (
    AlternativeName,
    Confidence,
    IntervalName,
    Replicates,
    Scale,
    Weighting,
    WeightMatrixFile,
    scheme_named,
)
from fastkappa.formatting import label_text
from fastkappa.results.report import is_planned, null_text
from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.statistics.weights import Weights

if TYPE_CHECKING:
    from fastkappa.cli.files.raters import RaterColumns

CoefficientName: TypeAlias = Literal[
    "fleiss", "conger", "light", "randolph", "gwet", "krippendorff"
]
CONFIDENCE = 0.95
# Options that cannot be used if each rater is compared with a reference.
NOT_WITH_REFERENCE = (
    *("duplicates", "coefficient", "level", "set_separator", "sample_weight", "model"),
    *("disputed", "gold", "pair", "heat_map"),
)
# The maximum number of raters named in a heading. The heading is also the title of the page.
MOST_RATERS = 4


class AgreeRequest(NamedTuple):
    """The options of ``fastkappa agree`` that determine its report, and the data read from files.

    Parameters
    ----------
    duplicates
        What to do if a rater rated an item several times: stop with an error, or use the first or
        the last rating. Rows without a rating are ignored.
    coefficient : WORD
        For three or more raters, report, test and compare only this coefficient: fleiss, conger,
        light, randolph, gwet or krippendorff. By default, all coefficients are reported, and
        --group and --fail-under use Fleiss' kappa.
    level : WORD
        The level of Krippendorff's alpha: nominal, ordinal, interval or ratio. For sets, use
        nominal, jaccard or masi.
    set_separator : CHARACTER
        The separator between labels, such as ';', if each rating is a set of labels. A blank field
        is a missing rating, and [] is an empty set. Alpha is printed at --level or, without
        --level, at all levels for sets. Other tables and --fail-under then use the nominal level.
    sample_weight : COLUMN
        The column with the number of items that each row represents, as a whole number. Only for
        two raters.
    group : COLUMN
        A column of groups. Each group is also reported separately.
    reference : COLUMN
        The column of reference ratings, such as pathology. Each of --raters is compared with the
        reference, and the raters' kappas are compared with each other. With --group, they are also
        compared within each group.
    null : KAPPA
        Test whether kappa, or each coefficient of several raters, differs from this value. 0 is
        chance agreement.
    interval_method : WORD
        The method for the interval of kappa or of each coefficient: asymptotic, score or auto, or
        profile for two raters. Auto uses score if it is available. For two raters with
        --distribution t, auto uses asymptotic.
    distribution
        The distribution for intervals that use standard errors. The default is normal for two
        raters and t for more raters. With few clusters, use t.
    bootstrap : N
        The number of bootstrap replicates. 0 means no bootstrap intervals.
    seed
        The seed of the bootstrap, for repeatable results.
    model : RATER
        The rater that is a model. The report then includes the alternative annotator test of
        whether the model can replace people. This test needs two or more people.
    epsilon : MARGIN
        The margin by which --model may be worse than a person. The default of 0.2 is for experts;
        use 0.15 for skilled annotators and 0.1 for crowd workers.
    disputed : FILE
        Write the items on which raters disagree to a CSV file for adjudication, the most disputed
        items first. Items are identified by the --item column, or by row numbers that start at 1.
    gold : FILE
        Write the final label of each item to a CSV file: the label that more than half of its
        raters gave, or the decision in --adjudicated.
    adjudicated : FILE
        A file written by --disputed, with decisions in its last column. This option needs --gold.
    pair : A,B
        If there are three or more raters, also report on these two, and draw their table.
    heat_map
        Draw the table of two raters as a heat map instead of bubbles.

    Attributes
    ----------
    file : str
        The name of the source.
    raters : tuple of str
        The names of the raters.
    cluster : str or None
        The column of the clusters.
    matrix : WeightMatrix or None
        The matrix in ``weight_matrix``.
    decisions : dict
        The decisions in ``adjudicated``, by item.
    """

    duplicates: Literal["error", "first", "last"] = "error"
    coefficient: CoefficientName | None = None
    level: Literal["nominal", "ordinal", "interval", "ratio", "jaccard", "masi"] | None = None
    set_separator: str | None = None
    weights: Weighting = "none"
    weight_matrix: WeightMatrixFile = None
    sample_weight: str | None = None
    group: str | None = None
    reference: str | None = None
    null: float = 0.0
    alternative: AlternativeName = "two-sided"
    confidence: Confidence = CONFIDENCE
    interval_method: IntervalName = "auto"
    distribution: Literal["normal", "t"] | None = None
    bootstrap: Replicates = 0
    seed: Annotated[int | None, typer.Option(min=0)] = None
    scale: Scale = None
    model: str | None = None
    epsilon: float | None = None
    disputed: Path | None = None
    gold: Path | None = None
    adjudicated: Path | None = None
    pair: str | None = None
    heat_map: bool = False
    file: Annotated[str, NOT_AN_OPTION] = ""
    raters: Annotated[tuple[str, ...], NOT_AN_OPTION] = ()
    cluster: Annotated[str | None, NOT_AN_OPTION] = None
    # The type is Any because importing the class of the matrix would slow down --help.
    matrix: Annotated[Any, NOT_AN_OPTION] = None
    decisions: Annotated[Mapping[str, str], NOT_AN_OPTION] = MappingProxyType({})

    def check_options(self) -> None:
        """Raise if an option is invalid, or needs another option that is not given."""
        from fastkappa.statistics.inference import check_confidence
        from fastkappa.statistics.intervals.rao import check_null_kappa

        check_confidence(self.confidence)
        check_null_kappa(self.null)
        for option, needs in (("adjudicated", "gold"), ("epsilon", "model")):
            if getattr(self, option) is not None and getattr(self, needs) is None:
                raise ValueError(f"--{option} needs --{needs}.")
        if self.gold is not None and self.model is not None:
            raise ValueError(
                "--gold cannot be combined with --model, because the model would also vote on the"
                " gold labels: leave out --gold or --model."
            )
        if self.pair is not None and not all(self.two_names):
            raise ValueError(f"--pair must name two raters, such as ann,ben, got {self.pair!r}.")
        if self.reference is None:
            return
        for option in NOT_WITH_REFERENCE:
            if getattr(self, option) not in (None, False, "error"):
                named = f"--{option.replace('_', '-')}"
                raise ValueError(
                    f"{named} cannot be combined with --reference: use only one of them."
                )

    @property
    def two_names(self) -> tuple[str, str]:
        """The two raters in ``pair``."""
        first, _, second = (self.pair or "").partition(",")
        return first, second

    def lists_items(self, columns: RaterColumns) -> bool:
        """Return whether items are listed or written, which requires the ratings of each item."""
        return columns.names_items or self.disputed is not None or self.gold is not None

    def fields(self) -> dict[str, Any]:
        """Return the fields at the beginning of the JSON output."""
        fields = {"file": self.file, "raters": list(self.raters)}
        others = {"group": self.group, "reference": self.reference}
        return fields | {name: column for name, column in others.items() if column is not None}

    @property
    def of_two(self) -> dict[str, Any]:
        """The options for the intervals and the test of two raters."""
        return {
            "confidence": self.confidence,
            "null_kappa": self.null,
            "alternative": self.alternative,
            "interval_method": self._interval_method,
            "distribution": self.distribution or "normal",
        }

    @property
    def of_several(self) -> dict[str, Any]:
        """The options for the intervals of three or more raters."""
        given = {} if self.distribution is None else {"distribution": self.distribution}
        return {"confidence": self.confidence, "interval_method": self._interval_method, **given}

    @property
    def _interval_method(self) -> IntervalMethod | None:
        return None if self.interval_method == "auto" else self.interval_method

    @property
    def plans_test(self) -> bool:
        """Whether the options choose a test other than the two-sided test of chance agreement."""
        return is_planned(self.null, self.alternative)

    def null_of(self, name: str) -> str:
        """Return the null hypothesis about a coefficient, as text."""
        return null_text(self.null, self.alternative, name)

    def weights_of(self, labels: AnyArray) -> Any:
        """Return the weights for the given labels, or the name of a distance between sets."""
        if self.set_separator is not None:
            return None if self.level == "nominal" else self.level
        weights: Weights = self.matrix.of(labels) if self.matrix else scheme_named(self.weights)
        return weights

    def heading(self) -> str:
        """Return the heading, which is the first line of the text and the title of the page."""
        by = "" if self.reference is None else f", against {label_text(self.reference)}"
        by += "" if self.group is None else f", by {label_text(self.group)}"
        if self.sample_weight is not None:
            by += f", weighted by {label_text(self.sample_weight)}"
        named = ", ".join(map(label_text, self.raters[:MOST_RATERS]))
        if len(self.raters) > MOST_RATERS:
            named = f"{len(self.raters)} raters ({named}, ...)"
        return f"{label_text(self.file)}: {named}{by}"
