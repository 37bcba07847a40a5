"""The grammar of the captions for one scene, and the conversion of its tokens to text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools.demo import frames
from tools.demo.grammar import Distribution, Floats, Node, Sequence_, Tokens, Words, greedy, inside
from tools.demo.inflect import plural, starts_with_vowel
from tools.demo.notation import EMPTY, WRONG, Context, choice, joined, likeliest, maybe, parse, words
from tools.demo.world import SLOTS, Scene, scenes

PROPER = (
    "london",
    "italy",
    "manhattan",
    "africa",
    "christmas",
    "parisian",
    "grandma",
    "monday",
    "friday",
    "saturday",
    "sunday",
)
CASES = tuple(token for _, _, token in frames.CASES)
ENDS = {"<stop>": ".", "<none>": "", "<gap>": " .", "<bang>": "!"}
NAMES = {name: name.capitalize() for name in PROPER} | {"i": "I"}


@dataclass(frozen=True, eq=False)
class SceneGrammar:
    """Everything that can be said about a scene: the whole grammar, and its parts by style and by frame."""

    scene: Scene
    root: Node
    styles: dict[str, Node]
    frames: dict[tuple[str, str], Node]
    slot: Callable[[str, Context], Node]

    def explain(self, caption: str, models: Sequence[Distribution]) -> tuple[str, Floats]:
        """Return the style in which people most probably write a caption, and its (len(models),) log-probabilities.

        These are natural logarithms of the probability of the text, summed over all derivations; -inf if a model cannot
        produce it.
        """
        tokens = unrendered(caption)
        found = inside([self.root], tokens, models)[0]
        likely = inside(list(self.styles.values()), tokens[:-2], [Distribution()])[:, 0]
        joint = {name: value + frames.STYLES[name] for name, value in zip(self.styles, likely, strict=True)}
        return max(joint, key=joint.__getitem__), found

    def plain(self, slot: str, context: Context) -> str:
        """Return the likeliest words for a slot."""
        return " ".join(written(greedy(self.slot(slot, context), Distribution()))).replace(" ,", ",")


def render(tokens: Tokens) -> str:
    """Return the caption for these tokens, with articles, commas, capitals and the full stop."""
    *body, case, end = tokens
    spelled = written(tuple(body))
    if case != "<lower>":
        spelled = [NAMES.get(word, word) for word in spelled]
    text = " ".join(spelled).replace(" ,", ",")
    if case == "<cap>":
        text = text[0].upper() + text[1:]
    return (text.upper() if case == "<shout>" else text) + ENDS[end]


def written(tokens: Tokens) -> list[str]:
    """Return the words with their articles in the form that pronunciation requires: "an" before a vowel."""
    ahead = (*tokens[1:], "")
    return [
        "an" if here == "a" and starts_with_vowel(after) else here for here, after in zip(tokens, ahead, strict=True)
    ]


def unrendered(caption: str) -> Tokens:
    """Return the only tokens that `render` turns into this caption; text and tokens are thus equivalent.

    Raises ValueError for a text that no tokens produce.
    """
    for end in ("<gap>", "<stop>", "<bang>", "<none>"):
        if caption.endswith(ENDS[end]):
            break
    body = re.findall(r",|[^\s,]+", caption[: len(caption) - len(ENDS[end])].lower())
    tokens = tuple("a" if token == "an" else token for token in body)
    for case in CASES:
        if tokens and render((*tokens, case, end)) == caption:
            return (*tokens, case, end)
    raise ValueError(f"not a caption of the demo world: {caption!r}")


def scene_grammar(scene: Scene) -> SceneGrammar:
    """Return the grammar of a scene, built from the frames and the scene's own words."""
    writer = _Writer(scene)
    parts: dict[tuple[str, str], Node] = {}
    styles: dict[str, Node] = {}
    for style, listed in frames.FRAMES.items():
        options = []
        for logit, text in listed:
            if writer.can(text):
                node = parts[style, text] = writer.frame(text)
                options.append((logit, "central" if text in frames.CENTRAL else "", node))
        styles[style] = choice(*options)
    body = choice(*((frames.STYLES[style], style, node) for style, node in styles.items()))
    cases = choice(*((logit, tag, Words((token,))) for logit, tag, token in frames.CASES))
    ends = choice(*((logit, tag, Words((token,))) for logit, tag, token in frames.ENDINGS))
    return SceneGrammar(scene, Sequence_((body, cases, ends)), styles, parts, writer.slot)


class _Writer:
    """Fills the slots of frames with the words of one scene; equal slots become one node, so that parsing is shared."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.known: dict[tuple[str, Context], Node] = {}
        oddities = ((frames.ODD, "odd", words(text)) for text in frames.ODDITIES)
        self.odd = choice((0.0, "", EMPTY), *oddities)

    def can(self, frame: str) -> bool:
        names = re.findall(r"\{(\w+)", frame)
        idle = self.scene.still and "{act.ing}" in frame and "{place}" not in frame
        wanting = frame.startswith("thing: ") and not self.scene.thing
        return not idle and not wanting and all(getattr(self.scene, name) for name in names if name in SLOTS)

    def frame(self, text: str) -> Node:
        """Return the grammar of a frame; if it mentions the subject, this is a choice between singular and plural."""
        bare = text.startswith("bare: ")
        text = text.removeprefix("bare: ").removeprefix("thing: ")
        one, many = (self._numbered(text, Context(many=flag, bare=bare)) for flag in (False, True))
        if not re.search(r"subject\}|\{moody\}|\{exclaimed\}", text):
            return many if self.scene.count != "one" else one
        if self.scene.count == "one":
            return choice((0.0, "", one), (WRONG, "wrong", many))
        if self.scene.whole:
            return choice((0.0, "", one), (-0.3, "", many))
        return choice((0.0, "", many), (WRONG, "wrong", one))

    def _numbered(self, text: str, context: Context) -> Node:
        spoken = "{remark}" in text or "{story}" in text or "my favorite" in text or "{exclaimed}" in text
        body = parse(text, context, self.slot)
        return body if spoken else joined([body, self.odd])

    def slot(self, name: str, context: Context) -> Node:
        key = (name, context)
        if key not in self.known:
            self.known[key] = self._slot(name, context)
        return self.known[key]

    def _slot(self, name: str, context: Context) -> Node:
        person, possessive = frames.PRONOUNS["they" if context.many or self.scene.whole else self.scene.pronoun]
        fixed = {
            "is": "are" if context.many else "is",
            "has": "have" if context.many else "has",
            "it": person,
            "its": possessive,
        }
        if name in fixed:
            return words(fixed[name])
        if name in ("subject", "thesubject", "newsubject", "moody", "exclaimed"):
            return self._subject(name, context)
        text = re.sub(r"\{her\}(?= \w)|\{his\}", "{its}", getattr(self.scene, name))
        text = re.sub(r"\{(her|him|them)\}", "{it}", text)
        return self._or_stray(name, parse(text, context, self.slot), context)

    def _or_stray(self, name: str, own: Node, context: Context) -> Node:
        """Return a choice between the scene's own words and, rarely, another scene's: the mistakes of models and
        people.
        """
        if name not in frames.STRAY:
            return own
        found = dict.fromkeys(likeliest(getattr(scene, name)) for scene in scenes() if getattr(scene, name))
        strays = [text for text in found if text not in getattr(self.scene, name).split("|")]
        if name == "noun" and context.many:
            strays = [plural(text) for text in strays]
        nodes = ((frames.STRAY[name], "odd", parse(text, context, self.slot)) for text in strays)
        return choice((0.0, "", own), *nodes)

    def _subject(self, name: str, context: Context) -> Node:
        plainly = name in ("subject", "newsubject")
        post = self._detail("post", -2.0, context) if plainly else EMPTY
        if self.scene.whole and not context.many and plainly:
            return joined([self.slot("whole", context), post])
        counted = self._counted(name, context)
        if self.scene.pair and context.many and plainly:
            counted = choice((0.0, "", counted), (-0.6, "", self.slot("pair", context)))
        return joined([counted, post])

    def _counted(self, name: str, context: Context) -> Node:
        moody = name in ("moody", "exclaimed")
        count = words("the") if name == "thesubject" else parse(self._counts(name, context), context, self.slot)
        front = self.slot("mood", context) if moody else self._detail("size", -1.5, context)
        adjective = self._detail("adj", -1.6 if moody else -0.4, context)
        noun = self._or_stray("noun", parse(self._nouns(context), context, self.slot), context)
        return joined([EMPTY if context.bare and not context.many else count, front, adjective, noun])

    def _nouns(self, context: Context) -> str:
        if not context.many:
            return self.scene.noun
        return re.sub(r"(?:^|(?<=[|!]))[^|!^]+", lambda found: plural(found[0]), self.scene.noun)

    def _detail(self, name: str, logit: float, context: Context) -> Node:
        return maybe(self.slot(name, context), logit) if getattr(self.scene, name) else EMPTY

    def _counts(self, name: str, context: Context) -> str:
        if not context.many:
            return frames.ONE if name == "subject" else "a"
        if name == "exclaimed":
            return ""
        if name == "moody":
            return "[two|some]" if self.scene.count == "two" else "[some|]"
        own = self.scene.counts.removesuffix("|!a") or frames.TWO
        return frames.SEVERAL if self.scene.count == "one" else own
