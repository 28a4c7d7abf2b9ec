"""Published ratings of items in clusters."""

from __future__ import annotations

import numpy as np

# Glands of 21 patients that were healthy by surgery, by PET and by SPECT (Obuchowski 1998,
# Statistics in Medicine 17, 1495-1507): how many of each patient both found healthy, PET alone,
# SPECT alone and neither. Her chi-square of these data is 2.8571.
OBUCHOWSKI = np.array(
    [
        [0, 2, 3, 1, 2, 4, 3, 2, 1, 1, 2, 2, 3, 2, 0, 2, 2, 2, 2, 1, 2],
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0],
    ]
).T


def glands() -> tuple[list[int], list[str], list[str]]:
    """Return patient, PET and SPECT of each gland of Obuchowski's patients."""
    found = ("healthy", "healthy"), ("healthy", "ill"), ("ill", "healthy"), ("ill", "ill")
    rows = [
        (patient, *found[cell])
        for patient, counts in enumerate(OBUCHOWSKI.tolist(), start=1)
        for cell, count in enumerate(counts)
        for _ in range(count)
    ]
    patients, pet, spect = zip(*rows)
    return list(patients), list(pet), list(spect)
