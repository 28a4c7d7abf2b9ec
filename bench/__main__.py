"""Run all benchmarks: the plain timings, the sweep with its charts, and the targets.

python -m bench [--quick] [--readme]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from bench.harness import charts, readme_table, sweep, targets
from bench.harness.results import RESULTS

HERE = Path(__file__).parent


def time_plainly(*, quick: bool) -> None:
    """Run pytest-benchmark without the pytest options of the test suite."""
    command = [sys.executable, "-m", "pytest", str(HERE), "--override-ini=addopts="]
    command += ["--benchmark-only", "--benchmark-group-by=group", "--benchmark-sort=name"]
    command += ["--benchmark-columns=median,iqr,rounds", "--quiet"]
    command += [f"--benchmark-json={RESULTS / 'timings.json'}"]
    command += ["--benchmark-min-rounds=3", f"--benchmark-max-time={0.02 if quick else 0.5}"]
    if quick:
        command += ["--quick", "--benchmark-calibration-precision=5"]
    subprocess.run(command, cwd=HERE.parent, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a sample in under two minutes")
    parser.add_argument(
        "--readme", action="store_true", help="fill the table of the README and draw docs/images"
    )
    arguments = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    time_plainly(quick=arguments.quick)
    measured = sweep.run(quick=arguments.quick)
    charts.draw(measured, RESULTS)
    if arguments.readme:
        charts.draw(measured, charts.DOCS)
        readme_table.fill(readme_table.README, readme_table.table(measured))
    targets.run(quick=arguments.quick, only="drop-in:" if arguments.quick else "*")
    print(f"All results are in {RESULTS}.")


if __name__ == "__main__":
    main()
