"""Warnings and errors.

Code written for scikit-learn catches scikit-learn's classes. So where scikit-learn is
loaded already its own classes are used; it is never imported for them, for a program
that has not imported it cannot be catching them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class UndefinedMetricWarning(UserWarning):
    """A metric is not defined for the ratings given, kappa being 0 / 0, say."""


class LabelOrderWarning(UserWarning):
    """A result depends on the order of labels, and that was taken to be alphabetical."""


class FallingScoresWarning(UserWarning):
    """Scores fall as labels rise, and thresholds are for scores that rise with them."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value or a type it cannot have."""


def users_stacklevel() -> int:
    """Return the stacklevel with which the caller's warning points at the user's line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    return level


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]


def changed_meanwhile(what: str = "ratings") -> RuntimeError:
    """Return the error for arrays that a second look found different from the first."""
    return RuntimeError(
        f"{what} changed while they were read, perhaps by another thread: give copies of arrays"
        " that are written to."
    )


def cut_short(by: str) -> RuntimeError:
    """Return the error for counts of which it is not known how many items they have."""
    return RuntimeError(
        f"a batch was cut short by {by}, and how many of its items were counted is not known: begin"
        " again, or go on from a copy that was made before."
    )


def undefined_metric_warning() -> type[Warning]:
    """Return the class to warn with where a metric is undefined."""
    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, "UndefinedMetricWarning", UndefinedMetricWarning)


def invalid_parameter_error() -> type[Exception]:
    """Return the class to raise where a parameter is not what it must be."""
    module = sys.modules.get("sklearn.utils._param_validation")
    return getattr(module, "InvalidParameterError", InvalidParameterError)


@contextmanager
def library_needed(use: str, library: str, to_install: str) -> Iterator[None]:
    """Turn any error in the import of an optional library into one that says what to install.

    A library that is there may fail in its import with any error, such as AttributeError
    where its own dependencies do not go together.
    """
    try:
        yield
    except Exception as error:
        from fastkappa.install_hint import install_command

        raise ImportError(
            f"{use} needs {library}: install it with: {install_command(to_install)}"
            f" ({type(error).__name__}: {error})"
        ) from error
