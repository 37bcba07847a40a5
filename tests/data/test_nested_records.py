"""Test that records nested in any way are read correctly, and that none of their fields is lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from data.files.printed_lists import TEXT_KEYS
from data.findings import MOST_NAMES, WIDE
from data.load import Loaded, load_study
from tests.data.test_any_records import IDS, SAID, WRITTEN
from tests.data.test_spellings import ONE, TWO, js, read

FRAMES = {f"v{k}": {f"v{k}_frame_{n}.jpg": {"caption": SAID[n], "sec": n} for n in range(k + 1)} for k in range(3)}


def test_keys_that_differ_between_objects_are_ids() -> None:
    loaded = load_study(js("m.json", FRAMES))
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == [id for of in FRAMES.values() for id in of]
    assert [item.metadata["video"] for item in loaded.study.items] == ["v0", "v1", "v1", "v2", "v2", "v2"]
    assert [len(of) for run in loaded.study.runs for of in run.candidates.values()] == [1] * 6
    assert "keys_read" in codes(loaded)


def test_prompts_under_the_name_of_a_model_are_ids() -> None:
    heats = [{"temperature": heat, "responses": [f"{SAID[0]} {heat}", SAID[1]], "spread": 2} for heat in (0.0, 0.5)]
    loaded = load_study(js("m.json", {"llama3.2:3b": {f"Write about {id} dogs.": heats for id in IDS}}))
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == [f"Write about {id} dogs." for id in IDS]
    assert [(run.model, run.settings.temperature) for run in loaded.study.runs] == [
        ("llama3.2:3b", 0.0),
        ("llama3.2:3b", 0.5),
    ]
    assert {len(of) for run in loaded.study.runs for of in run.candidates.values()} == {2}


CASES = [
    {
        "name": f"case_{id}",
        "actualOutput": text,
        "expectedOutput": refs[0],
        "checks": [{"name": "Style [x]", "score": int(id) / 10, "judgeModel": "g"}, {"name": "Tone", "score": 1.0}],
    }
    for id, text, refs in zip(IDS, SAID, WRITTEN)
]


@pytest.mark.parametrize(
    "wrapped", [{"testRunData": {"testCases": CASES}}, {"data": {"log": {"cases": CASES, "n": 3}}}]
)
def test_records_in_an_envelope_have_the_scores_that_they_list(wrapped: Any) -> None:
    loaded = load_study(js("m.json", wrapped))
    assert loaded.study is not None
    assert [item.references for item in loaded.study.items] == [(refs[0],) for refs in WRITTEN]
    assert [[*run.candidates.values()] for run in loaded.study.runs] == [[(text,) for text in SAID]]
    scores = {score.name: dict(score.values["m"]) for score in loaded.study.scores}
    assert scores["Style_x"] == {f"case_{id}": (int(id) / 10,) for id in IDS}
    assert set(scores) == {"Style_x", "Tone"}


def test_texts_beside_a_word_are_a_list_of_captions() -> None:
    people = js("references.json", {"values": [{"target": [*refs]} for refs in WRITTEN], "language": "en"})
    found = read(js("m.json", {"values": [*SAID], "language": "en"}), people)
    assert found == {"m": ONE}


ASKED = ("what is on the sand?", "what is on the table?", "what is repaired?")
SHORT = ("dog", "cups", "bicycle")


def test_an_id_that_joins_questions_with_different_answers_is_not_the_id() -> None:
    rows = [
        {"question_id": f"q{k}", "doc_id": k // 2, "question": ask, "answers": [word], "pred": text}
        for k, (ask, word, text) in enumerate(zip(ASKED, SHORT, SAID))
    ]
    loaded = load_study(js("m.json", rows))
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == {f"q{k}": (SHORT[k],) for k in range(3)}
    runs = {
        run: {
            "results": [
                {"video_id": k // 2, "question": ask, "ground_truth": word, "prediction": text}
                for k, (ask, word, text) in enumerate(zip(ASKED, SHORT, SAID))
            ]
        }
        for run in TWO
    }
    loaded = load_study(js("m.json", runs))
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == [f"{k // 2}_{ask}" for k, ask in enumerate(ASKED)]
    assert [item.references for item in loaded.study.items] == [(word,) for word in SHORT]


def test_words_under_a_name_of_references_are_never_left_out_with_a_note_only() -> None:
    classes = ("animal", "kitchen", "sport")
    rows = [{"image_id": id, "label": word, "prediction": text} for id, word, text in zip(IDS, classes, SAID)]
    assert "references_unread" in codes(load_study(js("m.json", rows)))


def test_of_two_texts_of_a_run_the_one_left_out_is_named() -> None:
    rows = [
        {"id": id, "models": {run: {"answer": text, "response": f"<a>{text} {run}</a>"} for run in TWO}}
        for id, text in zip(IDS, SAID)
    ]
    loaded = load_study(js("m.json", rows))
    (told,) = [one.problem for one in loaded.findings if one.code == "repeated_texts"]
    assert "models[].response" in told
    assert "models[].answer" in told


def codes(loaded: Loaded) -> set[str]:
    return {one.code for one in loaded.findings}


NAMES = st.sampled_from(
    ["mood", "colour", "sentence", "response", "worker", "caption", "text", "shape", "size", "role"]
)
LEAVES = st.just("leaf")
SHAPES = st.recursive(
    LEAVES,
    lambda inner: (
        st.dictionaries(NAMES, inner, min_size=1, max_size=3)
        | st.lists(st.dictionaries(NAMES, inner, min_size=1, max_size=3), min_size=1, max_size=2)
    ),
    max_leaves=6,
)


def filled(shape: Any, path: str, k: int) -> Any:
    """Return the shape with a text in each leaf; the text states the path of the leaf."""
    if isinstance(shape, dict):
        return {key: filled(one, f"{path}.{key}", k) for key, one in shape.items()}
    if isinstance(shape, list):
        return [filled(one, f"{path}[]", k) for one in shape]
    return f"{path} {k}"


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        return [path for one in (value.values() if isinstance(value, dict) else value) for path in leaves(one)]
    return [value.rpartition(" ")[0]]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.dictionaries(NAMES, SHAPES, min_size=1, max_size=3), st.booleans())
def test_every_field_of_a_record_is_read_or_named_in_a_finding(shape: Any, wrapped: bool) -> None:
    # The maximum number of fields that a finding names.
    paths = leaves(filled({"extra": shape}, "", 1))
    assume(len(paths) <= MOST_NAMES and sum(len(path) + 1 for path in paths) <= WIDE)
    made = [
        {"id": id, "prediction": text, "references": [*refs], **filled({"extra": shape}, "", int(id))}
        for id, text, refs in zip(IDS, SAID, WRITTEN)
    ]
    loaded = load_study(js("m.json", {"when": "may", "results": made} if wrapped else made))
    assert loaded.study is not None
    said = " ".join(one.problem for one in loaded.findings).replace("[-1]", "[]")
    named = {name.rstrip(".") for name in re.findall(r"[\w.\[\]]+", said)}
    # A list of objects that each have a text is named as a whole.
    for _ in range(2):
        named |= {f"{name}[].{key}" for name in named for key in TEXT_KEYS}
    used = {str(one) for item in loaded.study.items for one in [*item.references, *item.metadata.values()]}
    used |= {text for run in loaded.study.runs for of in run.candidates.values() for text in of}
    assert not [path for path in leaves(made[0]["extra"]) if path[1:] not in named and f"{path} 1" not in used]
    assert not wrapped or "when" in named
