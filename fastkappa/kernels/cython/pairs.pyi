from fastkappa.arrays import AnyArray, FloatTable, IntTable
from fastkappa.kernels.contract import LabelHash, Lowest, Range

READS_AS_FAST: bool
MOST_ROW_LABELS: int

def count_pairs(
    first: AnyArray, second: AnyArray, lowest: Lowest, table: IntTable, part: Range
) -> None: ...
def sum_pairs(
    first: AnyArray,
    second: AnyArray,
    lowest: Lowest,
    weights: AnyArray,
    tables: tuple[IntTable, FloatTable],
    part: Range,
) -> None: ...
def sum_pairs_exactly(
    first: AnyArray,
    second: AnyArray,
    lowest: Lowest,
    weights: AnyArray,
    tables: tuple[IntTable, IntTable, IntTable],
    part: Range,
) -> None: ...
def look_up(values: AnyArray, hash: LabelHash, codes: AnyArray, part: Range) -> int: ...
def count_rows(
    first: AnyArray, matrix: AnyArray, lowest: Lowest, tables: IntTable, part: Range
) -> None: ...
def sum_moments(
    first: AnyArray, second: AnyArray, lowest: int, n_labels: int, part: Range
) -> tuple[int, int, int, int, int, int, int]: ...
def simd_level() -> str: ...
def looks_up_as_fast() -> bool: ...
def simd_levels() -> list[str]: ...
def use_simd_level(name: str, asked_by: str = "name") -> None: ...
