"""Define the base class of all results, with conversions to text, HTML and plain data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from fastkappa.formatting import plain

if TYPE_CHECKING:
    from fastkappa.results.report import Report


class Result(ABC):
    """A result that is printed as a report 80 columns wide, and shown as HTML in notebooks."""

    __slots__ = ()

    @abstractmethod
    def _report(self) -> Report:
        """Return the report on the result."""

    @abstractmethod
    def to_frame(self) -> Any:
        """Return the result as a pandas DataFrame."""

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that can be serialized to JSON.

        The values are Python numbers, strings and lists. Undefined numbers are replaced by None.
        Infinite numbers and dates are converted to strings.
        """
        names = getattr(self, "__dataclass_fields__", getattr(self, "_fields", ()))
        return {name: plain(getattr(self, name)) for name in names if not name.startswith("_")}

    def __add__(self, other: Any) -> Any:
        # Without this method, adding two results that are tuples would concatenate them.
        return NotImplemented

    __mul__ = __rmul__ = __add__

    def __radd__(self, other: Any) -> Any:
        # If NotImplemented were returned, a tuple on the left would append this result's fields.
        raise TypeError(
            "unsupported operand type(s) for +:"
            f" {type(other).__name__!r} and {type(self).__name__!r}"
        )

    def __str__(self) -> str:
        # Imported here because `import fastkappa` does not need it.
        from fastkappa.results.text import as_text

        return as_text(self._report())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from fastkappa.results.html import as_html

        return as_html(self._report())
