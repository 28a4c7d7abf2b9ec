"""A call passes through a limited number of files and functions, which must not grow."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from tests.helpers.fresh_python import ROOT

pytest.importorskip("pyarrow")
pytest.importorskip("typer")


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("walk", ROOT / "ci" / "walk.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_walks_are_no_longer_than_their_ceilings(script: Any) -> None:
    lengths = {title: script.length(stays) for title, stays in script.walks().items()}
    assert lengths.keys() == script.CEILINGS.keys()
    longer = {
        title: (found, script.CEILINGS[title])
        for title, found in lengths.items()
        if found[0] > script.CEILINGS[title][0] or found[1] > script.CEILINGS[title][1]
    }
    assert not longer


def test_a_walk_counts_each_function_once(script: Any) -> None:
    from fastkappa import kappa_from_confusion

    table = [[3, 1], [1, 3]]
    once = script.walk(lambda: kappa_from_confusion(table))
    twice = script.walk(lambda: [kappa_from_confusion(table) for _ in range(2)])
    assert script.walk(lambda: None) == []
    assert once == twice
    assert once[0].file == "statistics/kappa.py"
    assert "kappa_from_confusion" in once[0].functions
    files, functions = script.length(once)
    assert 1 < files <= functions
