"""Split texts that contain several captions, separated by line breaks or other marks; join lists of sentences that are
one text.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from data.checks.assistant_talk import without_talk
from data.checks.not_captions import COUNT, ITEMS, parted_by, parted_by_signs, without_thoughts
from data.findings import Log, TrustedText
from data.records import Part, Record

_LOOKED_AT = 200
_ALIKE = 0.1
"""Minimum mean share of words that the parts of a text have in common: captions of one image share .18 to .31,
sentences of one text .05.

Only words of four letters or more count.
"""
_APART, _FEWEST = 0.05, 2
"""Maximum mean share of words that sentences of one text have in common, and minimum number of lists in which it is
measured.
"""
_ENDED = 0.8
"""Minimum share of sentences with a mark at the end; some end with a quotation, or were cut."""
_ENDS = re.compile(r"[.!?…。！？][\"'”’)\]]*\s*$")
_IN_PROSE = (". ", ", ")
"""Marks that single captions contain, too."""
_ALIKE_IN_PROSE = 0.12
"""The same as `_ALIKE` for parts between such marks; the references of a COCO image, joined by these marks, share .16
to .19.
"""
_FEWEST_IN_PROSE = 3
"""Minimum number of such parts, in at least half of the texts: two sentences may well be one caption."""
_SHOWN = {"\n": "line breaks", "\t": "tabs", "\\n": "line breaks written \\n"}
_WORD = re.compile(r"\w{4,}")
_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+")


def check(parts: Sequence[Part], fixes: Container[str], log: Log) -> list[Part]:
    """Report people or runs if most of their texts contain several captions; if the repair is chosen, split such texts.

    The parts of a text must be as similar as captions of one item are, unlike the sentences of a longer text. Signs
    that occur in no sentence are sufficient evidence if they separate the parts of captions by people; captions by runs
    with the same signs are then split, too. Similar parts between commas or full stops are only reported. Texts with
    other data of their own, such as log-probabilities, are not split.
    """
    signs = [parted_by_signs(_written(part)[:_LOOKED_AT]) for part in parts]
    found = [_of_part(part, own, {*signs}, "split_captions" in fixes, log) for part, own in zip(parts, signs)]
    return [_of_sentences(part, "join_sentences" in fixes, log) for part in found]


def _of_sentences(part: Part, due: bool, log: Log) -> Part:
    """Report people or runs whose captions of an item seem to be the sentences of one text; join them if `due`."""
    said: dict[str, list[list[str]]] = {"": [record.references for record in part.records]}
    for record in part.records:
        for run, texts in record.candidates.items():
            said.setdefault(run, []).append(texts)
    runs = {run for run, listed in said.items() if _are_sentences(listed)}
    if not runs or any(map(_has_more, part.records)):
        return part
    for run in sorted(runs):
        log.add("sentences_listed", part.file, run=run)
    return replace(part, records=[_joined(record, runs) for record in part.records]) if due else part


def _are_sentences(listed: Sequence[Sequence[str]]) -> bool:
    """Return whether lists of texts differ in length, mostly consist of whole sentences, and have few words in
    common.
    """
    several = [texts for texts in listed[:_LOOKED_AT] if len(texts) > 1]
    counts = {len(texts) for texts in listed[:_LOOKED_AT] if texts}
    ends = [bool(_ENDS.search(text)) for texts in several for text in texts]
    few = len(several) >= _FEWEST and len(counts) > 1 and sum(ends) >= _ENDED * len(ends)
    return few and sum(map(_shared, several)) < _APART * len(several)


def _joined(record: Record, runs: Container[str]) -> Record:
    def of(run: str, texts: list[str]) -> list[str]:
        return [" ".join(text.strip() for text in texts)] if run in runs and len(texts) > 1 else texts

    candidates = {run: of(run, texts) for run, texts in record.candidates.items()}
    return replace(record, references=of("", record.references), candidates=candidates)


def _written(part: Part) -> list[str]:
    return [text for record in part.records for text in record.references]


def _of_part(part: Part, signs: str, of_people: Container[str], due: bool, log: Log) -> Part:
    if any(map(_has_more, part.records)):
        return part
    cells = part.format not in ("lines", "keyed_lines")
    written = _written(part)
    marks = {"": _mark(written, cells) or signs}
    said: dict[str, list[str]] = {run: [] for run in part.labels}
    for record in part.records:
        for run in record.candidates.keys() & said.keys():
            said[run] += record.candidates[run]
    for run, texts in said.items():
        alike, own = _mark(texts, cells), parted_by_signs(texts[:_LOOKED_AT])
        mark = alike or (own if own in of_people else "")
        # One caption that repeats itself is not a set of captions.
        counts = [len(_apart(text, mark)) for text in texts[:_LOOKED_AT]] if mark else []
        marks[run] = mark if counts and max(map(counts.count, counts)) >= 0.8 * len(counts) else ""
    for run in (run for run, mark in marks.items() if mark in _IN_PROSE):
        log.add("several_in_one", part.file, run=run, mark=marks[run].strip())
        marks[run] = ""
    if not any(marks.values()):
        return part
    for run, mark in marks.items():
        if mark:
            talk = any(without_talk(text) != text for text in (said[run] if run else written)[:_LOOKED_AT])
            also = TrustedText(" The words of an assistant around them are left out.") if talk else ""
            log.add("captions_split", part.file, run=run, mark=_SHOWN.get(mark, mark), also=also)
    return replace(part, records=[_split(record, marks) for record in part.records]) if due else part


def _has_more(record: Record) -> bool:
    """Return whether a record has lists with one value per caption beside its captions."""
    beside = (record.human, record.logprobs, record.oracle_logprobs, record.reference_logprobs, record.coherence)
    return any((*beside, record.references_oracle_logprobs, record.references_coherence))


def _mark(texts: Iterable[str], cells: bool) -> str:
    """Return the mark between several similar captions in most of the first texts; "" if there is none.

    If the texts are `cells` of a table and all have the same number of tabs, their parts need not be similar.
    """
    said = [bare for text in islice(texts, _LOOKED_AT) if (bare := without_talk(without_thoughts(text))).strip()]
    mark = parted_by(said, ("\n", "\t", *(() if any(text[:1] in "{[" for text in said) else _IN_PROSE)))
    if cells and mark == "\t" and len({text.count("\t") for text in said}) == 1:
        return mark
    least, fewest = (_ALIKE_IN_PROSE, _FEWEST_IN_PROSE) if mark in _IN_PROSE else (_ALIKE, 2)
    shares = [_shared(parts) for text in said if len(parts := _apart(text, mark)) >= fewest] if mark else []
    few = 2 * len(shares) < len(said) and mark in _IN_PROSE
    return mark if shares and not few and sum(shares) > least * len(shares) else ""


def _apart(text: str, mark: str) -> list[str]:
    listed = without_talk(text)
    found = COUNT.split(listed) if mark == ITEMS else listed.replace("\r\n", "\n").split(mark)
    return [bare for one in found if (bare := _BULLET.sub("", one).strip())]


def _shared(parts: Sequence[str]) -> float:
    words = [set(_WORD.findall(part.lower())) for part in parts]
    pairs = [(one, other) for k, one in enumerate(words) for other in words[:k]]
    return sum(len(one & other) / max(len(one | other), 1) for one, other in pairs) / len(pairs)


def _split(record: Record, marks: dict[str, str]) -> Record:
    def of(run: str, texts: list[str]) -> list[str]:
        mark = marks.get(run, "")
        return [one for text in texts for one in _apart(text, mark) or [text]] if mark else texts

    candidates = {run: of(run, texts) for run, texts in record.candidates.items()}
    return replace(record, references=of("", record.references), candidates=candidates)
