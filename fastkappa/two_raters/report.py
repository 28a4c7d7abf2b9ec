"""Texts in the report of two raters' agreement."""

from __future__ import annotations

from fastkappa.arrays import AnyArray
from fastkappa.formatting import label_text, printable
from fastkappa.results import RATERS
from fastkappa.statistics.weights import Weights

NAMES = {
    "kappa": "kappa",
    "observed_agreement": "observed agreement",
    "scott_pi": "Scott's pi",
    "krippendorff_alpha": "Krippendorff's alpha",
    "bennett_s": "Bennett's S (PABAK)",
    "brennan_prediger": "Brennan-Prediger",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2",
    "bangdiwala_b": "Bangdiwala's B",
}
# Without weights these two repeat the one above them.
ONLY_WEIGHTED = ("brennan_prediger", "gwet_ac2")
UNWEIGHTED = ("observed_agreement", "bennett_s", "gwet_ac1", "bangdiwala_b")


def shown_name(name: str, weighted: bool) -> str | None:
    """Return the name of an index in the report, None for one that is not shown there."""
    if name in ONLY_WEIGHTED and not weighted:
        return None
    unweighted = weighted and (name in UNWEIGHTED or name not in NAMES)
    return NAMES.get(name, f"  {name}") + (" (no weights)" if unweighted else "")


def raters_text(raters: tuple[str, str]) -> str:
    """Return the names of the raters, if they are known, and what is theirs in the table."""
    first, second = map(printable, raters)
    return "two raters" if raters == RATERS else f"{first} (rows) and {second} (columns)"


def weights_text(weights: Weights) -> str:
    """Return which weights are in use."""
    if weights is None:
        return "no weights"
    return f"{weights} weights" if isinstance(weights, str) else "weights of a matrix"


def missing_text(raters: tuple[str, str], missing: tuple[int, int]) -> str:
    """Return how many ratings of each rater are missing."""
    names = ("the first rater", "the second") if raters == RATERS else map(printable, raters)
    return ", ".join(f"{n} of {name}" for n, name in zip(missing, names))


def why_undefined(table: AnyArray, labels: AnyArray) -> str:
    """Return why kappa is undefined, for a table for which it is."""
    both = table.sum(axis=0) + table.sum(axis=1)
    used = [label_text(label) for label, n in zip(labels.tolist(), both) if n]
    if len(used) == 1:
        return f"all ratings are {used[0]}, so that no disagreement is expected by chance"
    return "the weights make no disagreement between the labels that occur"
