"""The alternative annotator test: can a model replace human annotators?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, Floats, FloatTable, IntTable
from fastkappa.choices import position_of
from fastkappa.exceptions import users_stacklevel
from fastkappa.formatting import figure, p_value_text, printable
from fastkappa.frame import data_frame
from fastkappa.multirater.estimation import read_weights
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.chance_corrected import distances_of
from fastkappa.multirater.statistics.set_distances import SetLevel
from fastkappa.results.report import Grid, Report, abridged
from fastkappa.results.result import Result
from fastkappa.results.sentence import versioned
from fastkappa.results.text import shortened
from fastkappa.statistics.clusters import correction, n_units, variance
from fastkappa.statistics.distributions import t_two_sided_p
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.weights import Weights

# With fewer items per person than this, the t-test is not reliable.
FEW_ITEMS = 30
# To pass, a model must win against at least this proportion of people.
PASSING = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class AlternativeAnnotatorTest(Result):
    """The result of an alternative annotator test: whether a model can replace human annotators.

    Attributes
    ----------
    model : str
        The name of the model.
    rater_names : tuple of str of length m
        The names of the human annotators.

    n : ndarray of int, shape (m,)
        For each person, the number of items used in the comparison with the model. An item is used
        if the model, the person and at least one other person rated it.
    model_advantage : ndarray of shape (m,)
        For each person, the proportion of used items on which the model agrees with the other
        people at least as well as the person does.
    person_advantage : ndarray of shape (m,)
        For each person, the proportion of used items on which the person agrees with the other
        people at least as well as the model does.
    p_values : ndarray of shape (m,)
        The one-sided p-value for each person. The null hypothesis is that the person's advantage
        exceeds the model's advantage by ``epsilon`` or more.
    wins : ndarray of bool, shape (m,)
        For each person, whether the model wins against that person. The model wins if the
        Benjamini-Yekutieli procedure rejects the null hypothesis at the given false discovery rate.
    winning_rate : float
        The proportion of people against whom the model wins.
    passes : bool
        Whether the model passes the test, that is, whether its winning rate is at least one half.
    advantage_probability : float
        The mean of ``model_advantage`` over all people. Use this value to compare models.
    epsilon : float
        The margin by which the model may be worse than a person and still win.
    false_discovery_rate : float
        The level at which the false discovery rate is controlled across the tests (one test per
        person).
    """

    model: str
    rater_names: tuple[str, ...]
    n: IntTable
    model_advantage: FloatTable
    person_advantage: FloatTable
    p_values: FloatTable
    wins: AnyArray
    winning_rate: float
    passes: bool
    advantage_probability: float
    epsilon: float
    false_discovery_rate: float

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per person.

        The columns are ``n``, ``model_advantage``, ``person_advantage``, ``p_value`` and ``wins``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame(self._columns(), ("rater", list(self.rater_names)))

    def _columns(self) -> dict[str, AnyArray]:
        return {
            "n": self.n,
            "model_advantage": self.model_advantage,
            "person_advantage": self.person_advantage,
            "p_value": self.p_values,
            "wins": self.wins,
        }

    def __repr__(self) -> str:
        verdict = "passes" if self.passes else "fails"
        return (
            f"<AlternativeAnnotatorTest: {shortened(printable(self.model))} {verdict}: won"
            f" {int(self.wins.sum())} of {len(self.wins)}>"
        )

    def sentence(self) -> str:
        """Return the outcome as a sentence for a paper."""
        return versioned(self._outcome())

    def _outcome(self) -> str:
        verdict = "passes" if self.passes else "does not pass"
        low, high = int(self.n.min()), int(self.n.max())
        items = f"{low} items" if low == high else f"{low} to {high} items"
        return (
            f"{printable(self.model)} {verdict} the alternative annotator test: it wins against"
            f" {int(self.wins.sum())} of {len(self.wins)} people, on {items} each (winning rate"
            f" {figure(self.winning_rate, digits=2)}; epsilon {self.epsilon:g}, false discovery"
            f" rate {self.false_discovery_rate:g}), with a mean advantage probability of"
            f" {figure(self.advantage_probability, digits=2)}"
        )

    def _report(self) -> Report:
        columns = (column.tolist() for column in self._columns().values())
        rows = [
            (
                printable(name),
                str(n),
                *(figure(part, "", digits=2) for part in advantages),
                p_value_text(p),
                "yes" if won else "no",
            )
            for name, n, *advantages, p, won in zip(self.rater_names, *columns)
        ]
        head = ("", "items", "model as good", "person as good", "p", "wins")
        caption = "How often the model, and the person, is at least as near to the other people"
        return Report(
            [f"{self._outcome()}."], [Grid(head, abridged(rows), least_width=0, caption=caption)]
        )


def alternative_annotator_test(
    ratings: Any,
    model: str | int,
    *,
    epsilon: float = 0.2,
    weights: Weights | SetLevel = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    false_discovery_rate: float = 0.05,
) -> AlternativeAnnotatorTest:
    """Test whether a model can replace human annotators, using the alternative annotator test.

    The test leaves out one person at a time. For each item, it checks whose rating is closer to the
    ratings of the other people: the person's or the model's. The model's advantage is the
    proportion of items on which its rating is at least as close to the other people's ratings as
    the person's rating is. The person's advantage is defined in the same way, with the roles
    reversed. The model wins against a person if its advantage is significantly greater than the
    person's advantage minus ``epsilon``. The model passes the test if it wins against at least half
    of the people.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters), or Ratings
        The ratings of the model and of at least two people, in any form that `fleiss_kappa`
        accepts. Ratings may be missing. Three or more people are recommended.
    model : str or int
        The name or position of the model among the raters.
    epsilon : float, default=0.2
        The margin by which the model may be worse than a person and still win. Such a margin can be
        acceptable because a model costs less than a person. Calderon et al. recommend 0.2 for
        experts, 0.15 for skilled annotators and 0.1 for crowd workers.
    weights : {'linear', 'quadratic', 'jaccard', 'masi'}, array-like of shape (l, l) or None, \
default=None
        How to measure the distance between two labels. With None, only equal labels count as
        agreement (accuracy): the closer rating is the one that more of the other people gave.
        'quadratic' is equivalent to comparing root mean squared errors.
    labels, missing_codes, clusters
        Passed to `Ratings.from_array`; valid only if ``ratings`` is an array. With clusters, such
        as documents, the t-tests use cluster-robust standard errors.
    false_discovery_rate : float, default=0.05
        The level at which the false discovery rate is controlled across the tests (one test per
        person).

    Returns
    -------
    result : AlternativeAnnotatorTest

    Raises
    ------
    ValueError
        As in `conger_kappa`. An error is also raised if no rater has the name or position
        ``model``, if there are fewer than two people, if a person has fewer than two usable items,
        or if ``epsilon`` or ``false_discovery_rate`` is not in [0, 1).

    Warns
    -----
    UserWarning
        If a person has fewer than 30 usable items, which is too few for a reliable t-test.

    References
    ----------
    N. Calderon, R. Reichart and R. Dror (2025). The alternative annotator test for LLM-as-a-judge:
    how to statistically justify replacing human annotators with LLMs. Proceedings of the 63rd
    Annual Meeting of the Association for Computational Linguistics, 16051-16081.

    Y. Benjamini and D. Yekutieli (2001). The control of the false discovery rate in multiple
    testing under dependency. Annals of Statistics 29, 1165-1188.

    Examples
    --------
    >>> from fastkappa import alternative_annotator_test, datasets
    >>> grades = datasets.load_items("anaesthetists").ratings[:, [0, 3, 4, 5, 6]]
    >>> alternative_annotator_test(grades, 4, weights="quadratic")
    <AlternativeAnnotatorTest: rater 5 passes: won 2 of 4>
    """
    for name, value in (("epsilon", epsilon), ("false_discovery_rate", false_discovery_rate)):
        if not 0 <= value < 1:
            raise ValueError(f"{name} must be at least 0 and below 1, got {value!r}.")
    given = Ratings.of(ratings, labels, missing_codes, clusters)
    profiles = given.profiles("alternative_annotator_test")
    distances = distances_of(read_weights(given, weights), len(given.labels))
    names = list(given.rater_names or ())
    place = position_of(model, names, "rater")
    if len(names) < 3:
        raise ValueError(
            f"ratings must come from a model and at least two people, got {len(names)} raters."
        )
    codes = profiles.codes_of(np.arange(len(profiles.multiplicities)))
    people = [name for i, name in enumerate(names) if i != place]
    columns = np.delete(codes, place, axis=1)
    rows = []
    for i, name in enumerate(people):
        others = np.delete(columns, i, axis=1)
        signs, used = _signs(codes[:, place], columns[:, i], others, distances)
        rows.append(_test_of(given, name, signs, used, profiles.multiplicities, epsilon))
    n, model_wins, person_wins, p_values = np.array(rows).T
    few = [name for name, count in zip(people, n) if count < FEW_ITEMS]
    if few:
        warnings.warn(
            f"{len(few)} of {len(people)} people have fewer than {FEW_ITEMS} usable items"
            f" ({few[0]!r} has {int(n[people.index(few[0])])}). A t-test with so few items is"
            " unreliable: have more items rated.",
            stacklevel=users_stacklevel(),
        )
    wins = rejected(p_values, false_discovery_rate)
    winning_rate = float(wins.mean())
    return AlternativeAnnotatorTest(
        names[place],
        tuple(people),
        n.astype(np.int64),
        model_wins,
        person_wins,
        p_values,
        wins,
        winning_rate,
        winning_rate >= PASSING,
        float(model_wins.mean()),
        float(epsilon),
        float(false_discovery_rate),
    )


def _signs(
    model: AnyArray, person: AnyArray, others: AnyArray, distances: Floats
) -> tuple[AnyArray, AnyArray]:
    """Return the sign of each used row, and a mask of the used rows.

    The sign is 1 if the person's rating is closer to the others, -1 if the model's is, and 0 for a
    tie.
    """
    n_labels = len(distances)
    counts = np.stack([(others == label).sum(axis=1) for label in range(n_labels)], axis=1)
    used = (model < n_labels) & (person < n_labels) & counts.any(axis=1)
    far = counts[used] @ distances
    every = np.arange(len(far))
    difference = far[every, model[used]] - far[every, person[used]]
    # Tiny differences are rounding errors, which depend on the order of addition.
    difference[np.abs(difference) <= 1e-12 * far.max(initial=0.0)] = 0.0
    return np.sign(difference), used


def _test_of(
    given: Ratings,
    name: str,
    signs: AnyArray,
    used: AnyArray,
    multiplicities: AnyArray,
    epsilon: float,
) -> tuple[float, float, float, float]:
    """Return the number of items, the model's and the person's advantages, and the p-value."""
    counts = multiplicities[used]
    n = float(counts.sum())
    clusters = given.counted.clusters_of_profiles(used)
    units = n_units(n, clusters)
    if units < 2:
        what = "items" if clusters is None else "clusters with items"
        raise ValueError(
            f"the test requires at least two {what} rated by {name!r}, by the model and by another"
            f" person, got {int(units)}."
        )
    proportions = counts / n
    spread = float(variance(Influence(signs, np.abs(signs)), proportions, len(signs), clusters))
    error = math.sqrt(spread * correction(n, clusters) / n)
    apart = float(proportions @ signs) - epsilon
    model_wins, person_wins = (float(proportions @ won) for won in (signs <= 0, signs >= 0))
    if error == 0:
        return n, model_wins, person_wins, 0.0 if apart < 0 else 1.0
    half = t_two_sided_p(apart / error, units - 1) / 2
    return n, model_wins, person_wins, half if apart < 0 else 1 - half


def rejected(p_values: FloatTable, rate: float) -> AnyArray:
    """Return a mask of the hypotheses that the Benjamini-Yekutieli procedure rejects."""
    m = len(p_values)
    ranks = np.arange(1, m + 1)
    order = np.argsort(p_values)
    below = np.flatnonzero(p_values[order] <= ranks / m * rate / (1 / ranks).sum())
    found = np.zeros(m, bool)
    found[order[: below[-1] + 1 if len(below) else 0]] = True
    return found
