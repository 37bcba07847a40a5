"""Names by which language models are recognised among raters and keys, and names of fields that name raters."""

from __future__ import annotations

import re
from typing import Any

from data.fields.names import norm, plain, words
from data.fields.word_lists import word_list, word_set

RATER = word_list(
    "rater annotator worker judge annotator_id worker_id rater_id judge_id id_annotator workerid evaluator "
    "evaluator_id grader scorer judged_by rated_by scored_by evaluated_by annotated_by graded_by"
)
_JUDGES = frozenset(["judge", "evaluator", "grader"])

_SURE = r"gpt|llms?|vlms?|mllms?|lmms?|llama|qwen|vicuna|deepseek|gemini|mistral|mixtral|grok|internvl|llava|minicpm"
_WITH_NUMBER = r"claude|gemma|phi|prometheus|command|yi|glm|o(?=[134])|ernie|pixtral|autoj|molmo|cogvlm|palm"
_VARIANTS = "opus|sonnet|haiku|instruct|chat|turbo|flash|pro|mini|large|plus"
_NAME = re.compile(
    rf"(?:chat)?(?:{_SURE})(?:[\d.]+[a-z]{{0,2}})?(?![a-z])"
    rf"|(?:{_WITH_NUMBER})[-_ ]?v?\d(?!\d{{3}})"
    rf"|claude[-_ ](?:{_VARIANTS})\b"
    r"|(?!rater|annotator|worker|group|person|judge|user)[a-z][a-z\d.]+[-_:/ ](?:[a-z\d.]+[-_:/ ])*"
    r"\d+(?:\.\d+)?[bm](?![a-z\d]|-[\da-f]{4}\b)"
)
_MARK = " (model)"
"""The end of the name of a rater in a field such as `judge_model`."""
_REASONS = word_set("reason reasons reasoning rationale rationales explanation justification")
WITH_REASONS = f"unnamed{_MARK}"
"""The name given to the rater of numbers that have reasons beside them, if no rater is named."""
_LONGEST = 100
"""Maximum length of a model's name in characters; longer texts are not names."""
_PROGRAMS = word_set("rm reward autorater verifier")
_NUMBERED = re.compile(r"judge[\W_]*(?:\d|[a-z](?![a-z]))")
"""One of several people who judged, such as `Judge 1` or `Judge A`."""
_WORDS = word_set("ai model machine automatic autorater g-eval geval openai")


def is_model(name: str) -> bool:
    """Return whether a name is a language model's, such as `gpt-4o`, `lab/prometheus-7b` or `LLM judge`.

    Names that people have as well, such as Claude, count only beside a version or the name of a variant.
    """
    bare = name.strip().lower()
    starts = (0, *(k + 1 for k, char in enumerate(bare) if not char.isalnum() and char != "."))
    named = len(bare) <= _LONGEST and any(_NAME.match(bare, start) for start in starts)
    return named or bare in _WORDS or bare.endswith(_MARK)


def names_judge(criterion: str) -> bool:
    """Return whether a criterion is called after the model or program that rated: `gpt-4o`, `Fluency (LLM)`, `auto`.

    A name that begins or ends with `judge` also counts, unless a number or a single letter follows, as for one of
    several people.
    """
    bare = criterion.strip().lower()
    said = [word for word in words(bare) if word not in ("rating", "score")]
    return (
        is_model(bare)
        or bare in ("claude", "auto")
        or ("judge" in (*said[:1], *said[-1:]) and not _NUMBERED.search(bare))
        or not _PROGRAMS.isdisjoint(said)
    )


def states_judge(field: str, value: Any) -> bool:
    """Return whether a field, by its name and value, names the model that rated."""
    known = isinstance(value, str) and (norm(plain(field)) in RATER or names_judge_model(field))
    return known and is_model(value)


def names_judge_model(field: str) -> bool:
    """Return whether a field has a name for the model that rated, such as `judge_model`."""
    return words(field)[-1:] == ["model"] and not _JUDGES.isdisjoint(words(field))


def reasons_for(field: str) -> str | None:
    """Return the start of the name of a field of reasons for a number, such as "fluency" for `fluency_reason`, and ""
    for `rationale`; None for other fields.

    People also write an `explanation` or `reasoning` beside ratings, so these words count only after another word.
    """
    start, _, end = norm(field).rpartition("_")
    return start if end in _REASONS and (start or end not in ("reasoning", "explanation")) else None


def as_model(name: str) -> str:
    """Return the name of a model that rates, with a mark that it is a model unless the name shows that; "" for no
    name.
    """
    return name if is_model(name) or not name else name + _MARK
