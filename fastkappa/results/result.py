"""The base of every result: it prints a report, shows it in a notebook and becomes plain data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from fastkappa.formatting import plain

if TYPE_CHECKING:
    from fastkappa.results.report import Report


class Result(ABC):
    """A result of the package: it prints as a report in 80 columns, and as HTML in notebooks."""

    __slots__ = ()

    @abstractmethod
    def _report(self) -> Report:
        """Return what is shown."""

    @abstractmethod
    def to_frame(self) -> Any:
        """Return the figures as a pandas DataFrame."""

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold.

        Its values are Python's numbers, strings and lists. Undefined figures are None, infinite
        ones and dates are strings.
        """
        names = getattr(self, "__dataclass_fields__", getattr(self, "_fields", ()))
        return {name: plain(getattr(self, name)) for name in names if not name.startswith("_")}

    def __add__(self, other: Any) -> Any:
        # Those that are tuples would make one long tuple, which is no result.
        return NotImplemented

    __mul__ = __rmul__ = __add__

    def __radd__(self, other: Any) -> Any:
        # A tuple in front would take NotImplemented as leave to append this one.
        raise TypeError(
            "unsupported operand type(s) for +:"
            f" {type(other).__name__!r} and {type(self).__name__!r}"
        )

    def __str__(self) -> str:
        # Imported here: `import fastkappa` needs no report.
        from fastkappa.results.text import as_text

        return as_text(self._report())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from fastkappa.results.html import as_html

        return as_html(self._report())
