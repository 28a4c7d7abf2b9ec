import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import Bins, Items, Range

def count_scores(
    items: Items, bins: Bins, table: NDArray[np.uint32], sums: Floats | None, part: Range
) -> None: ...
def range_scores(
    scores: AnyArray, bins: Bins, least: Floats, largest: Floats, part: Range
) -> None: ...
def collect_scores(
    items: Items, bins: Bins, wanted: NDArray[np.uint8], out: Items, part: Range
) -> int: ...
def group_scores(
    items: Items,
    bins: Bins,
    places: NDArray[np.int64],
    ends: NDArray[np.int64],
    out: Items,
    part: Range,
) -> int: ...
def accumulate_labels(
    codes: NDArray[np.uint16],
    weights: Floats | None,
    places: NDArray[np.int64],
    prefix: Floats,
) -> None: ...
def simd_level() -> str: ...
