"""Find labels that look so alike that a reader would take them for the same label."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from fastkappa.arrays import LARGEST_EXACT
from fastkappa.choices import n_edits
from fastkappa.ratings.label_order import is_number

# Replacements for quotes, the minus sign, the Turkish I, the variants of the Arabic k and y on
# other keyboards, circles, crosses and check marks. Variation selectors and skin tones are removed,
# because they do not change a symbol's meaning.
TYPOGRAPHY = str.maketrans(
    "\u2018\u2019\u02bc\u201c\u201d\u00ab\u00bb\u2212\u0130\u0643\u064a\u0649"
    "\u3007\u25ef\u2b55\u00d7\u2715\u2716\u2717\u2718\u274c\u2714\u2705",
    '\'\'\'""""-I\u06a9\u06cc\u06cc\u25cb\u25cb\u25cbxxxxxx\u2713\u2713',
    "\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff",
) | {ord("\u2265"): ">=", ord("\u2264"): "<="}
# Lowercase Cyrillic, Greek and Turkish letters that look like Latin letters in either case.
SMALL_LETTERS = str.maketrans("авекмнорстухіјѕοı", "abekmhopctyxijsoi")
# Greek letters that look like Latin letters only as capitals.
CAPITALS = str.maketrans("ΑΒΕΖΗΙΚΜΝΡΤΥΧ", "ABEZHIKMNPTYX")
# Unicode categories of invisible characters: control and format characters.
INVISIBLE = ("Cc", "Cf")
# A string written so that Excel does not convert it to a number, such as ="01".
QUOTED = re.compile(r'=?"(.*)"')
# HTML tags, a punctuation mark at the end of a label, and the leading apostrophe that marks a
# spreadsheet cell as text.
MARKS = re.compile(r"</?[a-z]+ ?/?>|(?<=\w)[.,;:]$|^'(?=\w)")
# Marks around a label, as in Markdown, LaTeX or Python's bytes, and the brackets of an option such
# as (a) or a).
AROUND = re.compile(
    r"b?([*`'_]{1,3})(.*\w)\1|\(?([^()]*\w)\)|\[([^\[\],;]*)\]|\$?\\[a-z]+\{(.*\w)\}\$?"
)
# A JSON cell with one label or a list, as written by Label Studio or a language model.
IN_JSON = re.compile(r'\{ ?"\w+" ?: ?("[^"]*"|\[.*\]|\d+) ?\}')
# The minimum length and the minimum similarity of a word and its misspelling.
LEAST_WORD, SIMILAR = 5, 0.8
DIGITS, SIGNS, NO_LETTER = re.compile(r"(?a:\d+)"), re.compile("[-+<>=±≤≥]"), re.compile(r"\W+")
# The English abbreviations of the months, and the German abbreviations that differ.
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
GERMAN = {"mrz": "mar", "mai": "may", "okt": "oct", "dez": "dec"}
MONTH = "|".join([*MONTHS, *GERMAN])
# Dates to which Excel converts 1-2, 1/2 or 10-19, and the same dates as other programs write them.
DAY = re.compile(rf"0?(\d+)(?:-|\. ?)({MONTH})|({MONTH})-(\d+)")
DATE = re.compile(r"\d{4}-0?(\d+)-0?(\d+)(?: 00:00:00)?|0?(\d+)[/.]0?(\d+)[/.]\d{4}")
# A code before its text ("1. mild"), a code after it ("mild (1)"), a letter before it ("A. mild").
CODED = re.compile(r"(\d+) ?[-.:=()] ?([^\W\d_]{2}.*)")
CODE_LAST = re.compile(r"([^\W\d_].*[^\W\d_])(?:: | ?[(\[=] ?)(\d+)[)\]]?")
LETTER_FIRST = re.compile(r"([a-z])[.:)] ([^\W\d_].*)")
NOUNS = "option|answer|choice|response|model|assistant|class|category|type|group|grade|level"
# A label after a noun, such as "option b" or "answer: b" in the answers of language models.
NAMED = re.compile(
    rf"[^\W\d_][^:]*: (.*\w)|(?:{NOUNS}) ([a-z])"
    r"|(?:__label__|https?://.*[/#])(\w+)"
)
# Words that mean "yes" or "no". Words with the same meaning are treated as alike only if both
# answers occur and at least one word is longer than one letter, because single letters can be
# codes.
YES = frozenset(["yes", "true", "y", "t", "ja", "j", "oui", "vrai", "wahr"])
NO = frozenset(["no", "false", "n", "f", "nein", "non", "faux", "falsch"])
FOOTNOTES = "?*!\u2020\u2021\u00a7\u00b9\u00b2\u00b3"
# A label followed by a footnote mark or a remark.
REMARK = re.compile(
    rf"(.*\w.*\w.*?)\s*(?:[{FOOTNOTES}]+|\(.*\)|\[.*\]|( [-\u2013|]|:) .*|\n.*)", re.DOTALL
)
IN_REMARK = re.compile(rf"[{FOOTNOTES})\]]$|( [-\u2013|]|:) |\n")
# Separators between two labels in a cell. Commas and semicolons separate the labels of a set.
BETWEEN_TWO = re.compile(r" ?/ ?| or | to | ?(?:-+>|\u2192) ?")
# A label followed by the rater's confidence, such as "mild (80 %)".
WITH_PERCENT = re.compile(
    r"(.*[^\W\d_].*?)\s*(?:\(\s*(?:\d+(?:\.\d+)?\s*%|[01]?\.\d+)\s*\)|[,:;|]\s*[01]?\.\d+)",
    re.DOTALL,
)
CANNOT = r"i (?:can.?t|can ?not|am (?:un|not )able to)|i.m (?:un|not )able to"
# The start of a language model's refusal, in lower case.
REFUSAL = re.compile(
    rf"i(?:.m| am) sorry\b|sorry, |as an ai\b"
    rf"|(?:{CANNOT}) (?:a[ns]|classify|determine|help|provide)"
)
# The start of a message about a failed request, in lower case.
FAILURE = re.compile(
    r"[\w.]*(?:error|exception)(?: code)?\s*[:(\[]|failed(?: to |:)|http\W*[45]\d\d\b"
    r"|[45]\d\d (?:bad|internal|not|service|too) "
    r"|(?:rate limit|request|time)\w* ?(?:out|exceeded|reached)\b"
)
# Labels that mean "same rating as above".
DITTO = re.compile(r"(?:\N{DITTO MARK}|ditto|dito|idem|s\.o\.|same as above|\u540c\u4e0a)$")
# Labels that mean "same rating as the other rater", unless another label matches COMPARED.
AGREED = re.compile(r"(?:(?:i )?agreed?|concur|same|confirm(?:ed)?|einverstanden|d.accord)$")
# Labels that compare two ratings. If any of them occurs, "agree" is a label in its own right.
COMPARED = re.compile("disagree|differ|chang|better|worse|more|less|reject|den(?:y|ied)|strong")
# The suffix that marks a part of another label, as in "4A" (of "4") or "C50.1" (of "C50").
PART = re.compile(r"[\W_]?[a-e]|[\W_]\d", re.IGNORECASE)
# A sign with blanks next to it. The blanks are ignored.
BESIDE_SIGN = re.compile(r" ?([<>=+/]) ?")
# Ignored parts: the sum in a score such as 3+4=7, and the seconds that Excel adds, as in 1:20:00.
SUM = re.compile(r"(?<=\d\+\d)=\d+$|(?<=\d:\d\d):00$")
CURRENCIES = "%$\u20ac\u00a3\u00a5 "
# A code with its text, as SPSS writes it, or a number with a unit. "1 mild" could be either.
CODED_OR_UNIT = re.compile(r"(\d+) ([^\W\d_]{3}.*)")
SIGN = re.compile(r"\d*[-+]+|\+/-")
# A hyphen or an underscore between words, which is read as a blank.
BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[-_](?=[^\W\d_])")
# A hyphen, underscore or blank between a word and a number. This separator is often omitted.
BESIDE_NUMBER = re.compile(r"(?<=[^\W\d_])[-_ ](?=\d)|(?<=\d)[-_ ](?=[^\W\d_])")
# Zeros before a number, as in "A01", but not after a decimal point.
ZEROS = re.compile(r"(?<![\d.,])0+(?=\d)")
# A Roman numeral after a word, as in "grade II".
ROMAN = re.compile(r"(?<=[^\W\d_]{3} )(i{1,3}|iv|vi{0,3})(?=[a-c]?$)")
# A Roman numeral in which a scanner read I as l, 1 or |.
SCANNED = re.compile(r"[il1|]{2,3}|\||[il1|]v|v[il1|]{1,3}")
LONGEST_SCANNED = 4
ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii")
# Separators between the labels of a set in one cell.
BETWEEN_LABELS = re.compile("[;|,]")
BRACKETS = " []{}()'\""


class Coded(NamedTuple):
    """The key of a label that consists of a code and a text, such as "1 - mild"."""

    code: float | str
    text: str


class Dated(NamedTuple):
    """The key of a date, and the keys of the ranges, such as 1-2, that it can stand for."""

    date: str
    ranges: tuple[str, ...]


# A tuple contains two looks of the same label. Either can match the look of another label.
Look = str | float | Coded | Dated | tuple[Any, Any]


def look_of(label: str) -> Look:
    """Return a key that is equal for labels that look alike.

    Examples
    --------
    >>> from fastkappa.ratings.looks import look_of
    >>> look_of(" Low\u2013Grade"), look_of("b, a"), look_of("10 %"), look_of("Answer: A")
    ('low grade', 'a;b', 10.0, ('answer: a', 'a'))
    >>> look_of("1. Mild"), look_of("mild (1)")
    (Coded(code=1.0, text='mild'), Coded(code=1.0, text='mild'))
    """
    # Most labels are a single ASCII word, in which only the case is normalized.
    if label.isalpha() and label.isascii():
        look = label.casefold()
        if len(look) > LONGEST_SCANNED or not SCANNED.fullmatch(look):
            return look
    if is_number(label):
        return _number(label)
    if "&" in label:
        import html

        label = html.unescape(label)
    if label.startswith(("{", "[{")):
        label = _sorted_fields(label)
    look = _plain(label)
    if SCANNED.fullmatch(look):
        return re.sub("[l1|]", "i", look)
    if not (look[:1].isalnum() and look[-1:].isalnum()):
        look = _unwrapped(look)
    number = look.strip(CURRENCIES)
    if is_number(number):
        return _number(number)
    return _dated(look) or _coded(look) or _named(look) or _set_of_words(look)


def _sorted_fields(label: str) -> str:
    """Return JSON text with its fields in alphabetical order, or any other text unchanged."""
    import json

    with suppress(ValueError, RecursionError):
        return json.dumps(json.loads(label), sort_keys=True)
    return label


def _dated(look: str) -> Look | None:
    """Return the key of a date such as "2-Jan", which can mean 1-2, or None for other labels."""
    if day := DAY.fullmatch(look):
        name = day[2] or day[3]
        month, other = MONTHS.index(GERMAN.get(name, name)) + 1, day[1] or day[4]
        own = f"{month}-{other}"
    elif date := DATE.fullmatch(look):
        month, other = (int(part) for part in date.groups() if part)
        own = look.removesuffix(" 00:00:00")
    else:
        return None
    pairs = ((month, other), (other, month))
    return Dated(own, tuple(f"{a}{sign}{b}" for sign in "-/" for a, b in pairs))


def _coded(look: str) -> Look | None:
    """Return the key of a code with its text, such as "1 - mild", or None for other labels."""
    if coded := CODED.fullmatch(look) or CODED_OR_UNIT.fullmatch(look):
        return Coded(float(coded[1]), _set_of_words(coded[2].rstrip(")")))
    if coded := CODE_LAST.fullmatch(look):
        return Coded(float(coded[2]), _set_of_words(coded[1]))
    if coded := LETTER_FIRST.fullmatch(look):
        return Coded(coded[1], _set_of_words(coded[2]))
    return None


def _named(look: str) -> Look | None:
    """Return the keys of a label such as "option b" with and without its prefix, or None."""
    if named := NAMED.fullmatch(look):
        label = look_of(named[1] or named[2] or named[3])
        return None if isinstance(label, tuple) else (_set_of_words(look), label)
    return None


def _unwrapped(look: str) -> str:
    """Return a label without surrounding quotes, brackets, tags or marks."""
    if choices := IN_JSON.fullmatch(look):
        look = choices[1]
    if quoted := QUOTED.fullmatch(look):
        look = quoted[1].strip()
    if around := AROUND.fullmatch(look):
        found = (part for part in around.groups()[1:] if part)
        look = next(found, look).strip(" '\"")
    return MARKS.sub("", look).strip() or look


def has_code(label: Any) -> bool:
    """Return whether a label is a number, alone or with a text, as in "5 - strongly agree".

    Examples
    --------
    >>> from fastkappa.ratings.looks import has_code
    >>> has_code("2"), has_code("5 - strongly agree"), has_code("5 mg")
    (True, True, False)
    """
    text = str(label)
    return is_number(text) or bool(CODED.fullmatch(text.strip()))


def are_signs(labels: Iterable[Any], signs: Iterable[str]) -> bool:
    """Return whether a scale consists of 0 and signs, as in "+", "0", "-" or "0", "1+", "2+"."""
    are_signs = all(SIGN.fullmatch(label.strip()) for label in signs) and "+" in "".join(signs)
    return are_signs and {float(label) for label in labels if is_number(label)} == {0.0}


def _number(text: str) -> float | str:
    """Return the value of a number, or its text if float64 could round it, as with long ids."""
    value = float(text)
    return value if abs(value) < LARGEST_EXACT else text.strip()


def _plain(label: str) -> str:
    """Return a label in lowercase, with plain characters and single spaces between words."""
    if label.isascii() and label.isprintable():
        return " ".join(label.split()).casefold()
    import unicodedata

    # Repair UTF-8 text that was decoded as Windows-1252. Other text is rarely valid UTF-8 after it
    # is encoded as Windows-1252.
    with suppress(UnicodeError):
        label = label.encode("cp1252").decode()
    seen = unicodedata.normalize("NFKC", label).translate(TYPOGRAPHY)
    kinds = {one: unicodedata.category(one) for one in seen if not one.isspace()}
    dashed = ("-" if kinds.get(one) == "Pd" else one for one in seen)
    visible = "".join(one for one in dashed if kinds.get(one) not in INVISIBLE)
    return " ".join(visible.split()).casefold().translate(SMALL_LETTERS)


def _set_of_words(plain: str) -> str:
    """Normalize the words of a label. Sort the parts of a list, because it can be a set."""
    parts = [part.strip(BRACKETS) for part in BETWEEN_LABELS.split(plain)]
    # A comma on its own is a label, as in part-of-speech tags.
    if len(parts) == 1 or not any(parts):
        return _words(plain)
    return ";".join(sorted(map(_words, parts)))


def _words(plain: str) -> str:
    spaced = BETWEEN_WORDS.sub(" ", SUM.sub("", BESIDE_SIGN.sub(r"\1", plain)))
    numbered = ROMAN.sub(lambda found: str(ROMANS.index(found[1]) + 1), spaced)
    return ZEROS.sub("", BESIDE_NUMBER.sub("", numbered))


def alike_among(labels: Iterable[str]) -> list[list[str]]:
    """Return the groups of different labels that look alike, each group sorted."""
    alike: dict[Look, list[str]] = defaultdict(list)
    labels = sorted(labels)
    for label in labels:
        alike[look_of(label)].append(label)
    for label in labels:
        # Some capitals look like Latin letters although their lowercase forms do not.
        if not label.isascii() and (latin := label.translate(CAPITALS)) != label:
            found = alike.pop(look_of(label), [])
            alike[look_of(latin)] += found
    for look, other in _other_looks(alike):
        if look in alike and other in alike:
            alike[look] += alike.pop(other)
    return [sorted(group) for group in alike.values() if len(group) > 1]


def _other_looks(looks: Iterable[Look]) -> Iterator[tuple[Look, Look]]:
    """Yield the pairs of keys that stand for the same label if both occur."""
    dates = [look for look in looks if isinstance(look, Dated)]
    yield from ((own, look) for look in dates for own in look.ranges)
    tuples = [look for look in looks if isinstance(look, tuple) and not isinstance(look, Dated)]
    # A text that occurs with several codes matches none of them.
    times = Counter(chain.from_iterable(map(set, tuples))) if tuples else {}
    yield from ((look, part) for look in tuples for part in set(look) if times[part] == 1)
    words = {look for look in looks if isinstance(look, str)}
    # The letter I is read as a Roman numeral only if II also occurs.
    if {"i", "ii"} <= words:
        yield from ((float(i), roman) for i, roman in enumerate(ROMANS, 1))
    answers = [sorted(words & own) for own in (YES, NO)]
    if all(answers) and any(len(word) > 1 for own in answers for word in own):
        yield from ((own[0], other) for own in answers for other in own[1:])


def with_characters_shown(labels: Sequence[str]) -> list[str]:
    """Quote labels for a message, and escape characters if the labels would look the same."""
    if len({_plain(label.translate(CAPITALS)) for label in labels}) > 1:
        return list(map(repr, labels))
    # Characters that all labels contain, in upper or lower case, do not distinguish the labels.
    shared = set.intersection(*(set(label.lower()) for label in labels))
    return [
        "".join(c if c.isascii() or c.lower() in shared else ascii(c)[1:-1] for c in repr(label))
        for label in labels
    ]


def without_remark(label: str) -> set[str]:
    """Return the label without its remark, or both labels of a pair such as "a/b", as a set.

    The set is empty if there is neither a remark nor a pair.
    """
    parts = {part.strip() for part in BETWEEN_TWO.split(label)}
    if len(parts) > 1:
        return parts
    remarked = REMARK.fullmatch(label) if IN_REMARK.search(label) else None
    return {remarked[1]} if remarked else set()


def matching(pattern: re.Pattern[str], labels: Iterable[Any]) -> list[str]:
    """Return the labels whose lower-case text starts with a pattern."""
    return [x for x in labels if isinstance(x, str) and pattern.match(x.strip().casefold())]


def agreements(labels: Sequence[Any]) -> list[str]:
    """Return the labels that mean "same rating as the other rater"."""
    return [label for label in matching(AGREED, labels) if not matching(COMPARED, labels)]


def is_slip(label: str, meant: str) -> bool:
    """Return whether two labels differ by a single letter in a single word.

    The result is False if the two words begin with different letters, because "typical" and
    "atypical" differ in meaning, or if a capital follows a lowercase letter, as in codes such as
    "GradeA".
    """
    words = label.split(), meant.split()
    differing = [pair for pair in zip(*words) if pair[0] != pair[1]]
    if len(words[0]) != len(words[1]) or len(differing) != 1:
        return False
    first, second = differing[0]
    return (
        all(len(word) >= LEAST_WORD and word.isalpha() for word in (first, second))
        and all(word.isupper() or word[1:].islower() for word in (first, second))
        and _letters(first)[0] == _letters(second)[0]
        and n_edits(_letters(first), _letters(second)) <= 1
    )


def is_respelt(label: str, meant: str) -> bool:
    """Return whether one of two labels could be an abbreviation or a misspelling of the other.

    Numbers in the labels must be equal. A word or a unit beside a number can be abbreviated or left
    out, as in "G1" and "grade 1", or "3/4" and "3 out of 4".
    """
    first, second = _letters(label), _letters(meant)
    plain = [NO_LETTER.sub("", BETWEEN_WORDS.sub("", text)) for text in (first, second)]
    if plain[0] == plain[1] and plain[0] and not (is_number(first) or is_number(second)):
        return SIGNS.findall(first) == SIGNS.findall(second)
    numbers = [list(map(int, DIGITS.findall(text))) for text in (first, second)]
    if numbers[0] or numbers[1]:
        return (
            numbers[0] == numbers[1]
            and SIGNS.findall(first) == SIGNS.findall(second)
            and all(map(_is_same_word, DIGITS.split(first), DIGITS.split(second)))
        )
    words = [text.rstrip(".").split() for text in (first, second)]
    # Words in capitals are treated as codes, because one code can begin with another, as "NNPS"
    # does with "NNP", or "ORG" with "O".
    are_codes = meant.isupper() and (len(meant) > 1 or label.isupper())
    are_words = all(map(str.isalpha, [*words[0], *words[1]]))
    if len(words[0]) != len(words[1]) or not words[0] or not are_words or are_codes:
        return False
    short, long = sorted((words[0][0], words[1][0]), key=len)
    # Short words, such as "nn" and "nns", are also treated as codes.
    is_longer = len(long) > 3 or len(long) > len(short) + 1
    if len(words[0]) == 1 and long.startswith(short) and is_longer:
        return True
    return all(first == second or _is_mistyped(first, second) for first, second in zip(*words))


def _is_mistyped(word: str, meant: str) -> bool:
    from difflib import SequenceMatcher

    is_long = min(len(word), len(meant)) >= LEAST_WORD and word[0] == meant[0]
    return is_long and SequenceMatcher(None, word, meant).ratio() >= SIMILAR


def _is_same_word(first: str, second: str) -> bool:
    """Return whether two words beside equal numbers match, or one is abbreviated or left out.

    A single letter cannot be left out, because "4" and "4a" are different labels.
    """
    short, long = sorted((first, second), key=len)
    if len(long) == 1 and long.isalpha() and not short:
        return False
    short, long = (NO_LETTER.sub("", word) for word in (short, long))
    letters = iter(long)
    return short[:1] == long[: len(short)][:1] and all(letter in letters for letter in short)


def is_part(label: str, divided: str) -> bool:
    """Return whether a label subdivides another, as "4A" does "4", and "C50.1" does "C50"."""
    return label.startswith(divided) and bool(PART.fullmatch(label.removeprefix(divided)))


def prefix_of(label: str, meant: str) -> str:
    """Return the text before ``meant`` in ``label``, or "" if this text is empty or only a word.

    A word is not a prefix, because it changes the meaning of a label, as in "very likely".
    """
    before, found, _ = label.partition(meant or label)
    return before if found and not before.strip().isalpha() else ""


def _letters(text: str) -> str:
    """Return a string in lowercase without accents."""
    import unicodedata

    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
