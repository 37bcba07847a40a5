"""The normalisation of METEOR 1.5, `-norm -l en`: from a caption to the lower-case words that are aligned.

Punctuation is split into words, contractions are split, and the dot of an abbreviation stays with it (Denkowski and
Lavie 2014, section 2; replacements are in the order of the METEOR 1.5 implementation, since some undo others).
"""

from __future__ import annotations

import re

from metrics.text.meteor.data import prefixes

_LETTERS = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\xc0-\xd6\xd8-\xf6\xf8-\u017e"
    "\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_ALNUM = "0-9" + _LETTERS
_BLANKS = " \t\n\x0b\f\r"
_SPACES = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\xa0]+")
_PLAIN = re.compile("[a-z0-9 ]*")
_SPLIT = re.compile("[ \t\n\r\f]+")
_CONTROL = "".join(map(chr, range(33)))

# A run of dots is one word. Until the dots of abbreviations are settled, `RUN` and `DOT` stand for the dots of a run;
# the replacements in between treat these as letters, even in a caption that contains them itself.
RUN, DOT = "DOTMULTI", "DOTDOTMULTI"
_FIRST = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"([^{_ALNUM}{_BLANKS}.'`,\-\u2018\u2019])", r" \1 "),
        (r"\.(\.+)", rf" {RUN}\1"),
    )
]
_LAST_OF_RUN = re.compile(rf"{RUN}\.([^.])")
_SECOND = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"([^0-9]),([^0-9])", r"\1 , \2"),
        (r"([0-9]),([^0-9])", r"\1 , \2"),
        (r"([^0-9]),([0-9])", r"\1 , \2"),
        ("[`\u2018\u2019]", "'"),
        ("[\u201c\u201d]|''", ' " '),
        ("\u2013", "-"),
        ("--", "-"),
        (rf"([{_ALNUM}.])-([{_ALNUM}])", r"\1 \2"),
        (rf"([^{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
        (rf"([^{_LETTERS}0-9])'([{_LETTERS}])", r"\1 ' \2"),
        (rf"([{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
        (rf"([{_LETTERS}])'([{_LETTERS}])", r"\1 '\2"),
        (r"([0-9])'(s)", r"\1 '\2"),
    )
]
_LETTER = re.compile(f"[{_LETTERS}]")
_LOWER, _DIGIT = re.compile("[a-z]"), re.compile("[0-9]")


def words(text: str) -> list[str]:
    """Return the words of a caption; an empty list for a blank caption."""
    if _PLAIN.fullmatch(text):
        return text.split()
    line = f" {text.strip(_CONTROL)} "
    for pattern, replacement in _FIRST:
        line = pattern.sub(replacement, line)
    while f"{RUN}." in line:
        line = _LAST_OF_RUN.sub(rf"{DOT} \1", line).replace(f"{RUN}.", DOT)
    for pattern, replacement in _SECOND:
        line = pattern.sub(replacement, line)
    line = "".join(f"{word} " for word in _with_final_dots(_pieces(line)))
    while DOT in line:
        line = line.replace(DOT, f"{RUN}.")
    line = _SPACES.sub(" ", line.replace(RUN, "."))
    return _pieces(line.strip(_CONTROL).lower())


def _pieces(line: str) -> list[str]:
    return [piece for piece in _SPLIT.split(line) if piece]


def _with_final_dots(pieces: list[str]) -> list[str]:
    """Return pieces with final dots kept, split off, or removed with all other dots of an abbreviation."""
    known = prefixes()
    found = []
    for piece, following in zip(pieces, [*pieces[1:], ""]):
        stem = piece[:-1]
        if not stem or not piece.endswith("."):
            found.append(piece)
        elif "." in stem and _LETTER.search(stem):
            found.append(piece.replace(".", ""))
        elif (
            known.get(stem) == "any"
            or _LOWER.match(following)
            or (known.get(stem) == "before a number" and _DIGIT.match(following))
        ):
            found.append(piece)
        else:
            found.append(f"{stem} .")
    return found
