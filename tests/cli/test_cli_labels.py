"""The order of labels, strings among numbers and hostile names, in every command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
feather = pytest.importorskip("pyarrow.feather")

from tests.helpers.command_line import CommandLine, write_csv  # noqa: E402

program = CommandLine()
ORDER = ["none", "mild", "moderate", "severe"]
COLUMNS = {
    "id": list(range(8)),
    "a": ["none", "mild", "moderate", "severe", "none", "mild", "moderate", "severe"],
    "b": ["none", "mild", "moderate", "severe", "mild", "none", "severe", "moderate"],
    "c": ["none", "none", "moderate", "severe", "mild", "none", "severe", "severe"],
    "s": [0.1, 1.2, 2.1, 3.3, 0.4, 1.1, 2.5, 3.9],
}
# One step apart in four of eight; all margins are 2 of 8, so that the mean square distance
# by chance is (0 * 4 + 1 * 6 + 4 * 4 + 9 * 2) / 16.
QUADRATIC = 1 - 0.5 / 2.5
# In alphabetical order, 'none' is two steps from 'mild' instead of one.
ALPHABETICAL = 1 - (2 * 4 + 2 * 4) / 8 / 2.5
WARNING = (
    "depends on the order of the labels, which was assumed to be alphabetical: mild < moderate <"
    " none < severe. Use --labels to set the intended order."
)


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "words.csv", **COLUMNS)


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    frame = pd.DataFrame(COLUMNS)
    for name in "abc":
        frame[name] = pd.Categorical(frame[name], ORDER, ordered=True)
    feather.write_feather(frame, tmp_path / "declared.feather")
    return tmp_path / "declared.feather"


def commands(file: Path) -> dict[str, tuple[list[Any], str]]:
    """Return commands that need an order of labels, and the start of their warnings."""
    by_weights = "--weights quadratic"
    quadratic = ["--weights", "quadratic"]
    # Score intervals of this few items are wide, which would be printed as a warning.
    plain = [*quadratic, "--interval-method", "asymptotic"]
    return {
        "score": (["score", file, "--y1", "a", "--y2", "b", *quadratic], by_weights),
        "agree": (["agree", file, "--raters", "a", "b", *plain], by_weights),
        "groups": (["agree", file, "--raters", "a", "b", "--group", "c", *plain], by_weights),
        "several": (["agree", file, "--raters", "a", "b", "c", *plain], by_weights),
        "leaderboard": (
            ["leaderboard", file, file, "--id", "id", "--target", "a", *quadratic],
            by_weights,
        ),
        "thresholds": (["thresholds", file, "--y", "a", "--score", "s"], "every cut point"),
    }


@pytest.mark.parametrize("name", commands(Path()))
def test_an_alphabetical_order_is_remarked_on(name: str, words: Path) -> None:
    arguments, what = commands(words)[name]
    result = program.run(*arguments, "--format", "json")
    assert result.exit_code == 0
    assert result.stderr == f"fastkappa: warning: {what} {WARNING}\n"
    assert json.loads(result.stdout)["warnings"] == [f"{what} {WARNING}"]
    given = program.run(*arguments, "--labels", ",".join(ORDER), "--format", "json")
    assert given.stderr == ""
    assert "warnings" not in json.loads(given.stdout)


@pytest.mark.parametrize("odd", [0, 79])
@pytest.mark.parametrize("split", [False, True])
def test_a_label_of_one_submission_leaves_a_gap(odd: int, split: bool, tmp_path: Path) -> None:
    grades = [row % 8 for row in range(80)]
    columns = {"id": range(80), "y": grades, "part": ["a"] * 40 + ["b"] * 40}
    truth = write_csv(tmp_path / "truth.csv", **columns)
    last = [9 if row == odd else grade for row, grade in enumerate(grades)]
    nine = write_csv(tmp_path / "nine.csv", id=range(80), y=last)
    options = ["--id", "id", "--target", "y", *(["--split", "part"] if split else [])]
    arguments = ["leaderboard", truth, truth, nine, *options, "--weights"]
    result = program.run(*arguments, "quadratic", "--format", "json")
    step = "each step from one label to the next counts as 1 (--weights quadratic), but the labels"
    [warning] = [text for text in json.loads(result.stdout)["warnings"] if step in text]
    assert "6 < 7 < 9 of prediction '" in warning
    assert "nine.csv' are not equally spaced. Pass --labels" in warning
    assert warning.endswith("or --missing-codes if 9 stands for a missing rating.")
    assert "spaced" not in program.run(*arguments, "none").output


@pytest.mark.parametrize("name", commands(Path()))
def test_a_declared_order_is_taken(name: str, words: Path, declared: Path) -> None:
    result = program.run(*commands(declared)[name][0], "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    given = program.run(*commands(words)[name][0], "--labels", ",".join(ORDER), "--format", "json")
    texts = [
        text.replace(str(file), "FILE")
        for text, file in ((result.stdout, declared), (given.stdout, words))
    ]
    assert texts[0] == texts[1]


def test_kappas_of_both_orders(words: Path, declared: Path) -> None:
    arguments = ("--y1", "a", "--y2", "b", "--weights", "quadratic")
    score = CommandLine("score")
    assert score.json_of(words, *arguments)["kappas"]["quadratic"] == pytest.approx(ALPHABETICAL)
    fields = score.json_of(declared, *arguments)
    assert fields["kappas"]["quadratic"] == pytest.approx(QUADRATIC)
    assert fields["labels"] == ORDER


def test_unweighted_results_are_silent(words: Path) -> None:
    for arguments in (
        ["agree", words, "--raters", "a", "b"],
        ["agree", words, "--raters", "a", "b", "c"],
        ["leaderboard", words, words, "--id", "id", "--target", "a"],
    ):
        assert program.run(*arguments).stderr == ""


def test_different_orders_name_the_option(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": [1, 2],
            "a": pd.Categorical(["low", "high"], ["low", "high"], ordered=True),
            "b": pd.Categorical(["low", "high"], ["high", "low"], ordered=True),
        }
    )
    frame["c"] = frame["a"]
    feather.write_feather(frame, tmp_path / "r.feather")
    path = tmp_path / "r.feather"
    for arguments in (
        ["score", path, "--y1", "a", "--y2", "b"],
        ["agree", path, "--raters", "a", "c", "b"],
    ):
        assert program.refusal(*arguments) == (
            "fastkappa: column 'a' and column 'b' declare their labels in different orders: low <"
            " high and high < low. Use --labels to set the intended order.\n"
        )
    other = tmp_path / "other.feather"
    feather.write_feather(frame[["id"]].assign(a=frame["b"]), other)
    result = program.run("leaderboard", path, other, path, "--id", "id", "--target", "a")
    assert result.exit_code == 1
    # The positions of line breaks depend on the length of the path.
    text = " ".join(result.stdout.split())
    assert "declares the order of labels high < low, but the truth declares low < high" in text


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    grades = [i % 10 + 1 for i in range(40)]
    others = [i % 10 + 1 if i % 4 else 10 for i in range(40)]
    return write_csv(
        tmp_path / "odd.csv",
        id=range(41),
        a=[*grades, "x"],
        b=[*others, "x"],
        c=[*(grade if i % 5 else 1 for i, grade in enumerate(grades)), "x"],
        s=[*(grade + 0.25 for grade in grades), "."],
    )


def odd_commands(file: Path) -> dict[str, list[Any]]:
    return {
        "score": ["score", file, "--y1", "a", "--y2", "b"],
        "agree": ["agree", file, "--raters", "a", "b"],
        "several": ["agree", file, "--raters", "a", "b", "c"],
        "thresholds": ["thresholds", file, "--y", "a", "--score", "s"],
    }


@pytest.mark.parametrize("name", odd_commands(Path()))
def test_a_string_among_numbers(name: str, odd: Path) -> None:
    arguments = odd_commands(odd)[name]
    assert program.refusal(*arguments) == (
        "fastkappa: column 'a' contains numbers and also 'x' (1 time): write numbers as digits,"
        " pass --missing-codes for codes of missing ratings, or pass --labels if the strings are"
        " labels.\n"
    )
    assert "1 in column 'a'" in program.refusal(*arguments, "--missing-codes", "x,.")
    # A typing error is not a missing rating.
    assert "and also 'x' (1 time)" in program.refusal(*arguments, "--missing", "drop")
    dropped = program.run(
        *arguments, "--missing", "drop", "--missing-codes", "x, .", "--format", "json"
    )
    assert (dropped.exit_code, dropped.stderr) == (0, "")
    assert json.loads(dropped.stdout)["labels"] == list(range(1, 11))
    lines = odd.read_text().splitlines(keepends=True)
    odd.write_text("".join(lines[:-1]))
    clean = json.loads(program.text_of(*arguments, "--format", "json"))
    found = json.loads(dropped.stdout)
    for field in ("kappa", "kappas", "thresholds", "table"):
        assert found.get(field) == clean.get(field)
    values = [
        [result["value"] for result in fields.get("coefficients", {}).values()]
        for fields in (found, clean)
    ]
    assert values[0] == values[1]


def test_given_labels_leave_missing_strings_to_missing_codes(tmp_path: Path) -> None:
    numbers = [1, 2, 3] * 4
    dashed = [*numbers[:-1], "-"]
    path = write_csv(tmp_path / "r.csv", id=range(12), a=numbers, b=dashed, c=numbers)
    truth = write_csv(tmp_path / "truth.csv", id=range(12), b=numbers)
    score = ["score", path, "--y1", "a", "--y2", "b", "--missing", "drop"]
    options = {(): (1, 0), ("--labels", "1,2,3"): (0, 1)}
    options["--labels", "1,2,3", "--missing-codes", "-"] = 1, 0
    for given, (n_dropped, n_outside) in options.items():
        found = json.loads(program.text_of(*score, *given, "--format", "json"))
        assert (found["dropped"], found["outside"]) == (n_dropped, n_outside)
    labels = ["--missing", "drop", "--labels", "1,2,3"]
    refused = program.refusal("agree", path, "--raters", "a", "b", "c", *labels)
    assert "contains '-', which is not one of the labels" in refused
    board = program.run("leaderboard", truth, path, "--id", "id", "--target", "b", *labels)
    assert "contains numbers and also '-' (1 time)" in " ".join(board.stdout.split())


@pytest.mark.parametrize("name", ["score", "agree", "several", "clusters", "thresholds", "truth"])
def test_dates_are_refused_by_every_command(name: str, tmp_path: Path) -> None:
    days = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-01"]
    columns = {"id": range(4), "a": days, "b": days, "c": days, "s": [0.1, 0.2, 0.3, 0.4]}
    path = write_csv(tmp_path / "days.csv", **columns)
    arguments = {
        **odd_commands(path),
        "clusters": ["agree", path, "--raters", "a", "b", "--cluster", "id"],
        "truth": ["leaderboard", path, path, "--id", "id", "--target", "a"],
    }
    assert program.refusal(*arguments[name]) == (
        "fastkappa: column 'a' contains values of type date: ratings must be whole numbers, strings"
        " or booleans.\n"
    )


def test_labels_make_a_string_a_label_or_leave_it_outside(odd: Path) -> None:
    arguments = ["score", odd, "--y1", "a", "--y2", "b", "--format", "json"]
    numbers = ",".join(map(str, range(1, 11)))
    outside = json.loads(program.text_of(*arguments, "--labels", numbers))
    assert (outside["n"], outside["outside"]) == (40, 1)
    inside = json.loads(program.text_of(*arguments, "--labels", f"{numbers},x"))
    assert (inside["n"], inside["outside"]) == (41, 0)


def test_numbers_that_stand_for_missing_ratings(tmp_path: Path) -> None:
    columns = {"a": [1, 2, -9, 1], "b": [1, 2, 1, -9], "c": [1, 2, 2, 2]}
    path = write_csv(tmp_path / "r.csv", **columns)
    feather.write_feather(pd.DataFrame(columns), tmp_path / "r.feather")
    for file in (path, tmp_path / "r.feather"):
        options = ("--missing", "drop", "--missing-codes", "NA,-9", "--format", "json")
        fields = json.loads(program.text_of("score", file, "--y1", "a", "--y2", "b", *options))
        assert (fields["labels"], fields["missing"]) == ([1, 2], {"y1": 1, "y2": 1})
        # A repeated option adds to the codes.
        options = ("--missing-codes", "NA", *options[:2], "--missing-codes", "-9", *options[4:])
        several = program.text_of("agree", file, "--raters", "a", "b", "c", *options)
        assert json.loads(several)["labels"] == [1, 2]
        assert json.loads(several)["n_missing"] == 2


def test_leaderboard_without_items_that_have_no_label(tmp_path: Path) -> None:
    truth = write_csv(tmp_path / "t.csv", id=range(6), y=[1, 2, 1, 2, 10, "x"])
    same = write_csv(tmp_path / "s.csv", id=range(6), y=[1, 2, 1, 2, 10, 1])
    less = write_csv(tmp_path / "l.csv", id=range(6), y=[1, 2, 1, 2, "x", 1])
    arguments = ("leaderboard", truth, same, less, "--id", "id", "--target", "y")
    assert program.refusal(*arguments) == (
        "fastkappa: column 'y' contains numbers and also 'x' (1 time): write numbers as digits,"
        " pass --missing-codes for codes of missing ratings, or pass --labels if the strings are"
        " labels.\n"
    )
    result = program.run(*arguments, "--missing-codes", "x", "--format", "json")
    assert result.exit_code == 1
    told = f"1 item of {truth} left out because the label is missing in column 'y'."
    assert result.stderr == f"fastkappa: warning: {told}\n"
    first, second = json.loads(result.stdout)["rows"]
    assert (first["name"], first["kappa"], first["n"]) == (str(same), 1, 5)
    assert "its ids differ from the ids of" in second["failure"]


def test_measurements_are_refused_as_by_two_raters(tmp_path: Path) -> None:
    columns = {name: [i + 0.37 for i in range(1000)] for name in "abc"}
    path = write_csv(tmp_path / "r.csv", **columns)
    for raters in ("ab", "abc"):
        assert program.refusal("agree", path, "--raters", *raters) == (
            "fastkappa: column 'a' contains 0.37: ratings must be whole numbers or strings. For"
            " measurements, use fastkappa measure. If the numbers are labels of a scale,"
            " such as half points, list all labels in --labels.\n"
        )
    whole = {name: range(2500) for name in "abc"}
    message = program.refusal(
        "agree", write_csv(tmp_path / "w.csv", **whole), "--raters", "a", "b", "c"
    )
    assert "2500 different ratings" in message
    assert "use fastkappa measure." in message


ESCAPE = "\x1b]0;evil\x07"


@pytest.mark.parametrize("bad", [ESCAPE, "two\nlines", "\x9b31m", "<b>\x1b[2J</b>"])
def test_hostile_names_are_harmless_in_the_list_of_columns(tmp_path: Path, bad: str) -> None:
    path = tmp_path / f"f{bad.replace('/', '')}.csv"
    pd.DataFrame({f"{bad}{i}": [1, 2, 1, 2] for i in range(3)}).to_csv(path, index=False)
    refusal = program.refusal("score", path, "--y1", "none", "--y2", "id")
    assert refusal.removesuffix("\n").isprintable()
    assert bad not in refusal


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_name_in_the_csv_is_a_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    monkeypatch.chdir(tmp_path)
    truth = write_csv(Path("t.csv"), id=[1, 2], y=[1, 2])
    other = write_csv(Path(f"{start}1+1.csv"), id=[1, 2], y=[2, 1])
    board = ("leaderboard", truth, "--id", "id", "--target", "y", "--format", "csv")
    text = program.text_of(*board, "--", other)
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["name"] == f"'{start}1+1.csv"
    # A number remains a number.
    assert float(row["kappa"]) == -1


TWO = ["--raters", "a", "b"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["score", "--y1", "a", "--y2", "b"], ["9 items"]),
        (["agree", *TWO], ["9 items"]),
        (["agree", *TWO, "--cluster", "id"], ["9 items"]),
        (["agree", *TWO, "--group", "site"], ["9 items"]),
        (["agree", *TWO, "--reference", "c"], ["6 to 9 items"]),
        (
            ["agree", *TWO, "--reference", "c", "--group", "site"],
            ["6 to 9 items", "site x: 3 to 6 items", "site y: 3 items"],
        ),
        (["thresholds", "--score", "s", "--y", "a"], ["6 items"]),
    ],
)
@pytest.mark.parametrize("output", ["text", "sentence", "csv", "json"])
def test_items_that_labels_leave_out(
    tmp_path: Path, command: list[str], said: list[str], output: str
) -> None:
    """The labels 1 to 3 leave out the items that a rater has graded 0."""
    n = 60
    a = [0 if i % 10 == 0 else 1 + i % 3 for i in range(n)]
    # `a` has graded items 0, 10, ..., 50 as 0, and `b` items 0, 5, 20, 25, 40 and 45.
    b = [0 if i % 20 in (0, 5) else 1 + (i + i // 7) % 3 for i in range(n)]
    columns = {"a": a, "b": b, "c": a, "s": [x + i / 99 for i, x in enumerate(a)]}
    site = ["xy"[i % 4 > 1] for i in range(n)]
    file = write_csv(tmp_path / "r.csv", **columns, site=site, id=[i // 2 for i in range(n)])
    name, *options = command
    result = program.run(name, file, *options, "--labels", "1,2,3", "--format", output)
    assert result.exit_code == 0, result.stderr
    left_out = "left out because of a rating outside the labels"
    found = result.stdout if output == "text" else result.stderr
    for text in said:
        heading, _, items = text.rpartition(": ")
        shown = f"{items} {left_out}" if output == "text" else f"warning: {text} {left_out}"
        assert shown in found
        assert not heading or heading in found
    assert found.count(left_out) == len(said)
    if output == "json":
        assert [f"{text} {left_out}" for text in said] == [
            text for text in json.loads(result.stdout)["warnings"] if left_out in text
        ]


def test_labels_that_leave_out_most_items(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "r.csv", a=[0, 1, 2] * 10, b=[0, 2, 1, 0, 1, 2] * 5)
    result = program.run("agree", file, *TWO, "--labels", "1,3")
    assert "warning: --labels does not contain all ratings, so 25 of 30 items" in result.stderr
