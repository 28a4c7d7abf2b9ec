"""The names the package gives to its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]
IntTable = NDArray[np.int64]
FloatTable = NDArray[np.float64]
Floats = NDArray[np.float64]
