"""Columns that are not read can show that the rows are not the items."""

from __future__ import annotations

import re
import warnings
from operator import eq
from pathlib import Path

import pytest

from fastkappa import Ratings, confusion_from_source
from fastkappa.formatting import percent_text
from tests.helpers.absent import library

pytest.importorskip("pyarrow")
pytest.importorskip("typer")
from tests.helpers.command_line import CommandLine
from tests.helpers.entrances import csv_text
from tests.helpers.unread import (
    GENERATOR,
    Columns,
    check_doubtful,
    check_ordinary,
    rated,
    sources_of,
)

pandas = library("pandas")
GENERATOR.seed(1)


@pytest.fixture(autouse=True)
def _same_data_in_any_order() -> None:
    GENERATOR.seed(1)


def _subtotals(word: str) -> Columns:
    """Return 12 wards of 5 patients, each followed by a row with the number of patients."""
    columns: Columns = {"ward": [], "patient": [], "a": [], "b": []}
    for ward in range(12):
        a, b = rated([0, 1, 2], 5)
        columns["ward"] += [f"Ward {ward}"] * 5 + [word.format(f"Ward {ward}")]
        columns["patient"] += [f"P{ward}-{i}" for i in range(5)] + [""]
        columns["a"] += [*a, 5]
        columns["b"] += [*b, 5]
    return columns


def _joined() -> Columns:
    """Return 40 patients, each in three rows with the same ratings."""
    a, b = rated(["x", "y"], 40)
    rows = [i for i in range(40) for _ in range(3)]
    return {
        "patient_id": [100 + i for i in rows],
        "drug": [f"drug {GENERATOR.randrange(9)}" for _ in rows],
        "a": [a[i] for i in rows],
        "b": [b[i] for i in rows],
    }


def _mirrored(n: int, is_mirrored: bool) -> Columns:
    """Return ratings of all pairs of n documents, in one order or in both."""
    a, b = rated(["same", "different"], n * n)
    rows = [(i, j) for i in range(n) for j in range(n) if i < j or is_mirrored]
    places = [min(row) * n + max(row) for row in rows]
    first, second = zip(*rows)
    ratings = {name: [own[i] for i in places] for name, own in (("a", a), ("b", b))}
    return {"doc_i": [f"d{i}" for i in first], "doc_j": [f"d{j}" for j in second], **ratings}


def _questions() -> Columns:
    (a, b), (c, d) = rated(["pos", "neg"], 40), rated(["bill", "login", "other"], 30)
    names = ["mood"] * 40 + ["topic"] * 30
    return {"ticket": [*range(40), *range(30)], "question": names, "a": a + c, "b": b + d}


def _essays() -> Columns:
    """Return essays of two sets, graded from 3 to 12 and from 0 to 3."""
    (a, b), (c, d) = rated([3, *range(6, 13)], 40), rated([0, 1, 2, 3], 40)
    sets = ["one"] * 40 + ["two"] * 40
    return {"essay": [*range(80)], "essay_set": sets, "a": a + c, "b": b + d}


def _shifted() -> Columns:
    """Return three sites, of which one codes from 1 to 5 and the others from 0 to 4."""
    a, b = rated([0, 0, 0, 0, 1, 1, 2, 2, 3, 4], 300)
    site = ["A", "B", "C"] * 100
    of_site = {"A": 0, "B": 1, "C": 0}
    return {
        "site": site,
        "a": [x + of_site[one] for x, one in zip(a, site)],
        "b": [x + of_site[one] for x, one in zip(b, site)],
    }


def _prefilled() -> Columns:
    """Return 400 items, of which the second rater rated only every other, at a given time."""
    a, b = rated([0, 1, 2, 3], 400)
    given = [f"2024-05-{1 + i % 28:02} 10:{i % 60:02}" if i % 2 else None for i in range(400)]
    return {"marked_at": given, "a": a, "b": [y if when else x for x, y, when in zip(a, b, given)]}


def _with_tests() -> Columns:
    """Return 60 patients and two test records."""
    a, b = rated([0, 1, 2], 62)
    return {"patient_id": ["ZZTEST", *map(str, range(100, 160)), "test_patient 1"], "a": a, "b": b}


def _versions() -> Columns:
    """Return an audit trail of 60 records, of which every third was changed."""
    rows = [(i, version) for i in range(60) for version in range(1, 3 if i % 3 == 0 else 2)]
    a, b = rated([0, 1, 2], len(rows))
    ids, versions = zip(*rows)
    return {"record_id": [*ids], "version": [*versions], "a": a, "b": b}


def _trained() -> Columns:
    """Return predictions without a mistake for the items with which the model was trained."""
    true, predicted = rated([0, 1, 2], 300)
    parts = [("train", "test", "valid")[i % 3] for i in range(300)]
    exact = [x if part == "train" else y for x, y, part in zip(true, predicted, parts)]
    return {"split": parts, "a": true, "b": exact}


def _indicators() -> Columns:
    """Return 40 notes with a row per category, of which each rater marked one with 1."""
    chosen = rated([*range(4)], 40)
    rows = [(note, category) for note in range(40) for category in range(4)]
    marked = [[int(own[note] == category) for note, category in rows] for own in chosen]
    return {"note": [note for note, _ in rows], **dict(zip("ab", marked))}


def _joined_by_part(left: str, right: str) -> Columns:
    """Return ratings of two sites with 40 patients each, joined by the patient alone."""
    own = {site: rated([0, 1, 2], 40) for site in "AB"}
    rows = [(i, one, other) for i in range(40) for one in "AB" for other in "AB"]
    patients, first, second = zip(*rows)
    return {
        "patient": [*patients],
        left: [*first],
        right: [*second],
        "a": [own[one][0][i] for i, one, _ in rows],
        "b": [own[other][1][i] for i, _, other in rows],
    }


SUBTOTALS = r"column 'ward' contains subtotals such as '.*Ward 0.*', first in row 5"
JOINED = "40 of 40 values of 'patient_id' .*, always with the same ratings"
QUESTIONS = r"column 'question' divides the rows .*: 'mood', 'topic'\..*group='question'"
# The counts of two raters who use two labels, called "a" and "b" like the columns.
MATRIX: Columns = {"": ["a", "b"], "a": [20, 3], "b": [4, 30]}
DOUBTFUL = {
    "matrix": (MATRIX, "first column of .* contains the names of the other columns"),
    "count": (_subtotals("{} Count"), SUBTOTALS),
    "German": (_subtotals("{} Ergebnis"), SUBTOTALS),
    "French": (_subtotals("Total {}"), SUBTOTALS),
    "joined": (_joined(), JOINED),
    "mirrored": (
        _mirrored(10, True),
        "45 of 55 values of 'doc_i' and 'doc_j' in either order occur in several rows of .*, always"
        " with the same ratings",
    ),
    "questions": (_questions(), QUESTIONS),
    "tests": (_with_tests(), "'patient_id' contains 'ZZTEST', 'test_patient 1'. If the rows"),
    "versions": (_versions(), "20 of 60 values of 'record_id' occur with several values of 'vers"),
    "part of the key": (
        _joined_by_part("eye_a", "eye_b"),
        "within each 'patient', every rating in 'a' occurs with every rating in 'b'. .* 'patient'",
    ),
    "scales": (_essays(), r"'essay_set' divides .* have numbers in different ranges: 'one', 'two'"),
    "prefilled": (
        (own := _prefilled()),
        "a and b agree on all 200 items with no value in 'marked_at', but on only"
        f" {percent_text(sum(map(eq, own['a'][1::2], own['b'][1::2])) / 200)} of the others",
    ),
    "trained": (
        (own := _trained()),
        "agree on 100% of the items whose 'split' is 'train', but on"
        f" {sum(x == y for x, y in zip(own['a'], own['b'])) / 2 - 50:.0f}%"
        " of the others.*group='split'",
    ),
    "indicators": (
        _indicators(),
        "for each 'note', exactly one of 4 ratings in 'a' is 1, and exactly one in 'b'",
    ),
    "shifted": (_shifted(), "ratings range from 1 to 5 where 'site' is 'B', but from 0 to 4 else"),
}


@pytest.mark.parametrize(("columns", "message"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_a_doubtful_column(columns: Columns, message: str, tmp_path: Path) -> None:
    check_doubtful(columns, message, tmp_path)


def test_shifted_codes_in_a_group(tmp_path: Path) -> None:
    columns, message = DOUBTFUL["shifted"]
    for source in sources_of(columns, tmp_path).values():
        with pytest.warns(UserWarning, match=message):
            confusion_from_source(source, "a", "b", group="site")
    run = CommandLine("agree").run(
        tmp_path / "ratings.csv", "--raters", "a", "b", "--group", "site"
    )
    assert re.search(message, run.stderr)


ORDINARY = {
    "pairs": _mirrored(10, False),
    # Two eyes of a patient often, but not always, have the same ratings.
    "clusters": {**(own := _joined()), "b": [*own["b"][:-1], "z"]},
    # The raters seldom disagree.
    "agreed": {**(own := _joined()), "b": own["a"]},
    # A column that is made from both ratings is not a column of ids.
    "made": {**(own := _joined()), "patient_id": [*range(120)], "cell": own["patient_id"]},
    # Most ids are those of a test set, or other items have ids of the same kind.
    "test set": {**(own := _with_tests()), "patient_id": [f"test_{i}" for i in range(62)]},
    "parts": {**own, "patient_id": ["test_1", *(f"train_{i}" for i in range(61))]},
    # Each item was rated in all versions of a model.
    "models": {
        "id": [i // 2 for i in range(80)],
        "version": [1 + i % 2 for i in range(80)],
        **dict(zip("ab", rated([0, 1, 2], 80))),
    },
    # Both ratings are those of the row.
    "tiles": {**_joined_by_part("at_x", "at_y"), **dict(zip("ab", rated([0, 1, 2], 160)))},
    # The model is as good for new items, and a rater marked several categories of an item.
    "learned": {**_trained(), **dict(zip("ab", rated([0, 1, 2], 300)))},
    "several": {**(own := _indicators()), "a": [1, 1, *own["a"][2:]]},
    # The column of scales has another name, or the parts use one scale.
    "arms": {("arm" if name == "essay_set" else name): own for name, own in _essays().items()},
    "tasks": {"task": [*"ABC"] * 100, **dict(zip("ab", rated([0, 1, 2, 3, 4], 300)))},
    # An adjudicator rated the items in dispute and a few others.
    "settled": {
        **dict(zip("ab", (own := rated([0, 1, 2, 3], 240)))),
        "third": [x if x != y or i % 5 == 0 else None for i, (x, y) in enumerate(zip(*own))],
    },
    # A column of true labels also explains the ratings.
    "true": {
        **(own := _shifted()),
        "site": ["A"] * 300,
        "true": [int(max(x, y) > 2) for x, y in zip(own["a"], own["b"])],
    },
    # One label occurs in both parts.
    "shared": {**(own := _questions()), "b": [*own["b"][:-1], "neg"]},
    # These are features, without groups.
    "features": {
        "feature": [f"{i}{end}" for i in range(30) for end in ("", " mean")],
        **dict(zip("ab", rated([1, 2, 3], 60))),
    },
}


@pytest.mark.parametrize("columns", ORDINARY.values(), ids=ORDINARY)
def test_an_ordinary_column(columns: Columns, tmp_path: Path) -> None:
    check_ordinary(columns, tmp_path)


def test_questions_in_long_form() -> None:
    wide = _questions()
    n = len(wide["a"])
    items = [f"{ticket}/{question}" for ticket, question in zip(wide["ticket"], wide["question"])]
    long = {
        "item": items * 2,
        "rater": ["a"] * n + ["b"] * n,
        "label": [*wide["a"], *wide["b"]],
        "question": wide["question"] * 2,
    }
    names = {"item": "item", "rater": "rater", "rating": "label"}
    with pytest.warns(UserWarning, match=QUESTIONS):
        Ratings.from_long(pandas.DataFrame(long), **names)
    # A group of labels is made from each rating, so it differs within items.
    groups = {"pos": "mood", "neg": "mood", "bill": "money", "login": "money", "other": "money"}
    long["label"][0], long["label"][1] = "bill", "login"
    long["question"] = [groups[label] for label in long["label"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ratings.from_long(pandas.DataFrame(long), **names)


def _documents(*, restart: bool) -> Columns:
    """Return the ratings of two raters per document. Items restart in each of three documents."""
    columns: Columns = {"document": [], "item": [], "rater": [], "label": []}
    of_all = rated([*"xyz"], 90)
    for document in range(3):
        for name, labels in zip("ab", rated([*"xyz"], 90) if restart else of_all):
            columns["document"] += [f"doc {document}"] * 90
            columns["item"] += [*range(90)]
            columns["rater"] += [f"{name}{document}"] * 90
            columns["label"] += labels
    return columns


def test_item_numbers_that_restart_in_each_document(tmp_path: Path) -> None:
    names = {"item": "item", "rater": "rater", "rating": "label"}
    for source in sources_of(_documents(restart=True), tmp_path).values():
        with pytest.warns(UserWarning, match="refer to a different item in each 'document'"):
            Ratings.from_long(source, **names)
    options = [text for name in names.items() for text in (f"--{name[0]}", name[1])]
    assert "'item' restarts" in CommandLine("agree").run(tmp_path / "ratings.csv", *options).stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The raters of a document can be equal by chance.
        warnings.filterwarnings("ignore", ".* agree on all")
        columns = _documents(restart=False)
        # A column that is made from each rating also tells apart the ratings of an item.
        columns["made"] = [label.upper() for label in columns["label"]]
        Ratings.from_long(pandas.DataFrame(columns), **names)


def test_withdrawn_ratings_in_long_form(tmp_path: Path) -> None:
    a, b = rated([*"xyz"], 300)
    columns = {
        "item": [*range(300)] * 3,
        "rater": [rater for rater in "abc" for _ in range(300)],
        "label": a + b + GENERATOR.choices("xyz", k=300),
        "deleted_at": [None] * 600 + [f"2024-03-01 10:00:{i % 60:02}" for i in range(300)],
    }
    names = {"item": "item", "rater": "rater", "rating": "label"}
    for source in sources_of(columns, tmp_path).values():
        with pytest.warns(UserWarning, match="value in 'deleted_at' .* leave out") as warned:
            Ratings.from_long(source, **names)
        assert len(warned) == 1


def _places(name: str, n_patients: list[int]) -> Columns:
    """Return two lesions of each patient. The numbers of patients restart at each place."""
    columns: Columns = {name: [], "patient": [], "a": [], "b": []}
    for place, n in zip("xyz", n_patients):
        a, b = rated([0, 1, 2], 2 * n)
        columns[name] += [place] * len(a)
        columns["patient"] += [1 + i // 2 for i in range(2 * n)]
        columns["a"] += a
        columns["b"] += b
    return columns


RESTARTS = "'patient' restarts for each"
NAMES_OF_PLACES = ["site", "Study centre", "hospitalID", "clinic_id", "Standort", "Prüfzentrum"]
NAMES_OF_PLACES += [
    "Universitätsklinik",
    "hôpital",
    "ÉTABLISSEMENT",
    "clínica",
    "Sede",
    "ziekenhuis",
]


@pytest.mark.parametrize("name", ["PatNr", "Pat_Nr", "PatientNr", "Patientennummer", "case no"])
def test_names_of_patient_numbers(tmp_path: Path, name: str) -> None:
    columns = _places("site", [30, 22, 25])
    columns[name] = columns.pop("patient")
    options = ("--raters", "a", "b", "--cluster", name)
    result = CommandLine("agree").run(sources_of(columns, tmp_path)["csv"], *options)
    assert f"{name!r} restarts for each 'site', make the clusters unique" in result.stderr


@pytest.mark.parametrize("name", NAMES_OF_PLACES)
def test_patient_numbers_that_restart_at_each_place(tmp_path: Path, name: str) -> None:
    columns = _places(name, [30, 22, 25])
    options = ("--raters", "a", "b", "--cluster", "patient")
    sources = sources_of(columns, tmp_path)
    for file in (sources[kind] for kind in ("csv", "parquet", "arrow")):
        result = CommandLine("agree").run(file, *options)
        assert f"{RESTARTS} {name!r}, make the clusters unique" in result.stderr
        # Groups have a remark of their own, and items without clusters have no numbers.
        grouped = CommandLine("agree").run(file, *options, "--group", name)
        assert RESTARTS not in grouped.stderr
        assert "the groups share 25 clusters" in " ".join(grouped.stdout.split())
        assert RESTARTS not in CommandLine("agree").run(file, *options[:3]).stderr


@pytest.mark.parametrize(
    "columns",
    [
        # Patients who have left the study, or who are rated by one of the raters.
        *(_places(name, [30, 22, 25]) for name in ("visit", "rater", "date", "eye")),
        # Each patient has lesions at all sites of the body, or has travelled to all centres.
        _places("site", [30, 30, 30]),
        # Not at all sites.
        {**_places("site", [30, 22, 25]), "patient": [1 + i % 40 for i in range(154)]},
        # The numbers of patients do not restart.
        {**_places("centre", [30, 22, 25]), "patient": [1 + i // 2 for i in range(154)]},
        _places("centre", [3, 4, 2]),
    ],
)
def test_patients_with_several_visits(tmp_path: Path, columns: Columns) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(csv_text(columns), encoding="utf-8")
    result = CommandLine("agree").run(file, "--raters", "a", "b", "--cluster", "patient")
    assert result.exit_code == 0
    assert RESTARTS not in result.stderr


def test_files_in_different_orders(tmp_path: Path) -> None:
    texts = [f"text {GENERATOR.random():.6f}" for _ in range(60)]
    first, second = rated([*"xyz"], 60)
    shuffled = GENERATOR.sample(range(60), 60)
    orders = {"ann": range(60), "ben": shuffled}
    paths = []
    for (name, order), labels in zip(orders.items(), (first, second)):
        columns = {"id": [*range(60)], "text": [texts[i] for i in order], "order": [*order]}
        columns["label"] = [labels[i] for i in order]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text(csv_text(columns), encoding="utf-8")
    n = sum(i != place for place, i in enumerate(shuffled))
    message = f"same values in column 'text', but {n} of these 60 values have .* join the f"
    board = ("leaderboard", *paths, "--id", "id", "--target", "label")
    for agree in ((*paths, "--rating", "label"), (tmp_path, "--rating", "label")):
        run = CommandLine("agree").run(*agree, "--id", "id")
        assert re.search(f"ann and ben have the {message}", run.stderr)
    run = CommandLine(board[0]).run(*board[1:])
    assert re.search(f"ann.csv and .*ben.csv have the {message}", run.stderr)
    run = CommandLine("agree").run(*paths, "--id", "text", "--rating", "label")
    assert "same values" not in run.stderr
