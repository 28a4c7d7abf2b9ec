"""Columns that are not read can show that ratings of a part were made differently."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("typer")
from tests.helpers.unread import GENERATOR, Columns, check_doubtful, check_ordinary, rated

GENERATOR.seed(1)


def _failed() -> Columns:
    """Return 300 predictions, of which every sixth is the default "neutral" of a failed request."""
    a, b = rated(["neg", "neutral", "pos"], 300)
    failed = [GENERATOR.random() < 1 / 6 for _ in a]
    return {
        "error": ["timeout" if one else None for one in failed],
        "a": a,
        "b": ["neutral" if one else x for x, one in zip(b, failed)],
    }


def _stopped() -> Columns:
    """Return the same predictions with a column that is never blank."""
    own = _failed()
    ends = ["filter" if error else "stop" for error in own.pop("error")]
    return {"finish": ends, **own}


def _swapped() -> Columns:
    """Return 300 comparisons of A and B, which a judge saw in either order."""
    a, b = rated(["A", "B", "tie"], 300)
    shown = [GENERATOR.choice(["AB", "BA"]) for _ in a]
    of_judge = {"A": "B", "B": "A", "tie": "tie"}
    return {
        "shown_order": shown,
        "a": a,
        "b": [of_judge[x] if s == "BA" else x for x, s in zip(b, shown)],
    }


DOUBTFUL = {
    "failed": (
        (own := _failed()),
        f"b has the same rating for the {300 - own['error'].count(None)} items for which 'error' is"
        " not blank, but a does not",
    ),
    "stopped": (
        (own := _stopped()),
        f"for the {own['finish'].count('filter')} items for which 'finish' is 'filter', but a",
    ),
    "swapped": (_swapped(), "where 'shown_order' is 'BA', a and b use .* 'A' of a with 'B' of b"),
}
ORDINARY = {
    # The column is filled in only for disagreements in which one rater has a certain label.
    "disputed": {
        **dict(zip("ab", (own := rated([0, 1, 2, 3], 400)))),
        "note": ["?" if y == 2 != x else None for x, y in zip(*own)],
    },
    # A third rater disagrees with one of the raters.
    "corrected": {
        **dict(zip("ab", (own := rated(["no", "yes"], 400)))),
        "b_is_correct": [x == y if i % 9 else x != y for i, (x, y) in enumerate(zip(*own))],
    },
}


@pytest.mark.parametrize(("columns", "message"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_a_doubtful_part(columns: Columns, message: str, tmp_path: Path) -> None:
    check_doubtful(columns, message, tmp_path)


@pytest.mark.parametrize("columns", ORDINARY.values(), ids=ORDINARY)
def test_an_ordinary_part(columns: Columns, tmp_path: Path) -> None:
    check_ordinary(columns, tmp_path)
