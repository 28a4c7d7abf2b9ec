"""Measurements that were published, and figures of them that were."""

from __future__ import annotations

# Shrout and Fleiss (1979), table 2: six subjects, four judges. Their text gives the correlations
# .17, .29, .71, .44, .62 and .91, and table 3 the mean squares 11.24, 6.26, 32.49 and 1.02.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]

# Bland and Altman (1986), table 1: peak expiratory flow of 17 people in l/min, the first
# measurement by a Wright meter and by a mini Wright meter.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
