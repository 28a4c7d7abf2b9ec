"""Open one file of ratings by all raters, one file per rater, or several files to append."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fastkappa.cli.files.opening import DECIDED, Opener, Source
from fastkappa.cli.files.raters import RATER, RaterColumns
from fastkappa.cli.raters_option import RaterOptions, different_raters, named_raters
from fastkappa.formatting import first_of_many
from fastkappa.ratings.doubtful_labels import warn
from fastkappa.sources.arrow_files import SUFFIXES, column_names
from fastkappa.sources.arrow_folders import columns_of_files, warn_of_copies, warn_of_displaced
from fastkappa.sources.arrow_paths import files_at
from fastkappa.sources.source_ratings import RatingsError

MOST_NAMED = 3


def opened_raters(
    opener: Opener,
    files: Sequence[Path],
    options: RaterOptions,
    group: str | None = None,
    *,
    names_items: bool = False,
) -> tuple[Source, RaterColumns]:
    """Return the source to read, and the columns of the raters.

    With ``--id``, there is one file per rater. Several files with one row per rating are appended.
    If such a file has no column of raters, all its ratings are by one rater. ``group`` is another
    column that the command uses. ``names_items`` is passed to `named_raters`.

    Raises
    ------
    ValueError
        If the options do not name the required columns, or two files have the same name.
    """
    raters, item, rater, rating, id_column, cluster = options
    of_items = tuple(name for name in (cluster, group) if name is not None)
    if id_column is None:
        if len(files) == 1:
            source = opener.source(files[0])
            columns = named_raters(options, names_items=names_items)
            if columns.rating is None:
                _refuse_long(source, columns.raters)
            return source, columns
        if rating is None:
            _refuse_rater(files, rater)
            raise RatingsError(
                f"got {len(files)} files. If each rater has a file, use --id and --rating. If the"
                " files have one row per rating, use --item, --rater and --rating. If they are"
                " parts of one table with one column per rater, name their folder, or a pattern"
                " such as '*.csv'."
            )
        appended = {_stem(file): (opener.source(file), rating) for file in files}
        if len(appended) < len(files):
            raise RatingsError(
                f"the files must have different names, got {', '.join(map(str, files))}."
            )
        return _together(appended), named_raters(options)._replace(
            files=appended, of_items=of_items
        )
    if item is not None or rater is not None:
        raise RatingsError(
            f"--id is for one file per rater, and {'--item' if item else '--rater'} is for one file"
            " with all raters: use only one of them."
        )
    if rating == id_column:
        raise RatingsError(f"--id and --rating must name different columns, got {rating!r} twice.")
    found: dict[str, Source] = {}
    for path in files:
        opener.refuse_overwriting(path)
    each = [file for path in files for file in files_at(path)]
    for file in each:
        name = _stem(file)
        if name in found:
            raise RatingsError(
                f"{found[name].name} and {file} both name the rater {name}, but each rater must"
                " have only one file. Rename one of them."
            )
        found[name] = source = opener.source(file)
        if DECIDED in column_names(file, source.text_format):
            warn(
                f"{file} has a column {DECIDED!r}, like the files that --gold writes, but was read"
                f" as the ratings of {name}. If the file contains final labels, leave it out."
            )
    if len(found) < 2:
        named = " and ".join(found) or "none"
        raise RatingsError(f"--id needs the files of two or more raters, got {named}.")
    chosen = different_raters(raters)
    for name in chosen:
        if name not in found:
            raise RatingsError(
                f"--raters names {name!r}, but there is no file for this rater. There are files for"
                f" {', '.join(found)}."
            )
    kept = {name: source for name, source in found.items() if not chosen or name in chosen}
    ratings = {
        name: (source, rating or _only_other(source, (id_column, cluster, group)))
        for name, source in kept.items()
    }
    warn_of_copies(each, fewest_rows=0)
    used = {cluster, group, *(column for _, column in ratings.values())}
    opened = {name: source.files[0] for name, source in kept.items()}
    warn_of_displaced(opened, id_column, used, next(iter(kept.values())).text_format)
    # The first file determines the name of the joined column of ratings.
    _, joined = next(iter(ratings.values()))
    return _together(ratings), RaterColumns(chosen, id_column, RATER, joined, ratings, of_items)


def _refuse_long(source: Source, raters: Sequence[str]) -> None:
    """Raise if the raters' names are values in a column, which suggests one row per rating."""
    there = column_names(source.files[0], source.text_format)
    if len(set(there)) < len(there) or not {*raters}.isdisjoint(there):
        return
    arrays = columns_of_files(source.files, there, text=there, text_format=source.text_format)
    found = [n for n, column in arrays.items() if {*raters} <= {*column.unique().to_pylist()}]
    if not found:
        return
    raise RatingsError(
        f"{source.name} has no columns {' and '.join(map(repr, raters))}, but column {found[0]!r}"
        " contains these values. If the file has one row per rating, use --item ITEM --rater"
        f" {found[0]} --rating RATING --raters {' '.join(raters)}, where ITEM is the column of"
        " items and RATING is the column of ratings."
    )


def _refuse_rater(files: Sequence[Path], rater: str | None) -> None:
    """Raise if a file does not exist, probably because ``--raters`` was misspelled ``--rater``."""
    absent = [str(file) for file in files if not file.exists()]
    if rater is not None and absent:
        raise RatingsError(
            f"{absent[0]} is not a file. Did you mean --raters {' '.join([rater, *absent])}?"
        )


def _together(files: Mapping[str, tuple[Source, str]]) -> Source:
    """Return the source of the first file, renamed so that errors name all files."""
    sources = [source for source, _ in files.values()]
    names = first_of_many([source.name for source in sources], MOST_NAMED)
    return sources[0]._replace(name=names)


def _only_other(source: Source, named: Sequence[str | None]) -> str:
    """Return the column that is not in ``named``, or raise unless there is exactly one."""
    names = column_names(source.files[0], source.text_format)
    others = [name for name in names if name not in named]
    if len(others) != 1:
        listed = ", ".join(map(repr, others)) or "none"
        raise RatingsError(
            f"--rating must name the column of ratings in {source.name}. Possible columns:"
            f" {listed}."
        )
    return others[0]


def _stem(file: Path) -> str:
    """Return the file name without its suffix."""
    suffix = max((s for s in SUFFIXES if file.name.lower().endswith(s)), key=len, default="")
    return file.name.removesuffix(file.name[-len(suffix) :]) if suffix else file.stem
