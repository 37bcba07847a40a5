"""Test that each distinct caption is embedded once, in full batches, without changing the numbers of scoring by
chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.cache.disk import Cache
from metrics.cache.memory import LruCache
from metrics.engine import embed_ahead, scoring
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.progress import Cancelled
from metrics.registry import resolve
from metrics.text import encoder, token_states

WORDS = ("dog", "cat", "man", "girl", "bus", "tree", "boat", "train", "horse", "bird", "lamp", "chair")
NAMES = ["bert", "corpus_frechet_bert"]
ITEMS = 30


def study() -> Study:
    """Return a study of two runs that share most captions; references recur after twelve items."""
    items = tuple(Item(str(k), (f"a {WORDS[k % 12]} here", f"one {WORDS[k % 12]} by a house")) for k in range(ITEMS))

    def said(run: int) -> dict[str, tuple[str, ...]]:
        return {i.id: (f"a {WORDS[k % 3]}", f"{'the' if k % 4 else run} {WORDS[k % 12]}") for k, i in enumerate(items)}

    return Study("repeats", items, tuple(Run(f"r{n}", "m", Settings(), said(n)) for n in range(2)))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    seen: list[list[str]] = []
    encode = encoder.Encoder.encode

    def counted(self: encoder.Encoder, texts: Sequence[str], *more: Any, **named: Any) -> encoder.Vectors:
        seen.append(list(texts))
        return encode(self, texts, *more, **named)

    monkeypatch.setattr(encoder.Encoder, "encode", counted)
    return seen


def scored(names: list[str], workers: Workers, cache: Cache | None = None) -> scoring.Results:
    return scoring.score(study(), resolve(names), Options(chunk=2), cache or Cache(None), workers=workers)


def test_a_caption_of_many_chunks_and_runs_is_embedded_once(calls: list[list[str]]) -> None:
    scored(NAMES, Workers())
    flat = [text for texts in calls for text in texts]
    every = {t for i in study().items for t in (*i.references, *(t for r in study().runs for t in r.candidates[i.id]))}
    assert sorted(flat) == sorted(every)
    assert len([texts for texts in calls if texts]) <= 5  # windows of eight chunks rather than 60 sides of 30 chunks


def test_a_whole_run_takes_the_embeddings_of_its_chunks(calls: list[list[str]]) -> None:
    cache = Cache(None)
    scored(["bert"], Workers(), cache)
    kept, n = cache.keys("embeddings") | set(cache._memory), len(calls)
    scored(["corpus_frechet_bert"], Workers(), cache)
    assert not any(calls[n:])
    assert {key for key in cache._memory if key.startswith("embeddings/")} <= kept


def test_runs_that_are_embedded_whole_are_embedded_together_unless_one_fills_a_window(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = scored(["corpus_frechet_bert"], Workers())
    assert len([texts for texts in calls if texts]) == 1
    monkeypatch.setattr(embed_ahead, "TEXTS", 50)
    calls.clear()
    alone = scored(["corpus_frechet_bert"], Workers())
    assert len([texts for texts in calls if texts]) > 1
    for key, result in together.items():
        assert result.corpus == pytest.approx(alone[key].corpus, abs=1e-12)


def test_numbers_are_those_of_a_chunk_at_a_time() -> None:
    ours = scored(NAMES, Workers())
    other = scored(NAMES, Workers("loky", 1))
    for key, result in ours.items():
        assert result.why() is None
        np.testing.assert_allclose(result.totals, other[key].totals, rtol=0, atol=1e-12)
        assert result.corpus == pytest.approx(other[key].corpus, abs=1e-12)


def test_a_fault_of_the_encoder_is_an_error_of_the_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **named: Any) -> encoder.Vectors:
        raise encoder.EncoderFaulty("gives nothing")

    monkeypatch.setattr(encoder.Encoder, "encode", broken)
    found = scored(["bert", "rouge_l"], Workers())
    assert {name: bool(result.error) for (_, name), result in found.items()} == {"bert": True, "rouge_l": False}
    assert "gives nothing" in str(found["r0", "bert"].error)


def test_cancelling_stops_the_embedding(monkeypatch: pytest.MonkeyPatch, calls: list[list[str]]) -> None:
    asked = iter([False] * 3 + [True] * 10_000)
    with pytest.raises(Cancelled):
        scoring.score(
            study(),
            resolve(["bert"]),
            Options(chunk=2),
            Cache(None),
            scoring.Callbacks(should_stop=lambda: next(asked)),
        )
    assert len(calls) <= 1


def test_embedding_counts_as_progress() -> None:
    """The share never falls, is above 0 before the first chunk is scored, and ends at 1."""
    seen: list[tuple[float, int]] = []
    calls = scoring.Callbacks(progress=lambda at: seen.append((at.fraction, at.tasks_done)))
    scoring.score(study(), resolve(["bert"]), Options(chunk=2), Cache(None), calls)
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert max(share for share, done in seen if not done) > 0.2
    assert shares[-1] == 1.0


@pytest.mark.parametrize("block", [embed_ahead.BLOCK, 1_000])
def test_states_of_references_are_computed_once_for_all_runs(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Runs alternate after small blocks, so that memory for a few chunks is enough to keep the references' states."""
    items = tuple(
        Item(str(k), (f"a {WORDS[k % 12]} here {k}", f"one {WORDS[k % 12]} by a house {k}")) for k in range(16)
    )
    runs = [{i.id: (f"run {n} says {i.id}", f"and {i.id} says {n}") for i in items} for n in range(3)]
    of = Study("turns", items, tuple(Run(f"r{n}", "m", Settings(), said) for n, said in enumerate(runs)))
    monkeypatch.setattr(embed_ahead, "BLOCK", block)
    monkeypatch.setattr(embed_ahead, "TEXTS", 12)
    monkeypatch.setattr(token_states, "BYTES", 450_000)
    monkeypatch.setattr(token_states, "_kept", LruCache(450_000, lambda key, value: value.states.nbytes))
    alone: list[str] = []
    states = token_states._Model.encode

    def counted(self: Any, texts: Sequence[str], *more: Any) -> Any:
        alone.extend(texts)
        return states(self, texts, *more)

    monkeypatch.setattr(token_states._Model, "encode", counted)
    scoring.score(of, resolve(["bert", "bertscore"]), Options(chunk=2), Cache(None), workers=Workers())
    assert bool(alone) == (block == 1_000)
