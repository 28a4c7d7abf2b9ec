"""Pictures of estimates and of the bootstrap: positions and texts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot

from fastkappa import (
    Ratings,
    agreement,
    agreement_by,
    bootstrap,
    compare_predictions,
    compare_raters,
    datasets,
    fleiss_kappa,
    gwet_ac2,
    krippendorff_alpha,
    leaderboard,
    pairwise_kappa,
)
from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    overall_concordance_correlation,
)
from fastkappa.plotting import plot_bootstrap, plot_forest
from fastkappa.statistics.bootstrap import BootstrapResult
from tests.helpers.pictures import tick_labels

# Forest.


class Estimate(NamedTuple):
    kappa: float
    interval: tuple[float, float]
    confidence: float = 0.95


def lines(ax: Any) -> dict[int, tuple[float, float]]:
    """Return the drawn intervals, by row."""
    return {
        round(line.get_ydata()[0]): tuple(line.get_xdata())
        for line in ax.lines
        if line.get_marker() == "|"
    }


def squares(ax: Any) -> dict[int, float]:
    return {
        round(line.get_ydata()[0]): line.get_xdata()[0]
        for line in ax.lines
        if line.get_marker() == "s"
    }


def test_forest_of_results() -> None:
    results = {
        "Winnipeg": Estimate(0.208, (0.109, 0.307)),
        "New $Orleans$": Estimate(0.297, (0.157, 0.437)),
        "nowhere": Estimate(-0.5, (-0.75, -0.25)),
    }
    ax = plot_forest(results)
    assert squares(ax) == {0: 0.208, 1: 0.297, 2: -0.5}
    assert lines(ax) == {i: result.interval for i, result in enumerate(results.values())}
    assert tick_labels(ax.yaxis) == list(results)
    assert ax.yaxis_inverted()
    assert [text.get_text() for text in ax.texts] == [
        "0.208  [0.109, 0.307]",
        "0.297  [0.157, 0.437]",
        "−0.500  [−0.750, −0.250]",
    ]
    assert ax.get_xlabel() == "kappa with its 95 % interval"
    low, high = ax.get_xlim()
    assert -0.9 < low < -0.75
    assert 0.437 < high < 0.6
    ax.figure.draw_without_rendering()
    assert all(text.get_window_extent().x1 <= ax.figure.bbox.x1 for text in ax.texts)


def test_forest_names_the_weights() -> None:
    """The axis names the weights that all rows have, unless the name of the method does."""
    pair = RATINGS[:2]
    linear, quadratic = (agreement(*pair, weights=name) for name in ("linear", "quadratic"))
    groups = agreement_by(*pair, groups=np.arange(len(pair[0])) % 2, weights="linear")
    pairs = pairwise_kappa(RATINGS.T, weights="quadratic")
    alpha = krippendorff_alpha(RATINGS.T, level="ordinal")
    for result, label in (
        (linear, "kappa (linear weights)"),
        ({"linear": linear, "quadratic": quadratic}, "kappa"),
        (groups, "kappa (linear weights)"),
        (pairs, "kappa (quadratic weights)"),
        (gwet_ac2(RATINGS.T, weights=1 - np.eye(3)), "Gwet's AC2 (weights of a matrix)"),
        (alpha, "Krippendorff's alpha (ordinal)"),
    ):
        assert plot_forest(result).get_xlabel() == f"{label} with its 95 % interval"


def test_forest_of_arrays() -> None:
    ax = plot_forest(np.array([0.5, 1.0]), intervals=[[0.25, 0.75], [1.0, 1.0]])
    assert squares(ax) == {0: 0.5, 1: 1.0}
    assert lines(ax) == {0: (0.25, 0.75), 1: (1.0, 1.0)}
    assert tick_labels(ax.yaxis) == ["0", "1"]
    ax = plot_forest([0.5], intervals=[[0.25, 0.75]], names=["both"])
    assert tick_labels(ax.yaxis) == ["both"]
    assert ax.get_xlabel() == "kappa with its interval"


def test_forest_says_what_is_undefined() -> None:
    nan = float("nan")
    ax = plot_forest([nan, 0.5], intervals=[[nan, nan], [nan, nan]], names=["a", "b"])
    assert [text.get_text() for text in ax.texts] == ["undefined", "0.500  no interval"]
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize("size", [(3.5, 2.5), (3.5, 3.5), (5, 3.5), (5, 4)])
def test_texts_leave_room_for_the_axis(size: tuple[float, float]) -> None:
    names = ["Krippendorff's alpha (quadratic weights)", "Huber_1, Mayr_1", "Mayr_1, Sonnleitner_1"]
    figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    plot_forest([0.6, 0.7, 0.9], intervals=[(0.5, 0.7), (0.6, 0.8), (0.8, 1)], names=names, ax=ax)
    figure.draw_without_rendering()
    # The exact width depends on the installed fonts.
    assert ax.get_window_extent().width > 0.3 * figure.bbox.width
    assert [text.replace("\n", " ") for text in tick_labels(ax.yaxis)] == names
    assert min(text.get_fontsize() for text in ax.texts) > 5
    pyplot.close(figure)


def test_forest_of_mixed_confidence_names_none() -> None:
    ax = plot_forest({"a": Estimate(0, (0, 0)), "b": Estimate(0, (0, 0), 0.9)})
    assert ax.get_xlabel() == "kappa with its interval"


def test_forest_in_given_axes() -> None:
    _, ax = pyplot.subplots()
    assert plot_forest([0.5], intervals=[[0, 1]], ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "must not be empty"),
        (({"a": 1.0},), "result 'a' must have an 'interval' .* 'value' attribute, got float"),
        (({"a": Estimate(0, (1, 0))},), r"interval of 'a' must have its lower limit first"),
        (({"a": Estimate(0, (0, 1))}, [[0, 1]]), "got a dict"),
        (([0.5],), r"shape \(1, 2\)"),
        (([0.5], [[0, 1], [0, 1]]), r"shape \(1, 2\), one row per estimate, got \(2, 2\)"),
        (([[0.5]], [[0, 1]]), "one-dimensional"),
        (([Estimate(0, (0, 1)), 0.5],), "result '1' must have an 'interval' attribute"),
        (([Estimate(0, (0, 1))], [[0, 1]]), "objects have their own"),
    ],
)
def test_bad_forests(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot_forest(arguments[0], intervals=arguments[1] if arguments[1:] else None)


@pytest.mark.parametrize("names", [["a", "b"], "a"])
def test_forest_with_wrong_names(names: Any) -> None:
    with pytest.raises(ValueError, match=r"one entry per estimate \(1\), got"):
        plot_forest(Estimate(0, (0, 1)), names=names)
    with pytest.raises(ValueError, match=r"one entry per estimate \(1\), got"):
        plot_forest([0.5], intervals=[[0, 1]], names=names)
    with pytest.raises(ValueError, match="got a dict"):
        plot_forest({"a": Estimate(0, (0, 1))}, names=np.array(["b"]))


# For each result, the label of the axis and the names of the rows.
RATINGS = np.random.default_rng(0).integers(0, 3, (3, 80))
BY_NAME = dict(zip(("Ann", "Ben", "Cat"), RATINGS))
GROUPS = np.repeat([1, 2], 40)
MEASURED = intraclass_correlation(RATINGS.T)
OF_RESULTS: dict[str, tuple[Any, str, list[str]]] = {
    "two raters": (agreement(*RATINGS[:2]), "kappa", ["kappa"]),
    "several raters": (krippendorff_alpha(RATINGS.T), "Krippendorff's alpha (nominal)", []),
    "bootstrap": (bootstrap(agreement(*RATINGS[:2]), n_resamples=99, rng=0), "value", ["value"]),
    "comparison": (
        compare_predictions(*RATINGS[1:], y_true=RATINGS[0]),
        "difference of kappas",
        ["difference of kappas"],
    ),
    "equal kappas": (agreement_by(*RATINGS[:2], groups=GROUPS).equality, "kappa", ["kappa"]),
    "groups": (agreement_by(*RATINGS[:2], groups=GROUPS), "kappa", ["1", "2", "all items"]),
    "pairs": (
        pairwise_kappa(Ratings.from_raters(BY_NAME)),
        "kappa",
        ["Ann, Ben", "Ann, Cat", "Ben, Cat"],
    ),
    "each rater": (compare_raters(Ratings.from_raters(BY_NAME)), "kappa", ["Ann", "Ben", "Cat"]),
    "bootstrapped pairs": (
        {
            pair: bootstrap(pairwise_kappa(Ratings.from_raters(BY_NAME))[pair], n_resamples=99)
            for pair in (("Ann", "Ben"), ("Cat", "Ben"))
        },
        "value",
        ["Ann, Ben", "Cat, Ben"],
    ),
    "leaderboard": (leaderboard(RATINGS[0], BY_NAME, n_resamples=99, rng=0), "kappa", []),
    "forms": (MEASURED, "intraclass correlation", [form.form for form in MEASURED]),
    "one form": (MEASURED["ICC2"], "ICC(A,1)", ["ICC(A,1)"]),
    "concordance": (
        concordance_correlation(*RATINGS[:2]),
        "Lin's concordance correlation",
        ["Lin's concordance correlation"],
    ),
    "overall concordance": (
        {"all three": overall_concordance_correlation(RATINGS.T)},
        "overall concordance correlation",
        ["all three"],
    ),
    "list": ([agreement(*RATINGS[:2]), fleiss_kappa(RATINGS.T)], "agreement", ["0", "1"]),
}


@pytest.mark.parametrize("name", OF_RESULTS)
def test_forest_of_every_result(name: str) -> None:
    given, label, rows = OF_RESULTS[name]
    if name == "several raters":
        label = given.method
        rows = [label]
    elif name == "leaderboard":
        rows = list(given.names)
    ax = plot_forest(given)
    assert ax.get_xlabel() == f"{label} with its 95 % interval"
    assert tick_labels(ax.yaxis) == rows
    drawn = lines(ax)
    assert len(drawn) == len(rows) == len(squares(ax))
    ends = np.array(list(drawn.values()))
    low, high = ax.get_xlim()
    # The axis is as long as the intervals: little space is left at both sides.
    assert low < ends.min()
    assert high > ends.max()
    assert np.ptp(ends) > 0.85 * (high - low)
    assert (low < 0 < high) == any(line.get_linestyle() == "--" for line in ax.lines)


def test_forest_of_pairs_has_their_intervals() -> None:
    pairs = OF_RESULTS["pairs"][0]
    ax = plot_forest(pairs)
    assert squares(ax)[1] == pairs.values[0, 2]
    assert lines(ax)[1] == (pairs.lower[0, 2], pairs.upper[0, 2])
    board = OF_RESULTS["leaderboard"][0]
    assert lines(plot_forest(board))[2] == tuple(board.interval[2])


def test_forest_of_forms_has_their_intervals() -> None:
    drawn = plot_forest(MEASURED)
    assert list(squares(drawn).values()) == [form.value for form in MEASURED]
    assert list(lines(drawn).values()) == [form.interval for form in MEASURED]


def test_forest_of_endless_intervals() -> None:
    """The line of an interval without a lower end begins at the edge of the axis."""
    ax = plot_forest([0.5, 0.75], intervals=[[-np.inf, 0.75], [0.5, 1.0]])
    low, high = ax.get_xlim()
    assert lines(ax) == {0: (low, 0.75), 1: (0.5, 1.0)}
    assert 0.4 < low < 0.5 < 1.0 < high < 1.1
    assert ax.texts[0].get_text() == "0.500  [−inf, 0.750]"


def test_forest_of_nearly_equal_ends_is_not_a_microscope() -> None:
    ax = plot_forest([0.9999, 1.0], intervals=[[0.9998, 1.0], [1.0, 1.0]])
    low, high = ax.get_xlim()
    assert 0.1 <= high - low < 0.12


# Bootstrap.


def result(replicates: Any, value: float = 0.5, low: float = 0.2, high: float = 0.8) -> Any:
    replicates = np.asarray(replicates, float)
    n_undefined = int(np.isnan(replicates).sum())
    return BootstrapResult(value, (low, high), 0.1, replicates, n_undefined, "bca", 0.95)


def upright_lines(ax: Any) -> list[tuple[float, str]]:
    return sorted((line.get_xdata()[0], line.get_linestyle()) for line in ax.lines)


def test_bootstrap_is_drawn() -> None:
    found = bootstrap(datasets.load("fleiss_1981").table, n_resamples=2000, rng=1)
    ax = plot_bootstrap(found)
    bars = [patch for patch in ax.patches if patch.get_zorder() == 2]
    assert sum(bar.get_height() for bar in bars) == 2000
    for bar in bars:
        left, right = bar.get_x(), bar.get_x() + bar.get_width()
        inside = ((found.replicates >= left) & (found.replicates < right)).sum()
        assert abs(bar.get_height() - inside) <= 5  # Those on an edge.
    (low, high), value = found.interval, found.value
    assert upright_lines(ax) == [(low, "--"), (value, "-"), (high, "--")]
    assert ax.get_title() == f"{value:.3f}  [{low:.3f}, {high:.3f}]"
    assert ax.get_xlabel() == "value in 2000 bootstrap replicates\n95 % interval, BCa"


def test_bootstrap_says_what_is_undefined() -> None:
    ax = plot_bootstrap(result([0.25, np.nan, 0.75, np.nan, np.nan]))
    assert sum(patch.get_height() for patch in ax.patches if patch.get_zorder() == 2) == 2
    assert ax.get_xlabel().startswith("value in 5 bootstrap replicates, 3 of them undefined\n")
    ax = plot_bootstrap(result([0.5, 0.5], low=np.nan, high=np.nan))
    assert upright_lines(ax) == [(0.5, "-")]
    assert ax.get_title() == "0.500  no interval"


def test_bootstrap_without_spread_is_a_narrow_bar() -> None:
    """NumPy would use a bin from 0.5 to 1.5 for the replicates of full agreement."""
    ax = plot_bootstrap(result(np.ones(100), 1, 1, 1))
    (bar,) = (patch for patch in ax.patches if patch.get_zorder() == 2)
    assert (bar.get_height(), round(bar.get_width(), 3)) == (100, 0.01)
    ax.figure.draw_without_rendering()


def test_bootstrap_in_given_axes() -> None:
    _, ax = pyplot.subplots()
    assert plot_bootstrap(result([0.5, 0.6]), ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1


def test_no_bootstrap() -> None:
    with pytest.raises(ValueError, match="bootstrap, got Estimate, which has no replicates"):
        plot_bootstrap(Estimate(0.5, (0.2, 0.8)))
    with pytest.raises(ValueError, match="all 2 replicates are undefined"):
        plot_bootstrap(result([np.nan, np.nan]))
