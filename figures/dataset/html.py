"""Markup of the Data page: the drop area, the format in which each file was read, and findings as lines of a list."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from data.check import FileReport, Finding
from data.findings import MARKED, SAME
from data.study import Study
from figures.style.escaping import esc, short, with_code
from figures.style.html import folded, sentences
from figures.style.numbers import count
from figures.style.wording import article, names_in_a_row

SIGNS = {"error": "Error", "warning": "Warning", "note": "Note"}
"""The word for each severity; its mark is in the style sheet."""
_ITEM = re.compile(r"(?<![\w`-])(an )?item(s?)(?![\w`-])")
ALIKE, LINES = 3, 8
"""Maximum number of files with the same description at which all are named, and of lines that are visible at first."""
_ID = 40
"""Maximum length of an id shown beside its place."""


def place(heading: str, what: str) -> str:
    """Return the heading of the drop area, with a line on what can be dropped there."""
    return f'<div class="tl-drop"><i></i><div><h2>{esc(heading)}</h2><p>{esc(what)}</p></div></div>'


def named(study: Study | None, found: Sequence[Finding]) -> tuple[str, ...]:
    """Return the names of runs and files, and the ids, in which `with_noun` must not replace the word "item"."""
    runs = (run.name for run in study.runs) if study is not None else ()
    places = (part for one in found for part in (one.file, *one.id.split("; ")))
    return tuple(dict.fromkeys(name for name in (*runs, *places) if _ITEM.search(name)))


def with_noun(text: str, noun: str, names: Collection[str] = ()) -> str:
    """Return a text about items with the study's own noun in place of "item", except inside `names`."""
    own = sorted(filter(None, names), key=len, reverse=True)
    parts = re.split(rf"(?<!\w)({'|'.join(map(re.escape, own))})(?!\w)", text) if own else [text]

    def said(found: re.Match[str]) -> str:
        return f"{article(noun) if found[1] else noun}{found[2]}"

    return "".join(part if k % 2 else _ITEM.sub(said, part) for k, part in enumerate(parts))


def files(given: Sequence[FileReport], findings: Sequence[Finding], noun: str = "item") -> str:
    """Return how each file was read, with its number of errors; files read in the same way share a line.

    `noun` replaces "item".
    """
    errors = {
        file.name: sum(one.count for one in findings if one.severity == "error" and one.file == file.name)
        for file in given
    }
    lines: dict[str, list[str]] = {}
    for file in given:
        lines.setdefault(_read(file, errors[file.name], noun), []).append(file.name)
    said = [_line(names, read) for read, names in lines.items()]
    rest = folded(f"{len(said) - LINES:,} more", "".join(said[LINES:])) if len(said) > LINES else ""
    return f'<div class="tl-files">{"".join(said[:LINES])}{rest}</div>'


def pictures(had: str, details: Sequence[str]) -> str:
    """Return how many items have a picture and which names matched no item, as a line like those of `files`."""
    return f'<div class="tl-files"><p><b>{esc(had)}</b> {esc(" ".join(details))}</p></div>'


def _line(names: Sequence[str], read: str) -> str:
    shown = names if len(names) <= ALIKE else names[:1]
    rest = f"and {count(len(names) - 1, 'more file')}, each " if len(names) > ALIKE else "each " * (len(names) > 1)
    return f"<p>{' '.join(f'<b>{esc(name)}</b>' for name in shown)} {rest}{read}</p>"


def _read(file: FileReport, errors: int, noun: str) -> str:
    read = with_noun(file.format[:1].upper() + file.format[1:], noun, (file.name,))
    held = f", {count(file.items, noun)}" if file.items else ""
    bad = f"<em>{count(errors, 'error')}.</em> " if errors else ""
    return f"{bad}{esc(read)}{held}"


def finding(found: Finding, noun: str = "item", names: Collection[str] = (), repaired: bool = False) -> str:
    """Return a finding as a line: its severity (or that it is `repaired`), its place, the problem and the remedy.

    `noun` replaces "item", except inside `names`.
    """
    kind, sign = ("repaired", "Repaired") if repaired else (found.severity, SIGNS[found.severity])
    place = (found.id or found.file).split("; ")[0]
    needed = found.count == 1 and not (found.record or found.run) and place and place not in found.problem
    told = "" if needed else ' class="tl-told"'
    first, *more = sentences(found.problem)
    others = [one for one in more if one.startswith(SAME) or one.endswith((" a similar fault.", " similar faults."))]
    start, rest = [first, *others], [*(one for one in more if one not in others), found.repair]
    many = f" <small>({found.count:,} times)</small>" if found.count > 1 and not others else ""
    return (
        f'<div class="tl-check tl-{esc(kind)}"><span><i></i>{sign}</span>'
        f"<p><b{told}>{esc(where(found))}:</b> {_said(' '.join(start), noun, names)}{many}"
        f' <span class="tl-told">{_said(" ".join(rest), noun, names)}</span></p></div>'
    )


def one_line(said: str) -> str:
    """Return a finding that shows only its first sentence until it is clicked."""
    return f'<details class="tl-one"><summary>{said}</summary></details>'


def _said(text: str, noun: str, names: Collection[str]) -> str:
    return MARKED.sub(r"<code>\1</code>", esc(with_noun(text, noun, names)))


def where(found: Finding) -> str:
    """Return the place of a finding: its file, the first records, and the first id; a table lists the others."""
    at = ", ".join(part for part in (found.file, found.record) if part)
    first, *more = found.id.split("; ")
    said = f"{short(first, _ID)}{'; …' if more else ''}" if first else ""
    return f"{at} ({said})" if at and said else at or said or "All files"


def field(name: str, samples: Sequence[str]) -> str:
    """Return the name of a field and its first text that is not empty; all texts appear on hover."""
    texts = [text for text in samples if text]
    said = f'<q dir="auto">{esc(texts[0])}</q>' if texts else '<q class="tl-none">empty</q>'
    every = esc("\n".join(texts))
    return f'<div class="tl-field" title="{every}"><b dir="auto">{esc(name)}</b>{said}</div>'


def computable(n: int, known: int, of_people: int) -> str:
    """Return how many of the known metrics of runs can be computed, and how many more describe people's captions."""
    more = f"; {of_people} more describe people's captions" if of_people else ""
    return f"{f'{n} of {known}' if n < known else f'All {n}'} can be computed from these files{more}."


def all_needs(reasons: Iterable[tuple[str, str]]) -> str:
    """Return what metrics need, given the reason and the label of each; the most common reason comes first."""
    by: dict[str, list[str]] = {}
    for why, label in reasons:
        by.setdefault(why, []).append(label)
    return "".join(needs(names_in_a_row(by[why], 5), why) for why in sorted(by, key=lambda why: -len(by[why])))


def needs(labels: str, why: str) -> str:
    """Return what some metrics need; text between backticks is set as code."""
    if re.search(", | and ", labels):
        why = re.sub("^needs ", "need ", why)
    return f'<p class="tl-needs"><b>{esc(labels)}</b>: {with_code(why.rstrip("."))}.</p>'
