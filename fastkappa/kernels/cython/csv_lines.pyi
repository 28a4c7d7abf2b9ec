import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import IntTable
from fastkappa.kernels.contract import Lines

def count_lines(
    rows: NDArray[np.uint64],
    columns: NDArray[np.uint64],
    text: NDArray[np.uint8],
    lines: Lines,
    table: IntTable,
) -> int: ...
