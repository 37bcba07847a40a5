"""English inflection: the word forms that a small grammar needs for agreement."""

from __future__ import annotations

PLURALS = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "person": "people",
    "sheep": "sheep",
    "aircraft": "aircraft",
    "fisherman": "fishermen",
    "knife": "knives",
    "wolf": "wolves",
    "calf": "calves",
    "goose": "geese",
    "deer": "deer",
    "mouse": "mice",
    "loaf": "loaves",
    "leaf": "leaves",
    "bison": "bison",
    "zucchini": "zucchini",
    "potato": "potatoes",
    "snowman": "snowmen",
    "gentleman": "gentlemen",
    "fish": "fish",
    "cattle": "cattle",
}
DOUBLED = {
    "run",
    "sit",
    "swim",
    "get",
    "chop",
    "jog",
    "dig",
    "hop",
    "cut",
    "put",
    "set",
    "stop",
    "nap",
    "trot",
    "skip",
    "grab",
    "hit",
    "let",
    "spin",
    "slip",
    "pet",
    "hug",
    "wrap",
    "plan",
    "drop",
    "pat",
    "nod",
    "step",
    "trim",
    "win",
    "bob",
    "sip",
    "shop",
    "scan",
    "begin",
    "forget",
    "flip",
    "snap",
    "tap",
    "tug",
    "sun",
    "zip",
    "unplug",
    "hum",
}
PAST = {
    "run": "ran",
    "sit": "sat",
    "swim": "swam",
    "get": "got",
    "dig": "dug",
    "cut": "cut",
    "put": "put",
    "set": "set",
    "hit": "hit",
    "let": "let",
    "spin": "spun",
    "catch": "caught",
    "find": "found",
    "leave": "left",
    "come": "came",
    "go": "went",
    "make": "made",
    "take": "took",
    "buy": "bought",
    "bring": "brought",
    "see": "saw",
    "eat": "ate",
    "drink": "drank",
    "ride": "rode",
    "drive": "drove",
    "fall": "fell",
    "wake": "woke",
    "lose": "lost",
    "build": "built",
    "begin": "began",
    "finish": "finished",
    "fly": "flew",
    "blow": "blew",
    "light": "lit",
    "stand": "stood",
    "lie": "lay",
    "read": "read",
    "win": "won",
    "have": "had",
    "be": "was",
    "do": "did",
    "give": "gave",
    "hear": "heard",
    "pay": "paid",
    "throw": "threw",
    "hold": "held",
    "lead": "led",
    "tell": "told",
    "say": "said",
    "keep": "kept",
    "sleep": "slept",
    "spend": "spent",
    "meet": "met",
    "feed": "fed",
    "sell": "sold",
    "draw": "drew",
    "send": "sent",
    "shut": "shut",
    "hang": "hung",
    "rise": "rose",
    "sweep": "swept",
    "steal": "stole",
    "break": "broke",
    "know": "knew",
}
PARTICIPLES = {
    "run": "run",
    "swim": "swum",
    "come": "come",
    "go": "gone",
    "take": "taken",
    "see": "seen",
    "eat": "eaten",
    "drink": "drunk",
    "ride": "ridden",
    "drive": "driven",
    "fall": "fallen",
    "wake": "woken",
    "begin": "begun",
    "fly": "flown",
    "blow": "blown",
    "lie": "lain",
    "be": "been",
    "do": "done",
    "give": "given",
    "throw": "thrown",
    "draw": "drawn",
    "rise": "risen",
    "steal": "stolen",
    "break": "broken",
    "know": "known",
    "get": "gotten",
}
SILENT_U = ("useful", "uniform", "used", "unicorn", "united", "utensil", "one-")
SILENT_H = ("hour", "honest")


def plural(noun: str) -> str:
    """Return the plural of a noun; in a phrase such as "bowl of fruit", only the head noun changes."""
    for joint in (" of ", " with ", " in "):
        if joint in noun:
            head, rest = noun.split(joint, 1)
            return plural(head) + joint + rest
    *before, word = noun.split(" ")
    for singular, several in PLURALS.items():
        if word == singular:
            return " ".join([*before, several])
    if word.endswith(("s", "x", "z", "ch", "sh")):
        word += "es"
    elif word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "ies"
    else:
        word += "s"
    return " ".join([*before, word])


def verb(base: str, form: str, many: bool) -> str:
    """Return a form of a verb: base, fin (present tense, plural if `many`), ing, gerund, past or pp (past participle).

    Raises ValueError for any other form.
    """
    match form:
        case "base":
            return base
        case "ing" | "gerund":
            return _ing(base)
        case "past":
            return PAST.get(base) or _regular_past(base)
        case "pp":
            return PARTICIPLES.get(base) or PAST.get(base) or _regular_past(base)
        case "fin":
            return _finite(base, many)
        case _:
            raise ValueError(f"no verb form {form!r}")


def _ing(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base in DOUBLED:
        return base + base[-1] + "ing"
    if base.endswith("e") and not base.endswith("ee") and base != "be":
        return base[:-1] + "ing"
    return base + "ing"


def _regular_past(base: str) -> str:
    if base in DOUBLED:
        return base + base[-1] + "ed"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + ("d" if base.endswith("e") else "ed")


def _finite(base: str, many: bool) -> str:
    if base == "be":
        return "are" if many else "is"
    if base == "have":
        return "have" if many else "has"
    if many:
        return base
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def starts_with_vowel(word: str) -> bool:
    """Return whether the word takes "an", judging by its sound as far as this vocabulary requires."""
    word = word.lower()
    if word.startswith(SILENT_U):
        return False
    return word.startswith(SILENT_H) or word[:1] in "aeiou"
