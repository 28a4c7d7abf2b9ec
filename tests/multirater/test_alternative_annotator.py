"""The alternative annotator test, compared with its definition, scipy and statsmodels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fastkappa import Ratings, alternative_annotator_test, datasets
from fastkappa.multirater.alternative_annotator import rejected

GRADES = datasets.load_items("anaesthetists").ratings[:, [0, 3, 4, 5, 6]].astype(float)
Score = Callable[[float, list[float]], float]


def accuracy(rating: float, others: list[float]) -> float:
    return float(np.mean([rating == other for other in others]))


def negative_rmse(rating: float, others: list[float]) -> float:
    return -float(np.sqrt(np.mean([(rating - other) ** 2 for other in others])))


def by_definition(
    rows: np.ndarray, epsilon: float, rate: float, score: Score
) -> tuple[list[float], float, float]:
    """Return p of each person, the winning rate and the mean advantage; the model is last."""
    stats = pytest.importorskip("scipy.stats")
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p_values, advantages = [], []
    n_people = rows.shape[1] - 1
    for person in range(n_people):
        apart, wins = [], []
        for row in rows:
            others = [row[i] for i in range(n_people) if i != person and not np.isnan(row[i])]
            if others and not np.isnan(row[person]) and not np.isnan(row[-1]):
                of_model, of_person = score(row[-1], others), score(row[person], others)
                wins.append(of_model >= of_person)
                apart.append(int(of_person >= of_model) - int(of_model >= of_person))
        p_values.append(stats.ttest_1samp(apart, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(wins))
    won = multitest.multipletests(p_values, rate, method="fdr_by")[0]
    return p_values, float(won.mean()), float(np.mean(advantages))


@pytest.mark.parametrize(("weights", "score"), [(None, accuracy), ("quadratic", negative_rmse)])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_the_definition(weights: None, score: Score, epsilon: float, missing: float) -> None:
    gone = np.random.default_rng(1).random(GRADES.shape) < missing
    rows = np.where(gone, np.nan, GRADES)
    p_values, winning_rate, advantage = by_definition(rows, epsilon, 0.05, score)
    found = alternative_annotator_test(rows, 4, epsilon=epsilon, weights=weights)
    assert found.p_values == pytest.approx(p_values, rel=1e-9)
    assert found.winning_rate == pytest.approx(winning_rate)
    assert found.passes == (winning_rate >= 0.5)
    assert found.advantage_probability == pytest.approx(advantage)


def test_long_ratings_and_names() -> None:
    item, rater = np.indices(GRADES.shape).reshape(2, -1)
    names = np.array(["w", "x", "y", "z", "model"])[rater]
    long = Ratings.from_long(item=item, rater=names, rating=GRADES.astype(int).ravel())
    found = alternative_annotator_test(long, "model")
    direct = alternative_annotator_test(GRADES, 4)
    assert found.rater_names == ("w", "x", "y", "z")
    assert found.p_values == pytest.approx(direct.p_values)
    assert found.n.tolist() == [45] * 4


def test_clusters_of_equal_items_are_one_item_each() -> None:
    twice, of = np.repeat(GRADES, 2, axis=0), np.repeat(np.arange(len(GRADES)), 2)
    alone = alternative_annotator_test(GRADES, 4)
    assert alternative_annotator_test(twice, 4, clusters=of).p_values == pytest.approx(
        alone.p_values
    )
    assert (alternative_annotator_test(twice, 4).p_values != alone.p_values).all()


@pytest.mark.filterwarnings("ignore:rater 1 and rater 5 agree on all")
def test_a_model_that_copies_a_person_never_loses() -> None:
    rows = np.c_[GRADES[:, :4], GRADES[:, 0]]
    found = alternative_annotator_test(rows, 4)
    assert found.model_advantage[0] == found.person_advantage[0] == 1
    # Without a difference there is no error: the model is certainly within the margin.
    assert found.p_values[0] == 0
    assert alternative_annotator_test(rows, 4, epsilon=0).p_values[0] == 1


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.3])
def test_benjamini_and_yekutieli(rate: float) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    random = np.random.default_rng(0)
    for m in (1, 2, 5, 13):
        p_values = random.random(m) ** 4
        expected = multitest.multipletests(p_values, rate, method="fdr_by")[0]
        assert rejected(p_values, rate).tolist() == expected.tolist()


def test_few_items_are_warned_of_and_refusals() -> None:
    with pytest.warns(UserWarning, match="4 of 4 people have fewer than 30 usable items"):
        alternative_annotator_test(GRADES[:20], 4)
    for arguments, message in (
        ({"model": "gpt"}, "no rater is named 'gpt'"),
        ({"model": 4, "epsilon": 1.5}, "epsilon must be at least 0 and below 1"),
    ):
        with pytest.raises((KeyError, ValueError), match=message):
            alternative_annotator_test(GRADES, **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a model and at least two people"):
        alternative_annotator_test(GRADES[:, :2], 1)
    alone = GRADES.copy()
    alone[2:, 0] = np.nan
    alone[1, 1:4] = np.nan
    with pytest.raises(
        ValueError, match="rated by 'rater 1', by the model and by another person, got 1"
    ):
        alternative_annotator_test(alone, 4)
