"""The forms of a result: text, HTML, dictionary and data frame."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from fastkappa import agreement, agreement_by, agreement_from_confusion
from fastkappa.results import AgreementResult


def test_report() -> None:
    text = str(
        agreement_from_confusion(
            [[88, 14, 18], [10, 40, 10], [2, 6, 12]],
            labels=list("abc"),
            interval_method="asymptotic",
        )
    )
    lines = text.splitlines()
    assert lines[0] == "Agreement of two raters on 200 items, 3 labels, no weights"
    assert "  a       88  14  18    120" in lines
    (kappa,) = (line for line in lines if line.startswith("kappa  "))
    assert kappa.split() == ["kappa", "0.4915", "0.0510", "0.3916", "to", "0.5915"]
    assert "  kappa of c" in text
    assert "AC2" not in text
    assert ["interval", "of", "kappa", "asymptotic"] in [line.split() for line in lines]
    assert ["p", "of", "kappa", "=", "0", "3.2e-21"] in [line.split() for line in lines]
    assert max(map(len, lines)) <= 80


def test_report_with_weights_marks_what_has_none() -> None:
    text = str(agreement_from_confusion([[20, 5], [10, 15]], weights="quadratic"))
    assert "quadratic weights" in text
    assert "Gwet's AC1 (no weights)" in text
    assert "Gwet's AC2  " in text
    assert "prevalence index" in text
    matrix = agreement_from_confusion([[20, 5], [10, 15]], weights=[[0, 1], [2, 0]])
    assert "weights of a matrix" in str(matrix)


def test_report_of_a_large_table_leaves_it_out() -> None:
    result = agreement_from_confusion(np.eye(40, dtype=int) + 1)
    assert "40 labels" in str(result)
    assert "  39   " not in str(result).split("kappa")[0]
    assert result._repr_html_().count("<table>") == 3


def test_html_is_escaped_and_whole() -> None:
    from html.parser import HTMLParser

    result = agreement_from_confusion([[20, 5], [10, 15]], labels=["<b>", "a & b"])
    html = result._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    assert "a &amp; b" in html
    seen: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, _: seen.append(tag)  # type: ignore[method-assign]
    parser.handle_endtag = lambda tag: seen.remove(tag)  # type: ignore[method-assign]
    parser.feed(html)
    assert seen == []


def test_dictionary_is_plain() -> None:
    weights = [[0, 1], [2, 0]]
    result = agreement_from_confusion([[20, 5], [10, 15]], weights=weights, labels=["no", "yes"])
    found = json.loads(json.dumps(result.to_dict()))
    assert found["weights"] == weights
    assert found["table"] == [[20, 5], [10, 15]]
    assert found["kappa"] == result.kappa
    assert found["interval"] == list(result.interval)
    assert found["standard_errors"]["gwet_ac1"] == result.estimates["gwet_ac1"].standard_error
    properties = {
        name
        for name, value in vars(AgreementResult).items()
        if not name.startswith("_") and isinstance(value, (property, type(AgreementResult.n)))
    }
    left_out = {"estimates", "category_standard_errors", "margins", "tested", "freedom"}
    assert properties - set(found) == left_out


def test_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    result = agreement_from_confusion([[20, 5], [10, 15]], labels=["no", "yes"])
    frame = result.to_frame()
    assert frame.loc["kappa"].tolist() == [result.kappa, result.standard_error, *result.interval]
    assert frame.loc["kappa of yes", "value"] == result.category_kappas[1]
    assert frame["value"].dtype == np.float64
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas"):
        result.to_frame()


def test_one_label_is_singular() -> None:
    with pytest.warns(UserWarning, match="kappa is undefined"):
        result = agreement_from_confusion([[3]], labels=["x"])
    expected = "<AgreementResult: kappa undefined (undefined), n = 3, 1 label, no weights>"
    assert repr(result) == expected
    assert str(result).startswith("Agreement of two raters on 3 items, 1 label, no weights\n")
    assert ["p", "of", "kappa", "=", "0", "undefined"] in [
        line.split() for line in str(result).splitlines()
    ]
    assert "nan" not in str(result)


SCALE = ["none", "mild", "moderate", "very severe, in hospital"]


def with_an_unused_label(weights: Any) -> AgreementResult:
    table = np.zeros((4, 4), int)
    table[:3, :3] = [[8, 2, 0], [1, 5, 1], [0, 2, 4]]
    return agreement_from_confusion(table, labels=SCALE, weights=weights)


@pytest.mark.parametrize("weights", [None, "linear"])
def test_what_is_undefined_has_no_interval_and_no_label_is_cut(weights: Any) -> None:
    result = with_an_unused_label(weights)
    name = f"kappa of {SCALE[3]}"
    (row,) = (row for row in result.rows() if row[0] == name)
    assert np.isnan([*row[1:3], *row[3]]).all()
    (line,) = (line for line in str(result).splitlines() if name in line)
    assert line.split(name)[1].split() == ["undefined"]
    assert all(np.isnan(result.to_frame().loc[name, ["lower", "upper"]]))
    html = result._repr_html_()
    cells = html[html.index(f'<th scope="row">{name}</th>') :].split("</tr>")[0]
    assert cells.count("<td>undefined</td>") == 1
    assert " to " not in cells


def test_labels_that_no_rating_is_are_named_with_what_they_change() -> None:
    """With 4, 5 or 6 labels given, ratings of 4 labels have the same kappa; other values differ."""
    y1, y2 = [1, 2, 3, 4, 4, 1, 2, 3, 1, 2], [1, 2, 3, 4, 3, 2, 2, 2, 1, 1]
    found = {n: agreement(y1, y2, labels=range(1, n + 1), weights="quadratic") for n in (4, 5, 6)}
    assert len({round(result.kappa, 12) for result in found.values()}) == 1
    # Bennett's S is (p_o - 1 / l) / (1 - 1 / l) for l labels.
    expected = [Fraction(6 * n - 10, 10 * (n - 1)) for n in found]
    assert [r.bennett_s for r in found.values()] == pytest.approx([float(s) for s in expected])
    assert len({round(result.interval[0], 3) for result in found.values()}) == 3
    texts = {n: " ".join(str(result).split()) for n, result in found.items()}
    assert "never used" not in texts[4]
    assert "1 of the 5 labels never used (5): unused labels change Bennett's S," in texts[5]
    assert "2 of the 6 labels never used (5, 6)" in texts[6]
    assert "and can change the interval of kappa" in texts[6]
    result = agreement(y1, y2, labels=range(1, 6), interval_method="asymptotic")
    assert "can change the interval" not in " ".join(str(result).split())


def test_an_interval_much_wider_than_the_standard_error() -> None:
    """With quadratic weights, large disagreements that did not occur widen the score interval."""
    near = [[40, 5, 0, 0], [5, 40, 5, 0], [0, 5, 40, 5], [0, 0, 5, 40]]
    remark = "because the data do not rule out larger disagreements"
    given = agreement_from_confusion(near, weights="quadratic")
    low, high = given.interval
    ratio = (high - low) / (2 * norm.ppf(0.975) * given.standard_error)
    assert ratio > 1.5
    said = f"is {ratio:.1f} times as wide as its standard error suggests, {remark}"
    assert said in " ".join(str(given).split())
    # A report on groups has one such line.
    y1, y2 = np.indices((4, 4)).reshape(2, -1).repeat(np.ravel(near), axis=1)
    of_seven = np.arange(len(y1)) % 7, "1, 2, 3, 4, 5 and 2 more"
    for groups, more in ((np.zeros(len(y1)), "all"), of_seven):
        by_group = agreement_by(y1, y2, groups=groups, weights="quadratic")
        text = " ".join(str(by_group).split())
        assert text.count(remark) == by_group._repr_html_().count(remark) == 1
        assert f"; the same is true of {more}" in text
    # In this table, large disagreements did occur. The other tables have no weights.
    seen = [[30, 8, 3, 2], [8, 30, 8, 3], [3, 8, 30, 8], [2, 3, 8, 30]]
    assert remark not in " ".join(str(agreement_from_confusion(seen, weights="quadratic")).split())
    for table in (near, seen, [[10, 0], [0, 10]], [[45, 2], [3, 50]]):
        assert remark not in " ".join(str(agreement_from_confusion(table)).split())
    for other in ({"interval_method": "asymptotic"}, {"distribution": "t"}):
        plain = agreement_from_confusion(near, weights="quadratic", **other)
        assert remark not in " ".join(str(plain).split())


def test_the_proportion_of_items_at_most_one_label_apart() -> None:
    """Of five items, two have equal ratings, and one has adjacent ratings."""
    y1, y2 = [1, 2, 3, 4, 1], [1, 3, 3, 1, 4]
    for weights in ("linear", "quadratic"):
        text = " ".join(str(agreement(y1, y2, weights=weights)).split())
        assert "at most one label apart 0.6000" in text
    assert "apart" not in str(agreement(y1, y2))
    # Of three labels, only two are more than one label apart.
    assert "apart" not in str(agreement([1, 2, 3], [1, 3, 3], weights="linear"))
