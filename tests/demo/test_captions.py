"""Test captions of the demo world: they are correct English, vary, and have exact log-probabilities."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from data.demo import load
from tools.demo import frames
from tools.demo.captions import SceneGrammar, render, scene_grammar, unrendered
from tools.demo.grammar import Distribution, inside, sample
from tools.demo.inflect import plural, starts_with_vowel, verb
from tools.demo.models import TRUTH, distribution, lineup
from tools.demo.world import scenes


@cache
def grammar(name: str) -> SceneGrammar:
    return scene_grammar(next(scene for scene in scenes() if scene.id == name))


def said() -> list[str]:
    study = load()
    return [text for item in study.items for text in item.references] + [
        text for run in study.runs for texts in run.candidates.values() for text in texts
    ]


def test_every_shipped_caption_is_well_formed() -> None:
    for text in set(said()):
        assert text == text.strip()
        assert not re.search(r"  | ,|,,|,\S|[\[\]{}|~^<>_]|[!?]\S", text), text
        words = re.findall(r"[\w'-]+", text.lower())
        for article, following in pairwise(words):
            if article in ("a", "an"):
                assert (article == "an") == starts_with_vowel(following), text
            assert article != following, text
        assert text[0].isupper() or text == text.lower(), text
        assert len(words) >= 1


def test_numbers_agree() -> None:
    """The verb of a caption about several things is plural, and that about a single thing is singular."""
    for text in set(said()):
        if found := re.match(r"(?:a|one) \w+ (is|are|has|have|seem|seems)\b", text.lower()):
            assert found[1] in ("is", "has", "seems"), text
        if found := re.match(r"(?:two|three|several) \w+ (is|are|has|have|seem|seems)\b", text.lower()):
            assert found[1] in ("are", "have", "seem"), text


@pytest.mark.parametrize(
    ("base", "ing", "fin", "past", "pp"),
    [
        ("run", "running", "runs", "ran", "run"),
        ("lie", "lying", "lies", "lay", "lain"),
        ("carry", "carrying", "carries", "carried", "carried"),
        ("catch", "catching", "catches", "caught", "caught"),
        ("ride", "riding", "rides", "rode", "ridden"),
        ("chop", "chopping", "chops", "chopped", "chopped"),
        ("be", "being", "is", "was", "been"),
    ],
)
def test_verbs(base: str, ing: str, fin: str, past: str, pp: str) -> None:
    assert [verb(base, form, False) for form in ("ing", "fin", "past", "pp")] == [ing, fin, past, pp]
    assert verb(base, "fin", True) == ("are" if base == "be" else base)


def test_plurals() -> None:
    words = {"puppy": "puppies", "child": "children", "bowl of fruit": "bowls of fruit", "bus": "buses", "boy": "boys"}
    assert {word: plural(word) for word in words} == words


def test_text_and_tokens_are_one() -> None:
    rng = np.random.default_rng(1)
    for scene in scenes()[::6]:
        for _ in range(50):
            tokens = sample(grammar(scene.id).root, Distribution(temperature=2.0), rng)
            assert unrendered(render(tokens)) == tokens
    with pytest.raises(ValueError, match="not a caption"):
        unrendered("a Dog")


def test_references_vary_and_use_most_frames() -> None:
    study = load()
    distinct = [len(set(item.references)) for item in study.items]
    assert np.mean(distinct) > 9.5
    assert min(distinct) >= 8
    used: Counter[tuple[str, str]] = Counter()
    for item in study.items:
        known = grammar(item.id).frames
        for text in item.references:
            likely = inside(list(known.values()), unrendered(text)[:-2], [TRUTH])[:, 0]
            used[list(known)[int(np.argmax(likely))]] += 1
    assert len(used) >= 40
    styles = Counter(style for item in study.items for style in item.metadata["coherence"]["references"])
    assert set(styles) == set(frames.STYLES)
    assert 0.6 < styles["Visible"] / styles.total() < 0.85


def test_people_write_as_people_do() -> None:
    references = [text for item in load().items for text in item.references]
    lower = np.mean([text == text.lower() for text in references])
    open_ended = np.mean([text[-1] not in ".!" for text in references])
    assert 0.05 < lower < 0.3
    assert 0.15 < open_ended < 0.45
    lengths = [len(text.split()) for text in references]
    assert 9 < np.mean(lengths) < 13
    assert np.std(lengths) > 2.5


@pytest.mark.parametrize("model", ["Oracle", "Peaked", "Loose"])
def test_frequencies_are_what_the_log_probabilities_say(model: str) -> None:
    chosen, n = distribution(model, 0.3), 4_000
    rng, root = np.random.default_rng(5), grammar("sofa-cat").root
    counts = Counter(render(sample(root, chosen, rng)) for _ in range(n))
    for text, count in counts.most_common(8):
        chance = math.exp(grammar("sofa-cat").explain(text, [chosen])[1][0])
        assert count / n == pytest.approx(chance, abs=4.5 * math.sqrt(chance / n))


def test_log_probabilities_of_ambiguous_texts_are_sums() -> None:
    """The probability of a text is the sum of its probabilities over all styles, times those of its case and its
    ending.
    """
    one = grammar("beach-dog")
    parts = inside([*one.styles.values()], unrendered("A dog on the beach.")[:-2], [TRUTH])[:, 0]
    weights = np.exp(list(frames.STYLES.values()))
    body = float(np.sum(np.exp(parts) * weights / weights.sum()))
    habits = math.prod(
        math.exp(table[0][0]) / math.fsum(math.exp(row[0]) for row in table) for table in (frames.CASES, frames.ENDINGS)
    )
    assert math.exp(one.explain("A dog on the beach.", [TRUTH])[1][0]) == pytest.approx(body * habits)


def test_shipped_log_probabilities_are_those_of_the_models() -> None:
    study = load()
    models = {setting.name: setting.distribution for setting in lineup(0)}
    for item in study.items[::9]:
        for run in study.runs[::4]:
            for index in (0, 7):
                text = run.candidates[item.id][index]
                own, real = grammar(item.id).explain(text, [models[run.name], TRUTH])[1]
                assert run.logprobs is not None
                assert run.oracle_logprobs is not None
                assert run.logprobs[item.id][index] == pytest.approx(own, abs=1e-4)
                assert run.oracle_logprobs[item.id][index] == pytest.approx(real, abs=1e-4)
                assert run.reference_logprobs is not None
                assert item.oracle_logprobs is not None
                of_reference = grammar(item.id).explain(item.references[index], [models[run.name], TRUTH])[1]
                assert run.reference_logprobs[item.id][index] == pytest.approx(of_reference[0], abs=1e-4)
                assert item.oracle_logprobs[index] == pytest.approx(of_reference[1], abs=1e-4)


def test_several_things_are_plural() -> None:
    """Every noun after a number above one is plural; the temperature is so high that every noun occurs."""
    singular = {plain for scene in scenes() for plain in re.split(r"[|!]+", re.sub(r"\^\d+", "", scene.noun)) if plain}
    singular -= {"sheep"}
    rng = np.random.default_rng(2)
    for scene in scenes():
        for _ in range(60):
            text = render(sample(grammar(scene.id).root, Distribution(temperature=4.0), rng)).lower()
            if found := re.match(r"(?:two|three|four|several) (\w+) (?:is|are|has|have|that|in|on|at)\b", text):
                assert found[1] not in singular, text
