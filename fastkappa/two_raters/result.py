"""Everything that the table of two raters says, computed when it is asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.formatting import label_text
from fastkappa.frame import data_frame
from fastkappa.statistics import indices, inference
from fastkappa.statistics.indices import Estimate
from fastkappa.statistics.kappa import expected_agreement, kappas, observed_agreement
from fastkappa.statistics.scales import Interpretation, interpret
from fastkappa.statistics.weights import Weights
from fastkappa.two_raters.report import as_html, as_text


@dataclass(frozen=True, eq=False, repr=False)
class AgreementResult:
    """The table of two raters and what follows from it.

    It is what `agreement` and `agreement_from_confusion` return, and cannot be changed. It
    prints as a report, and shows as a table in notebooks. Every figure below is a property,
    computed when it is first asked for; NaN stands for what is undefined.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Counts; rows are the first rater's ratings. Read-only, as all arrays here.
    labels : ndarray of shape (l,)
        The labels of rows and columns.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights in use. A weighted agreement is one with weights of
        agreement, ``1 - weights / weights.max()``.
    confidence : float
        That of the interval.
    missing : tuple of int
        How many ratings are missing of the first and of the second rater.
    n_dropped : int
        How many items were left out because a rating, or their group, is missing.
    n_outside : int
        How many items were left out because a rating is none of the labels.
    """

    table: AnyArray
    labels: AnyArray
    weights: Weights = None
    confidence: float = 0.95
    missing: tuple[int, int] = (0, 0)
    n_dropped: int = 0
    n_outside: int = 0

    @cached_property
    def n(self) -> int:
        """The number of items in the table."""
        return int(self.table.sum())

    @cached_property
    def kappa(self) -> float:
        """Cohen's kappa for the weights in use."""
        return float(kappas(self.table, self.weights))

    @cached_property
    def standard_error(self) -> float:
        """The standard error of kappa (Fleiss, Cohen and Everitt 1969), for intervals."""
        error: float = inference.standard_error(self.table, self.weights)
        return error

    @cached_property
    def null_standard_error(self) -> float:
        """The standard error of kappa if the raters are independent, for the test."""
        error: float = inference.null_standard_error(self.table, self.weights)
        return error

    @cached_property
    def textbook_standard_error(self) -> float:
        """The cruder error, ``sqrt(p_o (1 - p_o) / n) / (1 - p_e)`` without weights."""
        error: float = inference.textbook_standard_error(self.table, self.weights)
        return error

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Kappa minus and plus its standard error times a normal quantile, not cut off."""
        low, high = inference.normal_interval(self.kappa, self.standard_error, self.confidence)
        return low, high

    @cached_property
    def z(self) -> float:
        """Kappa over its null standard error."""
        return self.kappa / self.null_standard_error if self.null_standard_error else math.nan

    @cached_property
    def p_value(self) -> float:
        """The two-sided probability of such a z if the raters are independent."""
        return inference.two_sided_p(self.z)

    @cached_property
    def observed_agreement(self) -> float:
        """The share of items that both raters gave the same label, p_o, without weights."""
        return observed_agreement(self.table)

    @cached_property
    def expected_agreement(self) -> float:
        """The share of items expected to get the same label by chance, p_e, without weights."""
        return expected_agreement(self.table)

    @cached_property
    def weighted_observed_agreement(self) -> float:
        """The agreement observed for the weights in use."""
        return float(indices.percent_agreement(self.table, self.weights).value)

    @cached_property
    def weighted_expected_agreement(self) -> float:
        """The agreement expected by chance for the weights in use."""
        chance: float = indices.chance_agreement(self.table, self.weights)
        return chance

    @cached_property
    def kappa_max(self) -> float:
        """The largest kappa, for the weights in use, that the raters' margins allow."""
        largest: float = indices.kappa_max(self.table, self.weights)
        return largest

    @property
    def scott_pi(self) -> float:
        """Scott's pi for the weights in use."""
        return self._value("scott_pi")

    @property
    def krippendorff_alpha(self) -> float:
        """Krippendorff's alpha for the weights in use: nominal, or with quadratic interval."""
        return self._value("krippendorff_alpha")

    @property
    def bennett_s(self) -> float:
        """Bennett's S, without weights."""
        return self._value("bennett_s")

    @property
    def pabak(self) -> float:
        """Prevalence and bias adjusted kappa, ``2 p_o - 1`` for two labels; Bennett's S."""
        return self._value("bennett_s")

    @property
    def brennan_prediger(self) -> float:
        """The coefficient of Brennan and Prediger for the weights in use."""
        return self._value("brennan_prediger")

    @property
    def gwet_ac1(self) -> float:
        """Gwet's AC1, without weights."""
        return self._value("gwet_ac1")

    @property
    def gwet_ac2(self) -> float:
        """Gwet's AC2 for the weights in use; AC1 where there are none."""
        return self._value("gwet_ac2")

    @cached_property
    def bangdiwala_b(self) -> float:
        """Bangdiwala's B, without weights."""
        b: float = indices.bangdiwala_b(self.table)
        return b

    @cached_property
    def prevalence_index(self) -> float:
        """How much more frequent the first of two labels is; NaN for more labels."""
        index: float = indices.prevalence_index(self.table)
        return index

    @cached_property
    def bias_index(self) -> float:
        """How much more often the first rater gives the first of two labels; NaN for more."""
        index: float = indices.bias_index(self.table)
        return index

    @cached_property
    def category_kappas(self) -> FloatTable:
        """The kappa of each label against all others, shape (l,)."""
        return _read_only(indices.category_kappas(self.table))

    @cached_property
    def category_standard_errors(self) -> FloatTable:
        """The standard errors of ``category_kappas``, shape (l,)."""
        tables = indices.category_tables(self.table)
        return _read_only(np.asarray(inference.standard_error(tables)))

    @cached_property
    def expected_table(self) -> FloatTable:
        """The counts expected by chance, the margins being what they are, shape (l, l)."""
        counts = self.table.astype(np.float64)
        return _read_only(np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum())

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Each index of agreement by its name: its value and its standard error, or NaN.

        Those that depend on weights are for the weights in use.
        """
        return {
            "kappa": Estimate(self.kappa, self.standard_error),
            "observed_agreement": indices.percent_agreement(self.table),
            **self._indices,
            "bangdiwala_b": Estimate(self.bangdiwala_b, math.nan),
        }

    @cached_property
    def _indices(self) -> dict[str, Estimate]:
        return {
            "scott_pi": indices.scott_pi(self.table, self.weights),
            "krippendorff_alpha": indices.krippendorff_alpha(self.table, self.weights),
            "bennett_s": indices.brennan_prediger(self.table),
            "brennan_prediger": indices.brennan_prediger(self.table, self.weights),
            "gwet_ac1": indices.gwet_ac2(self.table),
            "gwet_ac2": indices.gwet_ac2(self.table, self.weights),
        }

    def _value(self, name: str) -> float:
        return float(self._indices[name].value)

    def interpret(self, scale: str) -> Interpretation:
        """Read kappa by a scale, and say how much of its interval lies in each band.

        Parameters
        ----------
        scale : {'cohen', 'landis-koch', 'mchugh', 'fleiss', 'altman', 'cicchetti'}
            A scale is a convention: name it wherever you use it.

        Returns
        -------
        interpretation : Interpretation
            The reading of kappa itself, the share of its normal distribution (between -1
            and 1) in each band, and the highest band it reaches with the result's
            confidence.

        Examples
        --------
        >>> from fastkappa import agreement_from_confusion
        >>> result = agreement_from_confusion([[20, 20], [10, 50]])
        >>> reading = result.interpret("landis-koch")
        >>> reading.reading, reading.confident_reading
        ('fair', 'slight')
        >>> {band: round(share, 3) for band, share in reading.shares.items()}
        {'poor': 0.0, 'slight': 0.06, 'fair': 0.649, 'moderate': 0.287, 'substantial': 0.004,
         'almost perfect': 0.0}
        """
        return interpret(self.kappa, self.standard_error, scale, self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dictionary of Python's own numbers, strings and lists.

        What is undefined is NaN.
        """
        weights = self.weights
        return {
            "n": self.n,
            "missing": list(self.missing),
            "n_dropped": self.n_dropped,
            "n_outside": self.n_outside,
            "labels": self.labels.tolist(),
            "table": self.table.tolist(),
            "expected_table": self.expected_table.tolist(),
            "weights": weights.tolist() if isinstance(weights, np.ndarray) else weights,
            "kappa": self.kappa,
            "standard_error": self.standard_error,
            "null_standard_error": self.null_standard_error,
            "textbook_standard_error": self.textbook_standard_error,
            "confidence": self.confidence,
            "interval": list(self.interval),
            "z": self.z,
            "p_value": self.p_value,
            "observed_agreement": self.observed_agreement,
            "expected_agreement": self.expected_agreement,
            "weighted_observed_agreement": self.weighted_observed_agreement,
            "weighted_expected_agreement": self.weighted_expected_agreement,
            "kappa_max": self.kappa_max,
            "pabak": self.pabak,
            "prevalence_index": self.prevalence_index,
            "bias_index": self.bias_index,
            **{name: float(estimate.value) for name, estimate in self._indices.items()},
            "bangdiwala_b": self.bangdiwala_b,
            "category_kappas": self.category_kappas.tolist(),
            "standard_errors": {
                name: float(estimate.standard_error) for name, estimate in self.estimates.items()
            },
        }

    def to_frame(self) -> Any:
        """Return the indices, and the kappa of each label, as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each; the columns are ``value``, ``standard_error``, ``lower`` and
            ``upper``, the last two being the ends of the interval.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names, values, errors, intervals = zip(*self.rows())
        lower, upper = zip(*intervals)
        columns = {"value": values, "standard_error": errors, "lower": lower, "upper": upper}
        return data_frame(columns, ("index", list(names)))

    def rows(self) -> list[tuple[str, float, float, tuple[float, float]]]:
        """Return name, value, standard error and interval of each index and of each label."""
        estimates = dict(self.estimates)
        for label, kappa, error in zip(
            self.labels.tolist(), self.category_kappas, self.category_standard_errors
        ):
            estimates[f"kappa of {label_text(label)}"] = Estimate(float(kappa), float(error))
        return [
            (name, value, error, inference.normal_interval(value, error, self.confidence))
            for name, (value, error) in estimates.items()
        ]

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"<AgreementResult: kappa {self.kappa:.4f} ({low:.4f} to {high:.4f}),"
            f" n = {self.n}, {len(self.labels)} labels>"
        )

    def _repr_html_(self) -> str:
        return as_html(self)


def _read_only(array: AnyArray) -> AnyArray:
    array.flags.writeable = False
    return array
