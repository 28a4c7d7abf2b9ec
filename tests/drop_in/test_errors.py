"""With two invalid arguments, the drop-in functions raise the error that scikit-learn raises.

Each argument used here is refused by both functions, in the same words.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

import fastkappa
from tests.drop_in.test_values import FUNCTIONS, described, metrics, outcome, same
from tests.helpers.adversarial_inputs.item_weights import SAMPLE_WEIGHTS
from tests.helpers.adversarial_inputs.labels import LABELS
from tests.helpers.adversarial_inputs.options import KAPPA_OPTIONS, NORMALIZE
from tests.helpers.adversarial_inputs.ratings import EMPTY, RATINGS

Call = Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]
Argument = dict[str, Callable[[], Any]]

GOOD: Argument = {"y1": lambda: [0, 1, 2, 2, 3, 1], "y2": lambda: [0, 2, 1, 0, 2, 1]}


def long(make: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that makes ratings of six items from one that makes four, if possible."""

    def made() -> Any:
        ratings = make()
        if isinstance(ratings, list) and len(ratings) == 4:
            return ratings + ratings[:2]
        shape = getattr(ratings, "shape", ())
        if type(ratings).__module__ == "numpy" and shape and shape[0] == 4:
            return ratings[[0, 1, 2, 3, 0, 1]]
        return ratings

    return made


def candidates(name: str) -> dict[str, dict[str, Argument]]:
    """Return the values to try, by argument: each value's name and a function that makes it."""
    first, second = ("y1", "y2") if name == "cohen_kappa_score" else ("y_true", "y_pred")
    ratings = {
        **{key: long(make) for key, make in RATINGS.items()},
        **{f"empty {key}": make for key, make in EMPTY.items()},
        "short": lambda: [0, 1],
    }
    options = KAPPA_OPTIONS if name == "cohen_kappa_score" else NORMALIZE
    return {
        first: {key: {first: make} for key, make in ratings.items()},
        second: {key: {second: make} for key, make in ratings.items()},
        "labels": {key: {"labels": make} for key, make in LABELS.items()},
        "sample_weight": {key: {"sample_weight": make} for key, make in SAMPLE_WEIGHTS.items()},
        "option": {
            key: {option: lambda make=make, option=option: make()[option] for option in make()}
            for key, make in options.items()
        },
    }


def call_of(name: str, *arguments: Argument) -> Call:
    first, second = ("y1", "y2") if name == "cohen_kappa_score" else ("y_true", "y_pred")

    def made() -> tuple[tuple[Any, ...], dict[str, Any]]:
        given = {first: GOOD["y1"], second: GOOD["y2"]}
        for argument in arguments:
            given.update(argument)
        values = {key: make() for key, make in given.items()}
        return (values.pop(first), values.pop(second)), values

    return made


@functools.cache
def refused(name: str) -> dict[str, dict[str, Argument]]:
    """Return the arguments that both functions refuse with the same text, one per text."""
    found: dict[str, dict[str, Argument]] = {}
    for subject, values in candidates(name).items():
        seen: set[str] = set()
        found[subject] = {}
        for key, argument in values.items():
            call = call_of(name, argument)
            try:
                theirs = outcome(getattr(metrics, name), call)
            except pytest.skip.Exception:
                continue  # The argument needs a library that is not installed.
            ours = outcome(getattr(fastkappa, name), call)
            text = re.sub(r"\d+|Got .*|got .*", "", described(theirs), flags=re.DOTALL)
            if theirs.error is not None and same(theirs, ours) and text not in seen:
                seen.add(text)
                found[subject][key] = argument
    return found


SUBJECTS = ("first", "second", "labels", "sample_weight", "option")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("pair", list(itertools.combinations(range(len(SUBJECTS)), 2)))
def test_of_two_errors_scikit_learn_s_comes_first(pair: tuple[int, int], name: str) -> None:
    subjects = list(refused(name).values())
    some, others = (subjects[place] for place in pair)
    assert some
    assert others
    found = []
    for (a, first), (b, second) in itertools.product(some.items(), others.items()):
        call = call_of(name, first, second)
        theirs = outcome(getattr(metrics, name), call)
        ours = outcome(getattr(fastkappa, name), call)
        if not same(theirs, ours):
            found.append(
                f"{a} and {b}\n  scikit-learn {described(theirs)}\n  fastkappa    {described(ours)}"
            )
    assert not found, f"{len(found)} differ\n" + "\n".join(found)
