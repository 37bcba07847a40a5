"""Text with one caption per line: line n of every file belongs to item n, or each line has an id before or after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, pairwise
from pathlib import PurePosixPath

from data.fields.keys import FILES_OF_SOURCES
from data.fields.word_lists import in_name
from data.files.blobs import without_packing
from data.findings import Log, clip
from data.formats.columns.metadata import LONGEST
from data.formats.columns.run_labels import label_runs
from data.formats.containers import headings, item_files, labelled_lines
from data.formats.containers.item_files import texts_of
from data.formats.nesting.nested_records import PICTURE
from data.matching.match_ids import forms, forms_of, is_among
from data.records import LONGEST_ID, Label, Part, Record, Source, as_id

_KEYED = re.compile(r"(\S+|[^\t]+\.(?:jpe?g|png|webp|gif|wav|mp[34]))\t([^\t]*)", re.IGNORECASE)
"""A key and a text; names of pictures and sounds may have spaces."""
_PICTURED = re.compile(r"([^\t,]+\.(?:jpe?g|png|webp|gif|wav|mp[34])(?:#\d+)?),\s*(.*)", re.IGNORECASE)
"""The name of a picture or sound, a comma and a text, as in Flickr8k's files without a header."""
_CELLS = re.compile(r"\S+(?:\t\S+)+\t-?[\d.]+")
"""A row of a table without a header or texts, such as Flickr8k's ratings of captions by id."""
_SPACED = re.compile(
    r"(?=\S*\d|\S+\.(?:jpe?g|png|webp|gif|wav|mp[34])\b)(?P<id>[^\s:|;,=>]+?)(?:\s*(?:[|:;,]+|[-=]>|=)\s*|\s+)(?P<text>.*)"
)
_BEHIND = re.compile(r"(?P<text>(?:.*\S)?)\s*[(\[](?=\S*\d)(?P<id>[^\s()\[\]]+)[)\]]\s*")
"""A caption followed by its id in brackets, as in NIST's transcripts (.trn)."""
_ORIGINALS = ("orig", "norm", "complex", "src", "source")
"""Endings of files with texts to rewrite, beside files of references with the same name and a number."""
_NUMBERED_FILE = re.compile(r"(.+?)[._-]\d{1,2}")
_COUNTED = re.compile(r"\s*(?P<id>\d{1,7})[.:)]\s+(?P<text>.*)")
"""A line that begins with its own number."""
_HYPOTHESIS = re.compile(r"[HD]-\d+\t-?[\d.e+-]+\t")
_GENERATED = re.compile(r"(?P<kind>[THD])-(?P<id>\d+)\t(?:-?[\d.e+-]+\t)?(?P<text>[^\t]*)")
"""A line of fairseq's output: T for a target, H for a hypothesis with its score, D for the detokenized hypothesis."""
_NBEST = re.compile(r"(\d{1,9}) \|\|\| (.*?) \|\|\| .*")
"""A line of a Moses n-best list: the number of the sentence, from 0, a hypothesis, and its features."""
_PROSE = re.compile(
    r"(?:readme|licen[cs]e|notice|changelog|citation|requirements)(?:[._-].*)?|.+\.(?:md|rst|py|sh|r|ini|cfg|toml|bib|tex)",
    re.IGNORECASE,
)
"""Names of files with a description of the data, with a program or with its settings."""
_FEWEST_SETS = 2
"""Minimum number of numbered files that are sets of references."""
_FEWEST = 3
"""Minimum number of lines for their numbers to count as a pattern."""
_NUMBERED = re.compile(r"(.+?)(?:#[a-z]{2,4})?#\d+")
"""A key with the number of its caption and, in COCO-CN, that caption's language or origin (`#zhm`)."""


def is_generated(text: str) -> bool:
    """Return whether a text has fairseq's lines of hypotheses, with or without the rest of its log, or labelled lines.

    Labelled lines state whether they are references or hypotheses.
    """
    rows = text.splitlines()
    return any(map(_HYPOTHESIS.match, rows)) or bool(labelled_lines.lines(rows))


def load(source: Source) -> Part | None:
    """Read one caption per line of the text `source.value`: references if the file is declared or named as such.

    If each line is a key, a tab and a text (Kaldi), the part also has a `keyed` version, and `settle` chooses. Keys
    such as `1.jpg#0` number the captions of `1.jpg` by people (Flickr8k). Headings, numbered or labelled lines, n-best
    lists and fairseq's output are recognised, too. Return None, with a finding, for prose or for lines without texts.
    """
    name = PurePosixPath(without_packing(source.name)).name
    if _PROSE.fullmatch(name) and source.reading.format is None and source.reading.role is None:
        source.log.add("prose", source.name)
        return None
    text = source.value.replace("\r\n", "\n").replace("\r", "\n")
    rows = text.removesuffix("\n").split("\n")
    bare = [row for row in rows if row[:1] not in ("#", "=")]
    free = source.reading.format is None and source.role("predictions") == "predictions"
    ids = [key for key, _, _ in _keyed(bare) or _spaced(bare)] if free else []
    if free and 2 * len({*ids}) <= len(ids) and (part := headings.load(source, rows)):
        return part
    above = _comments(rows)
    rows[:above] = [""] * above  # so that lines keep their numbers
    if above:
        source.log.add("comment_lines", source.name, "line 1", text=" ".join(text.split("\n")[:above]))
    for pattern, what in ((_CELLS, "cells of one word each"), (PICTURE, "names of files")):
        if source.reading.format is None and all(pattern.fullmatch(row.strip()) for row in rows[above:]):
            source.log.add("no_texts", source.name, columns=what)
            return None
    if source.reading.format != "lines" and (ranked := [_NBEST.fullmatch(row) for row in rows[above:]]) and all(ranked):
        source.log.add("counted_from_zero", source.name)
        texts = [(str(int(m[1]) + 1), number, m[2]) for number, m in enumerate(ranked, 1) if m]
        part = _part(source, "keyed_lines", texts, label_runs(source, [source.run]))
        return replace(part, by_place=True, n_records=len(part.records))
    if source.reading.format != "lines" and any(_HYPOTHESIS.match(row) for row in rows):
        return _generated(source, rows)
    if source.reading.format is None and (told := labelled_lines.lines(rows)):
        return _told(source, told)
    keyed = _keyed(rows) if source.reading.format != "lines" else []
    if not keyed and source.reading.format != "lines":
        spaced = _spaced(rows)
        keyed = spaced if all(_NUMBERED.fullmatch(key) for key, _, _ in spaced) else []
    numbered = [_NUMBERED.fullmatch(key) for key, _, _ in keyed]
    people = source.role("references" if keyed and all(numbered) else "predictions") == "references"
    labels = {} if people else label_runs(source, [source.run])
    if keyed and all(numbered):
        texts = [(m[1], number, row) for m, (_, number, row) in zip(numbered, keyed) if m]
        part = _part(source, "keyed_lines", texts, labels)
        if source.role("predictions") == "predictions":  # only the keys suggest that people wrote them
            part.keyed = _part(source, "keyed_lines", texts, label_runs(source, [source.run]))
        return part
    if source.reading.format != "lines" and (counted := _counted(rows)):
        source.log.add("numbers_taken", source.name, f"line {counted[0][1]}")
        part = _part(source, "keyed_lines", counted, labels)
        return replace(part, by_place=[row[0] for row in counted] == [str(k) for k in range(1, len(counted) + 1)])
    lined = [(str(number - above), number, row) for number, row in enumerate(rows, 1) if number > above]
    part = _part(source, "lines", lined, labels)
    part.spaced = not keyed and source.reading.format != "lines" and bool(keyed := _spaced(rows))
    part.keyed = _part(source, "keyed_lines", keyed, labels) if keyed else None
    return part.keyed if part.keyed and not part.spaced and source.reading.format else part


def _comments(rows: Sequence[str]) -> int:
    """Return the number of lines at the top that are "#" or begin with "# ".

    Return 0 if such a line also occurs further down, or if there is no other line.
    """
    marked = [f"{row} ".startswith("# ") for row in rows]
    above = next((k for k, one in enumerate(marked) if not one), 0)
    return 0 if any(marked[above:]) else above


def _generated(source: Source, rows: Sequence[str]) -> Part:
    """Read the output of fairseq's generation: targets as references, and hypotheses, detokenized if available.

    Fairseq counts sentences from 0, whereas the lines of other files are counted from 1; a finding says so.
    """
    found = [(match, number) for number, row in enumerate(rows, 1) if (match := _GENERATED.fullmatch(row))]
    detokenized = any(match["kind"] == "D" for match, _ in found)
    said = "D" if detokenized else "H"
    records: dict[str, Record] = {}
    for match, number in sorted(found, key=lambda one: int(one[0]["id"])):
        where, id = f"line {number}", str(int(match["id"]) + 1)
        record = records.setdefault(id, Record(id, where))
        if match["kind"] == "T":
            record.references += source.captions(match["text"], "reference", where, id)
        elif match["kind"] == said:
            record.candidates.setdefault(source.run, []).extend(source.captions(match["text"], "caption", where, id))
    source.log.add("counted_from_zero", source.name)
    made, labels = list(records.values()), label_runs(source, [source.run])
    whole = [record.id for record in made] == [str(k) for k in range(1, len(made) + 1)]
    return Part(source.name, "keyed_lines", made, len(made), labels, by_place=whole)


def _told(source: Source, told: Sequence[labelled_lines.Said]) -> Part:
    """Read lines that each state whether they are references or hypotheses."""
    records: dict[str, Record] = {}
    for id, kind, number, text in told:
        record, where = records.setdefault(id, Record(id, f"line {number}")), f"line {number}"
        side = record.references if kind == labelled_lines.REFERENCE else record.candidates.setdefault(source.run, [])
        side += source.captions(text, "reference" if kind == labelled_lines.REFERENCE else "caption", where, id)
    return Part(source.name, "keyed_lines", list(records.values()), len(records), label_runs(source, [source.run]))


def _by_block(parts: Sequence[Part], log: Log) -> None:
    """Read each block of lines between empty lines as the references of one item, and add a finding.

    This is done only if every file of a different length has one line per block. The references of the E2E challenge
    have this form.
    """
    lined = [part for part in parts if part.format == "lines"]
    for part in lined:
        said = [next(iter(texts_of(record)), "") for record in part.records]
        if "" not in said[:-1]:
            continue
        others = [one for one in lined if one is not part and one.n_records != part.n_records]
        blocks = [list(block) for filled, block in groupby(said, key=lambda text: bool(text.strip())) if filled]
        if not others or {one.n_records for one in others} != {len(blocks)}:
            continue
        log.add("blocks", part.file, n=len(blocks), other=others[0].file)
        part.records = [Record(str(k), f"block {k}", block) for k, block in enumerate(blocks, 1)]
        part.n_records, part.labels, part.keyed = len(blocks), {}, None


def _drop_sources(parts: Sequence[Part], log: Log) -> None:
    """Read files of lines as sources if their names, or those of their folders, suggest it.

    At least two other files must have as many lines.
    """
    counts = Counter(part.n_records for part in parts if part.format == "lines")
    for part in parts:
        path = PurePosixPath(part.file)
        words, above = set(in_name(path.name)), {*in_name(path.parent.name)}
        within = above <= FILES_OF_SOURCES and any(PurePosixPath(one.file).parent != path.parent for one in parts)
        named = within or (bool(words & FILES_OF_SOURCES) and "open" not in words)
        if part.format == "lines" and part.labels and named and counts[part.n_records] > 2:
            take_as_sources(part, log)


def take_as_sources(part: Part, log: Log, field: str = "source") -> None:
    """Read the lines of a file as facts about their items, under the name `field`, rather than as captions, with a
    finding.
    """
    log.add("sources_left", part.file)
    told = [(record, " ".join(texts_of(record))) for record in part.records]
    part.records = [
        Record(record.id, record.where, metadata={field: text}) for record, text in told if 0 < len(text) <= LONGEST
    ]
    part.labels, part.keyed = {}, None


def _take_rewritten(parts: Sequence[Part], log: Log) -> None:
    """Read numbered files of lines as references if they are beside the original that people rewrote.

    An example is `asset.test.simp.0` beside `asset.test.orig`. The original is read as sources.
    """
    named = {without_packing(PurePosixPath(part.file).name): part for part in parts if part.format == "lines"}
    numbered = {name: match[1] for name in named if (match := _NUMBERED_FILE.fullmatch(name))}
    for name, original in named.items():
        stem, _, ending = name.rpartition(".")
        of = [one for one, base in numbered.items() if stem and f"{base}.".startswith(f"{stem}.")]
        of = [one for one in of if named[one].n_records == original.n_records]
        if ending not in _ORIGINALS or len(of) < _FEWEST_SETS:
            continue
        take_as_sources(original, log)
        for part in (named[one] for one in of):
            part.labels, part.keyed = {}, None
            for record in part.records:
                record.references, record.candidates = texts_of(record), {}


def _drop_shared_cells(parts: Sequence[Part], log: Log) -> None:
    """Read only the second cell of each line if the first cells are the same in several files; add a finding.

    Tabs separate the cells. The first cell is the source of the texts, such as a sentence to rewrite; cells of one word
    may follow.
    """
    rows = {id(part): _rows_of_cells(part) for part in parts if part.format == "lines"}
    first = {key: [row[0] for row in of] for key, of in rows.items()}
    for part in parts:
        own = rows.get(id(part))
        if not own or not any(first[key] == first[id(part)] for key in rows if key != id(part)):
            continue
        log.add("shared_cells", part.file, example=f"`{clip(own[0][0])}`")
        for record, row in zip(part.records, own):
            record.references = [row[1]] if record.references else []
            record.candidates = {run: [row[1]] for run in record.candidates}
        part.keyed = None


def _rows_of_cells(part: Part) -> list[list[str]]:
    """Return the cells of each line if all lines have the same number of cells.

    Return [] for fewer than _FEWEST lines or two cells, if at most half of the first cells have several words, or if
    any cell after the second does.
    """
    found = [text.split("\t") for record in part.records for text in texts_of(record)]
    same = len({len(row) for row in found}) == 1 and len(found[0]) > 1 and len(found) == len(part.records) >= _FEWEST
    said = same and 2 * sum(len(row[0].split()) > 1 for row in found) > len(found)
    return found if said and not any(len(cell.split()) > 1 for row in found for cell in row[2:]) else []


def settle(parts: Sequence[Part], log: Log) -> list[Part]:
    """Return the parts in the way in which all files together show that they should be read.

    Keyed lines are read by key, unless their keys repeat and are neither ids in another file nor names of pictures. An
    id before a space counts only if another file has it, or if all of them are names of pictures.
    """
    parts = _of_models(parts)
    _take_rewritten(parts, log)
    _drop_sources(parts, log)
    _drop_shared_cells(parts, log)
    item_files.settle(parts, forms_of(r.id for part in parts if part.format != "lines" for r in part.records), log)
    _by_block(parts, log)
    ids = [{record.id for record in (part.keyed or part).records} for part in parts]
    distinct = [part.keyed is None or len(own) == part.keyed.n_records for part, own in zip(parts, ids)]
    once = [own for own, known in zip(ids, distinct) if known]
    named = forms_of(id for part, own in zip(parts, ids) if part.format != "lines" for id in own)
    spaced = [own for part, own in zip(parts, ids) if part.spaced]
    settled = []
    for part, own, single in zip(parts, ids, distinct):
        known = single or any(of <= own or own <= of for of in once) or all(map(PICTURE.fullmatch, own))
        if part.spaced:  # a first word is an id only if another file has it, or if it is the name of a picture
            met = all(is_among(id, named) for id in own)
            one = any(own == of for other, of, once_each in zip(parts, ids, distinct) if other.spaced and once_each)
            known = met or (one and sum(own == of for of in spaced) > 1) or all(map(PICTURE.fullmatch, own))
        chosen = part
        if part.keyed and known:
            chosen = part.keyed
            chosen.first_of = part.first_of
        for record in chosen.records if chosen.format in ("lines", "keyed_lines") else ():
            if any("\t" in text for text in (*record.references, *chain(*record.candidates.values()))):
                log.add("tabs_in_lines", part.file, record.where)
        settled.append(chosen)
    return settled


def _of_models(parts: Sequence[Part]) -> list[Part]:
    """Return the parts.

    The lines of a part with numbered keys become captions of a run if another file has references for their items.
    """
    numbered = [part.format == "keyed_lines" and part.keyed is not None for part in parts]
    owners: dict[str, set[int]] = {}
    for k, part in enumerate(parts if any(numbered) else ()):
        for form in forms_of(r.id for r in part.records if r.references):
            owners.setdefault(form, set()).add(k)
    return [_of_a_model(part, owners, k) if of_keys else part for k, (part, of_keys) in enumerate(zip(parts, numbered))]


def _of_a_model(part: Part, owners: Mapping[str, set[int]], place: int) -> Part:
    """Return a part with numbered keys, as a run's if another part has references for one of its items.

    `owners` maps each form of an id to the parts that have references for it.
    """
    own, part.keyed = part.keyed, None
    found = (owners.get(form, set()) for record in part.records for _, form in forms(record.id))
    if own is None or not any(one != place for of in found for one in of):
        return part
    own.first_of = part.first_of
    return own


def _keyed(rows: Sequence[str]) -> list[tuple[str, int, str]]:
    """Return the key, line number and text of each non-empty line; [] if a line has another form, or if at most half
    have a separator.
    """
    found: list[tuple[str, int, str]] = []
    split = 0
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        pictured = _PICTURED.fullmatch(row)
        split += "\t" in row or pictured is not None
        # A bare key has an empty text, since Kaldi writes no tab after it.
        match = pictured or _KEYED.fullmatch(row) or (_KEYED.fullmatch(f"{row}\t") if found else None)
        if match is None or len(match[1]) > LONGEST_ID:
            return []
        found.append((match[1], number, match[2]))
    return found if 2 * split > len(found) else []


def _counted(rows: Sequence[str]) -> list[tuple[str, int, str]]:
    """Return the number, line number and text of each non-empty line.

    Return [] unless there are at least three such lines, and all begin with increasing numbers. If the numbers count
    all lines from 0, the lines are numbered from 1 instead, as in files without numbers.
    """
    filled = [(number, _COUNTED.fullmatch(row)) for number, row in enumerate(rows, 1) if row.strip()]
    found = [(int(match["id"]), number, match["text"]) for number, match in filled if match]
    if len(found) < max(len(filled), _FEWEST) or any(one >= other for (one, *_), (other, *_) in pairwise(found)):
        return []
    first = int([number for number, _, _ in found] == list(range(len(found))))
    return [(str(number + first), line, text) for number, line, text in found]


def _spaced(rows: Sequence[str]) -> list[tuple[str, int, str]]:
    """Return the id (before or after the caption), line number and caption of each non-empty line.

    An id has a digit or is the name of a picture or sound. Return [] if a line has no id, all ids are the same, or
    there is only one line.
    """
    filled = [(number, row) for number, row in enumerate(rows, 1) if row.strip()]
    for pattern in (_BEHIND, _SPACED):
        found = [(match["id"], number, match["text"]) for number, row in filled if (match := pattern.fullmatch(row))]
        keys = {key for key, _, _ in found}
        # Captions may all begin with the same article; a single line is not a pattern.
        if len(found) >= max(len(filled), 2) and len(keys) > 1 and max(map(len, keys)) <= LONGEST_ID:
            return found
    return []


def _part(source: Source, format: str, rows: Sequence[tuple[str, int, str]], labels: dict[str, Label]) -> Part:
    records: dict[str, Record] = {}
    for key, number, row in rows:
        where, id = f"line {number}", as_id(key) or ""
        record = records.setdefault(id, Record(id, where))
        if labels:
            record.candidates.setdefault(source.run, []).extend(source.captions(row, "caption", where, id))
        else:
            record.references += source.captions(row, "reference", where, id)
    found = list(records.values())
    return Part(source.name, format, found, len(rows), labels, append=True, by_place=format == "lines")
