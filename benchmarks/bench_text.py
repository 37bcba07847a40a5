"""Speed of text scoring compared with the usual packages, on the same machine in the same run."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from metrics.text.cider import DocumentFrequencies, cider_d_pairs
from metrics.text.java import java_path
from metrics.text.ngrams import words
from metrics.text.tokens import tokenize

REALDATA = Path(__file__).resolve().parents[2] / "shared" / "realdata"
ITEMS, CANDIDATES, REFERENCES = 5_000, 5, 10
CIDER_SAMPLE, METEOR_PAIRS, METEOR_TEXTS, METEOR_SAMPLE, ENCODED, SCORED = 100, 60_000, 4_000, 1_500, 1_500, 300
Row = dict[str, Any]


def rows() -> list[Row]:
    """Return one row per comparison, with the keys that `benchmarks.__main__` describes."""
    texts = sentences()
    return [cider_row(texts), meteor_row(texts), encoder_row(texts), bertscore_row(texts)]


def sentences() -> list[str]:
    """Return distinct captions: real ones if found next to the checkout, else from a small grammar."""
    path = REALDATA / "abstract48s_500.jsonl"
    if path.is_file():
        with path.open(encoding="utf-8") as file:
            return list(dict.fromkeys(text for line in file for text in json.loads(line)["references"]))
    random = np.random.default_rng(0)
    parts = [["a", "the", "one", "some", "my"], ["old", "young", "red", "tall", "sad"], ["man", "dog", "girl", "cat"]]
    parts += [["rides", "sees", "holds", "finds", "wants"], *parts, ["near", "by", "under"], ["trees", "water", "home"]]
    made = (" ".join(str(random.choice(words_)) for words_ in parts) for _ in range(40_000))
    return list(dict.fromkeys(made))[:20_000]


def cider_row(texts: list[str]) -> Row:
    """Time pooled CIDEr-D of 5,000 items with 5 + 10 texts each, including the counting of n-grams, on one thread."""
    random = np.random.default_rng(0)
    tokens = tokenize(texts, "whitespace")
    drawn = random.integers(0, len(tokens), (ITEMS, CANDIDATES + REFERENCES))
    items = [[tokens[i] for i in row] for row in drawn]
    cider_d_pairs(items[0], DocumentFrequencies.fit([item[CANDIDATES:] for item in items[:2]]))
    start = time.perf_counter()
    known = DocumentFrequencies.fit([item[CANDIDATES:] for item in items])
    found = [cider_d_pairs(item, known) for item in items]
    ours = time.perf_counter() - start
    theirs, values = _cider_of_pycocoevalcap(items)
    np.testing.assert_allclose(np.stack(found[:CIDER_SAMPLE]), values, atol=1e-9)
    theirs *= ITEMS / CIDER_SAMPLE
    return {
        "work": f"CIDEr-D of all pairs, {ITEMS:,} items of {CANDIDATES} + {REFERENCES} captions",
        "ours": "metrics.cider, one thread, seconds with counting",
        "ours_value": ours,
        "alternative": f"loop over pycocoevalcap's CiderScorer, seconds from {CIDER_SAMPLE} items",
        "alternative_value": theirs,
        "ratio": theirs / ours,
        "target": ">= 20",
    }


def _cider_of_pycocoevalcap(items: list[list[tuple[str, ...]]]) -> tuple[float, np.ndarray]:
    """Return the seconds for the similarities of the first items, given document frequencies, and the matrices."""
    from pycocoevalcap.cider.cider_scorer import CiderScorer

    class Scorer(CiderScorer):
        """A scorer whose number of documents is that of the items; the original uses the number of pairs."""

        ref_len = property(lambda self: np.log(float(len(items))), lambda self, value: None)

    everything = CiderScorer()
    for item in items:
        everything += (None, [" ".join(text) for text in item[CANDIDATES:]])
    everything.compute_doc_freq()
    matrices = []
    start = time.perf_counter()
    for item in items[:CIDER_SAMPLE]:
        joined = [" ".join(text) for text in item]
        scorer = Scorer()
        scorer.document_frequency = everything.document_frequency
        for hypothesis in joined:
            for reference in joined:
                scorer += (hypothesis, [reference])
        matrices.append(np.array(scorer.compute_cider()).reshape(len(item), len(item)))
    return time.perf_counter() - start, np.stack(matrices)


def meteor_row(texts: list[str]) -> Row:
    """Compare the number of pairs that METEOR scores per second on one thread once its index is built."""
    from metrics.text import meteor

    random = np.random.default_rng(0)
    some = [" ".join(words(text.split())) for text in texts[:METEOR_TEXTS]]
    joined = [(some[a], some[b]) for a, b in random.integers(0, len(some), (METEOR_PAIRS, 2))]
    meteor.statistics(joined[:METEOR_SAMPLE])
    ours, found = _timed(lambda: meteor.score(meteor.statistics(joined[METEOR_SAMPLE:])))
    theirs, values = _meteor_of_pycocoevalcap(joined)
    np.testing.assert_allclose(found[:METEOR_SAMPLE], values, atol=1e-6)
    rate, other = (len(joined) - METEOR_SAMPLE) / ours, METEOR_SAMPLE / theirs
    return _rates(
        "METEOR of single-reference pairs",
        "metrics.text.meteor",
        rate,
        "pycocoevalcap's Meteor",
        other,
        "40,000 per second",
    )


def _meteor_of_pycocoevalcap(pairs: list[tuple[str, str]]) -> tuple[float, list[float]]:
    from pycocoevalcap.meteor.meteor import Meteor

    java = java_path()
    assert java is not None
    os.environ["PATH"] = f"{java.parent}{os.pathsep}{os.environ['PATH']}"
    scorer = Meteor()
    timer = threading.Timer(300, scorer.meteor_p.kill)
    timer.start()
    try:
        for part in (pairs[:METEOR_SAMPLE], pairs[METEOR_SAMPLE : 2 * METEOR_SAMPLE]):
            gts, res = ({i: [pair[side]] for i, pair in enumerate(part)} for side in (1, 0))
            seconds, (_, values) = _timed(partial(scorer.compute_score, gts, res))
        return seconds, values
    finally:
        timer.cancel()
        scorer.meteor_p.kill()


def encoder_row(texts: list[str]) -> Row:
    """Compare the number of captions encoded per second once the model is loaded."""
    from metrics.text.encoder import Encoder, model_folder

    some = texts[:ENCODED]
    encoder = Encoder()
    encoder.encode(some[:100])
    ours, found = _timed(lambda: encoder.encode(some))
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder()))
    model.encode(some[:100], show_progress_bar=False)
    theirs, values = _timed(lambda: model.encode(some, show_progress_bar=False))
    np.testing.assert_allclose(found, values, atol=1e-6)
    rate, other = ENCODED / ours, ENCODED / theirs
    return _rates(
        "Embeddings by all-MiniLM-L6-v2",
        "metrics.text.encoder",
        rate,
        "SentenceTransformer.encode",
        other,
        "700 per second",
    )


def bertscore_row(texts: list[str]) -> Row:
    """Time BERTScore of captions with five references each, including the embedding.

    There is no alternative: the package bert-score is not installed (decision 001).
    """
    from data.study import Item, Run, Settings, Study
    from metrics.cache.disk import Cache
    from metrics.engine import scoring
    from metrics.registry import METRICS

    groups = [texts[start : start + 6] for start in range(0, 6 * SCORED, 6)]
    items = tuple(Item(str(k), tuple(group[1:])) for k, group in enumerate(groups))
    said = {item.id: (group[0],) for item, group in zip(items, groups, strict=True)}
    study, metric = Study("bench", items, (Run("run", "run", Settings(), said),)), METRICS["bertscore"]
    scoring.score(study.only([item.id for item in items[:10]]), [metric], cache=Cache(None))
    ours, _ = _timed(lambda: scoring.score(study, [metric], cache=Cache(None)))
    pairs = sum(len(item.references) for item in items)
    cores = len(os.sched_getaffinity(0))
    return {
        "work": f"BERTScore of {pairs:,} pairs, {len(items):,} captions with five references each, layer 5 of MiniLM",
        "ours": f"metrics.distances.bertscore, {cores} cores, pairs per second and core",
        "ours_value": pairs / ours / cores,
        "alternative": "none that is pinned",
        "alternative_value": None,
        "ratio": None,
        "target": "250 per second",
        "reached": pairs / ours / cores >= 250,
    }


def _rates(work: str, ours: str, rate: float, alternative: str, other: float, target: str) -> Row:
    return {
        "work": work,
        "ours": f"{ours}, per second",
        "ours_value": rate,
        "alternative": f"{alternative}, per second",
        "alternative_value": other,
        "ratio": rate / other,
        "target": target,
        "reached": rate >= float(target.split()[0].replace(",", "")),
    }


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row, indent=1))
