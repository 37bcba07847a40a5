"""Test the critique on small studies: what it learns, its data, and that each half knows nothing about the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from zlib import crc32

import numpy as np
import pytest

from metrics.learned.critique import Design, measure
from metrics.learned.critique_data import FAKES, Corpus, Pools, plain
from metrics.learned.critique_result import LEAST_ITEMS, PROBES, Measured, TooFew
from metrics.learned.critique_task import KINDS, Examples
from metrics.learned.networks import WordReader
from metrics.learned.vocabulary import Vocabulary
from metrics.progress import Cancelled, Hooks

NOUNS = ["dog", "cat", "boy", "woman", "train", "kite", "horse", "baker"]
PLACES = ["bench", "wall", "street", "beach", "field", "car", "river", "tree"]
WAYS = ["a {} is beside a {}", "there is a {} near the {}", "one {} and its {}", "the {} sits by the {}"]
DESIGN = Design(combination="mlp")
BILINEAR = Design(combination="bilinear")


def words_and_pairs(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return counts (texts, 48) of words and of pairs of adjacent words, hashed by a checksum."""
    found = np.zeros((len(texts), 48))
    for row, text in zip(found, texts):
        words = text.split()
        for part in [*words, *(" ".join(pair) for pair in pairwise(words))]:
            row[crc32(part.encode()) % 48] += 1
    return found + 1e-3


def people(items: int, seed: int = 0) -> tuple[tuple[str, ...], ...]:
    rng = np.random.default_rng(seed)
    topics = [(rng.choice(NOUNS), rng.choice(PLACES)) for _ in range(items)]
    return tuple(tuple(sorted(way.format(*topic) for way in WAYS)) for topic in topics)


def corpus(items: int = 80, run: str = "a photo of a thing") -> Corpus:
    said = people(items)
    return Corpus(said, (tuple((run,) for _ in said),))


def measured(of: Corpus, design: Design = DESIGN) -> Measured:
    return measure(of, design, words_and_pairs)


@pytest.fixture(scope="module")
def augmented() -> Measured:
    return measured(corpus(), BILINEAR)


@pytest.fixture(scope="module")
def quick() -> Measured:
    return measured(corpus())


def test_people_score_higher_than_a_run_and_than_all_made_captions(augmented: Measured) -> None:
    own = augmented.people.mean()
    assert own > 0.6
    assert augmented.runs.mean() < 0.1
    for name, scores in zip(PROBES, augmented.probes[0]):
        assert scores.mean() < own - 0.15, name


def test_without_augmentation_random_captions_and_permuted_words_pass_for_peoples(augmented: Measured) -> None:
    alone = measured(corpus(), replace(BILINEAR, augmented=False))
    own = alone.people.mean()
    for name in ("random_caption", "word_permutation"):
        kind = PROBES.index(name)
        assert alone.probes[0, kind].mean() > own - 0.1, name
        assert augmented.probes[0, kind].mean() < alone.probes[0, kind].mean() - 0.3, name


def test_a_run_that_speaks_as_people_do_scores_as_they_do() -> None:
    said = people(120)
    rng = np.random.default_rng(3)
    mixed = [tuple(rng.permutation(np.array(texts, dtype=object))) for texts in said]
    fair = Corpus(tuple(texts[:2] for texts in mixed), (tuple(texts[2:] for texts in mixed),))
    found = measured(fair, replace(DESIGN, augmented=False))
    assert found.runs.mean() - found.people.mean() == pytest.approx(0, abs=0.1)


def test_equal_seeds_give_equal_scores_in_any_order_of_items(quick: Measured) -> None:
    order = np.random.default_rng(1).permutation(80).tolist()
    other = measured(corpus().taken(order))
    assert np.array_equal(other.runs[0], quick.runs[0][order])
    assert np.array_equal(other.people.reshape(80, 4), quick.people.reshape(80, 4)[order])
    assert np.array_equal(other.losses, quick.losses)


def test_repeats_are_trainings_with_other_seeds(quick: Measured) -> None:
    found = measured(corpus(), replace(DESIGN, repeats=2))
    assert np.array_equal(found.runs[0], quick.runs[0])
    assert not np.array_equal(found.runs[1], found.runs[0])
    assert found.best.shape == (2, 2)
    assert found.losses.shape[:2] == (2, 2)


def test_no_half_learns_from_the_items_that_it_scores(quick: Measured) -> None:
    of = corpus()
    changed = replace(of, runs=((("a very odd caption",), *of.runs[0][1:]),))
    other = measured(changed)
    own = np.flatnonzero((of.folds == of.folds[0]) & (np.arange(80) > 0))
    half = np.flatnonzero(of.folds != of.folds[0])
    assert np.array_equal(quick.runs[0][own], other.runs[0][own])
    assert not np.array_equal(quick.runs[0][half], other.runs[0][half])


def test_negatives_are_a_third_generated_a_third_sampled_and_a_ninth_of_each_pathological_kind() -> None:
    """The shares are those of Cui et al. 2018, A.3."""
    of, drawn = Design(), dict.fromkeys(KINDS, 0)
    for kind in of.kinds:
        drawn[KINDS[kind]] += 1
    assert drawn == {"run": 3, "word_permutation": 1, "random_words": 1, "language_model": 3, "random_caption": 1}
    assert of.partly
    assert replace(of, augmented=False).kinds == (0,)
    assert not replace(of, augmented=False).partly
    made = corpus(60)
    sides = made.texts(partly=True)
    rows = {text: row for row, text in enumerate(text for side in sides for text in side)}
    pools = Pools.of(made, rows, partly=True)
    learned = {row for pool in (pools.permuted, pools.random) for row in pool.rows.tolist()}
    assert learned == {rows[text] for kind in made.partly_damaged for fakes in kind for text, _ in fakes}
    assert [len(pool.rows) for pool in pools.probes] == [60 * FAKES] * 2
    assert learned != {row for pool in pools.probes for row in pool.rows.tolist()}


def test_damaged_captions_that_are_learned_have_from_two_to_all_words_changed() -> None:
    texts = tuple((" ".join(f"w{item}x{k}" for k in range(9)),) for item in range(120))
    of = Corpus(texts, (texts,))
    for whole, kinds in ((True, of.damaged), (False, of.partly_damaged)):
        for fakes in kinds:
            pairs = [(text.split(), texts[k][0].split()) for k, own in enumerate(fakes) for text, _ in own]
            changed = np.bincount([sum(a != b for a, b in zip(*pair)) for pair in pairs], minlength=10)
            if whole:
                assert changed[9] == changed.sum() == 120 * FAKES
            else:
                assert changed[:2].sum() == 0
                assert (changed[2:] >= 120 * FAKES / 8 / 2).all(), changed  # each of 2..9 equally often


def test_samples_of_the_runs_own_model_take_the_place_of_those_of_the_trigrams() -> None:
    plain_one = corpus(40)
    samples = (tuple((f"sample {k}",) for k in range(40)),)
    given = replace(plain_one, samples=samples)
    assert given.sampled == samples
    order = list(range(40))[::-1]
    assert given.taken(order).sampled == (samples[0][::-1],)
    assert given.digest != plain_one.digest
    assert not np.array_equal(measured(given).runs, measured(plain_one).runs)


def test_negatives_are_of_five_kinds_in_equal_parts_on_request_and_half_of_each_batch() -> None:
    of = corpus(60)
    sides = of.texts()
    table = [text for side in sides for text in side]
    pools = Pools.of(of, {text: row for row, text in enumerate(table)})
    import torch

    design = Design(negatives="equal")
    assert not design.partly
    examples = Examples(pools, np.arange(60), np.arange(0), torch.zeros(len(table), 2), True, design.kinds, 0)
    kinds: dict[str, int] = {}
    for caption, context, label, _ in examples.batches(np.random.default_rng(0)):
        assert context is not None
        assert label.sum() * 2 == len(label) == len(caption) == len(context)
        for k, (row, beside) in enumerate(zip(caption.tolist(), context.tolist())):
            text, known = table[row], table[beside]
            item = [texts for texts in of.people if known in texts]
            assert item
            if label[k]:
                assert text != known
                assert any(text in texts for texts in item)
            else:
                kind = next(
                    (name for name, pool in vars(pools).items() if name not in ("runs", "probes") and row in pool.rows),
                    "",
                )
                kinds[kind] = kinds.get(kind, 0) + 1
    assert sum(kinds.values()) == 240
    assert kinds["spoken"] + kinds.get("sampled", 0) == pytest.approx(96, abs=1)  # samples of one caption repeat it
    assert kinds["people"] == pytest.approx(48, abs=8)  # a permutation may give the caption of another
    assert kinds["random"] == pytest.approx(48, abs=8)


def test_of_captions_of_other_items_alone_nothing_is_learned_of_the_run(augmented: Measured) -> None:
    design = replace(BILINEAR, negatives="random_captions")
    one, other = measured(corpus(), design), measured(corpus(run="two dogs and a hat"), design)
    assert np.array_equal(one.people, other.people)
    assert np.nanmean(one.probes[0, PROBES.index("random_caption")]) < np.nanmean(one.people) - 0.2
    assert not np.array_equal(one.people, augmented.people)


def test_made_captions_depend_on_references_and_seed_alone() -> None:
    one, other = corpus(30), corpus(30, run="something else")
    assert one.damaged == other.damaged
    assert one.folds.tolist() == other.folds.tolist()
    assert replace(one, seed=1).damaged != one.damaged
    assert sorted(np.bincount(one.folds)) == pytest.approx([15, 15], abs=6)
    permuted = one.damaged[0]
    for texts, fakes in zip(one.people, permuted):
        assert len(fakes) == FAKES
        for text, source in fakes:
            assert sorted(text.split()) == sorted(texts[source].split())
            assert text != texts[source]


def test_items_of_a_cluster_are_in_one_half_and_held_out_together() -> None:
    """Items are linked by clusters or by equal references, in any order; without clusters, the digest does not
    change.
    """
    said = people(60)
    said = (*said[:58], said[0], said[1])
    alone = Corpus(said, (said,))
    of = replace(alone, clusters=tuple(f"video {k // 4}" if k < 56 else "" for k in range(60)))
    folds = of.folds
    assert (folds[:56].reshape(-1, 4) == folds[:56:4, None]).all()
    assert not (alone.folds[:56].reshape(-1, 4) == alone.folds[:56:4, None]).all()
    assert folds[58] == folds[0] == folds[59]
    order = np.random.default_rng(0).permutation(60).tolist()
    assert of.taken(order).folds.tolist() == folds[order].tolist()
    assert of.units[:56].tolist() == np.repeat(np.arange(14), 4).tolist()
    assert of.digest != alone.digest
    assert replace(alone, clusters=()).digest == alone.digest


def test_too_few_items_are_named_and_work_can_be_cancelled() -> None:
    with pytest.raises(TooFew, match=f"learns from at least {LEAST_ITEMS} items of each half"):
        measured(corpus(12))
    with pytest.raises(Cancelled):
        measure(corpus(), DESIGN, words_and_pairs, Hooks(should_stop=lambda: True))


def test_plain_captions_tell_no_style() -> None:
    assert plain("A Dog, running!  (fast)") == "a dog running fast"
    assert plain(" . ") == ""


def test_an_lstm_over_words_sees_what_sentence_vectors_cannot() -> None:
    """The two sides have the same words in different orders, so only a reader of words in order can distinguish
    them.
    """
    pairs = [(noun, place) for noun in NOUNS for place in PLACES]
    said = tuple(tuple(sorted((f"the {one} is by the {two}", f"the {one} stands by the {two}"))) for one, two in pairs)
    run = tuple((f"the {one} by the {two} is",) for one, two in pairs)
    design = Design("none", "mlp", augmented=False, reader="lstm", width=64)
    found = measured(Corpus(said, (run,)), design)
    assert found.people.mean() > found.runs.mean() + 0.4
    first, again = (measured(Corpus(said[:24], (run[:24],)), design) for _ in range(2))
    assert np.array_equal(first.runs, again.runs)


def test_words_are_numbers_by_frequency_the_rest_unknown_and_fifteen_are_read() -> None:
    vocabulary = Vocabulary.of(["dog dog cat"] * 5 + ["rare"] * 4)
    assert vocabulary.words == ("dog", "cat")
    numbers = vocabulary.numbers(["cat rare dog", "", "dog " * 20])
    assert numbers[0].tolist() == [3, 1, 2] + 12 * [0]
    assert numbers[1].tolist() == 15 * [0]
    assert numbers[2].tolist() == 15 * [2]


def test_the_state_after_the_last_word_is_that_of_the_caption_alone() -> None:
    import torch

    reader = WordReader(9)
    numbers = torch.tensor([[2, 3, 0, 0, 0], [4, 5, 6, 7, 8]])
    both, alone = reader(numbers), reader(numbers[:1, :2])
    assert torch.allclose(both[0], alone[0], atol=1e-6)
    assert both.shape == (2, 512)
    last = reader.lstm(reader.embedding(numbers[:1, :2]))[1][0]
    assert torch.allclose(both[0], last[0, 0], atol=1e-6)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_lstms_of_any_depth_and_width_say_what_those_of_torch_say(layers: int) -> None:
    import torch

    reader = WordReader(9, layers=layers, size=16)
    numbers = torch.tensor([[4, 5, 6, 7, 8], [2, 3, 0, 0, 0]])
    for row, length in zip(numbers, (5, 2)):
        expected = reader.lstm(reader.embedding(row[None, :length]))[0][0, -1]
        assert torch.allclose(reader(numbers)[numbers.tolist().index(row.tolist())], expected, atol=1e-6)
