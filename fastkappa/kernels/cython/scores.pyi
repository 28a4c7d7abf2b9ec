import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import Bins

def count_scores(
    scores: AnyArray,
    codes: AnyArray,
    lowest: int,
    weights: Floats | None,
    bins: Bins,
    table: NDArray[np.uint32],
    sums: Floats | None,
    start: int,
    stop: int,
) -> None: ...
def range_scores(
    scores: AnyArray, bins: Bins, least: Floats, largest: Floats, start: int, stop: int
) -> None: ...
def collect_scores(
    scores: AnyArray,
    codes: AnyArray,
    lowest: int,
    n_labels: int,
    weights: Floats | None,
    bins: Bins,
    wanted: NDArray[np.uint8],
    start: int,
    stop: int,
    out: AnyArray,
    out_codes: NDArray[np.uint16],
    out_weights: Floats | None,
) -> int: ...
def group_scores(
    scores: AnyArray,
    codes: AnyArray,
    lowest: int,
    n_labels: int,
    weights: Floats | None,
    bins: Bins,
    places: NDArray[np.int64],
    ends: NDArray[np.int64],
    start: int,
    stop: int,
    out: AnyArray,
    out_codes: NDArray[np.uint16],
    out_weights: Floats | None,
) -> int: ...
def sort_items(
    scores: AnyArray, codes: AnyArray, lowest: int, n_labels: int
) -> tuple[AnyArray, NDArray[np.uint16]] | None: ...
def accumulate_labels(
    codes: NDArray[np.uint16],
    weights: Floats | None,
    places: NDArray[np.int64],
    prefix: Floats,
) -> None: ...
def simd_level() -> str: ...
