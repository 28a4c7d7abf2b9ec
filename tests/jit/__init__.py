import pytest

pytest.importorskip("numba")
