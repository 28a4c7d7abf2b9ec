"""scikit-learn estimators and scorers for kappa (``pip install 'fastkappa[sklearn]'``)."""

from fastkappa.exceptions import library_needed

with library_needed("fastkappa.estimators", "scikit-learn", "fastkappa[sklearn]"):
    import sklearn.model_selection  # noqa: F401

from fastkappa.estimators.decoder import KappaDecoder
from fastkappa.estimators.regressor import KappaRegressor
from fastkappa.estimators.rounder import KappaRounder
from fastkappa.estimators.scorers import KappaScorer, cohen_kappa, linear_kappa, quadratic_kappa

__all__ = [
    "KappaDecoder",
    "KappaRegressor",
    "KappaRounder",
    "KappaScorer",
    "cohen_kappa",
    "linear_kappa",
    "quadratic_kappa",
]
