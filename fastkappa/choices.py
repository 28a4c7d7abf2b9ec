"""Arguments that take one of a few words; for another word, the nearest of them is suggested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar

# Names of choices in other libraries and on the command line; None stands for the default.
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
}


Choice = TypeVar("Choice", bound=str | None)


def check_choice(argument: str, value: Any, allowed: Sequence[Choice], more: str = "") -> Choice:
    """Return a value, or raise if it is not one of the words allowed, and name the nearest of them.

    ``more`` says what other values the argument takes.

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


def did_you_mean(value: Any, allowed: Sequence[str | None]) -> str:
    """Return a sentence that names the nearest of the words allowed, nothing if none is near.

    Examples
    --------
    >>> from fastkappa.choices import did_you_mean
    >>> did_you_mean("Squared", (None, "linear", "quadratic"))
    " Did you mean 'quadratic'?"
    >>> did_you_mean("auto", (None, "score")), did_you_mean("quadratc", ("none", "quadratic"))
    (' Did you mean None?', " Did you mean 'quadratic'?")
    """
    if not isinstance(value, str):
        return ""
    # Loaded only for an error: `import fastkappa` stays quick.
    from difflib import get_close_matches

    word, words = value.strip().lower(), [one for one in allowed if one is not None]
    meant = ELSEWHERE.get(word, word)
    if word in ELSEWHERE and meant in allowed:
        return f" Did you mean {meant!r}?"
    # On the command line None is a word.
    meant = meant or next((one for one in ("none", "auto") if one in words), word)
    near = get_close_matches(meant, words, 1)
    return f" Did you mean {near[0]!r}?" if near else ""


def position_of(name: Any, names: Sequence[str], what: str) -> int:
    """Return the position of one of several, which is given by its name or by this position.

    Names that are numbers may be given as numbers; positions are for other names.

    Raises
    ------
    KeyError
        If none has the name, or several.

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
    """Return the error for an attribute that an object lacks; other libraries' names get advice."""
    advice = f": {instead[name]}" if name in instead else ""
    return AttributeError(f"{type(of).__name__!r} object has no attribute {name!r}{advice}")
