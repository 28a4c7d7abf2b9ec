"""Warning and error classes, and the errors that several modules raise.

Code written for scikit-learn catches scikit-learn's warnings and errors. Therefore, scikit-learn's
classes are used if scikit-learn is already loaded. This module never imports scikit-learn, because
a program that has not imported it cannot catch its classes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined for the given ratings, for example because kappa is 0 / 0."""


class LabelOrderWarning(UserWarning):
    """A result depends on the order of the labels, and alphabetical order was assumed."""


class FallingScoresWarning(UserWarning):
    """Scores fall as labels rise, but thresholds need scores that rise with the labels."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value or type that is not allowed."""


def users_stacklevel() -> int:
    """Return the ``stacklevel`` that makes a caller's warning point at the user's code."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    return level


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]


def changed_meanwhile(what: str = "ratings") -> RuntimeError:
    """Return the error for arrays that changed between two passes over them."""
    return RuntimeError(
        f"{what} were changed while they were being read, perhaps by another thread."
        " If other threads change an array, pass a copy."
    )


def cut_short(by: str) -> RuntimeError:
    """Return the error for counts that include only part of an interrupted batch."""
    return RuntimeError(
        f"a batch was interrupted by {by}, so perhaps only some of its items were counted. Start"
        " again, or continue from a copy that was made before the batch."
    )


def undefined_metric_warning() -> type[Warning]:
    """Return the warning class for undefined metrics."""
    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, "UndefinedMetricWarning", UndefinedMetricWarning)


def invalid_parameter_error() -> type[Exception]:
    """Return the error class for invalid parameters."""
    module = sys.modules.get("sklearn.utils._param_validation")
    return getattr(module, "InvalidParameterError", InvalidParameterError)


@contextmanager
def library_needed(use: str, library: str, to_install: str) -> Iterator[None]:
    """Convert any error from importing an optional library to one with installation advice.

    Importing an installed library can raise any error, such as an AttributeError due to
    incompatible dependencies.
    """
    try:
        yield
    except Exception as error:
        from fastkappa.install_hint import install_command

        raise ImportError(
            f"{use} needs {library}: install it with: {install_command(to_install)}"
            f" ({type(error).__name__}: {error})"
        ) from error
