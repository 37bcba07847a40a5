"""Remove what assistants write around a caption: phrases, a heading, the question, quotation marks."""

from __future__ import annotations

import re

_CAPTION = (
    r"(?:captions?|descriptions?|answers?|responses?|sentences?|output|summary|options?|versions?|suggestions?"
    r"|alternatives?|ideas)"
)
CAPTION = r"(?:captions?|descriptions?|answers?|responses?|sentences?|output|summary)"
"""Words for a text that a model was asked to write."""
_PREAMBLE = re.compile(
    r"^\s*(?:(?:sure|certainly|of course|absolutely|okay|ok|great|no problem)\b[^:\n]{0,40}?[!,.:]\s*)?"
    rf"(?:here(?:['’]s| is| are)|(?:this|below|the following) is)\s[^:\n]{{0,60}}?\b{_CAPTION}\b[^:\n]{{0,80}}:\s*"
    r"|^\s*(?:sure|certainly|of course|absolutely)\b[^:\n]{0,20}?[!,.:]\s*\n\s*",
    re.IGNORECASE,
)
_HERE_IS = (
    r"hier (?:ist|sind|is|zijn)|voici|voilà|ecco|aquí (?:está|tienes?|van?)|aqui (?:está|vai)|här (?:är|kommer)"
    r"|her er|oto|вот|这是|這是|以下是|以下は|下面是|次は|こちらは?が?|다음은|여기"
)
_ELSEWHERE = (
    r"\w*(?:unterschrift|beschreibung|beskrivning|beskrivelse|beschrijving|onderschrift|bildtext|satz|antwort)\w*"
    r"|légende|description|phrase|réponse|descripción|leyenda|pie de foto|frase|respuesta|didascalia|descrizione"
    r"|risposta|legenda|descrição|resposta|opis\w*|podpis\w*|подпись|описание|ответ|描述|说明|說明|标题|標題|字幕|答案"
    r"|説明文?|キャプション|설명|캡션"
)
_PREAMBLE_ELSEWHERE = re.compile(
    rf"^\s*(?:[^:：\n]{{1,30}}?[!！,，.。、]\s*)?(?:{_HERE_IS})[^:：\n]{{0,60}}?(?:{_ELSEWHERE})[^:：\n]{{0,60}}?\s?[:：]\s*",
    re.IGNORECASE,
)
"""Phrases such as "Here is a caption:" in other languages."""
_LABEL = re.compile(rf"^\s*(?:{_ELSEWHERE})\s?[:：]\s*(?=\S)", re.IGNORECASE)
_BULLET = re.compile(r"^\s*[-*•–]\s+(?=[^\n]+$)")
_OFFERED = (
    r"(?:let me know if|i hope this|is there anything|feel free to|(?:would|do) you (?:like|want) me to|shall i)\b"
)
_OFFER = re.compile(
    r"\n[ \t]*(?:let me know|i hope this|is there anything|feel free|would you like)\b[^\n]*$"
    rf"|(?<=[.!?…\"”])\s+{_OFFERED}[^\n]*$",
    re.IGNORECASE,
)
_REASONED = re.compile(
    r"^\s*(?:\*\*)?(?:thinking|thoughts?|reasoning|analysis|rationale|let['’]s think step by step)\b[^:\n]{0,20}:"
    r".*(?:^|\n|[.!?]\s)[ \t]*(?:\*\*)?(?:(?:so|thus|hence|therefore),? )?(?:the )?"
    rf"(?:(?:final )?{CAPTION}|conclusion)(?:\*\*)?\s*(?:is\s*)?:(?:\*\*)?\s*"
    r"|^(?:.*[\n.!?])?[ \t]*(?:\*\*)?final (?:answer|caption|response)(?:\*\*)?\s*:(?:\*\*)?\s*",
    re.IGNORECASE | re.DOTALL,
)
"""Reasoning in plain words, up to the last "Final answer:"."""
_HEADING = re.compile(rf"^\s*#{{1,6}}[ \t]+[^\n]{{0,40}}\b{CAPTION}\b[^\n]{{0,20}}\n\s*(?=\S)", re.IGNORECASE)
_ASKED = re.compile(r"^\s*(?:question|q)\s*:\s*[^\n]{3,400}?\s(?:short )?(?:answer|a)\s*:\s*(?=\S)", re.IGNORECASE)
"""A question that is repeated before the answer."""
_BOXED = re.compile(r"[^{}]*\\boxed\{\s*(?:\\text\{)?([^{}]+)\}{1,2}[^{}]*", re.DOTALL)
_QUOTED = re.compile(r"\s*(?:\"([^\"“”]+)\"|[“„]([^\"“”]+)[”“])\s*")


def without_talk(text: str) -> str:
    """Return a caption without the phrases and quotation marks that an assistant puts around it; a text that consists
    only of these is returned unchanged.
    """
    if found := _BOXED.fullmatch(text):
        return found[1].strip()
    said = text
    for phrase in (_REASONED, _PREAMBLE, _PREAMBLE_ELSEWHERE, _LABEL, _BULLET, _HEADING, _ASKED, _OFFER):
        said = phrase.sub("", said, count=1)
    if not said.strip():
        return text
    quoted = _QUOTED.fullmatch(said)
    if quoted:
        return (quoted[1] or quoted[2]).strip()
    return text if said == text else said.strip()
