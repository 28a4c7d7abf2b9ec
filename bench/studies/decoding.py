"""Compare decoded class probabilities with the most likely labels and rounded regressions.

    python -m bench.studies.decoding [FOLDER] [--quick] [--speed]

The study uses the real data sets of `bench.harness.ordinal_data`: thirteen, and two more if FOLDER
contains their files. A quarter of each data set is held out, and small data sets are divided twice.
Boosted trees, as a classifier and as a regressor of label positions, predict the training items out
of fold. Then they are fitted to all training items and predict the held-out quarter. KappaDecoder
and KappaRounder are fitted to the out-of-fold predictions. The figures are quadratic kappas for the
held-out quarter. The first column is the kappa of the regressor with KappaRounder, and the other
columns are differences from it, in units of 0.0001. The last two lines show the means over data
sets and their standard errors.

--speed only prints the time to decode ten million items, relative to that of NumPy's argmax.
"""

from __future__ import annotations

import argparse
import tracemalloc
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split

from bench.harness import machine, timing
from bench.harness.ordinal_data import Items, ordinal_data
from fastkappa import cohen_kappa_score, decode_probabilities
from fastkappa.estimators import KappaDecoder, KappaRounder

# Data sets with fewer than SMALL items are divided N_SPLITS_OF_SMALL times, because a quarter of
# their items is too small a test set. Other data sets are divided N_SPLITS times.
SMALL, N_SPLITS_OF_SMALL, N_SPLITS = 1000, 2, 1
QUICK = ("diabetes", "schools", "party")
ONE_THREAD: dict[str, Any] = {
    "n_estimators": 100,
    "learning_rate": 0.05,
    "n_jobs": 1,
    "random_state": 0,
}
CALIBRATIONS = (None, "temperature", "sigmoid", "isotonic")
BASELINE = "regression, rounded"


class Predictions(NamedTuple):
    """The labels, probabilities and regression scores of training items and of new items."""

    y: np.ndarray
    probabilities: np.ndarray
    scores: np.ndarray
    new_y: np.ndarray
    new_probabilities: np.ndarray
    new_scores: np.ndarray


def models() -> dict[str, tuple[Any, Any]]:
    """Return a classifier and a regressor for each installed library, keyed by its name."""
    found: dict[str, tuple[Any, Any]] = {}
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier, LGBMRegressor

        trees = {"num_leaves": 15, "verbosity": -1, **ONE_THREAD}
        found["LightGBM"] = LGBMClassifier(**trees), LGBMRegressor(**trees)
    if find_spec("xgboost"):
        from xgboost import XGBClassifier, XGBRegressor

        trees = {"max_depth": 4, **ONE_THREAD}
        found["XGBoost"] = XGBClassifier(**trees), XGBRegressor(**trees)
    if not found:
        print("Neither LightGBM nor XGBoost is installed, so scikit-learn's trees are used.")
        trees = {"max_leaf_nodes": 15, "learning_rate": 0.05, "random_state": 0}
        pair = HistGradientBoostingClassifier(**trees), HistGradientBoostingRegressor(**trees)
        found["scikit-learn"] = pair
    return found


def predict(items: Items, pair: tuple[Any, Any], seed: int) -> Predictions:
    """Return the predictions of both models, out of fold and for the held-out quarter."""
    X, new_X, y, new_y = train_test_split(
        *items, test_size=0.25, stratify=items[1], random_state=seed
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    outputs = []
    for model, method in zip(pair, ("predict_proba", "predict")):
        inside = cross_val_predict(model, X, y, cv=folds, method=method)
        outputs.append((inside, getattr(model.fit(X, y), method)(new_X)))
    (probabilities, new_probabilities), (scores, new_scores) = outputs
    return Predictions(y, probabilities, scores, new_y, new_probabilities, new_scores)


def test_kappas(found: Predictions) -> dict[str, float]:
    """Return the kappa of each method for the held-out items."""
    labels = range(found.probabilities.shape[1])
    rounder = KappaRounder(cv=None, labels=labels)
    given = {
        BASELINE: rounder.fit(found.scores, found.y).predict(found.new_scores),
        "likeliest": found.new_probabilities.argmax(axis=1),
    }
    for calibration in CALIBRATIONS:
        decoder = KappaDecoder(labels=labels, calibration=calibration)
        decoder.fit(found.probabilities, found.y)
        given[calibration or "as they are"] = decoder.predict(found.new_probabilities)
    return {
        name: cohen_kappa_score(found.new_y, labels_given, labels=labels, weights="quadratic")
        for name, labels_given in given.items()
    }


def compare(data: dict[str, Items], quick: bool) -> None:
    """Print one line per data set and model, and the means over data sets."""
    methods = ["likeliest", *(calibration or "as they are" for calibration in CALIBRATIONS)]
    print(f"{'':<40}decoded:\n{'':<30}{BASELINE:>19}" + "".join(f"{m:>13}" for m in methods))
    differences: dict[str, list[np.ndarray]] = {name: [] for name in data}
    for library, pair in models().items():
        print(library)
        for name, items in data.items():
            small = len(items[1]) < SMALL and not quick
            n_splits = N_SPLITS_OF_SMALL if small else N_SPLITS
            found = [test_kappas(predict(items, pair, seed)) for seed in range(n_splits)]
            kappas = np.array([[each[m] for m in (BASELINE, *methods)] for each in found])
            mean = kappas.mean(axis=0)
            differences[name].append(mean[1:] - mean[0])
            print(
                f"  {name:<20}n = {len(items[1]):<6}{mean[0]:>17.4f}"
                + "".join(f"{d * 1e4:>13.0f}" for d in mean[1:] - mean[0]),
                flush=True,
            )
    # The differences of several models for the same data set are not independent, so only their
    # mean is used.
    means = np.array([np.mean(each, axis=0) for each in differences.values()]) * 1e4
    error = means.std(axis=0, ddof=1) / np.sqrt(len(means))
    print(
        f"{f'mean of {len(means)} data sets':<49}" + "".join(f"{m:>13.0f}" for m in means.mean(0))
    )
    print(f"{'standard error':<49}" + "".join(f"{e:>13.0f}" for e in error))


def compare_speed(n_items: int, rounds: int) -> None:
    """Print the time of decoding relative to that of argmax, and the peak memory of decoding."""
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.float32):
        probabilities = rng.dirichlet(np.full(5, 0.7), n_items).astype(dtype)
        for weights in ("quadratic", None):
            decode = partial(decode_probabilities, probabilities, weights=weights)
            calls = {"decode": decode, "argmax": partial(probabilities.argmax, axis=1)}
            samples = timing.measure(calls, rounds)
            ratio = samples.ratio("decode", "argmax")
            tracemalloc.start()
            decode()
            peak = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
            print(
                f"{n_items} x 5 {np.dtype(dtype).name}, weights {weights}:"
                f" {np.median(samples.seconds['decode']):.2f} s, {ratio.median:.2f} x argmax"
                f" [{ratio.lower:.2f}, {ratio.upper:.2f}], peak {peak:.0f} MB, including"
                f" {8 * n_items / 2**20:.0f} MB for the labels",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--speed", action="store_true")
    arguments = parser.parse_args()
    machine.announce(times=arguments.speed)
    if arguments.speed:
        compare_speed(*((10**6, 3) if arguments.quick else (10**7, 5)))
        return
    data = ordinal_data(arguments.folder)
    if arguments.quick:
        data = {name: data[name] for name in QUICK}
    with warnings.catch_warnings():
        # scikit-learn warns if a label has fewer items than there are folds.
        warnings.filterwarnings("ignore", module="sklearn")
        compare(data, arguments.quick)


if __name__ == "__main__":
    main()
