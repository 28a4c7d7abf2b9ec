"""The options that only one of the two functions has, valid and invalid."""

from __future__ import annotations

import decimal
import fractions
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np

KAPPA_OPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "weights linear": lambda: {"weights": "linear"},
    "weights quadratic": lambda: {"weights": "quadratic"},
    "weights numpy str": lambda: {"weights": np.str_("linear")},
    "weights cubic": lambda: {"weights": "cubic"},
    "weights Linear": lambda: {"weights": "Linear"},
    "weights empty": lambda: {"weights": ""},
    "weights bytes": lambda: {"weights": b"linear"},
    "weights None as string": lambda: {"weights": "None"},
    "weights int": lambda: {"weights": 1},
    "weights float": lambda: {"weights": 0.5},
    "weights bool": lambda: {"weights": True},
    "weights nan": lambda: {"weights": nan},
    "weights function": lambda: {"weights": len},
    "weights generator": lambda: {"weights": (i for i in ())},
    "weights list of name": lambda: {"weights": ["linear"]},
    "weights set": lambda: {"weights": {"linear"}},
    "weights dict": lambda: {"weights": {"linear": 1}},
    "weights empty list": lambda: {"weights": []},
    "weights vector": lambda: {"weights": np.zeros(4)},
    "weights scalar array": lambda: {"weights": np.array(1)},
    "weights matrix": lambda: {"weights": 1 - np.eye(4)},
    "weights small matrix": lambda: {"weights": 1 - np.eye(3)},
    "replace 2": lambda: {"replace_undefined_by": 2},
    "replace -2": lambda: {"replace_undefined_by": -2.0},
    "replace 1": lambda: {"replace_undefined_by": 1},
    "replace -1": lambda: {"replace_undefined_by": -1.0},
    "replace 0": lambda: {"replace_undefined_by": 0},
    "replace half": lambda: {"replace_undefined_by": 0.5},
    "replace nan": lambda: {"replace_undefined_by": nan},
    "replace numpy nan": lambda: {"replace_undefined_by": np.float64(nan)},
    "replace float32": lambda: {"replace_undefined_by": np.float32(0.5)},
    "replace float32 nan": lambda: {"replace_undefined_by": np.float32(nan)},
    "replace numpy int": lambda: {"replace_undefined_by": np.int64(1)},
    "replace bool": lambda: {"replace_undefined_by": True},
    "replace numpy bool": lambda: {"replace_undefined_by": np.True_},
    "replace fraction": lambda: {"replace_undefined_by": fractions.Fraction(1, 2)},
    "replace decimal": lambda: {"replace_undefined_by": decimal.Decimal("0.5")},
    "replace inf": lambda: {"replace_undefined_by": inf},
    "replace None": lambda: {"replace_undefined_by": None},
    "replace str": lambda: {"replace_undefined_by": "nan"},
    "replace list": lambda: {"replace_undefined_by": [0.5]},
    "replace array": lambda: {"replace_undefined_by": np.array(0.5)},
    "replace complex": lambda: {"replace_undefined_by": 0.5j},
}

NORMALIZE: dict[str, Callable[[], dict[str, Any]]] = {
    f"normalize {value!r}": lambda value=value: {"normalize": value}
    for value in ("true", "pred", "all", None, "x", "True", True, False, 0, 1.0, b"all", ["all"])
}
