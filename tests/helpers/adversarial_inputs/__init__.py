"""Valid and invalid calls that users could make, with one file per argument.

Every entry is a function that creates its value, because a generator can be read only once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.helpers.adversarial_inputs.item_weights import SAMPLE_WEIGHTS
from tests.helpers.adversarial_inputs.labels import LABELS
from tests.helpers.adversarial_inputs.options import KAPPA_OPTIONS, NORMALIZE
from tests.helpers.adversarial_inputs.ratings import EMPTY, PARTNERS, RATINGS
from tests.helpers.adversarial_inputs.whole_calls import CALLS

INTS = ([0, 1, 2, 2, 3, 1], [0, 2, 2, 1, 3, 1])
LETTERS = (["a", "b", "c", "c", "d", "b"], ["a", "c", "c", "b", "d", "b"])


class Call(NamedTuple):
    """A call of both functions, or only of the function named in ``only``."""

    name: str
    make: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]
    only: str | None = None


def calls() -> list[Call]:
    """Return all calls to compare."""
    result = []
    for name, ratings in RATINGS.items():
        result.append(Call(f"{name} twice", lambda r=ratings: ((r(), r()), {})))
        for partner, other in PARTNERS.items():
            result.append(
                Call(f"{name} beside {partner}", lambda r=ratings, o=other: ((r(), o()), {}))
            )
            result.append(
                Call(f"{partner} beside {name}", lambda r=ratings, o=other: ((o(), r()), {}))
            )
        result.append(
            Call(
                f"{name} with labels",
                lambda r=ratings: (
                    ([0, 1, 2, 0], r()),
                    {"labels": [0, 1, 2], "sample_weight": [1, 2, 3, 4]},
                ),
            )
        )
    for name, empty in EMPTY.items():
        result.append(Call(f"empty {name}", lambda e=empty: ((e(), e()), {})))
        result.append(Call(f"empty {name} beside list", lambda e=empty: ((e(), []), {})))
        result.append(Call(f"empty {name} beside one", lambda e=empty: ((e(), [1]), {})))
        result.append(
            Call(f"empty {name} with labels", lambda e=empty: ((e(), e()), {"labels": [0, 1]}))
        )
        result.append(
            Call(f"empty {name} with weights", lambda e=empty: ((e(), e()), {"sample_weight": []}))
        )
    for kind, (first, second) in (("ints", INTS), ("letters", LETTERS)):
        for name, labels in LABELS.items():
            result.append(
                Call(
                    f"labels {name} of {kind}",
                    lambda a=first, b=second, v=labels: ((a, b), {"labels": v()}),
                )
            )
        for name, weights in SAMPLE_WEIGHTS.items():
            result.append(
                Call(
                    f"sample_weight {name} of {kind}",
                    lambda a=first, b=second, v=weights: ((a, b), {"sample_weight": v()}),
                )
            )
    for name, options in KAPPA_OPTIONS.items():
        result.append(Call(name, lambda o=options: (INTS, o()), "cohen_kappa_score"))
        result.append(
            Call(
                f"{name}, undefined",
                lambda o=options: (([1, 1, 2], [1, 1, 3]), {"labels": [1], **o()}),
                "cohen_kappa_score",
            )
        )
        result.append(
            Call(
                f"{name}, nothing in y2",
                lambda o=options: (([1, 1, 2], [3, 3, 3]), {"labels": [1, 2], **o()}),
                "cohen_kappa_score",
            )
        )
    for name, options in NORMALIZE.items():
        result.append(Call(name, lambda o=options: (INTS, o()), "confusion_matrix"))
        result.append(
            Call(
                f"{name}, empty rows",
                lambda o=options: (INTS, {"labels": [0, 3, 9, 8], **o()}),
                "confusion_matrix",
            )
        )
        result.append(
            Call(
                f"{name}, weighted",
                lambda o=options: (INTS, {"sample_weight": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], **o()}),
                "confusion_matrix",
            )
        )
    for weights in ("linear", "quadratic"):
        for name, call in CALLS.items():
            result.append(
                Call(
                    f"{name}, {weights}",
                    lambda c=call, w=weights: (c()[0], {**c()[1], "weights": w}),
                    "cohen_kappa_score",
                )
            )
    result.extend(Call(name, call) for name, call in CALLS.items())
    return result
