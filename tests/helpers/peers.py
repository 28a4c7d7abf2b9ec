"""Compute values for published ratings with other packages.

The ratings of two raters are a table of `fastkappa.datasets`. The ratings of several raters have
one row per item, with None for missing ratings. Each package is imported only when it is used,
because it might not be installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa import datasets


def scikit_learn_kappa(rated: datasets.RatedTable, weights: Any) -> float:
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(*rated.expand(), weights=weights))


def torchmetrics_kappa(rated: datasets.RatedTable, weights: Any) -> float:
    import torch
    from torchmetrics.functional.classification import multiclass_cohen_kappa

    first, second = (torch.tensor(ratings.astype(np.int64)) - 1 for ratings in rated.expand())
    return float(multiclass_cohen_kappa(first, second, len(rated.labels), weights=weights))


def torchmetrics_fleiss(rows: list[list[int]]) -> float:
    import torch
    from torchmetrics.functional.nominal import fleiss_kappa

    counts = (np.array(rows)[:, :, None] == np.unique(rows)).sum(axis=1)
    return float(fleiss_kappa(torch.tensor(counts)))


def statsmodels_kappa(rated: datasets.RatedTable, weights: Any, figure: str) -> float:
    from statsmodels.stats.inter_rater import cohens_kappa

    given = {"wt": weights} if isinstance(weights, str) else {"weights": weights}
    result = cohens_kappa(rated.table, **given)
    return float(result[{"error": "std_kappa"}.get(figure, figure)])


def statsmodels_fleiss(rows: list[list[int]]) -> float:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    return float(fleiss_kappa(aggregate_raters(rows)[0]))


def nltk_kappa(rated: datasets.RatedTable, weights: Any) -> float:
    rows = np.column_stack(rated.expand()).tolist()
    if weights is None:
        return float(nltk_task(rows).kappa())
    if isinstance(weights, str):
        positions = np.arange(len(rated.labels))
        weights = abs(positions[:, None] - positions) ** {"linear": 1, "quadratic": 2}[weights]
    return float(nltk_task(rows, lambda a, b: float(weights[a - 1, b - 1])).weighted_kappa())


def nltk_value(rows: list[Any], name: str, distance: str = "binary_distance") -> float:
    from nltk.metrics import distance as distances

    return float(getattr(nltk_task(rows, getattr(distances, distance)), name)())


def nltk_task(rows: list[Any], *distance: Any) -> Any:
    """Return nltk's task for ratings with one row per item. None marks a missing rating."""
    from nltk.metrics.agreement import AnnotationTask

    return AnnotationTask(
        [(j, i, label) for i, row in enumerate(rows) for j, label in enumerate(row) if label],
        *distance,
    )


def krippendorff_alpha(rows: list[Any], level: str) -> float:
    import krippendorff

    ratings = np.array(rows, dtype=float).T
    return float(krippendorff.alpha(reliability_data=ratings, level_of_measurement=level))


def irrcac_table(rated: datasets.RatedTable, weights: Any, figure: str) -> float:
    import pandas as pd
    from irrCAC.table import CAC

    if weights is None:
        weights = "identity"
    elif not isinstance(weights, str):
        weights = 1 - weights / weights.max()
    found = CAC(pd.DataFrame(rated.table), weights=weights, digits=15).cohen()["est"]
    return float(found[{"kappa": "coefficient_value", "error": "se"}[figure]])


def irrcac_raw(
    rows: list[Any], name: str, weights: str = "identity", figure: str = "coefficient_value"
) -> float:
    import pandas as pd
    from irrCAC.raw import CAC

    ratings = np.array(rows, dtype=float)
    labels = np.unique(ratings[~np.isnan(ratings)]).tolist()
    chance = CAC(pd.DataFrame(ratings), weights=weights, categories=labels, digits=15)
    return float(getattr(chance, name)()["est"][figure])


def pingouin_icc(rows: list[list[int]], form: str) -> float:
    import pandas as pd
    import pingouin

    frame = pd.DataFrame(rows).rename_axis("subject").reset_index()
    long = frame.melt("subject", var_name="judge", value_name="score")
    found = pingouin.intraclass_corr(long, targets="subject", raters="judge", ratings="score")
    return float(found.set_index("Type").loc[form, "ICC"])
