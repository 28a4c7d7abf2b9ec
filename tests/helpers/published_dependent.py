"""Published comparisons of two coefficients for the same subjects."""

from __future__ import annotations

# Two sets of ratings of the same 15 subjects by four raters, and the results of Gwet's R package
# pairedCAC (README, version of 2021-09-16) by the method of Gwet (2016): both coefficients, and the
# standard error and p-value of their difference.
BEFORE = [
    [1, 1, 1, 1],
    [1, 1, 2, 3],
    [1, 1, 2, 3],
    [2, 2, 2, 3],
    [1, 2, 1, 1],
    [2, 1, 1, 1],
    [2, 2, 2, 2],
    [2, 3, 2, 2],
    [3, 3, 3, 3],
    [1, 1, 1, 1],
    [1, 1, 2, 3],
    [3, 3, 3, 3],
    [3, 2, 3, 3],
    [1, 2, 1, 1],
    [2, 1, 1, 1],
]
AFTER = [
    [1, 1, 1, 1],
    [3, 3, 3, 2],
    [3, 3, 3, 3],
    [1, 1, 2, 1],
    [1, 1, 1, 1],
    [1, 1, 1, 1],
    [2, 2, 2, 2],
    [2, 2, 1, 1],
    [3, 3, 3, 3],
    [1, 1, 1, 3],
    [2, 2, 2, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [1, 2, 1, 1],
    [3, 3, 3, 3],
]
PAIRED_CAC = {
    "fleiss_kappa": ((0.7248495, 0.3856655), 0.1574322, 0.04910569),
    "gwet_ac1": ((0.737382, 0.4069193), 0.1452689, 0.03917311),
    "conger_kappa": ((0.7250859, 0.3932584), 0.1527202, 0.04745695),
    "randolph_kappa": ((0.7333333, 0.4), 0.1477342, 0.04056859),
}
# Fleiss' kappa of the first three raters in the second set minus that of all four raters in the
# first set, with the standard error and p-value of this difference.
PAIRED_CAC_THREE = (0.4085418, 0.1612858, 0.02389035)
# pairedCAC multiplies the contribution of each subject to alpha by 1 - 1 / 60, because there are 60
# ratings.
PAIRED_CAC_ALPHA = ((0.7294354, 0.3959044), 0.1548083)
