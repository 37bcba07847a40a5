"""Test the comparison of a run's words with people's: numbers recomputed independently, the test, and what is
stored.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis import artifacts
from metrics.analysis.words import examples as held
from metrics.analysis.words import usage as analysis
from metrics.analysis.words.ratios import ratios
from metrics.analysis.words.terms import terms
from metrics.cache.disk import Cache
from metrics.permutation.word_tests import word_tests
from metrics.progress import Cancelled, Hooks
from metrics.text.word_marks import words
from tests.analysis.words import slow
from tests.analysis.words.worlds import World, covered, made, rates

VOCABULARY = ["a", "man", "dog", "cat", "runs", "sits", "here"]


def random_study(seed: int, items: int, people: int, own: int, most: int = 5) -> Study:
    rng = np.random.default_rng(seed)

    def text(said: list[str]) -> str:
        return " ".join(rng.choice(said, size=rng.integers(1, most)).tolist())

    made = tuple(
        Item(f"i{k}", tuple(text(VOCABULARY) for _ in range(rng.integers(1, people + 1)))) for k in range(items)
    )
    captions = {i.id: tuple(text([*VOCABULARY, "dog", "dog"]) for _ in range(rng.integers(1, own + 1))) for i in made}
    return Study("s", made, (Run("r", "r", Settings(), captions),))


def as_images(study: Study) -> list[slow.Image]:
    run = study.runs[0]
    return [([words(t) for t in i.references], [words(t) for t in run.candidates[i.id]]) for i in study.items]


@pytest.mark.parametrize("unit", ["words", "phrases"])
@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_by_the_definition(unit: analysis.Unit, seed: int) -> None:
    study = random_study(seed, items=12, people=4, own=3)
    found = terms(study, study.runs[0], unit, fewest=2)
    assert found is not None
    images, tested = as_images(study), word_tests(found.counts, draws=9)
    log_odds, error = analysis.log_odds_ratios(found.counts)
    for k, term in enumerate(found.names):
        assert tested.statistic[k] == pytest.approx(slow.statistic(images, term, slow.share(images, term)), abs=1e-9), (
            term
        )
        assert (log_odds[k], error[k]) == pytest.approx(slow.log_odds(images, term, analysis.PRIOR)), term
        assert found.images[k] == sum(any(slow.said(c, term) for side in image for c in side) for image in images)
    assert all(len(name.split(" ")) in {"words": (1,), "phrases": (2, 3)}[unit] for name in found.names)


@pytest.mark.parametrize("seed", range(2))
def test_p_is_that_of_all_labellings(seed: int) -> None:
    study = random_study(seed, items=4, people=2, own=2)
    found = terms(study, study.runs[0], "words", fewest=1)
    assert found is not None
    tested = word_tests(found.counts, draws=20_000, seed=seed)
    p, adjusted = slow.p_values(as_images(study), found.names)
    assert tested.p_value == pytest.approx(np.array(p), abs=0.03)
    assert tested.adjusted == pytest.approx(np.array(adjusted), abs=0.03)
    assert (tested.adjusted >= tested.p_value - 1e-12).all()


@pytest.mark.parametrize("seed", range(4))
def test_an_interval_holds_the_ratios_that_the_test_does_not_reject(seed: int) -> None:
    study = random_study(seed, items=14, people=4, own=3)
    found = terms(study, study.runs[0], "words", fewest=2)
    assert found is not None
    images, tested = as_images(study), word_tests(found.counts, draws=199, seed=seed)
    ratio, low, high = ratios(found.counts, tested)
    assert np.array_equal((low > 1) | (high < 1), tested.p_value <= 0.05)
    for k, term in enumerate(found.names):
        least, most = tested.least[k], tested.most[k]
        run, people = (slow.rate(images, term, side) for side in (1, 0))
        assert run / people == pytest.approx(ratio[k])
        rare = slow.largest_rate(images, term, 1) / people, run / slow.largest_rate(images, term, 0)
        for end, limit, poisson, beyond in ((low[k], most, rare[1], 0.99), (high[k], least, rare[0], 1.01)):
            if end == pytest.approx(poisson):
                assert not least < slow.of_ratio(images, term, end) < most, "extended beyond those that are kept"
            elif 0 < end < np.inf and abs(end - 1) > 1e-5 and end != pytest.approx(ratio[k]):
                assert slow.of_ratio(images, term, end) == pytest.approx(limit, abs=1e-3)
                assert not least <= slow.of_ratio(images, term, end * beyond) <= most
                assert poisson != poisson or (end < poisson if beyond < 1 else end > poisson)


def test_no_ratio_is_rejected_with_too_few_labellings() -> None:
    study = random_study(0, items=14, people=4, own=3)
    found = terms(study, study.runs[0], "words", fewest=2)
    assert found is not None
    _, low, high = ratios(found.counts, word_tests(found.counts, draws=9))
    assert (low == 0).all()
    assert np.isinf(high).all()


@pytest.mark.parametrize("truth", [0.5, 4.0, 25.0])
def test_intervals_hold_the_true_ratio(truth: float) -> None:
    """A ratio of 25 arises if a word is in one of the run's two captions of each image and in 2 % of people's
    captions.
    """
    held = covered(truth, images=12, repeats=30)
    assert held >= 0.95 - 3.2 * np.sqrt(0.05 * 0.95 / 30)


def planted(items: int = 60) -> Study:
    """Make a study whose run says `photo` where people say `red`, in a third of all captions."""
    rng = np.random.default_rng(2)

    def text(third: str) -> str:
        return f"A {rng.choice([third, 'big', 'old'])} dog {rng.choice(['runs', 'sits'])} here."

    made = tuple(Item(f"i{k}", tuple(text("red") for _ in "abc")) for k in range(items))
    return Study("s", made, (Run("r", "r", Settings(), {i.id: (text("photo"), text("photo")) for i in made}),))


def test_planted_words_are_found_and_only_they() -> None:
    study = planted()
    design = analysis.Design("r", fewest=5)
    found = analysis.usage(design, analysis.measure(study, design))
    assert [row.term for row in found.over] == ["photo"]
    assert [row.term for row in found.under] == ["red"]
    photo = found.over[0]
    said = [sum("photo" in text for text in study.runs[0].candidates[i.id]) for i in study.items]
    assert (photo.run_images, photo.people_images, found.images) == (sum(n > 0 for n in said), 0, 60)
    assert photo.run == pytest.approx(1_000 * sum(said) / (60 * 2 * 5))
    assert photo.low > 0
    assert (photo.times, photo.times_high) == (np.inf, np.inf)
    assert photo.times_low > 3
    assert photo.adjusted == 2 / 1_000
    phrases = analysis.Design("r", "phrases", fewest=5)
    assert "a photo dog" in {row.term for row in analysis.usage(phrases, analysis.measure(study, phrases)).over}


def test_captions_of_an_image_that_are_all_alike_count_as_one() -> None:
    """If one random caption of an image is repeated ten times, this is not ten times as much evidence for its words."""
    study = planted(40)
    run = study.runs[0]
    once = replace(run, candidates={k: v[:1] for k, v in run.candidates.items()})
    often = replace(run, candidates={k: v * 10 for k, v in once.candidates.items()})
    tests = []
    for one in (once, often):
        found = terms(study, one, "words", 5)
        assert found is not None
        tests.append(word_tests(found.counts, draws=9).statistic)
    assert np.abs(tests[1]) == pytest.approx(np.abs(tests[0]), abs=0.6)


def test_images_without_captions_of_a_side_are_left_out_and_a_study_without_words_has_none() -> None:
    study = planted(12)
    run = replace(study.runs[0], candidates={k: v for k, v in study.runs[0].candidates.items() if k != "i3"})
    gone = replace(study, runs=(run,))
    design = analysis.Design("r", fewest=2)
    assert analysis.usage(design, analysis.measure(gone, design)).images == 11
    silent = replace(study, runs=(replace(run, candidates={}),))
    arrays = analysis.measure(silent, design)
    assert analysis.fits(silent, design, arrays)
    assert analysis.usage(design, arrays).rows == ()
    rare = analysis.Design("r", fewest=13)
    assert analysis.usage(rare, analysis.measure(study, rare)).rows == ()


def test_the_key_knows_captions_and_design() -> None:
    study, design = planted(20), analysis.Design("r", fewest=2)
    moved = {**study.runs[0].candidates, "i0": ("x",)}
    other = replace(study, runs=(replace(study.runs[0], candidates=moved),))
    changed = [replace(design, **one) for one in ({"unit": "phrases"}, {"fewest": 3}, {"draws": 99}, {"seed": 1})]
    keys = {analysis.key(study, design), analysis.key(other, design), *(analysis.key(study, d) for d in changed)}
    assert len(keys) == 6
    cache, work = Cache(None), artifacts.words(study, design)
    work.compute(cache, Hooks())
    assert work.stored(cache) is not None
    with pytest.raises(Cancelled):
        work.run(Hooks(should_stop=lambda: True))


def test_arrays_that_cannot_be_words_are_refused() -> None:
    study, design = planted(20), analysis.Design("r", fewest=2, draws=99)
    arrays = analysis.measure(study, design)
    assert analysis.fits(study, design, arrays)
    broken = {
        "p_value": arrays["p_value"] * 0,
        "adjusted": arrays["adjusted"] * 0.5,
        "statistic": arrays["statistic"] * 9,
        "log_odds": arrays["log_odds"] * np.nan,
        "error": -arrays["error"],
        "images": arrays["images"] + 20,
        "share": arrays["share"] + 1,
        "balance": arrays["balance"][::-1],
        "totals": arrays["totals"][:2],
        "terms": arrays["terms"][1:],
    }
    for name, array in broken.items():
        assert not analysis.fits(study, design, {**arrays, name: array}), name
    assert not analysis.fits(study, replace(design, unit="phrases"), arrays)


def test_captions_that_hold_a_term() -> None:
    assert held.parts("A man, a MAN’s dog", "man") == [("A ", False), ("man", True), (", a MAN’s dog", False)]
    assert [p.text for p in held.parts("Next to it, next\nto me", "next to") if p.marked] == ["Next to", "next\nto"]
    assert not held.holds("nextto", "next to")
    study = planted(12)
    shown = held.examples(study, study.runs[0], "red", over=False)
    assert [one.people for one in shown] == sorted((one.people for one in shown), reverse=True)
    assert all(one.run == 0 for one in shown)
    assert all(one.run == 2 for one in held.examples(study, study.runs[0], "a photo", over=True, most=1))


def test_rates_of_false_finds_in_short() -> None:
    study = made()
    measured = rates(study, World(10, 1), repeats=30)
    assert measured.any_adjusted <= 0.05 + 3.2 * np.sqrt(0.05 * 0.95 / 30)
    assert measured.level <= 0.06
    assert measured.level_z > 0.2, "the z of the paper takes the words of one image for independent"
    assert rates(study, World(5, 5, planted=0.25), repeats=5).found >= 0.8
