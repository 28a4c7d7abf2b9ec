"""Links from an estimator's HTML in notebooks to its reference page."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata


class DocumentedMixin:
    """Sets what `sklearn.base.BaseEstimator` makes the link to its documentation of."""

    _doc_link_module = "fastkappa"

    @property
    def _doc_link_template(self) -> str:
        address = _address()
        page = "reference/generated/fastkappa.estimators.{estimator_name}.html"
        return f"{address}/{page}" if address else ""


def _address() -> str:
    """Return the address of the documentation that the package was built with, "" if none."""
    with suppress(PackageNotFoundError):
        for url in metadata("fastkappa").get_all("Project-URL") or ():
            label, _, address = url.partition(", ")
            if label == "Documentation":
                return str(address).rstrip("/")
    return ""
