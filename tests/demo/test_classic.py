"""Test that the classic study is built byte for byte as shipped, and has exactly the planted faults and preferences."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from data.check import Loaded
from data.demo import classic
from data.load import load_study
from data.ratings.human_ratings import ratings_of
from data.study import Study
from tools.demo import classic as made
from tools.demo.world import places, scenes


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return classic.load()


@pytest.fixture(scope="module")
def study(loaded: Loaded) -> Study:
    assert loaded.study is not None
    return loaded.study


def mean_ratings(study: Study) -> dict[str, float]:
    (ratings,) = ratings_of(study)
    kept = ratings.rater != ratings.raters.index(made.REVERSED)
    return {run.name: float(ratings.value[kept & (ratings.run == k)].mean()) for k, run in enumerate(study.runs)}


def test_the_build_gives_the_shipped_bytes(tmp_path: Path) -> None:
    made.make(tmp_path)
    shipped = sorted(path.name for path in classic.CLASSIC.iterdir())
    assert shipped == sorted(path.name for path in tmp_path.iterdir())
    for name in shipped:
        assert (tmp_path / name).read_bytes() == (classic.CLASSIC / name).read_bytes(), name
    assert sum(path.stat().st_size for path in classic.CLASSIC.iterdir()) < 150_000


def test_it_has_the_shape_of_a_classic_study(loaded: Loaded, study: Study) -> None:
    assert study.name == made.NAME
    assert "synthetic" in study.name
    assert not study.synthetic  # no page treats it as the first demo
    assert sorted(run.name for run in study.runs) == sorted(made.SYSTEMS)
    assert {run.model for run in study.runs} == set(made.MODELS)
    assert {run.settings.decoder for run in study.runs} == {"greedy", "nucleus"}
    assert all(len(item.references) == made.PEOPLE for item in study.items)
    assert all(len(texts) == 1 for run in study.runs for texts in run.candidates.values())
    assert loaded.pictures is not None
    assert all(loaded.pictures.of(study, item) for item in study.items)
    (ratings,) = ratings_of(study)
    assert len(ratings) == len(study.runs) * len(study.items) * len(made.RATERS)


def test_the_checks_find_every_planted_fault_and_no_other(loaded: Loaded) -> None:
    warned = {one.code: one for one in loaded.findings if one.severity != "note"}
    assert set(warned) == {"degenerate_run", "run_lacks_items", "item_sets_differ", "rater_contradicts"}
    assert sum(one.severity != "note" for one in loaded.findings) == 4
    system, absent = made.LACKING
    assert (
        f"Run {system} has no captions for {len(absent)} of {len(scenes())} items" in warned["run_lacks_items"].problem
    )
    assert warned["rater_contradicts"].problem.startswith(f"Rater {made.REVERSED} contradicts the others on rating ")
    said = json.loads((classic.CLASSIC / "lstm_greedy.json").read_bytes())
    missing = {1 + k for k, scene in enumerate(scenes()) if scene.id in absent}
    stock = sum(row["caption"] == made.STOCK and row["image_id"] not in missing for row in said)
    assert f"Run lstm_greedy gives one caption to {stock} of 44 items" in warned["degenerate_run"].problem


def test_people_prefer_the_systems_that_say_what_is_true(study: Study) -> None:
    rated = mean_ratings(study)
    assert min(rated, key=rated.__getitem__) == "lstm_greedy"
    models = {model: np.mean([rated[run.name] for run in study.runs if run.model == model]) for model in made.MODELS}
    assert sorted(models, key=models.__getitem__) == ["lstm", "attention", "transformer"]
    # One model knows as much however it is decoded.
    assert abs(rated["transformer_greedy"] - rated["transformer_nucleus0.9"]) < 0.25


def test_attention_is_weak_in_travel_alone(study: Study) -> None:
    (ratings,) = ratings_of(study)
    kept = ratings.rater != ratings.raters.index(made.REVERSED)
    of = np.array([places()[scenes()[int(item.id) - 1].id] for item in study.items])[ratings.item]
    assert {item.metadata["place"] for item in study.items} == set(of)
    here = kept & (ratings.run == [run.name for run in study.runs].index("attention_greedy"))
    means = {place: ratings.value[here & (of == place)].mean() for place in set(of)}
    worst = min(means, key=means.__getitem__)
    assert worst == made.MODELS["attention"].weak == "travel"
    assert means.pop(worst) < 2
    assert min(means.values()) > 3.5


def test_nobody_takes_one_thing_for_another_that_no_picture_shows(study: Study) -> None:
    """In the first demo, captions made such mistakes, for example with an elephant and a sheep."""
    elephant = next(item for item in study.items if item.image == "river-elephant.png")
    told = [*elephant.references, *(run.candidates[elephant.id][0] for run in study.runs if run.model == "transformer")]
    assert not any("sheep" in text.lower() for text in told)
    odd = [
        text for run in study.runs for said in run.candidates.values() for text in said if "statue of a lion" in text
    ]
    assert not odd


def test_no_caption_but_the_stock_one_says_a_long_word_twice(study: Study) -> None:
    texts = [text for item in study.items for text in item.references]
    texts += [run.candidates[item.id][0] for run in study.runs if "nucleus" in run.name for item in study.items]
    for text in texts:
        words = Counter(word for word in text.lower().rstrip(".!").replace(",", "").split() if len(word) > 3)
        assert max(words.values(), default=0) < 2, text


def test_it_is_written_as_shipped_and_reads_back(tmp_path: Path, study: Study) -> None:
    classic.write(tmp_path / "out")
    top = sorted(path for path in (tmp_path / "out").iterdir() if path.is_file())
    assert [path.name for path in top] == [path.name for path in sorted(classic.CLASSIC.iterdir())]
    assert len(list((tmp_path / "out" / "pictures").iterdir())) == len(scenes())
    again = load_study(top).study
    assert again is not None
    assert again.digest == study.digest
