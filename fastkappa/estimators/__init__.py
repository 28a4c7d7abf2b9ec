"""Estimators for scikit-learn that maximise kappa: ``pip install 'fastkappa[sklearn]'``."""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        "fastkappa.estimators needs scikit-learn; install it with: pip install 'fastkappa[sklearn]'"
    ) from error

from fastkappa.estimators.regressor import KappaRegressor
from fastkappa.estimators.rounder import KappaRounder

__all__ = ["KappaRegressor", "KappaRounder"]
