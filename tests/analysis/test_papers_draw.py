"""Test the draw of Chan et al., B.2: m captions from a pool of k correct ones, and the rest from k foreign ones."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from data import demo
from data.study import Item, Run, Settings, Study
from metrics.analysis.unique_correct import experiment
from metrics.analysis.unique_correct.experiment import Design
from metrics.analysis.unique_correct.variance_shares import people_unique, variance_shares
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.registry import TRMS
from tests.second_route import registry as second_route
from tests.studies import study as random_study

DESIGN = Design(4, 3, 1, seed=4, draw="paper")
BOW = TRMS["bag of words"]


def copies(seeds: int, design: Design = DESIGN) -> np.ndarray:
    """Return how often each text is drawn, (seeds, cells, 2 * size), with one draw per seed."""
    pools = experiment.distinct_references(random_study(references=14, seed=2))
    return np.stack([experiment.draw(pools, replace(design, seed=seed), 0, 0).copies for seed in range(seeds)])


def test_every_set_has_m_captions_of_one_pool_and_the_rest_of_the_other() -> None:
    """Pools are the first k texts of each kind; a pool that is large enough gives each text at most once."""
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
    """The key of the even draw has never changed, so stored results stay valid."""
    study = random_study(items=3, references=9)
    paper, even = (experiment.experiment_key(study, replace(DESIGN, draw=draw), BOW) for draw in ("paper", "even"))
    signatures = [BOW.signature, experiment.base_metric(BOW).signature]
    old = experiment.entry_key("experiments", "unique correct", 1, study.references_digest, *signatures, 4, 3, 1, 4)
    assert even == old != paper


def repeating(items: int = 5) -> Study:
    """Make a study with 8 references per item.

    Three texts occur twice (one of them in two spellings), one occurs once, and one is shared by all items.
    """
    made = []
    for k in range(items):
        one, two, three, four = (f"a {what} number {k}" for what in ("dog", "cat in a hat", "red bus", "boy runs"))
        said = (one, f"{one.upper()}!", two, two, three, three, four, "a picture of something")
        made.append(Item(f"image {k}", said))
    return Study("people repeat themselves", tuple(made), ())


def test_a_study_whose_people_repeat_themselves_keeps_all_of_its_items() -> None:
    """Each item has 8 references, 5 of them distinct, so the even draw can use no item, and the paper's draw all of
    them.
    """
    study, design = repeating(), replace(DESIGN, repeats=2)
    found = experiment.experiment(study, design, BOW, Cache(None))
    assert found.items.tolist() == [0, 1, 2, 3, 4]
    assert found.failed == ()
    assert experiment.pools_of(study, "paper") == tuple(item.references for item in study.items)
    even = experiment.experiment(study, replace(design, draw="even"), BOW, Cache(None))
    assert even.items.tolist() == []
    few = replace(study, items=tuple(replace(item, references=item.references[2:6]) for item in study.items))
    assert experiment.possible(study) == ("even", "paper")
    assert experiment.possible(few) == ("paper",)
    with pytest.raises(Undefined, match="needs 7 references, has 4"):
        experiment.draw(experiment.pools_of(few, "paper"), design, 0, 0)


def test_a_draw_has_every_caption_at_most_as_often_as_people_said_it() -> None:
    study, repeats = repeating(), 0
    said = [Counter(item.references) for item in study.items]
    for repeat in range(60):
        drawn = experiment.draw(experiment.pools_of(study, "paper"), DESIGN, 1, repeat)
        assert Counter(drawn.held_out + drawn.own) <= said[1]
        assert Counter(drawn.foreign) <= said[0] + said[2] + said[3] + said[4]
        own = {experiment.key(text) for text in study.items[1].references}
        assert not own & {experiment.key(text) for text in drawn.foreign}
        repeats += len({experiment.key(text) for text in drawn.held_out + drawn.own}) < DESIGN.needed
    assert repeats == 60  # seven captions of five texts


def test_foreign_captions_of_several_items_may_be_the_same_text() -> None:
    """The paper's draw takes references as they are; the even draw takes each text once."""
    same = tuple(Item(f"{k}", (f"a cat {k}", "a man is talking")) for k in range(30))
    study = Study("same", (Item("own", repeating().items[0].references), *same), ())
    drawn: dict[experiment.Draw, list[int]] = {draw: [] for draw in experiment.DRAWS}
    for draw, seen in drawn.items():
        pools, design = experiment.pools_of(study, draw), Design(3, 2, 1, draw=draw)
        for repeat in range(40):
            foreign = experiment.draw(pools, design, 0, repeat).foreign
            assert len(foreign) == 3
            seen.append(foreign.count("a man is talking"))
    assert max(drawn["even"]) == 1
    assert max(drawn["paper"]) == 3
    # Half of the captions of other items: 1.5 of 3, with a standard error of 0.14 over 40 draws.
    assert np.mean(drawn["paper"]) == pytest.approx(1.5, abs=0.55)


def test_cells_with_repeats_are_those_of_loops_in_plain_python() -> None:
    """Every set is written out: the score uses cosines of word counts, and TRM loops over all triangles."""
    study, design = repeating(3), Design(3, 3, 1, seed=2, draw="paper")
    found = experiment.experiment(study, design, BOW, Cache(None))
    pools = experiment.pools_of(study, "paper")
    assert found.items.tolist() == [0, 1, 2]
    no_captions = Run("none", "none", Settings(), {item.id: () for item in study.items})
    for at, item in enumerate(found.items.tolist()):
        drawn = experiment.draw(pools, design, item, 0)
        for cell, copies in enumerate(drawn.copies.tolist()):
            texts = [text for text, count in zip(drawn.candidates, copies) for _ in range(count)]
            base = second_route.best_of_pairs(experiment.base_metric(BOW), study, no_captions, texts, drawn.held_out)
            assert found.base[at, 0, cell] == pytest.approx(base, abs=1e-12)
            trm = second_route.trm(BOW, study, no_captions, texts, drawn.held_out)
            assert found.trm[at, 0, cell] == pytest.approx(trm, abs=1e-12)


def test_the_anchor_is_how_often_people_repeat_themselves() -> None:
    """Expected values are worked out in the test or from all draws.

    Items with fewer references than a set has do not count.
    """
    twice = Item("a", ("A dog.", "a dog", "two dogs", "a cat"))
    never = Item("b", ("one", "two", "three"))
    lone = Item("c", ("alone",))
    study = Study("s", (twice, never, lone), ())
    # One of six pairs of the first item repeats the dog; the second item has no repeats.
    assert people_unique(study, 2) == pytest.approx(((2 - 1 / 6) + 2) / 2)
    assert people_unique(study, 4) == 3
    assert np.isnan(people_unique(study, 5))
    study = repeating(2)
    for size in range(2, 9):
        draws = [{experiment.key(text) for text in some} for some in combinations(study.items[0].references, size)]
        assert people_unique(study, size) == pytest.approx(np.mean([len(texts) for texts in draws]))


def drawn_slowly(pools: tuple[tuple[str, ...], ...], item: int, m: int, k: int, rng: random.Random) -> tuple:
    """Draw the references and candidates of one cell, one caption at a time, as in the appendix."""
    texts = list(pools[item])
    rng.shuffle(texts)
    kept, correct = texts[: DESIGN.references], texts[DESIGN.references : DESIGN.references + k]
    known = {experiment.key(text) for text in pools[item]}
    others = [text for j, pool in enumerate(pools) if j != item for text in pool]
    incorrect = rng.sample([text for text in others if experiment.key(text) not in known], k)
    chosen: list[str] = []
    for pool, count in ((correct, m), (incorrect, DESIGN.size - m)):
        left = list(pool)
        chosen += [rng.choice(pool) if count > k else left.pop(rng.randrange(len(left))) for _ in range(count)]
    return tuple(kept), tuple(chosen)


def test_cells_are_those_of_sets_that_are_drawn_one_caption_at_a_time() -> None:
    """Means over many repeats agree, within their errors, with sets that are written out and scored by registered
    metrics.
    """
    # With one caption per other item, both routes draw foreign captions alike. Four references occur twice.
    study = demo.load()
    own = (*study.items[0].references[:6], *study.items[0].references[:4])
    few = tuple(replace(item, references=item.references[:1] if k else own) for k, item in enumerate(study.items))
    study, trm, repeats = replace(study, items=few), BOW, 250
    pools = experiment.pools_of(study, "paper")
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
    """Both metrics improve with more correct captions, but only TRM depends on the size of the pools."""
    study, trm = demo.load(), TRMS["CIDEr-D"]
    design = experiment.default_design(experiment.pools_of(study, "paper"), trm, draw="paper")
    assert design == Design(5, 5, 5, draw="paper")
    found = variance_shares(experiment.experiment(study, design, trm, Cache(None)), trm, study)
    table = {metric: of.mean.reshape(6, 5) for metric, of in found.both}
    assert (np.diff(table[found.base], axis=0) > 0).all()
    assert (np.diff(table[found.trm][:, 4]) < 0).all()
    assert (np.diff(table[found.trm][5]) < 0).all()
    assert found.of_base.unique.high < 0.01
    assert found.of_trm.unique.low > 0.1
    assert found.of_trm.mean[found.cell(5, 5)] == found.of_trm.mean.min()
