"""A table of counts as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fastkappa.engines.counted import SourceCounts
from fastkappa.formatting import printable
from fastkappa.results import number_text

# A larger table is not readable.
LARGEST_PRINTED = 30
# In a larger table most cells are 0; dots are easier to skip.
LARGEST_WITH_ZEROS = 10
TOO_LARGE = "The table of {} labels is too large to be read here: --format json has it."
LONGEST_ROW_HEAD = 32
LONGEST_COLUMN_HEAD = 16
BETWEEN_COLUMNS = 2


def table_lines(
    counted: SourceCounts, columns_counted: tuple[str, str], console: Any
) -> Iterator[Any]:
    """Yield the lines of a table of counts, in blocks that fit the terminal."""
    from rich.text import Text

    n_labels = len(counted.labels)
    if n_labels > LARGEST_PRINTED:
        yield Text(f" {TOO_LARGE.format(n_labels)}\n")
        return
    rows, columns = (_shortened(name, LONGEST_COLUMN_HEAD) for name in columns_counted)
    labels = [*counted.labels.tolist(), "total"]
    row_heads = [_shortened(label, LONGEST_ROW_HEAD) for label in labels]
    column_heads = [_shortened(label, LONGEST_COLUMN_HEAD) for label in labels]
    sums = [[*row, sum(row)] for row in counted.table.tolist()]
    sums.append([sum(column) for column in zip(*sums)])
    counts = [[number_text(count) for count in row] for row in sums]
    zero = "0" if n_labels <= LARGEST_WITH_ZEROS else "."
    margin = max(_width(text) for text in (rows, *row_heads))
    widths = [
        max(_width(head), *map(len, column)) for head, column in zip(column_heads, zip(*counts))
    ]
    rule = "-" if console.options.ascii_only else "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
    for block in _blocks(widths, console.width - margin - 1):
        line = Text(" " * (margin + 1 + BETWEEN_COLUMNS))
        yield line.append(columns, style="italic")
        line = Text(" ").append(_padded(rows, margin), style="italic")
        for j in block:
            head = _padded(column_heads[j], BETWEEN_COLUMNS + widths[j], right=True)
            line.append(head, style="bold")
        yield line
        yield Text(" " + rule * (line.cell_len - 1), style="dim")
        for i, row in enumerate(counts):
            line = Text(" ").append(_padded(row_heads[i], margin), style="bold")
            for j in block:
                is_zero = row[j] == "0"
                style = "bold" if i == j < n_labels else "dim" if is_zero else ""
                cell = zero if is_zero else row[j]
                line.append(f"{cell:>{BETWEEN_COLUMNS + widths[j]}}", style=style)
            yield line
        yield Text()


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the columns that fit side by side, at least one at a time."""
    block: list[int] = []
    used = 0
    for j, width in enumerate(widths):
        if block and used + BETWEEN_COLUMNS + width > room:
            yield block
            block, used = [], 0
        block.append(j)
        used += BETWEEN_COLUMNS + width
    yield block


def _shortened(value: Any, longest: int) -> str:
    from rich.cells import set_cell_size

    text = printable(value)
    return text if _width(text) <= longest else set_cell_size(text, longest - 3) + "..."


def _padded(text: str, width: int, right: bool = False) -> str:
    padding = " " * (width - _width(text))
    return padding + text if right else text + padding


def _width(text: str) -> int:
    """Return the number of terminal cells of a text: some characters take two."""
    from rich.cells import cell_len

    return cell_len(text)
