"""The stubs and protocols of compiled modules match the modules."""

from __future__ import annotations

import ast
import importlib
import inspect
from operator import attrgetter
from pathlib import Path

import pytest

import fastkappa
from fastkappa.kernels import contract, dispatch

PACKAGE = Path(fastkappa.__file__).parent
STUBS = sorted(PACKAGE.rglob("*.pyi"))
pytestmark = pytest.mark.skipif(
    dispatch.why_missing("cython") is not None,
    reason=f"backend cython is missing: {dispatch.why_missing('cython')}",
)


def parameters_of(body: list[ast.stmt], prefix: str = "") -> dict[str, list[str]]:
    """Return the parameters of each function in a stub, and of each method with a name."""
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found |= parameters_of(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            arguments = [*node.args.args, *node.args.kwonlyargs]
            if "property" not in map(ast.unparse, node.decorator_list):
                found[prefix + node.name] = [argument.arg for argument in arguments]
    return found


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.stem)
def test_stubs_and_modules_agree(stub: Path) -> None:
    name = ".".join(stub.relative_to(PACKAGE.parent).with_suffix("").parts)
    module, tree = importlib.import_module(name), ast.parse(stub.read_text())
    functions = parameters_of(tree.body)
    for path, parameters in functions.items():
        function = attrgetter(path)(module)
        if not inspect.isbuiltin(function):  # These do not report their parameters.
            assert list(inspect.signature(function).parameters) == parameters, path
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    own = {key for key, value in vars(module).items() if getattr(value, "__module__", "") == name}
    assert {key for key in own if not key.startswith("__")} <= functions.keys() | classes


@pytest.mark.parametrize(
    ("subject", "protocol"),
    [
        ("pairs", contract.PairKernels),
        ("scores", contract.ScoreKernels),
        ("csv_lines", contract.CsvLineKernels),
    ],
)
def test_compiled_kernels_have_the_parameters_of_the_contract(subject: str, protocol: type) -> None:
    module = importlib.import_module(f"fastkappa.kernels.cython.{subject}")
    n_compared = 0
    for name, member in vars(protocol).items():
        if name.startswith("_"):
            continue
        function = getattr(module, name)
        if inspect.isfunction(member) and not inspect.isbuiltin(function):
            own = inspect.signature(function).parameters
            assert [*own] == [*inspect.signature(member).parameters][1:], name
            n_compared += 1
    assert n_compared or subject == "csv_lines"
