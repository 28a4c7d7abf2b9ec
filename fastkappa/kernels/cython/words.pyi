import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.kernels.contract import Lines, WordTable

def pack_characters(characters: NDArray[np.uint32], packed: NDArray[np.uint8]) -> bool: ...
def pack_bytes(ends: AnyArray, data: NDArray[np.uint8], packed: NDArray[np.uint8]) -> None: ...
def find_words(table: WordTable, words: NDArray[np.uint64], found: NDArray[np.int64]) -> None: ...
def put_words(table: WordTable, found: NDArray[np.int64]) -> None: ...
def place_numbers(
    table: WordTable,
    text: NDArray[np.uint8],
    lines: Lines,
    ids_are_numbers: bool,
    numbers: NDArray[np.int64],
) -> bool: ...
def count_lines(
    rows: WordTable, columns: WordTable, text: NDArray[np.uint8], lines: Lines, table: IntTable
) -> int: ...
