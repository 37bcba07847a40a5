"""Texts where captions should be: thoughts, special tokens, refusals, messages of programs, ids and empty cells."""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import PurePath

from data.findings import Log

Place = tuple[str, str, str]
"""File, record and id."""
_TAGS = "think|thinking|thought|thoughts|reasoning|reflection"
_OPENED = re.compile(rf"\s*(?:<(?:{_TAGS})>|◁think▷|\[THINK\]|<\|begin_of_thought\|>)", re.IGNORECASE)
_CLOSED = re.compile(rf"</(?:{_TAGS})>|◁/think▷|\[/THINK\]|<\|end_of_thought\|>", re.IGNORECASE)
_NAMES = "start|end|unk|pad|bos|eos|sos|cls|sep|mask|image|video|audio|answer|start_of_turn|end_of_turn|caption"
_TOKENS = re.compile(
    rf"</?(?:s|{_NAMES}|{_NAMES.upper()})>|<\|[^<>|\s]{{1,40}}\|>|<0x[0-9A-F]{{2}}>|<extra_id_\d+>"
    r"|\[(?:CLS|SEP|PAD|UNK|MASK|BOS|EOS|/?INST)\]|\b(?:startseq|endseq)\b"
)
_EMPTY_CELLS = frozenset(["nan", "-nan", "none", "null", "nil", "n/a", "#n/a", "<na>", "nat", "undefined"])
_DO = "assist|help|describe|see|view|provide|process|identify|comply|fulfil|generate|determine|access|analy[sz]e|answer"
_REFUSED = re.compile(
    rf"(?:i['’]m|i am) (?:so |very |really )?(?:sorry|unable|not able)\b|(?:i )?(?:can['’]?t|cannot|can not) (?:{_DO})"
    rf"|i (?:apologi[sz]e|do(?:n['’]t| not) have (?:access|the ability))|i (?:won['’]t|will not) (?:{_DO})"
    rf"|(?:my apologies|apologies|sorry)\s*[,.!:;]|as an ai\b|unable to (?:{_DO}|load)"
    r"|error\s*(?:[:\d]|code|$)|an error (?:has )?occurred|\w+(?:error|exception)\s*(?:[:(]|$)|traceback\b"
    r"|(?:request|response|generation) (?:failed|blocked|timed out)"
    r"|(?:read|connection|gateway) (?:timed out|timeout|error)|time(?:d )?out\W*$"
    r"|rate limit|too many requests|internal server error|service unavailable|http(?: error)? \d{3}"
    r"|failed to (?:obtain|get|generate|process|load|fetch|connect|download)|\{\s*[\"']error|content (?:filter|policy)"
    r"|<!doctype|<html|[\[(]?(?:blocked|filtered|redacted|removed|no (?:answer|response|output))[\])]?\W*$",
    re.IGNORECASE,
)
_USUAL = ("A ", "a ", "The ", "the ", "Two ", "two ")
"""How most captions begin, and no refusal or message: looked at first, since it takes no time."""
_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\W*")
_WHOLE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Letters of scripts without blanks: Thai, Lao, Burmese, Khmer, kana and Han."""
_LONGEST_WORD = 4


def mended(text: str, kind: str, place: Place, fixes: Container[str], log: Log) -> str:
    """The text with findings for thoughts and special tokens, and without them where the repairs are chosen."""
    if "<" not in text and "[" not in text and "seq" not in text and "◁" not in text:
        return text
    if (said := without_thoughts(text)) != text:
        log.add("thoughts", *place, kind=kind)
        text = said if "drop_thoughts" in fixes else text
    if (plain := _TOKENS.sub(" ", text)) != text:
        log.add("special_tokens", *place, kind=kind)
        text = re.sub(" {2,}", " ", plain).strip() if "drop_tokens" in fixes else text
    return text


def without_thoughts(text: str) -> str:
    """What a model says after it has thought; "" where it never stops thinking."""
    ends = list(_CLOSED.finditer(text))
    if ends:
        return text[ends[-1].end() :].strip()
    return "" if _OPENED.match(text) else text


def report(text: str, whose: str, place: Place, log: Log) -> None:
    """Add a finding for a text that is no caption, or has no blanks; `whose` is "of run m" or "by people"."""
    bare = text.strip()
    if len(bare) < 10 and bare.lower() in _EMPTY_CELLS:
        log.add("null_text", *place, whose=whose, text=bare)
    elif not bare.startswith(_USUAL) and (_REFUSED.match(bare) or _CODE.fullmatch(bare)):
        log.add("refusal", *place, whose=whose)
    elif bare and bare in place[2] and bare in (place[2], PurePath(place[2]).name, PurePath(place[2]).stem):
        log.add("id_as_caption", *place, whose=whose)
    elif not bare.isascii() and len(_WHOLE.findall(bare)) > _LONGEST_WORD * len(bare.split()):
        log.add("no_blanks", *place, whose=whose)
