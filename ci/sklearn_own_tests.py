"""Run scikit-learn's tests with fastkappa's functions in place of the originals.

The tests come from the installed scikit-learn. All tests of the classification metrics are run,
because other metrics also call `confusion_matrix`. From the other files, only the tests that name
one of the two functions are run. The array-API tests run on array-api-strict and on PyTorch.

usage: python ci/sklearn_own_tests.py [pytest arguments]
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections import Counter
from pathlib import Path

# scikit-learn's test helpers read this variable when they are imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import pytest
import sklearn
import sklearn.metrics
import sklearn.metrics._classification as classification

import fastkappa

FUNCTIONS = ("cohen_kappa_score", "confusion_matrix")
FILES = {
    "metrics/tests/test_classification.py": "",
    "metrics/tests/test_common.py": "cohen_kappa_score or confusion_matrix",
    "metrics/_plot/tests/test_confusion_matrix_display.py": "",
    "model_selection/tests/test_search.py": "confusion_matrix",
    "model_selection/tests/test_validation.py": "confusion_matrix",
}
DESELECTED = {
    "test_confusion_matrix_dtype": "asserts that sums of int64 weights wrap around, but fastkappa"
    " raises an error. Its other assertions are in tests/drop_in/test_promises.py.",
}
ARRAY_LIBRARIES = ("torch", "array_api_strict")


class Report:
    """Deselect tests, and count the skipped tests by reason."""

    def __init__(self) -> None:
        self.skipped: Counter[str] = Counter()

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        left_out = [item for item in items if item.name in DESELECTED]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            self.skipped[report.longrepr[2]] += 1


def main(arguments: list[str]) -> int:
    """Run the tests and return the exit code."""
    if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9):
        print(f"scikit-learn {sklearn.__version__} is older than 1.9, which fastkappa matches,")
        print("so its tests are not run.")
        return 0
    for name in FUNCTIONS:
        setattr(sklearn.metrics, name, getattr(fastkappa, name))
        setattr(classification, name, getattr(fastkappa, name))
    report = Report()
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:benchmark", "-c", os.devnull]
    options.append("--disable-warnings")
    codes = []
    for file, selection in FILES.items():
        path = str(Path(sklearn.__file__).parent / file)
        codes.append(pytest.main([*options, "-k", selection, path, *arguments], [report]))
    for reason, number in report.skipped.most_common():
        print(f"skipped {number}: {reason}")
    for name, reason in DESELECTED.items():
        print(f"left out {name}: {reason}")
    missing = [name for name in ARRAY_LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        print(f"not installed, so its array-API tests were skipped: {', '.join(missing)}")
        if "CI" in os.environ:
            codes.append(1)
    return max(map(int, codes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
