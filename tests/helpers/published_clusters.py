"""Published ratings of items in clusters."""

from __future__ import annotations

import numpy as np

# Glands that surgery found healthy in 21 patients (Obuchowski 1998, Statistics in Medicine 17,
# 1495-1507). For each patient, the numbers of glands found healthy by both PET and SPECT, by PET
# only, by SPECT only, and by neither. The paper's chi-square for these data is 2.8571.
OBUCHOWSKI = np.array(
    [
        [0, 2, 3, 1, 2, 4, 3, 2, 1, 1, 2, 2, 3, 2, 0, 2, 2, 2, 2, 1, 2],
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0],
    ]
).T


def glands() -> tuple[list[int], list[str], list[str]]:
    """Return the patient, the PET result and the SPECT result of each gland."""
    found = ("healthy", "healthy"), ("healthy", "ill"), ("ill", "healthy"), ("ill", "ill")
    rows = [
        (patient, *found[cell])
        for patient, counts in enumerate(OBUCHOWSKI.tolist(), start=1)
        for cell, count in enumerate(counts)
        for _ in range(count)
    ]
    patients, pet, spect = zip(*rows)
    return list(patients), list(pet), list(spect)
