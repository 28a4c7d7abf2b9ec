"""Check arguments that accept only a few words, and suggest the nearest word in error messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar

# The names of choices in other libraries and on the command line, mapped to the names used here.
# None means the default.
ELSEWHERE: dict[str, str | None] = {
    **dict.fromkeys(("none", "auto", "default", "unweighted", "nominal", "identity", "equal")),
    **dict.fromkeys(("squared", "square", "fleiss-cohen"), "quadratic"),
    **dict.fromkeys(("absolute", "cicchetti-allison", "equal-spacing", "abs"), "linear"),
    "quadratic": "interval",
    **dict.fromkeys(("error", "fail", "strict"), "raise"),
    **dict.fromkeys(("ignore", "omit", "skip", "exclude", "remove", "pairwise"), "drop"),
    **dict.fromkeys(("wald", "delta", "fce"), "asymptotic"),
    **dict.fromkeys(("wilson", "rao"), "score"),
    **dict.fromkeys(("likelihood", "likelihood-ratio", "lr"), "profile"),
    **dict.fromkeys(("gaussian", "z", "norm"), "normal"),
    **dict.fromkeys(("student", "students"), "t"),
    **dict.fromkeys(("two_sided", "two.sided", "both"), "two-sided"),
    **dict.fromkeys(("larger", "upper", "right"), "greater"),
    **dict.fromkeys(("smaller", "lower", "left"), "less"),
    "alpha": "krippendorff",
    "ac1": "gwet",
    "ac2": "gwet",
    "kappa": "fleiss",
}

# A word with a similarity of at least `VERY_NEAR` is suggested first. Otherwise, a word is
# suggested if it contains the given word, or if the given word begins with it, provided that both
# have at least `SHORTEST_PART` letters.
VERY_NEAR, SHORTEST_PART = 0.8, 3

Choice = TypeVar("Choice", bound=str | None)


def check_choice(argument: str, value: Any, allowed: Sequence[Choice], more: str = "") -> Choice:
    """Return ``value``, or raise an error that suggests the nearest of the allowed words.

    ``more`` describes other values that the argument accepts.

    Examples
    --------
    >>> from fastkappa.choices import check_choice
    >>> check_choice("missing", "drop", ("raise", "drop"))
    'drop'
    >>> check_choice("missing", "error", ("raise", "drop"))
    Traceback (most recent call last):
        ...
    ValueError: missing must be 'raise' or 'drop', got 'error'. Did you mean 'raise'?
    """
    if (value is None or isinstance(value, str)) and value in allowed:
        return allowed[allowed.index(value)]
    *others, last = [*map(repr, allowed), *([more] if more else [])]
    raise ValueError(
        f"{argument} must be {', '.join(others)} or {last}, got {value!r}."
        f"{did_you_mean(value, allowed)}"
    )


def did_you_mean(value: Any, allowed: Sequence[Any]) -> str:
    """Return a sentence that suggests the nearest allowed word, or "" if none is near.

    A very similar word is preferred. If there is none, a word that contains the value, or with
    which the value begins, is preferred to other similar words.

    Examples
    --------
    >>> from fastkappa.choices import did_you_mean
    >>> did_you_mean("Squared", (None, "linear", "quadratic"))
    " Did you mean 'quadratic'?"
    >>> did_you_mean("auto", (None, "score")), did_you_mean("quadratc", ("none", "quadratic"))
    (' Did you mean None?', " Did you mean 'quadratic'?")
    >>> did_you_mean("prediction", ("region", "pred")), did_you_mean("Pred", ("y_pred", "Bred"))
    (" Did you mean 'pred'?", " Did you mean 'y_pred'?")
    """
    if not isinstance(value, str):
        return ""
    # Imported only after an error, to keep `import fastkappa` fast.
    from difflib import get_close_matches

    word = value.strip().lower()
    words = {str(one).lower(): one for one in reversed(allowed) if one is not None}
    meant = ELSEWHERE.get(word, word)
    if word in ELSEWHERE and meant in allowed:
        return f" Did you mean {meant!r}?"
    if meant is None:
        # On the command line, None is spelled "none" or "auto".
        word = next((one for one in ("none", "auto") if one in words), word)
    parts = [
        one
        for one in words
        if min(len(one), len(word)) >= SHORTEST_PART and (word.startswith(one) or word in one)
    ]
    near = get_close_matches(word, words, 1, VERY_NEAR) or parts or get_close_matches(word, words)
    return f" Did you mean {words[near[0]]!r}?" if near else ""


def n_edits(first: str, second: str) -> int:
    """Return the edit distance between two words. A swap of adjacent letters is one edit.

    Examples
    --------
    >>> from fastkappa.choices import n_edits
    >>> [n_edits("positive", word) for word in ("positve", "psoitive", "positivly", "positive")]
    [1, 1, 2, 0]
    """
    # Row i holds the number of edits between the first i letters of the first text and each prefix
    # of the second text.
    rows: list[list[int]] = [[*range(len(second) + 1)]]
    for i, letter in enumerate(first, 1):
        row = [i]
        for j, other in enumerate(second, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if min(i, j) > 1 and (letter, first[i - 2]) == (second[j - 2], other):
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def position_of(name: Any, names: Sequence[str], what: str) -> int:
    """Convert a name to its position, and return a position unchanged.

    An integer is a position, unless it is also one of the names.

    Raises
    ------
    KeyError
        If ``names`` does not contain the name, or contains it more than once.

    Examples
    --------
    >>> from fastkappa.choices import position_of
    >>> position_of("Ben", ["Ann", "Ben"], "rater"), position_of(0, ["Ann", "Ben"], "rater")
    (1, 0)
    >>> position_of(2, ["2", "1"], "rater")
    0
    """
    text = str(name)
    if text not in names and isinstance(name, Integral) and 0 <= int(name) < len(names):
        return int(name)
    if list(names).count(text) == 1:
        return list(names).index(text)
    why = f"several {what}s are" if text in names else f"no {what} is"
    raise KeyError(f"{why} named {name!r}.{did_you_mean(name, names)}")


def no_attribute(of: object, name: str, instead: Mapping[str, str]) -> AttributeError:
    """Return the error for a missing attribute, with advice about names from other libraries."""
    advice = f": {instead[name]}" if name in instead else ""
    return AttributeError(f"{type(of).__name__!r} object has no attribute {name!r}{advice}")
