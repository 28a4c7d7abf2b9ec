"""Published measurements, with published figures for them."""

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

# Bland and Altman (1986), table 1: peak expiratory flow of 17 people in l/min. Two readings with a
# Wright meter, and the first reading with a mini Wright meter.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
WRIGHT_AGAIN = [490, 397, 512, 401, 470, 611, 415, 431, 638, 429, 420, 633, 275, 492, 165, 372, 421]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]

# Bland and Altman (1999), table 4, and (2007), table 1: twelve patients measured by radionuclide
# ventriculography and by impedance cardiography, in pairs, while the true value changes. The papers
# call the measurements ejection fractions. The R packages MethComp (`cardiac`) and BAtrending
# (`CO`) contain the same numbers as cardiac output.
EJECTION = [
    [(7.83, 6.57), (7.42, 5.62), (7.89, 6.9), (7.12, 6.57), (7.88, 6.35)],
    [(6.16, 4.06), (7.26, 4.29), (6.71, 4.26), (6.54, 4.09)],
    [(4.75, 4.71), (5.24, 5.5), (4.86, 5.08), (4.78, 5.02), (6.05, 6.01), (5.42, 5.67)],
    [(4.21, 4.14), (3.61, 4.2), (3.72, 4.61), (3.87, 4.68), (3.92, 5.04)],
    [(3.13, 3.03), (2.98, 2.86), (2.85, 2.77), (3.17, 2.46), (3.09, 2.32), (3.12, 2.43)],
    [(5.92, 5.9), (6.42, 5.81), (5.92, 5.7), (6.27, 5.76)],
    [(7.13, 5.09), (6.62, 4.63), (6.58, 4.61), (6.93, 5.09)],
    [(4.54, 4.72), (4.81, 4.61), (5.11, 4.36), (5.29, 4.2), (5.39, 4.36), (5.57, 4.2)],
    [(4.48, 3.17), (4.92, 3.12), (3.97, 2.96)],
    [(4.22, 4.35), (4.65, 4.62), (4.74, 3.16), (4.44, 3.53), (4.5, 3.53)],
    [(6.78, 7.2), (6.07, 6.09), (6.52, 7.0), (6.42, 7.1), (6.41, 7.4), (5.76, 6.8)],
    [(5.06, 4.5), (4.72, 4.2), (4.9, 3.8), (4.8, 3.8), (4.9, 4.2), (5.1, 4.5)],
]
