"""Text files as written by spreadsheets and people: quotes, titles, separators, commas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from fastkappa import (
    Ratings,
    agreement,
    confusion_from_source,
    kappa_from_confusion,
    optimal_thresholds,
    pairwise_kappa,
)
from fastkappa.measurements import continuous_kappa, intraclass_correlation, limits_of_agreement
from tests.helpers.command_line import CommandLine

UNCLOSED = """\
id,text,a,b
1,t,x,x
2,"unclosed,x,y
3,t,y,x
4,z"z,y,y
5,q,x,y
"""
LINES = """\
id,text,a,b
1,t,x,x
2,"two lines,
of text",x,y
3,"a ""word"" in quotes, and a comma",y,x

4,"three

lines",y,y
5,q,x,y
"""
# The table of a and b is [[1, 2], [1, 1]]: p_o 2/5, p_e (3 * 2 + 2 * 3) / 25.
KAPPA = (2 / 5 - 12 / 25) / (1 - 12 / 25)


def counted(path: Path) -> float:
    return float(kappa_from_confusion(confusion_from_source(path, "a", "b").table))


def scored(path: Path, *options: object) -> float:
    return float(CommandLine("score").json_of(path, "--y1", "a", "--y2", "b", *options)["kappa"])


def agreed(path: Path, *options: object) -> float:
    found = CommandLine("agree").json_of(path, "--raters", "a", "b", *options)
    return float(found["kappa"])


def clustered(path: Path, *options: object) -> float:
    return agreed(path, "--cluster", "id", *options)


ENTRANCES = [counted, scored, agreed, clustered]
COMMANDS = ENTRANCES[1:]


def refusal(kappa: Callable[[Path], float], path: Path) -> str:
    """Return the reason why a file is refused, in Python or on the command line."""
    names = {scored: ("score", "--y1", "a", "--y2", "b"), agreed: ("agree", "--raters", "a", "b")}
    names[clustered] = (*names[agreed], "--cluster", "id")
    if kappa in names:
        command, *options = names[kappa]
        return CommandLine(command).refusal(path, *options)
    with pytest.raises(ValueError, match=r"\w") as raised:
        kappa(path)
    return str(raised.value)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(text: str, name: str = "ratings.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize("kappa", ENTRANCES)
@pytest.mark.parametrize("last", ["4,z", "4,z4"], ids=["closed", "never closed"])
def test_a_quote_swallows_no_rows(kappa: Any, last: str, write: Any) -> None:
    text = UNCLOSED if last == "4,z" else UNCLOSED.replace('z"z', "z4")
    found = refusal(kappa, write(text))
    assert f"a quote in line 3 opens a field that extends to line {5 if last == '4,z' else 6}" in (
        found
    )
    assert "--quote none" in found


@pytest.mark.parametrize("kappa", COMMANDS)
def test_quotes_may_be_text(kappa: Any, write: Any) -> None:
    assert kappa(write(UNCLOSED), "--quote", "none") == pytest.approx(KAPPA, abs=1e-15)
    assert kappa(write(UNCLOSED.replace(",", "\t"), "r.tsv"), "--quote", "none") == pytest.approx(
        KAPPA, abs=1e-15
    )


@pytest.mark.parametrize("kappa", ENTRANCES)
def test_quoted_line_breaks_are_right(kappa: Any, write: Any) -> None:
    assert kappa(write(LINES)) == pytest.approx(KAPPA, abs=1e-15)


@pytest.mark.parametrize("kappa", ENTRANCES)
def test_lines_of_quoted_text_may_look_like_rows(kappa: Any, write: Any) -> None:
    text = LINES.replace('"two lines,\nof text"', '"one, two, three\nof, text"')
    assert text != LINES
    assert kappa(write(text)) == pytest.approx(KAPPA, abs=1e-15)
    # A forgotten quote is followed by the opening quote of another field.
    text = LINES.replace('2,"two lines,\nof text"', '2,"two lines,x,y\n6,"of text"')
    assert "a quote in line 3 opens a field that extends to line 4" in refusal(kappa, write(text))


def test_a_column_of_texts_alone_may_have_line_breaks(write: Any) -> None:
    path = write('a\n"x\ny"\nz\n"x\ny"\n')
    assert confusion_from_source(path, "a", "a").table.tolist() == [[2, 0], [0, 1]]


@pytest.mark.parametrize("kappa", ENTRANCES)
@pytest.mark.parametrize("labels", ["xy", "12"])
def test_a_header_in_the_middle_is_no_item(kappa: Any, labels: str, write: Any) -> None:
    rows = LINES.replace(",x", f",{labels[0]}").replace(",y", f",{labels[1]}")
    names, *_ = rows.splitlines()
    assert "1 row contains the names of the columns ('a', 'b'" in refusal(
        kappa, write(f"{rows}{names}\n6,t,1,2\n")
    ).replace("('id', 'a', 'b'", "('a', 'b'").replace("('a', 'b', 'id'", "('a', 'b'")


@pytest.mark.parametrize("kappa", ENTRANCES)
@pytest.mark.parametrize("header", ["ID,TEXT,A,B", "id, text, a, b", "\ufeffid,t,\ufeffa,b"])
def test_a_header_in_the_middle_may_be_written_otherwise(
    kappa: Any, header: str, write: Any
) -> None:
    found = refusal(kappa, write(f"{LINES}{header}\n6,t,x,y\n"))
    assert "1 row contains the names of the columns" in found
    assert "Remove all such rows" in found


@pytest.mark.parametrize("kappa", ENTRANCES)
def test_columns_of_a_second_part_in_another_order(kappa: Any, write: Any) -> None:
    found = refusal(kappa, write(f"{LINES}id,text,b,a\n6,t,y,x\n"))
    assert "Concatenate only files whose columns are in the same order" in found


@pytest.mark.parametrize("kappa", ENTRANCES)
def test_labels_may_be_called_as_columns_are(kappa: Any, write: Any) -> None:
    path = write("id,a,b\n1,c,c\n2,b,b\n3,a,b\n4,b,a\n5,c,c\n6,c,c\n7,a,a\n")
    assert kappa(path) == pytest.approx((5 / 7 - 17 / 49) / (1 - 17 / 49), abs=1e-15)


@pytest.mark.parametrize("kappa", ENTRANCES)
def test_columns_aligned_by_spaces(kappa: Any, write: Any) -> None:
    rows = ["id    a          b", "1     x          x", "2     x          y"]
    rows += ["3     y          x", "  4   y          y", '5     x          "y"']
    assert kappa(write("\n".join(rows), "r.txt")) == pytest.approx(KAPPA, abs=1e-15)
    # A missing cell does not shift the other cells.
    assert "r.txt cannot be read" in refusal(kappa, write("\n".join([*rows, "6 x"]), "r.txt"))


@pytest.mark.parametrize("kappa", ENTRANCES)
def test_row_names_without_a_column_name(kappa: Any, write: Any) -> None:
    for text, name in (("a,id,b\n1,x,1,x\n2,y,2,y\n", "r.csv"), ("a id b\n1 x 1 x\n", "r.txt")):
        assert "If a column of row names has no name" in refusal(kappa, write(text, name))
    assert "row names" not in refusal(kappa, write("a,id,b\nx,1,x\ny,2,y,z\n"))


@pytest.mark.parametrize("kappa", ENTRANCES)
@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nid;a;b\n1;x;x\n2;x;y\n3;y;x\n4;y;y\n5;x;y\n",
        "sep=,\nid,a,b\n1,x,x\n2,x,y\n3,y,x\n4,y,y\n5,x,y\n",
        '"sep=|"\r\nid|a|b\r\n1|x|x\r\n2|x|y\r\n3|y|x\r\n4|y|y\r\n5|x|y\r\n',
        "id;a;b\n1;x;x\n2;x;y\n3;y;x\n4;y;y\n5;x;y\n",
        "id\ta\tb\n1\tx\tx\n2\tx\ty\n3\ty\tx\n4\ty\ty\n5\tx\ty\n",
    ],
)
def test_what_separates_fields_is_found(kappa: Any, text: str, write: Any) -> None:
    assert kappa(write(text)) == pytest.approx(KAPPA, abs=1e-15)


@pytest.mark.parametrize("kappa", ENTRANCES)
@pytest.mark.parametrize(
    "above", ["My study\n", "# one\n# two; three\n", "\n\nA title, of two\n", "Study\n\n"]
)
def test_lines_above_the_names(kappa: Any, above: str, write: Any) -> None:
    path = write(above + LINES)
    n_above = above.count("\n")
    found = refusal(kappa, path)
    assert f"ine {n_above + 1} has the" in found
    assert f"--skip {n_above}" in found
    if kappa in COMMANDS:
        assert kappa(path, "--skip", n_above) == pytest.approx(KAPPA, abs=1e-15)


def test_decimal_commas(write: Any) -> None:
    thresholds = CommandLine("thresholds")
    path = write("y;s\n1;0,5\n1;1,25\n2;2,5\n2;3,0\n1;0,75\n2;2,75\n")
    options = (path, "--y", "y", "--score", "s", "--method", "exact")
    found = thresholds.json_of(*options, "--decimal", ",")
    assert found["thresholds"] == [(1.25 + 2.5) / 2]
    assert "'0,5'" in thresholds.refusal(*options)
    assert "decimal" in thresholds.refusal(*options)


def test_half_points_with_decimal_commas(write: Any) -> None:
    points = ["1,5", "2,5", "3,5"] * 3
    rows = [f"{i};{a};{b}" for i, (a, b) in enumerate(zip(points, ["2,5", *points[1:]]))]
    path = write("\n".join(["id;a;b", *rows, ""]))
    expected = kappa_from_confusion([[2, 1, 0], [0, 3, 0], [0, 0, 3]])
    labels = "1.5,2.5,3.5"
    options = {
        "score": ("--y1", "a", "--y2", "b"),
        "agree": ("--raters", "a", "b"),
    }
    for name, own in options.items():
        said = CommandLine(name).text_of(path, *own, "--decimal", ",", "--labels", labels)
        assert f"kappa {expected:.4f}" in " ".join(said.split()), name
    for given in ([1.5, 2.5, 3.5], np.array([1.5, 2.5, 3.5])):
        counts = confusion_from_source(path, "a", "b", decimal=",", labels=given)
        assert kappa_from_confusion(counts.table) == expected


COMMAS = ["1,5", "2,5", "3,5"] * 4
OF_NUMBERS: dict[str, Callable[[], Any]] = {
    "scores": lambda: optimal_thresholds([0, 1, 2] * 4, COMMAS),
    "limits": lambda: limits_of_agreement(COMMAS, COMMAS),
    "intraclass": lambda: intraclass_correlation([[one, one] for one in COMMAS]),
    "predictions": lambda: continuous_kappa([1, 2, 3] * 4, COMMAS),
    "weights": lambda: agreement([1, 2, 3] * 4, [1, 2, 3] * 4, sample_weight=COMMAS),
    "weights of a source": lambda: confusion_from_source(
        {"a": [1, 2, 3] * 4, "w": COMMAS}, "a", "a", sample_weight="w"
    ),
}


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_decimal_commas_in_memory(name: str) -> None:
    with pytest.raises(ValueError, match=r"decimal comma, pass decimal=',' to pandas\.read_csv"):
        OF_NUMBERS[name]()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--decimal", "1"], "--decimal must be a single character"),
        (["--decimal", ",,"], "--decimal must be a single character"),
        (["--sep", ",", "--decimal", ","], "--sep and --decimal must differ"),
    ],
)
def test_options_are_checked(options: list[str], why: str, write: Any) -> None:
    command, path = CommandLine("score"), write(LINES)
    assert why in command.refusal(path, "--y1", "a", "--y2", "b", *options)
    given: Any = {name.strip("-"): value for name, value in zip(options[::2], options[1::2])}
    with pytest.raises(ValueError, match=why.replace("--", "")):
        confusion_from_source(path, "a", "b", **given)


def test_options_of_text_in_python(tmp_path: Path) -> None:
    path, options = tmp_path / "1.csv", {"sep": "|", "decimal": ",", "encoding": "cp1252"}
    text = "a|b|w\né|é|0,5\nè|é|1,25\n"
    for encoding in ("cp1252", "utf-8"):
        path.write_bytes(text.encode(encoding))
        counts = confusion_from_source(path, "a", "b", sample_weight="w", **options)
        assert counts.labels.tolist() == ["è", "é"]
        assert counts.table.tolist() == [[0.0, 1.25], [0.0, 0.5]]
    (tmp_path / "2.csv").write_bytes(text.encode())
    assert confusion_from_source(tmp_path, "a", "b", **options).labels.tolist() == ["è", "é"]
    with pytest.raises(TypeError, match="sep applies only to paths"):
        confusion_from_source({"a": [1], "b": [1]}, "a", "b", sep="|")
    table = pytest.importorskip("pyarrow").table({"a": [1], "b": [1]})
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "r.parquet")
    with pytest.raises(ValueError, match=r"apply only to text files, but the format .* is parquet"):
        confusion_from_source(tmp_path / "r.parquet", "a", "b", decimal=",")


def test_missing_codes_among_decimal_commas_in_python(write: Any) -> None:
    path = write("a;b\n1,0;1,0\n2,0;2,0\n2,0;k.A.\n2,0;1,0\n")
    counts = confusion_from_source(path, "a", "b", decimal=",", missing_codes=["k.A."])
    assert counts.table.tolist() == [[1, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"column 'b' contains numbers and also 'k\.A\.' \(1 time"):
        confusion_from_source(path, "a", "b", decimal=",")


@pytest.mark.parametrize("hidden", [".ipynb_checkpoints", ".git", "_temporary"])
def test_hidden_folders_are_not_read(hidden: str, write: Any, tmp_path: Path) -> None:
    write(LINES, "d/part.csv")
    (tmp_path / "d" / hidden).mkdir()
    (tmp_path / "d" / hidden / "part-checkpoint.csv").write_text(LINES, encoding="utf-8")
    assert confusion_from_source(tmp_path / "d", "a", "b").n_rows == 5
    found = CommandLine("score").json_of(tmp_path / "d", "--y1", "a", "--y2", "b")
    assert found["n"] == 5
    long = "item,rater,rating\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n3,a,y\n3,b,y\n"
    (tmp_path / "d" / "part.csv").write_text(long, encoding="utf-8")
    (tmp_path / "d" / hidden / "part-checkpoint.csv").write_text(long, encoding="utf-8")
    ratings = Ratings.from_long(tmp_path / "d", item="item", rater="rater", rating="rating")
    assert pairwise_kappa(ratings).n[0, 1] == 3
    found = CommandLine("agree").json_of(
        tmp_path / "d", "--item", "item", "--rater", "rater", "--rating", "rating"
    )
    assert found["n"] == 3
    measured = "s,t\n1,1.5\n2,2.5\n1,1.2\n2,2.2\n3,3.1\n"
    (tmp_path / "d" / "part.csv").write_text(measured, encoding="utf-8")
    (tmp_path / "d" / hidden / "part-checkpoint.csv").write_text(measured, encoding="utf-8")
    cuts = CommandLine("thresholds").json_of(tmp_path / "d", "--y", "s", "--score", "t")
    assert cuts["n"] == 5


def test_submissions_in_hidden_folders_are_none(tmp_path: Path) -> None:
    hidden = tmp_path / "teams" / ".ipynb_checkpoints"
    hidden.mkdir(parents=True)
    for path in (tmp_path / "truth.csv", tmp_path / "teams" / "red.csv", hidden / "red.csv"):
        path.write_text("id,y\n1,x\n2,y\n3,x\n", encoding="utf-8")
    found = CommandLine("leaderboard").json_of(
        tmp_path / "truth.csv", tmp_path / "teams", "--id", "id", "--target", "y"
    )
    assert len(found["rows"]) == 1


@pytest.mark.parametrize("kappa", COMMANDS)
def test_one_name_of_two_columns(kappa: Any, write: Any) -> None:
    path = write("id,a,a\n1,x,x\n2,y,x\n")
    name, *options = {scored: ("score", "--y1", "a", "--y2", "a")}.get(
        kappa, ("agree", "--raters", "a", "a")
    )
    said = CommandLine(name).refusal(path, *options)
    assert "got 'a' twice. If two columns have this name, rename one of them." in said


def test_decimal_commas_of_item_weights(write: Any) -> None:
    path = write('id,a,b,w\n1,x,x,"1,5"\n2,y,x,"0,5"\n3,y,y,"2,5"\n')
    options = {
        "score": ("--y1", "a", "--y2", "b", "--sample-weight", "w"),
        "agree": ("--raters", "a", "b", "--sample-weight", "w"),
        "leaderboard": (path, "--id", "id", "--target", "a", "--sample-weight", "w"),
    }
    for name, own in options.items():
        said = CommandLine(name).refusal(path, *own)
        assert "For decimal commas, use --decimal ,." in said, name
    with pytest.raises(ValueError, match=r"column 'w' of .* For decimal commas, pass decimal=','"):
        confusion_from_source(path, "a", "b", sample_weight="w")
    found = confusion_from_source(path, "a", "b", sample_weight="w", decimal=",")
    assert found.table.tolist() == [[1.5, 0.0], [0.5, 2.5]]
    # The table is [[2, 0], [1, 3]]: p_o 5/6, p_e (2 * 3 + 4 * 3) / 36.
    path = write('id,a,b,w\n1,x,x,"2,0"\n2,y,x,"1,0"\n3,y,y,"3,0"\n')
    write("id,a\n1,x\n2,x\n3,y\n", "predicted.csv")
    options["leaderboard"] = (path.with_name("predicted.csv"), *options["leaderboard"][1:])
    for name, own in options.items():
        found = CommandLine(name).json_of(path, *own, "--decimal", ",")
        kappa = found["rows"][0]["kappa"] if name == "leaderboard" else found["kappa"]
        assert kappa == pytest.approx(2 / 3, abs=1e-15), name


def test_a_file_that_is_read_with_the_wrong_separator(write: Any) -> None:
    path = write("id;a;b\n1;x;x\n2;y;x\n3;y;y\n")
    options = {
        "score": ("--y1", "a", "--y2", "b"),
        "agree": ("--raters", "a", "b"),
        "leaderboard": (path, "--id", "id", "--target", "a"),
        "thresholds": ("--y", "a", "--score", "b"),
    }
    for name, own in options.items():
        said = CommandLine(name).refusal(path, *own, "--sep", ",")
        assert "it has 'id;a;b'. Use --sep ';' to split it." in said, name
    with pytest.raises(ValueError, match=r"it has 'id;a;b'\. Use sep=';' to split it"):
        confusion_from_source(path, "a", "b", sep=",")


def test_a_second_file_that_is_read_with_the_wrong_separator(write: Any) -> None:
    commas = write("id,a,b\n1,x,x\n2,y,x\n3,y,y\n", "parts/1.csv")
    semicolons = write("id;a;b\n1;x;x\n2;y;x\n3;y;y\n", "parts/2.csv")
    arguments = {
        "leaderboard": (commas, semicolons, "--id", "id", "--target", "a"),
        "score": (commas.parent, "--y1", "a", "--y2", "b"),
        "agree": (commas, semicolons, "--id", "id", "--rating", "a"),
    }
    for name, own in arguments.items():
        said = CommandLine(name).run(*own, "--sep", ",")
        assert said.exit_code in (1, 2)
        assert "2.csv" in said.stderr + said.stdout
        assert "it has 'id;a;b'. Use --sep ';' to split it." in said.stderr + said.stdout, name


@pytest.mark.parametrize("kappa", [scored, agreed, counted])
def test_files_of_a_folder_can_have_different_separators(kappa: Any, write: Any) -> None:
    head, *rows = LINES.replace("\n\n4", "\n4").split("\n4,", 1)
    folder = write(head + "\n", "parts/1.csv").parent
    write(("id,text,a,b\n4," + rows[0]).replace(",", ";"), "parts/2.csv")
    assert kappa(folder) == pytest.approx(KAPPA, abs=1e-15)
