"""Detect files that have the suffix of a text file, but whose first bytes are not text."""

from __future__ import annotations

from pathlib import Path

from fastkappa.sources.source_ratings import RatingsError
from fastkappa.sources.text.text_format import opened_bytes

WORKBOOK = "save it as CSV, or read it with pandas.read_excel."
SHEET = (
    "it looks like a spreadsheet: read it with pandas.read_excel or, on the command line, rename it"
    " to {stem}."
)
UTF8 = "save it as UTF-8 or, on the command line, use --encoding"
UNPACK = "unpack it first."
# Advice on reading the files of other programs, by suffix.
ADVICE = {
    ".xlsx": WORKBOOK,
    ".xls": WORKBOOK,
    ".ods": WORKBOOK,
    **dict.fromkeys((".zip", ".bz2", ".xz", ".zst", ".7z"), UNPACK),
    ".json": "save it with one object per line as .jsonl, or read it with pandas.read_json.",
    ".sav": "read it with pandas.read_spss.",
    ".dta": "read it with pandas.read_stata.",
    ".sas7bdat": "read it with pandas.read_sas.",
}
BEGINNINGS = {
    b"\xff\xfe": f"it looks like UTF-16 text: {UTF8} utf-16.",
    b"\xfe\xff": f"it looks like UTF-16 text: {UTF8} utf-16.",
    b"\x1f\x8b": "it looks like a gzip file: rename it to {name}.gz.",
    **{b"BZh%d1AY" % level: f"it looks like a bzip2 file: {UNPACK}" for level in range(1, 10)},
    b"\xfd7zXZ": f"it looks like an xz file: {UNPACK}",
    b"\x28\xb5\x2f\xfd": f"it looks like a Zstandard file: {UNPACK}",
    b"\xd0\xcf\x11\xe0": f"{SHEET}xls.",
    **dict.fromkeys(
        (b'{"', b'[{"'),
        "it looks like JSON: if it has one object per line, rename it to {stem}.jsonl.",
    ),
    b"PAR1\x15": "it looks like a Parquet file: rename it to {stem}.parquet.",
    b"ARROW1\0": "it looks like an Arrow file: rename it to {stem}.arrow.",
    b"PK\x03\x04": f"it looks like a ZIP archive: {UNPACK}",
}
# The possible first entries in the ZIP archive of a workbook.
OF_WORKBOOKS = (b"[Content_Types].xml", b"_rels/", b"xl/", b"docProps/", b"mimetypeapplication")
FIRST_BYTES = 128


def refuse_no_text(path: Path) -> None:
    """Raise if the first bytes of a file are not UTF-8 text."""
    with opened_bytes(path) as file:
        start = file.read(FIRST_BYTES)
    found = next((text for magic, text in BEGINNINGS.items() if start.startswith(magic)), None)
    if found is not None and start.startswith(b"PK") and start[30:].startswith(OF_WORKBOOKS):
        found = f"{SHEET}{'ods' if b'mimetype' in start else 'xlsx'}."
    elif found is None and b"\0" in start:
        found = (
            "its first line contains NUL characters, which are not allowed in text: remove them."
        )
        if 3 * start.count(b"\0") > len(start):
            order = "be" if start.startswith(b"\0") else "le"
            found = (
                f"it looks like UTF-16 text, with a NUL in each character: {UTF8} utf-16-{order}."
            )
    if found is not None:
        reason = found.format(name=path.name, stem=path.name.partition(".")[0])
        raise RatingsError(f"{path} cannot be read: {reason}")


def advice_on(path: Path) -> str:
    """Return advice on a file with an unsupported suffix, or an empty string if none is known."""
    found = ADVICE.get(path.suffix.lower())
    return "" if found is None else f" {found[0].upper()}{found[1:]}"
