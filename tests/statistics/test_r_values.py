"""The stored figures of R packages, compared with those of fastkappa."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement_from_confusion
from fastkappa.statistics.indices import bangdiwala_b
from tests.helpers.r_values import SQUARE, STORED, VERSIONS, WEIGHTED

SCRIPT = Path(__file__).parents[2] / "ci" / "r_values.R"


def test_stored_figures_are_those_of_r() -> None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("there is no R here: the stored figures are not compared with fresh ones")
    ran = subprocess.run([rscript, SCRIPT], capture_output=True, text=True)
    if "there is no package called" in ran.stderr:
        pytest.skip(f"R has not all packages that {SCRIPT.name} needs: {ran.stderr.splitlines()}")
    assert ran.returncode == 0, ran.stderr
    fresh, stored = json.loads(ran.stdout), json.loads(STORED.read_text())
    if fresh.pop("versions") != stored.pop("versions"):
        pytest.skip(f"the stored figures are those of {VERSIONS}, which R has not")
    ours, theirs = dict(leaves(stored)), dict(leaves(fresh))
    assert ours.keys() == theirs.keys(), "run Rscript ci/r_values.R > tests/helpers/r_values.json"
    for path, value in theirs.items():
        assert ours[path] == pytest.approx(value, rel=1e-9, abs=1e-12), path


def leaves(values: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every number with the path of keys and positions that leads to it."""
    if not isinstance(values, (dict, list)):
        yield path, values
        return
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        yield from leaves(value, (*path, key))


@pytest.mark.parametrize("name", SQUARE)
def test_kappa_of_vcd_and_psych(name: str) -> None:
    table, values = SQUARE[name]["data"], SQUARE[name]["values"]
    for weights in ("linear", "quadratic"):
        of_vcd = values[f"vcd::Kappa {weights}"]
        for part, given in (("unweighted", None), ("weighted", weights)):
            result = agreement_from_confusion(table, weights=given)
            assert result.kappa == pytest.approx(of_vcd[part]["value"], rel=1e-12)
            assert result.standard_error == pytest.approx(of_vcd[part]["error"], rel=1e-12)
    result = agreement_from_confusion(table)
    of_psych = values["psych::cohen.kappa"]
    # psych 2.2.9 has another error for weighted kappa, which depends on the weights' scale.
    assert result.kappa == pytest.approx(of_psych["kappa"], rel=1e-12)
    assert result.standard_error == pytest.approx(of_psych["error"], rel=1e-12)
    quadratic = agreement_from_confusion(table, weights="quadratic")
    assert quadratic.kappa == pytest.approx(of_psych["quadratic"], rel=1e-12)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_kappa_of_vcd_and_psych(name: str) -> None:
    data, values = WEIGHTED[name]["data"], WEIGHTED[name]["values"]
    table, weights = data["table"], np.array(data["weights"])
    result = agreement_from_confusion(table, weights=weights)
    assert result.kappa == pytest.approx(values["psych::cohen.kappa"]["weighted"], rel=1e-12)
    of_vcd = values["vcd::Kappa"]["weighted"]
    if (weights == weights.T).all():
        assert result.kappa == pytest.approx(of_vcd["value"], rel=1e-12)
        assert result.standard_error == pytest.approx(of_vcd["error"], rel=1e-12)
    else:
        # vcd 1.4.11 transposes them only in the expected agreement.
        expected = result.expected_table
        kappa = 1 - (weights * result.table).sum() / (weights.T * expected).sum()
        assert kappa == pytest.approx(of_vcd["value"], rel=1e-12)


@pytest.mark.parametrize("name", SQUARE)
def test_bangdiwala_of_vcd(name: str) -> None:
    table, of_vcd = SQUARE[name]["data"], SQUARE[name]["values"]["vcd::agreementplot"]
    assert bangdiwala_b(table) == pytest.approx(of_vcd["b"], rel=1e-12)
    weighted = bangdiwala_b(table, of_vcd["weights"])
    assert weighted == pytest.approx(of_vcd["weighted_b"], rel=1e-12)


def test_indices_of_two_labels_in_epi_kappa() -> None:
    table, of_epi = SQUARE["approval"]["data"], SQUARE["approval"]["values"]["epiR::epi.kappa"]
    result = agreement_from_confusion(table)
    assert result.kappa == pytest.approx(of_epi["kappa"]["est"], rel=1e-12)
    # epi.kappa's method "cohen" uses the cruder error of textbooks.
    assert result.textbook_standard_error == pytest.approx(of_epi["kappa"]["se"], rel=1e-12)
    assert result.prevalence_index == pytest.approx(of_epi["pindex"]["est"], rel=1e-12)
    assert result.bias_index == pytest.approx(of_epi["bindex"]["est"], rel=1e-12)
    assert result.pabak == pytest.approx(of_epi["pabak"]["est"], rel=1e-12)
    assert result.observed_agreement == pytest.approx(of_epi["prop.agree"]["obs"], rel=1e-12)
