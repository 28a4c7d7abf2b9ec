"""Published ratings by several raters, with published figures."""

from __future__ import annotations

from fractions import Fraction

# Fleiss (1971): 30 patients, 6 psychiatrists, 5 diagnoses; rows are patients. Light's and Conger's
# kappa treat the columns as raters.
DIAGNOSES = [
    [4, 4, 4, 4, 4, 4],
    [2, 2, 2, 5, 5, 5],
    [2, 3, 3, 3, 3, 5],
    [5, 5, 5, 5, 5, 5],
    [2, 2, 2, 4, 4, 4],
    [1, 1, 3, 3, 3, 3],
    [3, 3, 3, 3, 5, 5],
    [1, 1, 3, 3, 3, 4],
    [1, 1, 4, 4, 4, 4],
    [5, 5, 5, 5, 5, 5],
    [1, 4, 4, 4, 4, 4],
    [1, 2, 4, 4, 4, 4],
    [2, 2, 2, 3, 3, 3],
    [1, 4, 4, 4, 4, 4],
    [2, 2, 4, 4, 4, 5],
    [3, 3, 3, 3, 3, 5],
    [1, 1, 1, 4, 5, 5],
    [1, 1, 1, 1, 1, 2],
    [2, 2, 4, 4, 4, 4],
    [1, 3, 3, 5, 5, 5],
    [5, 5, 5, 5, 5, 5],
    [2, 4, 4, 4, 4, 4],
    [2, 2, 4, 5, 5, 5],
    [1, 1, 4, 4, 4, 4],
    [1, 4, 4, 4, 4, 5],
    [2, 2, 2, 2, 2, 4],
    [1, 1, 1, 1, 5, 5],
    [2, 2, 4, 4, 4, 4],
    [1, 3, 3, 3, 3, 3],
    [5, 5, 5, 5, 5, 5],
]
# Computed by statsmodels.
DIAGNOSES_FLEISS = 0.43024452006014074
DIAGNOSES_RANDOLPH = 0.4444444444444443
# Printed by R's irr.
DIAGNOSES_IRR = {"fleiss": 0.43024452006, "conger": 0.441808540329, "light": 0.459412144435}
DIAGNOSES_Z = 17.651830583
DIAGNOSES_BY_LABEL = [0.245, 0.245, 0.52, 0.471, 0.566]

# Krippendorff (2011), also used by Gwet (2014): 12 units, 4 observers, 5 values. Rows are units.
RELIABILITY_DATA = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]
# Krippendorff prints three digits.
RELIABILITY_ALPHA = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
RELIABILITY_NOMINAL = Fraction(113, 152)
# As printed by irrCAC: the coefficient and standard error with five digits, and the lower limit of
# the interval.
RELIABILITY_IRRCAC = {
    "gwet_ac1": (0.77544, 0.14295, 0.46081),
    "fleiss_kappa": (0.76117, 0.15302, 0.42438),
    "conger_kappa": (0.76282, 0.14917, 0.43450),
    "randolph_kappa": (0.77273, 0.14472, 0.45421),
}

# Wikipedia's worked example of Fleiss' kappa: 10 subjects, 14 raters, 5 categories.
WORKED_COUNTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
WORKED_FLEISS = 0.210

# Dawid and Skene (1979), table 1: five anaesthetists graded the fitness of 45 patients from 1 to 4.
# The first three digits of each string are the first anaesthetist's, who graded each patient three
# times.
# fmt: off
ANAESTHETISTS = [
    "1111111", "3334334", "1122122", "2223121", "2223222", "2223322", "1222111", "3333433",
    "2222223", "2322223", "4444444", "2223343", "1111111", "2223212", "1211111", "1112111",
    "1111111", "1111111", "2222221", "2221322", "2222222", "2222221", "2223222", "2212222",
    "1111111", "1111111", "2322222", "1111111", "1111111", "1121121", "1111111", "3333233",
    "1111111", "2222222", "2223232", "4334343", "2212232", "2323233", "3333432", "1111111",
    "1111111", "1212111", "2322222", "1211111", "2222222",
]
# fmt: on
