"""Find the tables with the least disagreement for given margins.

For given margins, kappa is largest for the table with the least weighted disagreement. Finding this
table is a transportation problem. The first rater's margin is the supply, and the second rater's
margin is the demand.
"""

from __future__ import annotations

import math

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.tables import whole_numbers
from fastkappa.statistics.weights import Weights, disagreement_matrix


def closest_tables(tables: AnyArray, weights: Weights) -> AnyArray:
    """Return, for each table, the table with the same margins and the least weighted disagreement.

    Parameters
    ----------
    tables : ndarray of shape (..., l, l)
        Validated tables of counts or of proportions.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None
        Disagreement weights.

    Returns
    -------
    closest : ndarray of shape (..., l, l)
        The tables with the least disagreement. If ``tables`` contains whole counts, so does
        ``closest``.
    """
    matrix = disagreement_matrix(weights, tables.shape[-1])
    counts = tables if tables.dtype.kind == "f" else whole_numbers(tables)
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    if weights is None:
        return _most_agreeing(rows, columns)
    if _is_monge(matrix):
        return _in_order(rows, columns)
    pairs = zip(rows.reshape(-1, rows.shape[-1]), columns.reshape(-1, rows.shape[-1]))
    closest = [cheapest_transport(r, c, matrix) for r, c in pairs]
    return np.array(closest, counts.dtype).reshape(counts.shape)


def _most_agreeing(rows: AnyArray, columns: AnyArray) -> AnyArray:
    """Return tables with the largest possible counts on the diagonal."""
    agreeing = np.minimum(rows, columns)
    # The remaining items of each label are all in one of the two margins, so no more of them can be
    # placed on the diagonal.
    table = _in_order(rows - agreeing, columns - agreeing)
    labels = np.arange(rows.shape[-1])
    table[..., labels, labels] += agreeing
    return table


def _in_order(rows: AnyArray, columns: AnyArray) -> AnyArray:
    """Return the tables that the northwest corner rule constructs.

    In these tables, items sorted by the first rating are also sorted by the second. For Monge
    weights, tables with this property have the least disagreement.
    """
    below = np.minimum(rows.cumsum(axis=-1)[..., :, None], columns.cumsum(axis=-1)[..., None, :])
    below = np.diff(below, axis=-2, prepend=np.zeros_like(below[..., :1, :]))
    table: AnyArray = np.diff(below, axis=-1, prepend=np.zeros_like(below[..., :, :1]))
    return table


def _is_monge(costs: FloatTable) -> bool:
    """Return whether c[i, j] + c[k, l] <= c[i, l] + c[k, j] for costs c, all i < k and j < l."""
    straight = costs[:-1, :-1] + costs[1:, 1:]
    return bool((straight <= costs[:-1, 1:] + costs[1:, :-1]).all())


def cheapest_transport(rows: AnyArray, columns: AnyArray, costs: FloatTable) -> AnyArray:
    """Return the table with the given margins that minimizes ``sum(costs * table)``.

    Parameters
    ----------
    rows, columns : ndarray of shape (l,)
        Margins with the same sum.
    costs : ndarray of shape (l, l)
        Nonnegative costs, with zeros on the diagonal.

    Notes
    -----
    The problem is solved by successive shortest paths with potentials. Initially, as many items as
    possible are placed on the diagonal, at no cost. In each step, Dijkstra's algorithm finds the
    cheapest path from a row with remaining supply to a column with remaining demand, and as many
    items as possible are moved along this path.
    """
    table = np.diag(np.minimum(rows, columns))
    supply, demand = rows - table.diagonal(), columns - table.diagonal()
    row_potential, column_potential = np.zeros(len(rows)), np.zeros(len(columns))
    # If the margins are proportions, rounding leaves small remainders, which are ignored.
    negligible = 0 if supply.dtype.kind != "f" else 1e-14 * float(rows.sum())
    while (supply > negligible).any() and (demand > negligible).any():
        reduced = np.maximum(costs + row_potential[:, None] - column_potential, 0)
        to_rows, to_columns, came_from_row, came_from_column, end = _shortest_path(
            reduced, table > negligible, supply > negligible, demand > negligible
        )
        row_potential += np.minimum(to_rows, to_columns[end])
        column_potential += np.minimum(to_columns, to_columns[end])
        path = []
        column = end
        while True:
            row = came_from_row[column]
            path.append((row, column))
            column = came_from_column[row]
            if column < 0:
                break
        back = [(r, came_from_column[r]) for r, _ in path[:-1]]
        sent = min([supply[row], demand[end], *(table[cell] for cell in back)])
        for cell in path:
            table[cell] += sent
        for cell in back:
            table[cell] -= sent
        supply[row] -= sent
        demand[end] -= sent
    return table


def _shortest_path(
    lengths: FloatTable, in_use: AnyArray, starts: AnyArray, ends: AnyArray
) -> tuple[FloatTable, FloatTable, list[int], list[int], int]:
    """Return the distances and predecessors up to the nearest target, and the target's index.

    The edge from each row to each column has the length given by ``lengths``. If the cell of a row
    and a column is in use, an edge of length 0 leads from the column back to the row.
    """
    n_labels = len(lengths)
    to_rows = np.where(starts, 0.0, math.inf)
    to_columns = np.full(n_labels, math.inf)
    came_from_row, came_from_column = [-1] * n_labels, [-1] * n_labels
    open_rows, open_columns = np.ones(n_labels, bool), np.ones(n_labels, bool)
    while True:
        row = int(np.where(open_rows, to_rows, math.inf).argmin())
        column = int(np.where(open_columns, to_columns, math.inf).argmin())
        row_distance = to_rows[row] if open_rows[row] else math.inf
        if row_distance <= (to_columns[column] if open_columns[column] else math.inf):
            open_rows[row] = False
            through = row_distance + lengths[row]
            for nearer in np.flatnonzero(open_columns & (through < to_columns)):
                to_columns[nearer], came_from_row[nearer] = through[nearer], row
        else:
            if ends[column]:
                return to_rows, to_columns, came_from_row, came_from_column, column
            open_columns[column] = False
            for nearer in np.flatnonzero(
                open_rows & in_use[:, column] & (to_columns[column] < to_rows)
            ):
                to_rows[nearer], came_from_column[nearer] = to_columns[column], column
