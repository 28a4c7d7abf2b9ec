from typing import Any

from fastkappa.arrays import AnyArray, Floats, FloatTable
from fastkappa.kernels.contract import GroupedItems

def search_cuts(
    prefix: FloatTable,
    matrix: FloatTable,
    chance: Floats,
    ratio: Floats,
    positions: AnyArray,
    known: bool,
) -> int: ...
def build_evaluator(
    items: GroupedItems, matrix: FloatTable, chance: Floats, total: float, caller: Any
) -> Evaluator | None: ...
def simd_level() -> str: ...

class Evaluator:
    def __call__(self, thresholds: AnyArray) -> float: ...
    def many(self, thresholds: FloatTable, kappas: Floats) -> None: ...
