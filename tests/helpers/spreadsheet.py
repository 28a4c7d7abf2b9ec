"""Write spreadsheets with only the parts that the Excel format requires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZipFile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def sheet_of(rows: Sequence[Sequence[Any]]) -> str:
    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'


def write_xlsx(path: Path, **sheets: Sequence[Sequence[Any]]) -> Path:
    """Write sheets, each a list of rows, and return the path."""
    names = dict(enumerate(sheets, 1))
    parts: Mapping[str, str] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{XLSX}.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{XLSX}.worksheet+xml"/>'
            for i in names
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1"'
        f' Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        + "".join(
            f'<sheet name={quoteattr(name)} sheetId="{i}" r:id="s{i}"/>'
            for i, name in names.items()
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="s{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
            for i in names
        )
        + "</Relationships>",
        **{f"xl/worksheets/sheet{i}.xml": sheet_of(sheets[name]) for i, name in names.items()},
    }
    with ZipFile(path, "w") as file:
        for name, text in parts.items():
            file.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path
