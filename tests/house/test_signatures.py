"""A parameter name has one meaning, one default and one kind in all public functions."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.helpers.public import public_objects

pytest.importorskip("sklearn")
pytest.importorskip("numba")

# These keep the signatures of other libraries, or are compiled by numba, which does not support
# keyword-only arguments.
OTHERS = ("cohen_kappa_score", "confusion_matrix", "estimators.", "boosting.", "jit.")
# Defaults that differ on purpose.
ORDERED = "Thresholds and expected kappa are for labels in order, where 'quadratic' is usual."
EXCEPTIONS = {
    ("weights", "'quadratic'"): {
        "ThresholdEvaluator": ORDERED,
        "decode_probabilities": ORDERED,
        "optimal_thresholds": ORDERED,
    },
    ("distribution", "'normal'"): {
        "agreement": "Fleiss, Cohen and Everitt (1969), whereas Gwet (2014) takes 't' for more.",
        "agreement_by": "As for agreement.",
        "agreement_from_confusion": "As for agreement.",
    },
    ("method", "'auto'"): {"optimal_thresholds": "It is a method of search, not of a bootstrap."},
    ("n_resamples", "0"): {
        "compare_paired": "The bootstrap is extra there.",
        "compare_predictions": "The bootstrap is extra there.",
    },
    ("n_resamples", "1000"): {"leaderboard": "Its replicates are of all predictions."},
    ("n_raters", "None"): {
        "results.MultiRaterResult.for_population": "The raters are then fixed, not a sample.",
    },
    ("confidence", "None"): {
        "results.MultiRaterResult.bootstrap": "That of the result.",
    },
}
# These can be positional, because they are the second of two columns.
SECOND = {"y2", "source", "scale", "form"}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield public functions, constructors and methods by their names."""
    for name, thing in public_objects().items():
        if name.startswith(("datasets.", *OTHERS)):
            continue
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and not issubclass(thing, Warning):
            if not name.startswith("results.") and name != "Ratings":
                yield name, thing.__init__
            for method, function in inspect.getmembers(thing, callable):
                own = method in vars(thing) and not method.startswith("_") and method != "of"
                if own and (inspect.isfunction(function) or inspect.ismethod(function)):
                    yield f"{name}.{method}", function


FUNCTIONS = dict(functions())


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    found = inspect.signature(function).parameters.values()
    return [p for p in found if p.name != "self" and p.kind is not p.VAR_KEYWORD]


def test_a_name_has_one_default() -> None:
    users: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, function in FUNCTIONS.items():
        for parameter in parameters(function):
            if parameter.default is not parameter.empty:
                users[parameter.name][repr(parameter.default)].add(name)
    differing = {}
    for parameter_name, defaults in users.items():
        usual = max(defaults, key=lambda default: len(defaults[default]))
        for default, names in defaults.items():
            if default != usual:
                differing[parameter_name, default] = names
    assert differing == {key: set(reasons) for key, reasons in EXCEPTIONS.items()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_has_a_default_is_given_by_name(name: str) -> None:
    optional = [p for p in parameters(FUNCTIONS[name]) if p.default is not p.empty]
    by_position = {p.name for p in optional if p.kind is not p.KEYWORD_ONLY}
    assert by_position <= SECOND


def test_parameters_have_one_order() -> None:
    """Two parameters have the same order in all functions that have both."""
    before: dict[tuple[str, str], str] = {}
    for name, function in FUNCTIONS.items():
        names = [p.name for p in parameters(function) if p.kind is p.KEYWORD_ONLY]
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                assert (second, first) not in before, (name, before[second, first], first, second)
                before[first, second] = name


def test_the_order_of_docstrings_is_that_of_signatures() -> None:
    for name, function in FUNCTIONS.items():
        doc = inspect.getdoc(function) or ""
        _, _, section = doc.partition("Parameters\n----------\n")
        section = section.partition("\n\n")[0]
        # Parameters taken from another function stay together.
        documented = re.findall(r"^(\w+)", section, re.M)
        order = [p.name for p in parameters(function)]
        positions = [order.index(each) for each in documented if each in order]
        assert positions == sorted(positions), name
