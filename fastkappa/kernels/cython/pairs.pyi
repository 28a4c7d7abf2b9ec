from fastkappa.arrays import AnyArray, FloatTable, IntTable
from fastkappa.kernels.contract import LabelHash

READS_AS_FAST: bool
MOST_ROW_LABELS: int

def count_pairs(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    table: IntTable,
    start: int,
    stop: int,
) -> None: ...
def sum_pairs(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    weights: AnyArray,
    counts: IntTable,
    table: FloatTable,
    start: int,
    stop: int,
) -> None: ...
def sum_pairs_exactly(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    weights: AnyArray,
    counts: IntTable,
    high: IntTable,
    low: IntTable,
    start: int,
    stop: int,
) -> None: ...
def look_up(values: AnyArray, hash: LabelHash, codes: AnyArray, start: int, stop: int) -> int: ...
def count_rows(
    first: AnyArray,
    lowest_first: int,
    matrix: AnyArray,
    lowest_second: int,
    tables: IntTable,
    start: int,
    stop: int,
) -> None: ...
def sum_moments(
    first: AnyArray, second: AnyArray, lowest: int, n_labels: int, start: int, stop: int
) -> tuple[int, int, int, int, int, int, int]: ...
def simd_level() -> str: ...
def looks_up_as_fast() -> bool: ...
def simd_levels() -> list[str]: ...
def use_simd_level(name: str, asked_by: str = "name") -> None: ...
