"""The draw of Chan et al., B.2: m captions from a pool of k correct ones, the rest from a pool of k foreign ones."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from data import demo
from data.study import Item, Run, Settings
from metrics.analysis.unique_correct import experiment
from metrics.analysis.unique_correct.experiment import Design
from metrics.analysis.unique_correct.variance_shares import variance_shares
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.registry import TRMS
from tests.studies import study as random_study

DESIGN = Design(4, 3, 1, seed=4, draw="paper")
BOW = TRMS["bag of words"]


def copies(seeds: int, design: Design = DESIGN) -> np.ndarray:
    """(seeds, cells, 2 * size) copies of as many draws."""
    pools = experiment.distinct_references(random_study(references=14, seed=2))
    return np.stack([experiment.draw(pools, replace(design, seed=seed), 0, 0).copies for seed in range(seeds)])


def test_every_set_has_m_captions_of_one_pool_and_the_rest_of_the_other() -> None:
    """Pools are the first k texts of each kind; a pool that is large enough gives no text twice."""
    size = DESIGN.size
    cells = DESIGN.cells.tolist()
    assert cells == [[m, k] for m in range(size + 1) for k in range(1, size + 1)]
    for drawn in copies(40):
        for (m, k), row in zip(cells, drawn):
            for kind, count in ((row[:size], m), (row[size:], size - m)):
                assert kind.sum() == count
                assert not kind[k:].any()
                assert count > k or kind.max() <= 1
    whole = copies(5)[:, cells.index([size, size])]
    assert (whole == [1] * size + [0] * size).all()


def test_texts_of_a_pool_are_drawn_alike_and_as_often_twice_as_chance_has_it() -> None:
    size, drawn = DESIGN.size, copies(2_000)
    for place, (m, k) in enumerate(DESIGN.cells.tolist()):
        own = drawn[:, place, :size]
        # Binomial counts: the means of 2,000 draws have a standard error below 0.045.
        assert own.mean(axis=0)[:k] == pytest.approx(np.full(k, m / k), abs=0.16)
        different = m if m <= k else k * (1 - (1 - 1 / k) ** m)
        assert (own > 0).sum(axis=1).mean() == pytest.approx(different, abs=0.07)


def test_the_texts_are_those_of_the_even_draw_and_the_other_draw_is_unchanged() -> None:
    pools = experiment.distinct_references(random_study(references=14, seed=2))
    even = experiment.draw(pools, replace(DESIGN, draw="even"), 1, 0)
    paper = experiment.draw(pools, DESIGN, 1, 0)
    assert (paper.held_out, paper.own, paper.foreign) == (even.held_out, even.own, even.foreign)
    assert (paper.copies == experiment.draw(pools, replace(DESIGN, repeats=9), 1, 0).copies).all()


def test_each_draw_is_kept_under_its_own_key() -> None:
    """That of the even draw is the one it always had: kept results stay."""
    study = random_study(items=3, references=9)
    paper, even = (experiment.experiment_key(study, replace(DESIGN, draw=draw), BOW) for draw in ("paper", "even"))
    signatures = [BOW.signature, experiment.base_metric(BOW).signature]
    old = experiment.entry_key("experiments", "unique correct", 1, study.references_digest, *signatures, 4, 3, 1, 4)
    assert even == old != paper


def drawn_slowly(pools: tuple[tuple[str, ...], ...], item: int, m: int, k: int, rng: random.Random) -> tuple:
    """Kept references and candidates of one cell, as the appendix says it, one at a time."""
    texts = list(pools[item])
    rng.shuffle(texts)
    kept, correct = texts[: DESIGN.references], texts[DESIGN.references : DESIGN.references + k]
    known = {experiment.key(text) for text in pools[item]}
    others = list({experiment.key(t): t for j, pool in enumerate(pools) if j != item for t in pool}.items())
    incorrect = rng.sample([text for key, text in others if key not in known], k)
    chosen: list[str] = []
    for pool, count in ((correct, m), (incorrect, DESIGN.size - m)):
        left = list(pool)
        chosen += [rng.choice(pool) if count > k else left.pop(rng.randrange(len(left))) for _ in range(count)]
    return tuple(kept), tuple(chosen)


@pytest.mark.parametrize("label", ["bag of words", "ROUGE-L"])
def test_cells_are_those_of_sets_that_are_drawn_one_caption_at_a_time(label: str) -> None:
    """Means over many repeats, against sets written out and scored by the registered metrics, within their errors."""
    # One caption for each other item: then both routes draw foreign captions alike.
    study = demo.load()
    few = tuple(replace(item, references=item.references[: 10 if k == 0 else 1]) for k, item in enumerate(study.items))
    study, trm, repeats = replace(study, items=few), TRMS[label], 250
    pools = experiment.distinct_references(study)
    found = experiment.experiment(study, replace(DESIGN, repeats=repeats), trm, Cache(None))
    assert found.items.tolist() == [0]
    rng, items, candidates = random.Random(3), [], {}
    for place, (m, k) in enumerate(found.cells.tolist()):
        for repeat in range(repeats):
            name = f"{place} {repeat}"
            kept, candidates[name] = drawn_slowly(pools, 0, m, k, rng)
            items.append(Item(name, kept))
    chunk = Chunk.of(
        items, Run("r", "r", Settings(), candidates), Cache(None), whole=StudyDigests.of(study.only(runs=()))
    )
    for metric, fast in ((experiment.base_metric(trm), found.base[0]), (trm, found.trm[0])):
        slow = (
            metric.items(metric.stats(metric.prepare(study.only(runs=())), chunk)).reshape(len(found.cells), repeats).T
        )
        error = np.sqrt((fast.var(axis=0, ddof=1) + slow.var(axis=0, ddof=1)) / repeats)
        assert np.abs(fast.mean(axis=0) - slow.mean(axis=0)) / np.maximum(error, 1e-9) == pytest.approx(0, abs=4.5)
        assert np.ptp(slow.mean(axis=0)) > 10 * error.max()


def test_values_move_as_they_should_on_the_demo() -> None:
    """More correct captions are better by both metrics; the score of captions cannot see the pools, TRM does."""
    study, trm = demo.load(), TRMS["CIDEr-D"]
    design = experiment.default_design(experiment.distinct_references(study), trm, draw="paper")
    assert design == Design(5, 5, 5, draw="paper")
    found = variance_shares(experiment.experiment(study, design, trm, Cache(None)), trm)
    table = {metric: of.mean.reshape(6, 5) for metric, of in found.both}
    assert (np.diff(table[found.base], axis=0) > 0).all()
    assert (np.diff(table[found.trm][:, 4]) < 0).all()
    assert (np.diff(table[found.trm][5]) < 0).all()
    assert found.of_base.unique.high < 0.01
    assert found.of_trm.unique.low > 0.1
    assert found.of_trm.mean[found.cell(5, 5)] == found.of_trm.mean.min()
