"""Simulate a truth and predictions that differ slightly."""

from __future__ import annotations

import numpy as np


def contest(n: int, m: int, n_labels: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return a truth and predictions with shared and separate errors, fewer in later ones."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(n_labels, n, p=np.arange(1, n_labels + 1) / sum(range(n_labels + 1)))
    hard = np.where(rng.random(n) < 0.25, rng.integers(0, n_labels, n), truth)
    wrong = rng.random((m, n)) < np.linspace(0.15, 0.1, m)[:, None]
    return truth, np.where(wrong, rng.integers(0, n_labels, (m, n)), hard)
