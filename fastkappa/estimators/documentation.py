"""Add links to the reference pages to the HTML form of estimators in notebooks."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata


class DocumentedMixin:
    """Set the address from which `sklearn.base.BaseEstimator` builds its documentation link."""

    _doc_link_module = "fastkappa"

    @property
    def _doc_link_template(self) -> str:
        address = _address()
        page = "reference/generated/fastkappa.estimators.{estimator_name}.html"
        return f"{address}/{page}" if address else ""


def _address() -> str:
    """Return the documentation address in the package's metadata, or "" if there is none."""
    with suppress(PackageNotFoundError):
        for url in metadata("fastkappa").get_all("Project-URL") or ():
            label, _, address = url.partition(", ")
            if label == "Documentation":
                return str(address).rstrip("/")
    return ""
