"""Texts that are not captions: thoughts, templates, JSON, refusals, messages of programs, ids and empty cells."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from pathlib import PurePath

from data.checks.assistant_talk import without_talk
from data.checks.languages import WHOLE
from data.files.printed_lists import QUOTED, unquoted
from data.findings import Log

Place = tuple[str, str, str]
"""File, record and id."""

_TAGS = (
    r"(?:\w{1,20}[_:.-])?(?:think|thinking|thoughts?|reason|reasoning|reflect|reflection|scratchpad|monologue|analysis|cot)"
    r"(?:[_-]\w{1,20})?"
)
_THOUGHT = re.compile(
    rf"(?P<closes><\|?/{_TAGS}\s*\|?>|◁/think▷|\[/think\]|<\|end_of_thought\|>|<\|channel\|>\s*final\s*<\|message\|>"
    rf"|assistantfinal)|<\|?{_TAGS}\s*\|?>|◁think▷|\[think\]|<\|channel\|>\s*(?:analysis|commentary)\b",
    re.IGNORECASE,
)
"""Tags that open or close thoughts."""

_ASK, _ANSWER = "user|human|system|instruction|question|input|prompt", "assistant|response|answer|output|model|gpt|bot"
_HEADS = (
    r"<\|(?:im_start|(?:start_)?header_(?:start|id)|start|start_of_role|role_start)\|>\s*(?:{0})"
    r"(?:\s*<\|(?:end_header_id|header_end|end_of_role)\|>)?|<[|｜](?:{0})[|｜]>"
    r"|<start_of_turn>\s*(?:{0})|(?:^|\n)\s*#{{2,4}}\s*(?:{0})\s*:|(?:^|\n)\s*(?-i:{1})\s*:(?![^\s<])"
)
_QUESTION = _HEADS.format(_ASK, "USER|User|HUMAN|Human") + r"|\[INST\]|\s(?-i:USER):(?!\S)"
_REPLY = _HEADS.format(_ANSWER, "ASSISTANT|Assistant") + r"|\[/INST\]|\s(?-i:ASSISTANT):(?!\S)"
_START = r"(?:<s>|<bos>|<sop>|\[gMASK\]|<[|｜](?:begin[^<>|｜\s]*|endoftext)[|｜]>|\s)*"
_PROMPT = re.compile(rf"^{_START}(?:{_QUESTION}).*?(?:{_REPLY})(?=.*\S)", re.IGNORECASE | re.DOTALL)
"""The prompt before an answer, up to the mark that begins the answer."""
_NAMES = (
    "s|unk|pad|mask|cls|sep|null|blank|empty|[bes]o[scituap]|(?:begin|start|end)(?:_?of_?\\w{1,20})?|unused_?\\d+"
    "|extra_id_\\d+|loc_?\\d+|\\w{0,30}_token(?:_\\w{1,20})?|fake_token\\w{0,30}|patch_index_\\d+|image\\d*|img|video|audio"
    "|answer|caption|output|response|final|p|div|span|em|strong|li|ul|b|i|grounding|sop|eop|用户|[nqt]|nl|br|newline|sent|sentence"
)
_TOKENS = re.compile(
    rf"{_QUESTION}|{_REPLY}|<</?SYS>>|</?(?:{_NAMES})\s*/?>|</w>|</?v>|<[|｜][^<>|｜\s]{{1,40}}[|｜]>|<0x[0-9A-F]{{2}}>"
    r"|\[(?:CLS|SEP|PAD|UNK|MASK|gMASK|BOS|EOS|IMG|IMG_[A-Z]+)\]|\b(?:startseq|endseq)\b|▁"
    rf"|^\s*(?:\*\*)?(?:{_ANSWER}|caption|description)(?:\*\*)?\s*:(?:\*\*)?(?!\S)|^\s*(?:assistant|model)\s*\n",
    re.IGNORECASE,
)
_SIGNS = frozenset('<[◁▁{}:：`*&#"“„?')
"""Characters that thoughts, special tokens and wrapping contain; most texts with none of them are skipped."""
_BULLETS = ("- ", "• ", "– ")
_PHRASES = ("seq", "assistant", "!\n", " know if", " hope this", " feel free")

_FENCE = re.compile(r"^\s*`{3,}(?:[a-z]{1,12}(?=\n)|(?:json|markdown|text)(?=\s))?|`{3,}\s*$", re.IGNORECASE)
_MARKS = re.compile(r"(?<!\*)\*\*(?=[^\s*])([^*]+)(?<=\S)\*\*(?!\*)|^`([^`]+)`$")
_ENTITY = re.compile(r"&(?:amp;)?(?:#\d{2,6}|#[xX][\da-fA-F]{2,5}|[A-Za-z]{2,8}\d{0,2});")
_JSON = re.compile(r"\s*(?:[\[{]\s*)*[\"']?\w{1,30}[\"']\s*:|\s*[\[{]\s*(?:[\"'{]|$)|\s*[\]}]+\s*$")
_FIELD = re.compile(rf"({QUOTED})\s*:\s*({QUOTED})", re.DOTALL)
_FIELDS = ("caption", "captions", "description", "answer", "response", "text", "output", "prediction")

_EMPTY_CELLS = re.compile(
    r"[-+]?(?:nan|inf)|none|null|nil|n\.?/?a|nat|undefined|void|missing|empty|unknown|todo|tbd|true|false"
    r"|(?:ref|value|name|div/0)!?\??|not (?:available|applicable)|no caption(?: available)?|object object"
    r"|[无無]|なし|없음"
)
_DO = (
    "assist|help|describe|see|view|provide|process|identify|comply|fulfil|generate|determine|access|analy[sz]e|answer"
    "|read|open|load|decode|caption|recogni[sz]e|create|continue|complete|discuss|do (?:that|this)"
)
_SHOWN = "(?:image|picture|photo|photograph|file|video|input|attachment|url|request|prompt|content)s?"
_REFUSED_ELSEWHERE = "|".join(
    [
        r"(?:es )?tut mir leid|leider kann ich|ich kann (?:das|dies\w*|ihnen|dir|dabei|leider|keine?)\b",
        r"je suis (?:vraiment )?désolée?|désolée?\s*,|je ne (?:peux|suis) pas",
        r"lo siento|lamento (?:no|que)|no (?:puedo|es posible)\b|mi (?:di)?spiace|spiacente|non posso\b",
        r"desculpe\s*,|sinto muito|não (?:consigo|posso)\b|îmi pare rău",
        r"het spijt me|ik kan (?:dat|deze|dit|hier|u|geen|helaas)\b|helaas\b|jag är ledsen|tyvärr\b|jag kan inte",
        r"(?:jeg )?beklager|desværre\b|jeg kan ikke|valitettavasti|pahoittelen|sajnálom|sajnos",
        r"przepraszam|przykro mi|niestety|nie mogę\b|omlouvám se|bohužel",
        r"извините|простите|к сожалению|я не могу|вибачте|на жаль|я не можу|λυπάμαι|συγγνώμη|δεν μπορώ",
        r"üzgünüm|özür dilerim|maalesef|xin lỗi|rất tiếc|tôi không thể|(?:mohon )?maaf\s*,|saya tidak (?:dapat|bisa)",
        r"(?:很)?抱歉|对不起|對不起|不好意思|我(?:无法|無法|不能)|(?:无法|無法)[识識处處描提回查协協访訪加]|作为一个?(?:AI|人工)",
        r"(?:大変)?申し訳(?:あり|ござい)|すみません(?:が|[、,。])|(?:この)?(?:画像|写真)[をはの].{0,12}(?:できません|できない)",
        r"죄송|(?:이|해당) (?:이미지|사진).{0,12} 수 없|ขออภัย|ขอโทษ|عذر[اً]|آسف|أعتذر|لا (?:أستطيع|يمكنني)",
        r"मुझे (?:खेद|माफ|क्षमा)|क्षमा करें|माफ़? ?कीजिए|מצטער|סליחה|אני לא יכול",
    ]
)
"""How refusals begin in languages other than English."""
_FOR_YOU = r"(?! (?:to hear|for your|about your|you)\b)"
"""After "sorry", no words that express sympathy."""
_REFUSED = re.compile(
    rf"(?:unfortunately,? |oops\W+|based on [^.]{{0,40}}, )?(?:"
    rf"(?:i['’]m|i am) (?:so |very |really )?(?:sorry{_FOR_YOU}|unable|not able|just an ai|an ai)\b"
    rf"|(?:i )?(?:can['’]?t|cannot|can not|could not|couldn['’]t) (?:{_DO})"
    r"|i (?:must|have to) decline|it (?:is|['’]s) not possible (?:for me )?to"
    rf"|i (?:apologi[sz]e|do(?:n['’]t| not) (?:have (?:access|the ability|enough)|see (?:any|an|the) {_SHOWN}))"
    rf"|i (?:won['’]t|will not) (?:{_DO}|be able)"
    r"|(?:my apologies|apologies|sorry)\s*[,.!:;]|as an? (?:\w+ )?(?:ai|(?:large )?language model)\b"
    rf"|unable to (?:{_DO})"
    rf"|(?:there (?:is|was) )?no {_SHOWN} (?:is|was|has been|were|attached|provided|uploaded|available|found)"
    rf"|please (?:provide|upload|attach|share|send) (?:an?|the|me|your) |it (?:seems|looks|appears) (?:like |that )?"
    rf"(?:you (?:have|did)|there (?:is|was) no|no {_SHOWN}|the {_SHOWN} (?:is|was|did) not)"
    rf"|(?:the |your )?{_SHOWN} (?:could not|couldn['’]t|cannot|can['’]t|failed|is (?:not available|invalid|corrupt)"
    r"|was (?:not|blocked|rejected|flagged))"
    r"|(?:an? )?(?:unexpected |unknown |internal |fatal )*error(?: has)? occurred|something went wrong"
    r"|[\[(<]error[\])>]|error\s*(?:[:\d(]|code|\W*$)|(?:api|server|network|connection|timeout|http|decode) ?error\b"
    r"|(?:[\w.]{1,80}\.)?\w{0,40}(?:error|exception)(?:\s*[:(]|\W*$)|[a-z]{1,40}error \d{3}|traceback\b"
    r"|cuda (?:out|error)"
    r"|(?:the |your )?(?:request|response|generation|prompt|(?:api|model) call) (?:(?:was|is|has been) )?"
    r"(?:failed|blocked|filtered|flagged|rejected|timed out)"
    r"|(?:null|empty|no) response(?: from (?:the )?(?:api|model|server)|\W*$)"
    r"|the model (?:did not|didn['’]t|failed to) (?:return|produce|respond|generate)"
    r"|(?:read|connection|gateway) (?:timed out|timeout|error)|time(?:d )?out\W*$"
    r"|rate limit|too many requests|internal server error|service unavailable|http(?: error)?[ /:]\s*\d{3}"
    r"|[45]\d\d (?:too many|bad|internal|service|gateway|unauthori[sz]ed|forbidden|not found|client|server|request)"
    r"|failed to (?:obtain|get|generate|process|load|fetch|connect|download|open|read|decode|parse)"
    rf"|(?:invalid|corrupt(?:ed)?|unsupported) {_SHOWN}\W*$|\{{\s*[\"']error|(?:safety|content) (?:filter|policy)"
    r"|(?:you(?:r account)? (?:have )?)?exceeded (?:your|the) |quota exceeded|insufficient (?:quota|credits|balance)"
    r"|finish_?reason|<!doctype|<html|[\[(]?(?:blocked|filtered|redacted|removed|safety|recitation"
    r"|no (?:answer|response|output))[\])]?\W*$"
    rf"|{_REFUSED_ELSEWHERE})",
    re.IGNORECASE,
)
_SORRY = re.compile(r"(?:i['’]m|i am) (?:so |very |really )?sorry\b|(?:my )?apologies\b|sorry\b", re.IGNORECASE)
_TASK = re.compile(rf"\b(?:{_DO}|{_SHOWN}|ai|language model|with (?:that|this))\b", re.IGNORECASE)
"""Words for a task that a model refuses, or for its input."""
_USUAL = ("A ", "a ", "Two ", "two ", "An old ", "There are ", "there are ")
"""Beginnings of many captions, but of no refusal or message; a cheap test that is made first."""
_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\W*")
_COUNTED = re.compile(r"(?:\S*?\D)?0*(\d{2,})(?:\.[a-z][a-z\d]{1,4})?", re.IGNORECASE)
"""The name of a file that ends in a number, such as COCO_val2014_000000000042.jpg for item 42."""
_LONGEST_WORD = 4
_BETWEEN = (
    *("<sep>", "[SEP]", "</s>", "<eos>", "<end>", "<|endoftext|>", "<br>", "<br/>", "<br />", "\\n"),
    *("|", ";", " // ", " / ", "•", "·", "¦", "#", " ~ "),
)
_SIGNS_BETWEEN = re.compile(r"[#|&~@^*=+$%\\§•·]{2,}|\|")
"""Signs between captions that never occur between the words of a sentence."""
ITEMS = "1. 2."
"""The mark that denotes numbered captions."""
_LISTED = r"(?:^|\s)(?:(?:\*\*)?(?:captions?|descriptions?|options?|answers?|versions?|references?|sentences?)\s+#?)?"
_CLOSED = r"(?:\s*\*\*)?"
_NUMBERED = re.compile(rf"{_LISTED}\(?1[.):]{_CLOSED}\s+\S.*{_LISTED}\(?2[.):]{_CLOSED}\s+\S", re.DOTALL | re.I)
COUNT = re.compile(rf"{_LISTED}\(?\d{{1,2}}[.):]{_CLOSED}\s+", re.IGNORECASE)
"""The number of a caption in a list, with any word before it, such as `Caption 1:`."""
_RECURS = 0.3
_FEWEST, _SHARE, _WORDS = 3, 0.8, 3
"""Minimum number of texts, minimum share of these texts that must be lists for a mark to count, and minimum number of
words in a part.
"""


def mended(text: str, kind: str, place: Place, fixes: Container[str], log: Log, free: bool = False) -> str:
    """Add findings for thoughts, special tokens and wrapping; return the text without those that chosen repairs
    remove.

    Markdown and talk are part of a `free` text, such as a response.
    """
    if _SIGNS.isdisjoint(text) and text[:2] not in _BULLETS and not any(map(text.__contains__, _PHRASES)):
        return text
    if (said := without_thoughts(text)) != text:
        log.add("thoughts", *place, kind=kind)
        text = said if "drop_thoughts" in fixes else text
    if (plain := _TOKENS.sub(" ", _PROMPT.sub(" ", text, count=1))) != text:
        log.add("special_tokens", *place, kind=kind)
        text = re.sub(r"\s{2,}", " ", plain).strip() if "drop_tokens" in fixes else text
    if (bare := unwrapped(text, free)) is not None:
        log.add("wrapped", *place, kind=kind)
        text = bare if "unwrap" in fixes else text
    return text


def is_plain(text: str) -> bool:
    """Return whether a text has no thoughts, no special tokens and nothing around it."""
    plain = without_thoughts(text) == text == _TOKENS.sub(" ", _PROMPT.sub(" ", text, count=1))
    return plain and unwrapped(text) is None


def without_thoughts(text: str) -> str:
    """Return a text without a model's thoughts.

    If nothing else is left, return "" or, if a tag closes thoughts that no tag opens, the text without its tags.
    """
    said, start, thinking, closed = list[str](), 0, False, False
    for mark in _THOUGHT.finditer(text):
        before = text[start : mark.start()]
        if not mark["closes"]:
            said += [] if thinking else [before]
        elif not thinking:  # the opening tag was part of the prompt
            said, closed = [], True
        thinking, start = not mark["closes"], mark.end()
    if start == 0:
        return text
    found = " ".join(filter(None, (one.strip() for one in [*said, *([] if thinking else [text[start:]])])))
    return found or (_THOUGHT.sub(" ", text).strip() if closed else "")


def unwrapped(text: str, free: bool = False) -> str | None:
    """Return a caption without the JSON, Markdown, HTML entities or talk around it; None if nothing is around it.

    Markdown and talk around anything but JSON are part of a `free` text.
    """
    plain = _MARKS.sub(lambda found: found[1] or found[2], _FENCE.sub("", without_talk(text)))
    of_json = _JSON.match(plain.strip()) is not None
    if free and not of_json:
        plain = text
    plain = _ENTITY.sub(lambda found: html.unescape(html.unescape(found[0])), plain)
    bare = plain.strip()
    if not of_json:
        return None if plain == text else bare
    fields = {unquoted(name): unquoted(value) for name, value in _FIELD.findall(bare)}
    if known := [fields[name] for name in _FIELDS if name in fields]:
        return next(filter(None, known), "")
    values = {value for value in fields.values() if value}
    return values.pop() if len(values) == 1 else bare


def parted_by(texts: Sequence[str], further: Sequence[str] = ()) -> str:
    """Return the mark that separates several captions in most texts, such as "|||" or numbers; "" if there is none.

    The marks in `further`, such as line breaks, count only if no other mark does.
    """

    def often(found: Iterable[bool]) -> bool:
        return sum(found) >= _SHARE * len(texts)

    if len(texts) < _FEWEST:
        return ""
    if often(_NUMBERED.search(text) is not None for text in texts):
        return ITEMS
    runs = Counter(mark for text in texts for mark in {*_SIGNS_BETWEEN.findall(text)}).most_common(1)
    marks = (*(mark for mark, _ in runs), *_BETWEEN, *further)
    found = next((mark for mark in marks if often(_is_parted(text, mark) for text in texts)), "")
    return found if found in further else found.strip()


def parted_by_signs(texts: Sequence[str]) -> str:
    """Return the signs, such as "###" or "|", between the parts of most texts; "" if there are none.

    Such signs occur in no sentence. A part that many texts share, such as the name of a site after a title, is not a
    caption of its own, nor is a part without letters, such as the answer after `####` in GSM8K.
    """
    found = Counter(mark for text in texts for mark in {*_SIGNS_BETWEEN.findall(text)}).most_common(1)
    mark, count = found[0] if found else ("", 0)
    parts = [[part.strip() for part in text.strip().strip(mark).split(mark)] for text in texts if mark and mark in text]
    often = Counter(part for of in parts for part in {*of})
    apart = count >= max(_FEWEST, _SHARE * len(texts)) and all(
        any(map(str.isalpha, part)) for of in parts for part in of
    )
    return mark if apart and max(often.values()) <= max(1, _RECURS * len(texts)) else ""


def _is_parted(text: str, mark: str) -> bool:
    first, *others = text.strip().removeprefix(mark.strip()).removesuffix(mark.strip()).split(mark)
    return bool(others) and all(len(part.split()) >= _WORDS for part in (first, *others))


def is_apology(text: str) -> bool:
    """Return whether a text apologises without mentioning a model's task, as people do in a conversation."""
    return _SORRY.match(text) is not None and _TASK.search(text) is None


def is_caption(text: str, id: str, apologies: bool = False) -> bool:
    """Return whether a text is a caption: not a refusal, an error message, the id of its item or a word for "empty".

    An empty text counts as a caption. With `apologies`, as in conversations, so does an apology.
    """
    return _what(text.strip(), id, apologies) is None


def _what(bare: str, id: str, apologies: bool) -> str | None:
    """Return the kind of finding for a text that is not a caption; None for a caption or an empty text."""
    if not bare:
        return None
    if len(bare) < 24 and (_EMPTY_CELLS.fullmatch(bare.lower().strip("#()[]{}<>\"'. ")) or _nothing(bare)):
        return "null_text"
    if not bare.startswith(_USUAL) and (_REFUSED.match(bare) or _CODE.fullmatch(bare)):
        return None if apologies and is_apology(bare) else "refusal"
    if bare in id and bare in (id, PurePath(id).name, PurePath(id).stem):
        return "id_as_caption"
    if "/" in bare and " " not in bare and PurePath(bare).name in (id, PurePath(id).name):
        return "id_as_caption"
    if bare[-1].isdecimal() or "." in bare:
        name, other = (_COUNTED.fullmatch(one) for one in (bare, id))
        return "id_as_caption" if name and other and name[1] == other[1] else None
    return None


def _nothing(bare: str) -> bool:
    if bare.isascii():
        return not any(map(str.isalnum, bare))
    return all(character == "\ufffd" or unicodedata.category(character)[0] in "PZC" for character in bare)


def report(text: str, run: str, place: Place, log: Log, apologies: bool = False) -> None:
    """Add a finding if a text is not a caption or lacks spaces between words; `run` is "" for texts by people."""
    bare = text.strip()
    if (code := _what(bare, place[2], apologies)) is not None:
        log.add(code, *place, run=run, text=bare)
    elif not bare.isascii() and len(WHOLE.findall(bare)) > _LONGEST_WORD * len(bare.split()):
        log.add("no_blanks", *place, run=run)
