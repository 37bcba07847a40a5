"""Check and repair single captions."""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import islice

from data.checks import not_captions, shared_beginnings
from data.checks.not_captions import is_apology, is_caption
from data.finding_kinds.caption_kinds import MAX_CAPTION, MOST_CAPTION
from data.findings import Log
from data.matching.merge import Pool

_LOOKED_AT = 200
_BREAKS = re.compile("[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]+")
_BAD = re.compile("[\ud800-\udfff\x00-\x08\x0e-\x1b\x1f\x7f]")
# UTF-8 decoded as Windows-1252 or Latin-1: the letters that stand for lead bytes, then those for trailing bytes.
_TRAIL = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_MOJIBAKE = re.compile(f"[Â-ß][{_TRAIL}]|[à-ï][{_TRAIL}]{{2}}|ð[{_TRAIL}]{{3}}")


def check(pool: Pool, fixes: Container[str], log: Log) -> None:
    """Check all captions of the pool, report what is wrong, and apply the chosen repairs to them.

    Texts of a study without references may be responses: their line breaks, Markdown and talk are no fault.
    """
    alone = not any(item.references for item in pool.items.values())
    dropped, only = "drop_empty_references" in fixes, "drop_non_captions" in fixes
    sorry = any(is_apology(text) for item in pool.items.values() for text in item.references)
    for item in pool.items.values():
        place = (item.file, item.where, item.id)
        texts = [_mended(text, "reference", place, fixes, log) for text in item.references]
        for text in texts:
            not_captions.report(text, "", place, log, sorry)
            if not text:
                log.add("empty_reference", *place)
        kept = [
            (text, as_written)
            for text, as_written in zip(texts, item.references)
            if (text or not dropped) and len(text) <= MOST_CAPTION and (not only or is_caption(text, item.id, sorry))
        ]
        item.references = [text for text, _ in kept]
        item.written = [as_written for _, as_written in kept]
    for run in pool.runs.values():
        start = shared_beginnings.shared(run.candidates.values(), (item.written for item in pool.items.values()))
        for id, captions in run.candidates.items():
            place = (run.file, run.where[id], id)
            if start:
                captions = _without(start, captions, run.name, place, fixes, log)
            texts = [_mended(text, "caption", place, fixes, log, alone) for text in captions]
            keep = [
                index
                for index, text in enumerate(texts)
                if (text or "drop_empty_candidates" not in fixes)
                and len(text) <= MOST_CAPTION
                and (not only or is_caption(text, id, sorry))
            ]
            for text in texts:
                not_captions.report(text, run.name, place, log, sorry)
                if not text:
                    log.add("empty_candidate", *place, run=run.name)
            run.replace_candidates(id, texts)
            if len(keep) < len(texts):
                run.keep_candidates(id, keep)
    _lists(pool, log)


def _without(
    start: str, captions: list[str], run: str, place: tuple[str, str, str], fixes: Container[str], log: Log
) -> list[str]:
    """Report captions that begin with the sentences of a prompt; remove these sentences if the repair is chosen."""
    if any(text.startswith(start) for text in captions):
        log.add("prompt_repeated", *place, run=run, text=start.strip())
    return [text.removeprefix(start) for text in captions] if "unwrap" in fixes else captions


def _lists(pool: Pool, log: Log) -> None:
    """Report references and runs in which most texts contain several captions."""
    told = list(islice(((item, text) for item in pool.items.values() for text in item.references), _LOOKED_AT))
    if told and (mark := not_captions.parted_by([text for _, text in told])):
        item = told[0][0]
        log.add("several_in_one", item.file, item.where, item.id, mark=mark)
    for run in pool.runs.values():
        said = islice((text for texts in run.candidates.values() for text in texts), _LOOKED_AT)
        if mark := not_captions.parted_by(list(said)):
            log.add("several_in_one", run.file, run=run.name, mark=mark)


def _mended(
    text: str, kind: str, place: tuple[str, str, str], fixes: Container[str], log: Log, free: bool = False
) -> str:
    """Return the text as repaired; line breaks, Markdown and talk are part of a `free` text."""
    text = not_captions.mended(text, kind, place, fixes, log, free)
    if text.isascii() and text.isprintable() and len(text) <= MAX_CAPTION:
        return _trimmed(text, kind, place, fixes, log)
    if len(text) > MAX_CAPTION:
        log.add("long_caption" if len(text) <= MOST_CAPTION else "endless_caption", *place, kind=kind)
        if "cut_long" in fixes:
            text = text[:MAX_CAPTION].rstrip()
    if free:
        text = "\n".join(text.splitlines()).strip("\n")
    elif _BREAKS.search(text.strip()):
        log.add("line_breaks", *place, kind=kind)
    if not free and "join_lines" in fixes:
        text = _BREAKS.sub(" ", text.strip("\n\r"))
    if _BAD.search(text):
        log.add("bad_characters", *place, kind=kind)
        text = _BAD.sub("\ufffd", text)
    if _MOJIBAKE.search(text):
        log.add("mojibake", *place, kind=kind)
        if "fix_mojibake" in fixes:
            text = demojibake(text)
    return _trimmed(text, kind, place, fixes, log)


def _trimmed(text: str, kind: str, place: tuple[str, str, str], fixes: Container[str], log: Log) -> str:
    """Report spaces at the ends of a text, and return it without them if that repair is chosen; return "" for a text of
    only spaces.
    """
    bare = text.strip()
    if bare and len(bare) < len(text):
        log.add("outer_spaces", *place, kind=kind)
    return bare if not bare or "trim_captions" in fixes else text


def demojibake(text: str) -> str:
    """Undo the decoding of UTF-8 as Windows-1252; return other text unchanged."""

    def again(match: re.Match[str]) -> str:
        # Bytes that Windows-1252 leaves undefined are taken as Latin-1, as in most decoders.
        try:
            raw = b"".join(c.encode("latin-1") if ord(c) < 256 else c.encode("cp1252") for c in match.group())
            return raw.decode("utf-8")
        except UnicodeError:
            return match.group()

    return _MOJIBAKE.sub(again, text)
