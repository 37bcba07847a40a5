"""Test questions to a small real model, which judges badly, behind a real OpenAI-compatible server."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from data.study import Item, Run, Settings, Study
from metrics.cache.disk import Cache
from metrics.judging.ask import ask
from metrics.judging.endpoint import Client, Endpoint
from tests.judging import model

STUDY = Study(
    "study",
    (Item("1", ("A dog runs on a beach.", "A brown dog at the sea.")),),
    (Run("m", "m", Settings(), {"1": ("A dog on sand.",)}),),
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if lacks := model.missing():
        pytest.skip(f"{lacks} is not installed")
    server = model.started()
    yield server.listening_address
    del server


def test_a_real_model_is_asked_and_its_answers_are_kept(url: str) -> None:
    cache = Cache(None)
    with Client(Endpoint(url, model.NAME, timeout=120.0, longest=20)) as client:
        answers = ask(STUDY, ["clair", "rating"], client, cache)
    for answer in answers:
        assert math.isnan(answer.score) == bool(answer.fault)
        assert answer.reason
        assert answer.fingerprint.startswith(f"{model.NAME}@")
    assert [answer.prompt for answer in answers] == ["clair", "rating"]
    with Client(Endpoint("http://127.0.0.1:9", model.NAME, timeout=120.0, longest=20)) as nobody:
        assert repr(ask(STUDY, ["clair", "rating"], nobody, cache)) == repr(answers)


def test_each_repeat_is_an_answer_of_its_own(url: str) -> None:
    """Even at temperature 0, a server may answer each repeat differently."""
    with Client(Endpoint(url, model.NAME, timeout=120.0, longest=20)) as client:
        one, other = ask(STUDY, ["clair"], client, Cache(None), repeats=2, parallel=1)
    assert one.signature == other.signature
    assert (one.repeat, other.repeat) == (0, 1)
