"""Write the table of docs/coming_from/index.md: published values, and who gives them.

python -m docs.make_peers_table

asks the packages that are installed here, and stores what they give with their versions in
tests/helpers/peer_values.json. A package that is not here keeps what is stored; the values of R
are those of ci/r_values.R. Then it writes the table into the page.
"""

from __future__ import annotations

import json
import math
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import fastkappa
from fastkappa import agreement_from_confusion, datasets
from tests.helpers import peers
from tests.helpers.published_measurements import SHROUT_FLEISS
from tests.helpers.published_raters import DIAGNOSES, RELIABILITY_DATA
from tests.helpers.r_values import STORED as OF_R

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coming_from" / "index.md"
STORED = ROOT / "tests" / "helpers" / "peer_values.json"
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"
PEERS = (
    "scikit-learn",
    "torchmetrics",
    "statsmodels",
    "nltk",
    "krippendorff",
    "irrCAC",
    "pingouin",
)
R_PACKAGES = ("vcd", "psych", "epiR")
# torchmetrics computes in float32: what differs by less is the same value.
SAME = 1e-6

# Disagreement weights of Cohen (1968), and those of Fleiss, Cohen and Everitt (1969).
COHEN = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
ASYMMETRIC = np.array([[0, 1, 4], [1, 0, 6], [2, 2, 0]])
EVERITT = 1 - np.array([[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]])


@dataclass(frozen=True)
class Value:
    """A value of published ratings, and how each package is asked for it.

    Attributes
    ----------
    ratings, what : str
        The ratings and the value, as the table names them.
    published : str
        The value in print, or nothing.
    own : float
        The value of fastkappa.
    asked : dict of callables
        Return those of other packages, by their names.
    of_r : dict of tuples
        Where those of R's packages are among the stored values of R.
    why : dict of str
        Why a package gives another value.
    """

    ratings: str
    what: str
    published: str
    own: float
    asked: dict[str, Callable[[], float]]
    of_r: dict[str, tuple[str, ...]] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.ratings}: {self.what}"


def all_values() -> Iterator[Value]:
    """Yield the values in the order of the table."""
    yield from of_two_raters()
    yield from of_diagnoses()
    yield from of_units()
    yield from of_judges()


def of_two_raters() -> Iterator[Value]:
    cohen = partial(two_raters, "cohen_1968", "Cohen (1968)")
    own_weights = {"R vcd": weighted_in_r("cohen_1968", "vcd::Kappa", "weighted", "value")}
    own_weights["R psych"] = weighted_in_r("cohen_1968", "psych::cohen.kappa", "weighted")
    yield cohen("κ", ".492", of_r=kappa_in_r("cohen_1968"))
    yield cohen("κ, his weights", ".348", COHEN, of_r=own_weights)
    yield cohen(
        "standard error of that κ",
        "",
        COHEN,
        "error",
        {
            "R vcd": weighted_in_r("cohen_1968", "vcd::Kappa", "weighted", "error"),
            "R psych": weighted_in_r("cohen_1968", "psych::cohen.kappa", "weighted_error"),
        },
        {"R psych": "depends on the scale of the weights"},
    )
    other = "cohen_1968_asymmetric"
    yield cohen(
        "κ, asymmetric weights",
        ".353",
        ASYMMETRIC,
        of_r={
            "R vcd": weighted_in_r(other, "vcd::Kappa", "weighted", "value"),
            "R psych": weighted_in_r(other, "psych::cohen.kappa", "weighted"),
        },
        why={"R vcd": "weights transposed in the expected agreement"},
    )
    yield cohen(
        "standard error of the κ above",
        "",
        ASYMMETRIC,
        "error",
        {
            "R vcd": weighted_in_r(other, "vcd::Kappa", "weighted", "error"),
            "R psych": weighted_in_r(other, "psych::cohen.kappa", "weighted_error"),
        },
        {
            "irrCAC": "weights transposed in the standard error",
            "R vcd": "weights transposed in the expected agreement",
            "R psych": "depends on the scale of the weights",
        },
    )
    yield cohen(
        "maximum of linear κ for these margins",
        "",
        "linear",
        "kappa_max",
        why={"statsmodels": "maximum of unweighted κ"},
    )
    everitt = partial(two_raters, "fleiss_cohen_everitt_1969", "Fleiss, Cohen and Everitt (1969)")
    yield everitt("κ", ".429")
    yield everitt(
        "κ, their weights",
        ".507",
        EVERITT,
        of_r={
            "R vcd": weighted_in_r("fleiss_1969", "vcd::Kappa", "weighted", "value"),
            "R psych": weighted_in_r("fleiss_1969", "psych::cohen.kappa", "weighted"),
        },
    )
    fleiss = partial(two_raters, "fleiss_1981", "Fleiss (1981)")
    yield fleiss(
        "quadratic κ",
        "",
        "quadratic",
        of_r={
            "R vcd": square_in_r("fleiss_1981", "vcd::Kappa quadratic", "weighted", "value"),
            "R psych": square_in_r("fleiss_1981", "psych::cohen.kappa", "quadratic"),
        },
    )
    yield fleiss(
        "standard error of that κ",
        "",
        "quadratic",
        "error",
        {
            "R vcd": square_in_r("fleiss_1981", "vcd::Kappa quadratic", "weighted", "error"),
            "R psych": square_in_r("fleiss_1981", "psych::cohen.kappa", "quadratic_error"),
        },
        {"R psych": "negative variance set to 0"},
    )
    null, textbook = 'R epiR, method "fleiss"', 'R epiR, method "cohen"'
    yield two_raters(
        "salmon_antibody_test",
        "Salmon tested in two laboratories (epiR)",
        "standard error of κ",
        "",
        None,
        "error",
        {
            "R vcd": square_in_r("salmon", "vcd::Kappa linear", "unweighted", "error"),
            "R psych": square_in_r("salmon", "psych::cohen.kappa", "error"),
            null: square_in_r("salmon", "epiR::epi.kappa fleiss", "se"),
            textbook: square_in_r("salmon", "epiR::epi.kappa", "kappa", "se"),
        },
        {
            null: "the null standard error, also used for the interval",
            textbook: "the simpler textbook formula",
        },
    )


def of_diagnoses() -> Iterator[Value]:
    name, rows = "Fleiss (1971): 30 patients, 6 ratings", DIAGNOSES
    yield Value(
        name,
        "Fleiss' κ",
        ".430",
        fastkappa.fleiss_kappa(rows).value,
        {
            "statsmodels": partial(peers.statsmodels_fleiss, rows),
            "torchmetrics": partial(peers.torchmetrics_fleiss, rows),
            "nltk": partial(peers.nltk_value, rows, "pi"),
            "irrCAC": partial(peers.irrcac_raw, rows, "fleiss"),
        },
        why={"torchmetrics": "adds 1e-5 to the divisor"},
    )
    yield Value(
        name,
        "Conger's κ",
        "",
        fastkappa.conger_kappa(rows).value,
        {
            "nltk": partial(peers.nltk_value, rows, "multi_kappa"),
            "irrCAC": partial(peers.irrcac_raw, rows, "conger"),
        },
    )
    light = {"nltk": partial(peers.nltk_value, rows, "kappa")}
    yield Value(name, "Light's κ", "", fastkappa.light_kappa(rows).value, light)


def of_units() -> Iterator[Value]:
    name, rows = "Krippendorff (2011): 12 units, 7 of 48 ratings missing", RELIABILITY_DATA
    printed = {"nominal": ".743", "ordinal": ".815", "interval": ".849", "ratio": ".797"}
    weights = {"nominal": "identity", "interval": "quadratic"}
    distances = {"nominal": "binary_distance", "interval": "interval_distance"}
    alphas = {level: fastkappa.krippendorff_alpha(rows, level=level) for level in printed}
    for level, alpha in alphas.items():
        asked = {"krippendorff": partial(peers.krippendorff_alpha, rows, level)}
        asked["irrCAC"] = partial(peers.irrcac_raw, rows, "krippendorff", weights.get(level, level))
        if level in distances:
            asked["nltk"] = partial(peers.nltk_value, rows, "alpha", distances[level])
        other = {"irrCAC": "other distances, based on labels only"} if level == "ordinal" else {}
        yield Value(name, f"α, {level}", printed[level], alpha.value, asked, why=other)
    yield Value(
        name,
        "standard error of nominal α",
        "",
        alphas["nominal"].standard_error,
        {"irrCAC": partial(peers.irrcac_raw, rows, "krippendorff", figure="se")},
        why={"irrCAC": "uses the agreement corrected for small samples"},
    )
    ac1, free = (
        fastkappa.gwet_ac1(rows),
        fastkappa.randolph_kappa(rows, interval_method="asymptotic"),
    )
    yield Value(
        name, "Gwet's AC1", "", ac1.value, {"irrCAC": partial(peers.irrcac_raw, rows, "gwet")}
    )
    yield Value(
        name,
        "p of Brennan and Prediger's coefficient",
        "",
        free.p_value,
        {"irrCAC": partial(peers.irrcac_raw, rows, "bp", figure="p_value")},
        why={"irrCAC": "one-sided; its other p values are two-sided"},
    )


def of_judges() -> Iterator[Value]:
    forms = {
        "ICC(1,1)": (".17", "ICC(1,1)", "ICC1"),
        "ICC(2,1)": (".29", "ICC(A,1)", "ICC2"),
        "ICC(3,1)": (".71", "ICC(C,1)", "ICC3"),
        "ICC(1,k)": (".44", "ICC(1,k)", "ICC1k"),
        "ICC(2,k)": (".62", "ICC(A,k)", "ICC2k"),
        "ICC(3,k)": (".91", "ICC(C,k)", "ICC3k"),
    }
    found = fastkappa.measurements.intraclass_correlation(SHROUT_FLEISS)
    for form, (printed, of_pingouin, of_psych) in forms.items():
        yield Value(
            "Shrout and Fleiss (1979): 6 subjects, 4 judges",
            form,
            printed,
            found[form].value,
            {"pingouin": partial(peers.pingouin_icc, SHROUT_FLEISS, of_pingouin)},
            {
                "R psych": (
                    "by_rater",
                    "shrout_fleiss_1979",
                    "values",
                    "psych::ICC",
                    of_psych,
                    "ICC",
                )
            },
        )


def two_raters(
    name: str,
    ratings: str,
    what: str,
    published: str = "",
    weights: Any = None,
    figure: str = "kappa",
    of_r: dict[str, tuple[str, ...]] | None = None,
    why: dict[str, str] | None = None,
) -> Value:
    """Return the value of a table: kappa, its standard error or the largest one possible."""
    rated = datasets.load(name)
    asked: dict[str, Callable[[], float]] = {}
    if figure == "kappa" and (weights is None or isinstance(weights, str)):
        asked["scikit-learn"] = partial(peers.scikit_learn_kappa, rated, weights)
        asked["torchmetrics"] = partial(peers.torchmetrics_kappa, rated, weights)
    asked["statsmodels"] = partial(peers.statsmodels_kappa, rated, weights, figure)
    if figure == "kappa":
        asked["nltk"] = partial(peers.nltk_kappa, rated, weights)
    if figure != "kappa_max":
        asked["irrCAC"] = partial(peers.irrcac_table, rated, weights, figure)
    result = agreement_from_confusion(rated.table, labels=rated.labels, weights=weights)
    own = getattr(result, {"error": "standard_error"}.get(figure, figure))
    return Value(ratings, what, published, own, asked, of_r or {}, why or {})


def square_in_r(data: str, *path: str) -> tuple[str, ...]:
    return ("square", data, "values", *path)


def weighted_in_r(data: str, *path: str) -> tuple[str, ...]:
    return ("weighted", data, "values", *path)


def kappa_in_r(data: str) -> dict[str, tuple[str, ...]]:
    return {
        "R vcd": square_in_r(data, "vcd::Kappa linear", "unweighted", "value"),
        "R psych": square_in_r(data, "psych::cohen.kappa", "kappa"),
    }


def version(peer: str) -> str | None:
    """Return the version of a package, None if it is not here."""
    try:
        return metadata.version(peer)
    except metadata.PackageNotFoundError:
        return None


def fresh_values(peer: str) -> dict[str, float]:
    """Return what a package that is here gives, by the keys of the values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {value.key: value.asked[peer]() for value in all_values() if peer in value.asked}


def stored_values() -> dict[str, Any]:
    """Return the stored values of Python's packages, with their versions."""
    found: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def given(value: Value, stored: dict[str, Any], of_r: dict[str, Any]) -> dict[str, float]:
    """Return what each package gives for a value."""
    found = {
        peer: stored["values"][peer][value.key]
        for peer in value.asked
        if value.key in stored["values"].get(peer, {})
    }
    for peer, path in value.of_r.items():
        place = of_r
        for key in path:
            place = place[key]
        found[peer] = place
    return found


def is_same(own: float, other: float) -> bool:
    return math.isclose(own, other, rel_tol=SAME)


def table(stored: dict[str, Any], of_r: dict[str, Any]) -> str:
    """Return the table and the versions of all packages in it."""
    lines = [
        "| ratings | value | published | fastkappa | the same | another value |",
        "|---|---|---|---|---|---|",
    ]
    last = ""
    for value in all_values():
        found = given(value, stored, of_r)
        same = [peer for peer, other in found.items() if is_same(value.own, other)]
        others = [
            f"{peer} {different(value.own, other)}: {value.why[peer]}"
            for peer, other in found.items()
            if peer not in same
        ]
        ratings = "" if value.ratings == last else value.ratings
        last = value.ratings
        cells = (ratings, value.what, value.published, short(value.own))
        lines.append("| " + " | ".join([*cells, ", ".join(same), "; ".join(others)]) + " |")
    of_python = ", ".join(f"{peer} {number}" for peer, number in stored["versions"].items())
    numbers = of_r["versions"]
    in_r = ", ".join(f"{name} {numbers[name]}" for name in R_PACKAGES)
    versions = f"The values are from {of_python} and, in R {numbers['R']}, from {in_r}."
    return "\n".join([*lines, "", *textwrap.wrap(versions, 108)])


def short(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}" if abs(value) >= 0.001 or value == 0 else f"{value:.1e}"


def different(own: float, other: float) -> str:
    """Return a value with as many digits as it takes to see that it is another one."""
    digits = next(n for n in range(4, 17) if short(own, n) != short(other, n))
    return short(other, digits)


def main() -> None:
    """Ask the packages that are here, store their values and write the table."""
    stored = stored_values() if STORED.exists() else {"versions": {}, "values": {}}
    for peer in PEERS:
        number = version(peer)
        if number is None:
            print(f"{peer} is not here: its values are those stored.")
            continue
        stored["versions"][peer] = number
        stored["values"][peer] = fresh_values(peer)
    for part, found in stored.items():
        stored[part] = {peer: found[peer] for peer in PEERS if peer in found}
    STORED.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    of_r = json.loads(OF_R.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{table(stored, of_r)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
