"""The inputs of commands: pipes, folders, patterns and encodings."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")
pytest.importorskip("rich")

from fastkappa import cohen_kappa_score, fleiss_kappa
from tests.helpers.command_line import CommandLine, refusal_of, write_csv

score, agree = CommandLine("score"), CommandLine("agree")
PAIR = ("--y1", "a", "--y2", "b")
RATERS = ("--raters", "a", "b")
random = np.random.default_rng(5)
A = random.integers(1, 5, 300)
B = np.where(random.random(300) < 0.6, A, random.integers(1, 5, 300))
C = np.where(random.random(300) < 0.6, A, random.integers(1, 5, 300))
KAPPA = cohen_kappa_score(A, B)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(Path("ratings.csv"), a=A, b=B, c=C)
    return tmp_path


def text() -> str:
    return Path("ratings.csv").read_text()


def kappa(*arguments: object, stdin: bytes | None = None) -> float:
    result = score.run(*arguments, "--format", "json", stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return float(json.loads(result.stdout)["kappa"])


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "gz", "parquet", "arrow", "arrows"])
def test_the_standard_input(name: str, form: str) -> None:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table({"a": A, "b": B})
    written = io.BytesIO()
    if form == "parquet":
        parquet.write_table(table, written)
    elif form.startswith("arrow"):
        new = pyarrow.ipc.new_file if form == "arrow" else pyarrow.ipc.new_stream
        with new(written, table.schema) as writer:
            writer.write_table(table)
    else:
        between = {"tsv": "\t", "semicolons": ";"}.get(form, ",")
        content = text().replace(",", between).encode()
        written.write(gzip.compress(content) if form == "gz" else content)
    assert kappa(name, *PAIR, stdin=written.getvalue()) == pytest.approx(KAPPA)


def test_every_command_reads_the_standard_input() -> None:
    given = text().encode()
    several = agree.run("-", "--raters", "a", "b", "c", "--format", "csv", stdin=given)
    (row,) = (row for row in csv.reader(several.stdout.splitlines()) if row[0] == "Fleiss' kappa")
    assert float(row[1]) == pytest.approx(fleiss_kappa(np.column_stack([A, B, C])).value)
    cuts = CommandLine("thresholds").run("-", "--y", "a", "--score", "b", stdin=given)
    assert cuts.stdout.startswith("standard input: cut points on b for a\n")
    numbered = "id,a\n" + "".join(f"{i},{a}\n" for i, a in enumerate(A))
    Path("truth.csv").write_text(numbered)
    board = CommandLine("leaderboard").run(
        *("truth.csv", "-", "--id", "id", "--target", "a", "--bootstrap", 0, "--format", "csv"),
        stdin=numbered.encode(),
    )
    assert board.stdout.splitlines()[1].startswith("1,standard input,1.0,")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_named_pipe(here: Path) -> None:
    os.mkfifo("pipe")
    # The writer waits for the reader, however late it starts.
    Thread(target=Path("pipe").write_text, args=[text()], daemon=True).start()
    assert kappa("pipe", *PAIR) == pytest.approx(KAPPA)


@pytest.mark.parametrize(
    ("delimiter", "named"), [(";", ";"), ("|", "|"), ("\t", "tab"), ("\t", r"\t"), (" ", "space")]
)
def test_separators(delimiter: str, named: str) -> None:
    content = text().replace(",", delimiter)
    for name in ("other.csv", "other.dat"):
        Path(name).write_text(content)
        assert kappa(name, *PAIR, "--sep", named) == pytest.approx(KAPPA)
    Path("other.txt").write_text(content)
    assert kappa("other.txt", *PAIR) == pytest.approx(KAPPA)
    found = agree.json_of("other.csv", "--raters", "a", "b", "c", "--sep", named)
    expected = fleiss_kappa(np.column_stack([A, B, C])).value
    assert found["coefficients"]["fleiss_kappa"]["value"] == pytest.approx(expected)


def test_another_separator_is_seen() -> None:
    Path("other.csv").write_text(text().replace(",", ";"))
    assert kappa("other.csv", *PAIR) == pytest.approx(KAPPA)
    assert "must be an ASCII character" in score.refusal("other.csv", *PAIR, "--sep", ";;")


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".txt"])
def test_encodings(encoding: str, suffix: str) -> None:
    words = np.array(["", "mäßig", "keine", "höher", "höchste"])
    rows = "".join(f"{a},{b}\n" for a, b in zip(words[A], words[B]))
    content = f"a,b\n{rows}".encode(encoding)
    path = Path(f"words{suffix}")
    path.write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)
    assert kappa(path, *PAIR, "--encoding", encoding) == pytest.approx(KAPPA)
    labels = score.json_of(path, *PAIR, "--encoding", encoding)["labels"]
    assert labels == sorted(words[1:])


def test_wrong_encodings() -> None:
    Path("wide.csv").write_text(text(), encoding="utf-16")
    Path("latin.csv").write_bytes("a,b\nhöher,höher\nx,höher\n".encode("cp1252"))
    assert "use --encoding utf-16." in score.refusal("wide.csv", *PAIR)
    assert "is not UTF-8. Use --encoding to name its encoding." in score.refusal("latin.csv", *PAIR)
    Path("long.csv").write_bytes("item,who,mark\n1,ann,höher\n1,ben,höher\n".encode("cp1252"))
    message = agree.refusal("long.csv", "--item", "item", "--rater", "who", "--rating", "mark")
    assert message == (
        "fastkappa: column 'mark' of long.csv contains text that is not UTF-8. Use --encoding to"
        " name its encoding.\n"
    )
    assert "got 'klingon'" in score.refusal("latin.csv", *PAIR, "--encoding", "klingon")
    message = score.refusal("latin.csv", *PAIR, "--encoding", "ascii")
    assert "latin.csv cannot be decoded as ascii" in message


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("agree", ("--raters", "a", "b", "--group")),
        ("agree", ("--raters", "a", "b", "c", "--group")),
        ("agree", ("--raters", "a", "b", "c", "--cluster")),
        ("agree", ("--raters", "a", "b", "--cluster", "c", "--group")),
        ("agree", ("--raters", "a", "b", "--reference", "c", "--group")),
        ("measure", ("--raters", "a", "b", "--group")),
        ("measure", ("--raters", "a", "b", "--cluster")),
    ],
)
def test_groups_and_clusters_in_another_encoding(command: str, options: tuple[str, ...]) -> None:
    sites = np.where(np.arange(len(A)) % 2, "Köln", "Bonn")
    rows = "".join(f"{a},{b},{c},{site}\n" for a, b, c, site in zip(A, B, C, sites))
    Path("latin.csv").write_bytes(f"a,b,c,site\n{rows}".encode("cp1252"))
    run = CommandLine(command, "latin.csv", *options, "site")
    message = run.refusal()
    assert "latin.csv" in message
    assert "not UTF-8" in message
    assert message.endswith(". Use --encoding to name its encoding.\n")
    if options[-1] == "--group":
        assert "column 'site' " in message
        assert "Köln" in run.text_of("--encoding", "cp1252")


def test_groups_stored_as_bytes() -> None:
    import pyarrow
    from pyarrow import parquet

    sites = np.where(np.arange(len(A)) % 2, "Köln".encode(), b"Bonn").tolist()
    parquet.write_table(pyarrow.table({"a": A, "b": B, "c": C, "site": sites}), "bytes.parquet")
    found = agree.json_of("bytes.parquet", "--raters", "a", "b", "c", "--group", "site")
    assert [group["group"] for group in found["groups"]] == ["Bonn", "Köln"]


@pytest.mark.parametrize("encoding", ["hex", "rot13", "zip", "undefined", "klingon"])
def test_codecs_that_are_no_encodings_of_text(encoding: str) -> None:
    assert score.refusal("ratings.csv", *PAIR, "--encoding", encoding) == (
        "fastkappa: --encoding must be an encoding that Python supports, such as utf-16 or cp1252,"
        f" got '{encoding}'.\n"
    )


READ = {
    "score": PAIR,
    "agree": RATERS,
    "thresholds": ("--y", "a", "--score", "b"),
    "leaderboard": ("ratings.csv", "--id", "c", "--target", "a"),
}


@pytest.mark.parametrize("command", READ)
@pytest.mark.parametrize("name", ["odd.csv", "odd.data"])
def test_what_is_no_text_in_its_encoding_is_named(command: str, name: str) -> None:
    run = CommandLine(command, name)
    for options in ([], ["--sep", ","]):
        Path(name).write_text(text(), encoding="utf-16-le")
        message = run.refusal(*READ[command], *options, "--encoding", "utf-16")
        # Python 3.14 words the reason differently.
        assert f"{name} cannot be decoded as utf-16: " in message
        assert "does not start with BOM" in message
        Path(name).write_bytes("a,b,c\nh\xf6her,1,1\nx,2,2\n".encode("cp1252"))
        message = run.refusal(*READ[command], *options, "--encoding", "utf-8")
        assert name in message
        assert "not UTF-8" in message
        assert "--encoding" not in message


def test_a_folder_of_files_without_names_in_another_encoding() -> None:
    Path("parts").mkdir()
    for i, rows in enumerate(["h\xf6her,h\xf6her\nx,h\xf6her\n", "x,x\n"]):
        Path(f"parts/{i}.csv").write_bytes(rows.encode("cp1252"))
    options = ("parts", "--y1", "1", "--y2", "2", "--no-header", "--encoding", "cp1252")
    found = score.json_of(*options)
    assert (found["n"], found["labels"]) == (3, ["h\xf6her", "x"])


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_is_no_part_of_the_first_value(mark: bytes) -> None:
    Path("bare.csv").write_bytes(mark + b"yes,no\nno,no\n")
    found = score.json_of("bare.csv", "--y1", "1", "--y2", "2", "--no-header")
    assert (found["n"], found["labels"]) == (2, ["no", "yes"])


def test_only_text_has_an_encoding_to_give() -> None:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table({"a": [b"h\xf6her", b"x"], "b": ["x", "x"]})
    parquet.write_table(table, "latin.parquet")
    message = score.refusal("latin.parquet", *PAIR)
    assert "not UTF-8" in message
    assert "--encoding" not in message


UTF16 = (
    "it looks like UTF-16 text: save it as UTF-8 or, on the command line, use --encoding utf-16."
)


@pytest.mark.parametrize(
    ("name", "encoding", "packed", "advice"),
    [
        ("wide.csv", "utf-16", False, UTF16),
        ("wide.txt.gz", "utf-16-be", True, UTF16),
        ("packed.csv", "utf-8", True, "it looks like a gzip file: rename it to packed.csv.gz."),
        ("packed.txt", "utf-8", True, "it looks like a gzip file: rename it to packed.txt.gz."),
        *(
            (f"plain.{suffix}.gz", "utf-8", False, "If it is not compressed, rename it to {plain}.")
            for suffix in ("csv", "TXT")
        ),
    ],
)
def test_files_that_are_not_what_their_name_says(
    name: str, encoding: str, packed: bool, advice: str
) -> None:
    rows = "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(zip(A, B)))
    Path("truth.csv").write_text(f"id,a,b\n{rows}")
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    content = f"{mark}id,a,b\n{rows}".encode(encoding)
    Path(name).write_bytes(gzip.compress(content) if packed else content)
    advice = advice.format(plain=name.removesuffix(".gz"))
    why = f"cannot be read: {advice}"
    if name.startswith("plain"):
        why = f"cannot be read: it does not look like a gzip file. {advice}"
    assert score.refusal(name, *PAIR) == f"fastkappa: {name} {why}\n"
    board = CommandLine("leaderboard")
    options = ("--id", "id", "--target", "a", "--format", "json")
    assert board.refusal(name, "truth.csv", *options) == f"fastkappa: {name} {why}\n"
    result = board.run("truth.csv", name, *options)
    assert result.exit_code == 1
    (row,) = json.loads(result.stdout)["rows"]
    assert (row["name"], row["failure"]) == (name, why)
    # Following the advice makes the file readable.
    last = advice.split()[-1].rstrip(".")
    if "--encoding" in advice:
        assert kappa(name, *PAIR, "--encoding", last) == pytest.approx(KAPPA)
    else:
        assert kappa(Path(name).rename(last), *PAIR) == pytest.approx(KAPPA)


@pytest.mark.parametrize("name", ["bare.csv", "bare.tsv", "bare.txt", "bare.csv.gz", "-"])
def test_files_without_names(name: str) -> None:
    content = text().partition("\n")[2]
    if name.endswith(".tsv"):
        content = content.replace(",", "\t")
    given = gzip.compress(content.encode()) if name.endswith(".gz") else content.encode()
    if name != "-":
        Path(name).write_bytes(given)
    found = kappa(name, "--y1", "1", "--y2", "2", "--no-header", stdin=given)
    assert found == pytest.approx(KAPPA)
    result = score.run(name, *PAIR, "--no-header", stdin=given)
    assert "has no column 'a'; it has '1', '2', '3'" in result.stderr


@pytest.mark.parametrize("before", ["\n", "\r\n\n", '"a\nb",1\n', '"a","b""\r\n"\n'])
@pytest.mark.parametrize("suffix", [".csv", ".txt", ".csv.gz"])
def test_the_first_row_without_names_is_the_first_that_is_not_blank(
    before: str, suffix: str
) -> None:
    rows = "1,2\n2,1\n1,1\n2,2\n" if before[0] in "\r\n" else "a,a\nb,b\n"
    content = f"{before}{rows}"
    expected = [row for row in csv.reader(io.StringIO(content, newline="")) if row]
    packed = gzip.compress if suffix.endswith(".gz") else bytes
    Path(f"rows{suffix}").write_bytes(packed(content.encode()))
    result = score.json_of(f"rows{suffix}", "--y1", "1", "--y2", "2", "--no-header")
    assert result["n"] == len(expected)
    assert result["kappa"] == cohen_kappa_score(*map(list, zip(*expected)))


@pytest.mark.parametrize("name", ["cut.csv.gz", "cut.txt.gz", "-"])
def test_compressed_files_that_are_damaged(name: str) -> None:
    whole = gzip.compress(text().encode())
    nothing = gzip.compress(b"")
    for content in (
        nothing,
        whole[:12],
        whole[:-20],
        b"\x1f\x8b, but no more",
        whole[:10] + b"\xff" * 20,
    ):
        Path(name).write_bytes(content)
        shown = "standard input" if name == "-" else name
        for options in (PAIR, ("--y1", "1", "--y2", "2", "--no-header")):
            message = refusal_of(score.run(name, *options, stdin=content))
            assert message.startswith(f"fastkappa: {shown} cannot be read: ")


def test_a_file_with_options_is_both_truth_and_submission() -> None:
    Path("bare.csv").write_text("1,1\n2,2\n3,1\n")
    bare = ("bare.csv", "bare.csv", "bare.csv", "--id", "1", "--target", "2", "--no-header")
    board = CommandLine("leaderboard").text_of(*bare, "--bootstrap", "0", "--format", "csv")
    rows = list(csv.DictReader(board.splitlines()))
    assert [(row["name"], row["kappa"]) for row in rows] == [("bare.csv", "1.0")]


def test_text_options_are_for_text() -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": A, "b": B}), "ratings.parquet")
    for option in (["--sep", ";"], ["--encoding", "cp1252"], ["--no-header"]):
        message = score.refusal("ratings.parquet", *PAIR, *option)
        assert (
            f"{option[0]} applies only to text files, but ratings.parquet has the format" in message
        )


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_folders_and_patterns(form: str) -> None:
    import pyarrow
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    Path("parts").mkdir()
    Path("parts", "notes.txt").write_text("not data")
    for i, rows in enumerate((slice(100), slice(100, 300))):
        table = pyarrow.table({"a": A[rows], "b": B[rows], "c": C[rows]})
        write = arrow_csv.write_csv if form == "csv" else parquet.write_table
        write(table, f"parts/{i}.{form}")
    for name in ("parts", f"parts/*.{form}"):
        assert kappa(name, *PAIR) == pytest.approx(KAPPA)
        found = agree.json_of(name, "--raters", "a", "b", "c")["coefficients"]["fleiss_kappa"][
            "value"
        ]
        assert found == pytest.approx(fleiss_kappa(np.column_stack([A, B, C])).value)
    assert "no file matches parts/*.tsv" in score.refusal("parts/*.tsv", *PAIR)
    assert "must all have the same format" in score.refusal("parts/*", *PAIR)


def test_a_folder_of_words() -> None:
    words = np.array(["", "none", "mild", "severe", "."])
    Path("parts").mkdir()
    for i, rows in enumerate((slice(100), slice(100, 300))):
        write_csv(Path(f"parts/{i}.csv"), a=words[A[rows]], b=words[B[rows]], c=words[C[rows]])
    options = ("parts", "--raters", "a", "b", "c", "--missing-codes", ".", "--missing", "drop")
    found = agree.json_of(*options)
    assert found["labels"] == ["mild", "none", "severe"]
    assert found["n_missing"] == sum(int((ratings == 4).sum()) for ratings in (A, B, C))


def test_a_part_of_text_and_a_part_of_numbers_are_text_together() -> None:
    write_csv(Path("part-1.csv"), a=[1, 2], b=[1, 1])
    write_csv(Path("part-2.csv"), a=["x", "y"], b=["x", "x"])
    found = score.json_of("part-?.csv", *PAIR)
    assert found["labels"] == ["1", "2", "x", "y"]


@pytest.mark.parametrize("option", ["disputed", "gold", "save", "report"])
def test_only_files_of_the_same_option_are_overwritten(option: str) -> None:
    write_csv(Path("r.csv"), a=[1, 2, 1], b=[1, 1, 2], c=[1, 2, 2])
    command, raters = (score, PAIR) if option == "save" else (agree, ("--raters", "a", "b", "c"))
    output = Path("output.html")
    options = ["r.csv", *raters, f"--{option}", output]
    output.touch()
    for _ in range(2):
        command.text_of(*options)
        assert output.stat().st_size > 0
    for text in ("item,label\n1,x\n", "\nitem,disagreement,\n", '{"labels": 1}', "<!DOCTYPE html>"):
        output.write_text(text)
        refused = command.refusal(*options)
        assert f"output.html, which was not written by --{option}: name another file" in refused
        assert output.read_text() == text


def test_outputs_that_name_the_same_file_or_the_weights() -> None:
    write_csv(Path("r.csv"), a=[1, 2, 1], b=[1, 1, 2])
    twice = ["--disputed", "out.csv", "--gold", Path("out.csv").absolute()]
    refused = agree.refusal("r.csv", "--raters", "a", "b", *twice)
    assert "--disputed and --gold must name different files" in refused
    weights = '{"version": 1, "labels": ['
    Path("w.txt").write_text(weights)
    refused = score.refusal("r.csv", *PAIR, "--weight-matrix", "w.txt", "--save", "w.txt")
    assert "--save would overwrite w.txt, which is an input" in refused
    assert Path("w.txt").read_text() == weights
