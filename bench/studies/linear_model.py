"""Compare KappaRegressor with scikit-learn's Ridge(solver='svd') on the same data.

    python -m bench.studies.linear_model [--quick]

First, the study checks that their coefficients are proportional. Then both are fitted alternately
in one process. A ratio below 1 means that KappaRegressor is faster.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np
from sklearn.linear_model import Ridge

from bench.harness import machine, timing
from fastkappa.estimators import KappaRegressor

AT_MOST = 1.5
ROUNDS = 15
ROUNDS_WHEN_QUICK = 5
SHAPES = (
    (100, 5),
    (1000, 20),
    (4898, 11),
    (2000, 500),
    (200, 1000),
    (100_000, 50),
    (1_000_000, 10),
)
# Each shape is timed with and without item weights. With weights, both models must rescale the
# data.
CASES = tuple((shape, weighted) for shape in SHAPES for weighted in (False, True))


def simulated(
    shape: tuple[int, int], weighted: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return features, labels 0 to 4 and item weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(1, 2, shape)
    latent = X[:, :5].sum(axis=1) / 3 + rng.normal(0, 2, len(X))
    y = np.clip(np.rint(latent), 0, 4)
    return X, y, rng.random(len(X)) if weighted else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    rounds = ROUNDS_WHEN_QUICK if parser.parse_args().quick else ROUNDS
    machine.announce()
    print("items x features        Ridge    ratio (quartiles)   at most")
    for shape, weighted in CASES:
        X, y, w = simulated(shape, weighted)
        ridge, model = Ridge(alpha=1.0, solver="svd"), KappaRegressor(alpha=1.0)
        ridge.fit(X, y, sample_weight=w)
        model.fit(X, y, sample_weight=w)
        factor = model.coef_[0] / ridge.coef_[0]
        np.testing.assert_allclose(model.coef_, factor * ridge.coef_, rtol=1e-6, atol=1e-9)
        samples = timing.measure(
            {
                "ridge": partial(ridge.fit, X, y, sample_weight=w),
                "kappa": partial(model.fit, X, y, sample_weight=w),
            },
            rounds,
        )
        seconds = samples.seconds
        ratio = samples.ratio("kappa", "ridge")
        name = f"{shape[0]} x {shape[1]}{', weights' if weighted else ''}"
        verdict = "met" if ratio.median <= AT_MOST else "MISSED"
        print(
            f"{name:<22} {np.median(seconds['ridge']) * 1e3:>7.2f} ms  {ratio.median:5.2f}"
            f" ({ratio.lower:.2f} to {ratio.upper:.2f})  {AT_MOST} {verdict}"
        )


if __name__ == "__main__":
    main()
