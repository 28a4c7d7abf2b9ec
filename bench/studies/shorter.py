"""Check whether intervals shorter than the score interval can cover a high kappa.

    python -m bench.studies.shorter [N_STUDIES] [N_CALIBRATED]

Raters agree on a proportion kappa of the items, and guess the others by the labels' proportions.
For all designs, the study compares the score interval, the profile interval and the mean of both.
For N_CALIBRATED studies with two labels, it adds two intervals with calibrated quantiles. The
quantiles are from tables drawn from the most likely proportions at each limit of the score
interval. The score interval uses their mid-p value, and the profile interval uses Bartlett's
correction (the mean of the likelihood ratio). The printed width is the mean width of the part
between -1 and 1.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

import numpy as np

from fastkappa.statistics.intervals.constrained import most_likely
from fastkappa.statistics.intervals.inverted import inverted_test, statistic_and_slope
from fastkappa.statistics.intervals.table_constraint import TableConstraint
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import disagreement_matrix

LABELS = {".5 .5": (0.5, 0.5), ".92 .08": (0.92, 0.08), ".6 .3 .1": (0.6, 0.3, 0.1)}
KAPPAS, ITEMS = (0.85, 0.93, 0.97), (25, 60, 150)
Z, TAIL = 1.959963984540054, 0.025
N_DRAWN = 150
QUANTILES = (0.8, 3.5)  # the limits of a calibrated quantile


def quantiles(
    tables: Any, ends: Any, sign: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return mid-p and Bartlett quantiles, calibrated at the limits of unweighted kappas."""
    size = tables.shape[-1]
    constraint = TableConstraint(disagreement_matrix(None, size))
    by_mid_p, by_bartlett = np.full((2, len(tables)), Z)
    for i, (table, end) in enumerate(zip(tables.reshape(-1, size * size), ends)):
        if not -1 < end < 1:
            continue
        proportions = most_likely(constraint, table[None] * 1.0, np.array([end])).proportions[0]
        if np.isnan(proportions).any():
            continue
        n = int(table.sum())
        drawn = rng.multinomial(n, proportions / proportions.sum(), N_DRAWN)
        drawn, counts = np.unique(drawn, axis=0, return_counts=True)
        values = constraint.values(drawn / n)
        found = most_likely(constraint, drawn * 1.0, np.full(len(drawn), end))
        many = np.full(len(drawn), float(n))
        score, _ = statistic_and_slope("score", drawn / n, found.proportions, many)
        roots = np.sqrt(np.maximum(score, 0)) * np.sign(values - end) * sign
        kept = np.isfinite(roots)
        by_bartlett[i] = np.average(found.likelihood_ratio[kept], weights=counts[kept]) ** 0.5 * Z
        distinct, places = np.unique(-np.round(roots[kept], 9), return_inverse=True)
        parts = np.bincount(places, counts[kept]) / counts[kept].sum()
        by_mid_p[i] = np.interp(TAIL, parts.cumsum() - parts / 2, -distinct)
    return np.clip(by_mid_p, *QUANTILES), np.clip(by_bartlett, *QUANTILES)


def intervals(tables: Any, weights: Any, with_calibrated: bool, rng: Any) -> dict[str, Any]:
    """Return the limits of all intervals of a stack of tables."""
    score, profile = (inverted_test(test, tables, weights, 0.95) for test in ("score", "profile"))
    found = {"score": score, "profile": profile}
    found["middle"] = tuple((one + two) / 2 for one, two in zip(score, profile))
    if with_calibrated:
        low, high = (quantiles(tables, end, sign, rng) for end, sign in zip(score, (1, -1)))
        for i, (name, test) in enumerate((("mid-p", "score"), ("Bartlett", "profile"))):
            found[name] = tuple(
                inverted_test(test, tables, weights, 0.95, of_end[i])[side]
                for side, of_end in enumerate((low, high))
            )
    return found


def designs(n_studies: int, with_calibrated: bool) -> None:
    """Print the coverage and the mean width of all intervals in each design, and a summary."""
    rows = []
    for labels, weights in product(LABELS, (None, "quadratic")):
        margin = np.array(LABELS[labels])
        if (len(margin) == 2 and weights) or (len(margin) > 2 and with_calibrated):
            continue
        for kappa, n in product(KAPPAS, ITEMS):
            rng = np.random.default_rng([7, len(margin), int(kappa * 100), n])
            cells = kappa * np.diag(margin) + (1 - kappa) * np.outer(margin, margin)
            drawn = rng.multinomial(n, cells.ravel(), n_studies).reshape(-1, *cells.shape)
            tables, counts = np.unique(drawn, axis=0, return_counts=True)
            known = ~np.isnan(kappas(tables, weights))
            tables, counts = tables[known], counts[known]
            found = intervals(tables, weights, with_calibrated, rng)
            row = [
                (
                    np.average((low <= kappa) & (kappa <= high), weights=counts),
                    np.average(np.clip(high, -1, 1) - np.clip(low, -1, 1), weights=counts),
                )
                for low, high in found.values()
            ]
            rows.append(row)
            figures = "  ".join(
                f"{name} {100 * coverage:.1f} % {width:.3f}"
                for name, (coverage, width) in zip(found, row)
            )
            print(f"{labels:<9}{weights or 'none':<10}{kappa} {n:>3}  {figures}", flush=True)
    coverages, widths = np.moveaxis(np.array(rows), -1, 0)
    limit = 0.94 - 2 * (0.94 * 0.06 / n_studies) ** 0.5
    for i, name in enumerate(found):
        print(
            f"{name:<9} lowest coverage {100 * coverages[:, i].min():.1f} %, below 94 % in"
            f" {(coverages[:, i] < limit).sum()} of {len(rows)}, width"
            f" {(widths[:, i] / widths[:, 0]).mean():.3f} of the score interval's"
        )


def main() -> None:
    n_studies, n_calibrated = (int(n) for n in (*sys.argv[1:], *(2000, 400)[len(sys.argv) - 1 :]))
    designs(n_studies, False)
    designs(n_calibrated, True)


if __name__ == "__main__":
    main()
