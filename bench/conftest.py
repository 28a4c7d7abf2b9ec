"""Define the options and parameters of the plain timings."""

from __future__ import annotations

import pytest

from bench.harness import contenders, machine
from bench.harness.cases import plain_cases


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="fewer and smaller cases")


def pytest_report_header() -> list[str]:
    return [machine.in_words(machine.describe()), *contenders.left_out()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a timing with each case and every contender that supports it."""
    gives = metafunc.function.__name__.removeprefix("test_")
    pairs = [
        pytest.param(case, contender, id=f"{case} - {contender.name}")
        for case in plain_cases(quick=metafunc.config.getoption("quick"))
        for contender in contenders.contenders(gives, case)
    ]
    metafunc.parametrize(("case", "contender"), pairs)
