"""A script that sorts the rows of a table when a user clicks a column header."""

from __future__ import annotations

# Without JavaScript, the table keeps its order. If all defined values of a column begin with a
# number, the column is sorted numerically. Undefined values come last in both directions.
SCRIPT = """\
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    if (!head.textContent) return;
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const cell = row => row.cells[column].textContent.trim();
    const isNone = text => text === "" || text === "-";
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const rows = [...body.rows];
      const areNumbers = rows.map(cell).every(text => isNone(text) || /^-?[\\d.]/.test(text));
      const order = (a, b) => areNumbers ? parseFloat(a) - parseFloat(b)
        : a.localeCompare(b, undefined, {numeric: true});
      rows.sort((a, b) => isNone(cell(a)) - isNone(cell(b)) || sign * order(cell(a), cell(b)) || 0);
      body.append(...rows);
    });
  });
}
"""
