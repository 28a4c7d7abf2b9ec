import numpy as np
from numpy.typing import NDArray

def largest_differences(
    rows: NDArray[np.float32],
    factors: NDArray[np.float32],
    start: int,
    largest: NDArray[np.float32],
) -> None: ...
