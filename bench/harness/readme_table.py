"""Fill the README's benchmark table from the latest sweep.

    python -m bench.harness.readme_table [FILE]

replaces the text between <!-- benchmark:begin --> and <!-- benchmark:end -->.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from bench.harness import machine, results, timing

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- benchmark:begin -->", "<!-- benchmark:end -->"
COLUMNS = ("scikit-learn", "np.bincount", "njit loop", "boost-histogram", "torchmetrics")


def table(sweep: dict[str, Any]) -> str:
    """Return the table, followed by a description of the machine and the versions."""
    rows = [row for row in sweep["sizes"] if "seconds" in row]
    cases = list(dict.fromkeys((row["case"]["dtype"], row["case"]["n"]) for row in rows))
    peers = [name for name in COLUMNS if any(row["name"] == name for row in rows)]
    lines = [
        "| dtype | items | fastkappa | " + " | ".join(f"× {name}" for name in peers) + " | eff |",
        "|---|--:|--:|" + "--:|" * (len(peers) + 1),
    ]
    for dtype, n in cases:
        named = {r["name"]: r for r in rows if (r["case"]["dtype"], r["case"]["n"]) == (dtype, n)}
        own = named["fastkappa"]
        cells = [
            dtype,
            f"{n:,}".replace(",", " "),
            _with_unit(timing.summary(own["seconds"]).median),
        ]
        for name in peers:
            if name in named:
                ratio = timing.summary(timing.ratios(named[name]["seconds"], own["seconds"]))
                cells.append(_digits(ratio.median))
            else:
                cells.append("")
        # With fewer than a million items, most of the time is the cost of the call, not of reading,
        # so the efficiency is left out.
        eff = timing.summary(own["efficiency"]).median
        cells.append(f"{eff:.2f}" if n >= 10**6 else "")
        lines.append("| " + " | ".join(cells) + " |")
    n_labels = rows[0]["case"]["n_labels"]
    notes = [
        "",
        "The table shows how long `cohen_kappa_score` takes to compute quadratic kappa for two"
        f" raters and {n_labels} labels. The columns with × show how many times as long the other"
        " functions take. The efficiency, eff, is the time needed to read both arrays once,"
        " divided by the time that `cohen_kappa_score` takes. Each ratio is a median over"
        " interleaved timings, except that calls to scikit-learn that take seconds are timed only"
        " once.",
        "",
        machine.in_words(sweep["machine"]) + (" A quick run." if sweep["quick"] else ""),
    ]
    return "\n".join([*lines, *notes])


def fill(readme: Path, text: str) -> None:
    """Write the text between the markers."""
    before, begin, rest = readme.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{readme}: the lines {BEGIN} and {END} are missing")
    readme.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def _digits(value: float) -> str:
    """Return a number as text, rounded to about two significant digits."""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.995 else f"{value:.2f}"


def _with_unit(seconds: float) -> str:
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{_digits(seconds / size)} {unit}"
    raise AssertionError


def main() -> None:
    sweep = results.read("sweep")
    fill(Path(sys.argv[1]) if len(sys.argv) > 1 else README, table(sweep))


if __name__ == "__main__":
    main()
