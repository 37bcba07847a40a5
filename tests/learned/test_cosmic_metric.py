"""Test COSMic as a metric: with a network from a file, and trained on the study's own ratings in folds of images."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file

from data.coherence_study import own_ratings, ratings_in
from data.convert import to_jsonl_bytes, write_jsonl
from data.ratings.coherence import LABELS
from data.ratings.coherence_ratings import Rated
from data.study import DataError, Item, Run, Settings, Study
from metrics.analysis.coherence import cosmic_agreement
from metrics.cache import array_checks
from metrics.cache.disk import TRAINING, Cache, text_array
from metrics.engine.scoring import plan, score
from metrics.engine.tasks import Options
from metrics.learned import cosmic, cosmic_file
from metrics.learned.cosmic_data import Design, Images, label_means, level
from metrics.learned.cosmic_metric import VERSION, Cosmic, _of_arrays, bound
from metrics.progress import Hooks
from metrics.registry import LEARNED, METRICS, SETS, resolve
from metrics.text.encoder import Encoder
from tests.command_line import trilens
from tests.learned.small import WIDTH, small_networks

WORDS = ("cat", "dog", "tree", "boat", "house", "river", "lamp", "horse")


def labelled(items: int = 60, rated: bool = True) -> Study:
    """Make two runs with one label each, and two references per item, one of which is labelled.

    If `rated`, there are ratings that depend on the label: 4 or 5 for Visible, 1 or 2 for Story.
    """
    rng = np.random.default_rng(7)
    ids = [f"image {k}" for k in range(items)]
    word = {id: WORDS[k % len(WORDS)] for k, id in enumerate(ids)}
    made = tuple(
        Item(id, (f"a {word[id]} stands", f"the {word[id]} here"), f"{k}.png", coherence=("Visible", ""))
        for k, id in enumerate(ids)
    )
    runs = []
    for name, label, low in (("plain", "Visible", 4), ("tale", "Story", 1)):
        human = {id: {label: float(low + rng.integers(2))} for id in ids}
        captions = {id: (f"{name} {word[id]} number {k}",) for k, id in enumerate(ids)}
        labels = dict.fromkeys(ids, (label,))
        runs.append(Run(name, name, Settings(), captions, human if rated else None, coherence=labels))
    return Study("labelled", made, tuple(runs))


STUDY = labelled()


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with small_networks(epochs=2):
        yield


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


def saved(path: Path, cache: Cache, images: int = 0, **design: object) -> Cosmic:
    rng = np.random.default_rng(1)
    rated = [
        Rated(f"u{k}", f"a {WORDS[k % 8]} {k}", LABELS[k % 4], float(rng.random()), f"some {WORDS[k % 8]}", "Visible")
        for k in range(60)
    ]
    features = Images(tuple(f"u{k}" for k in range(60)), rng.normal(size=(60, images))) if images else None
    cosmic_agreement.save(path, rated, features, Design(**design), cache, Hooks())  # type: ignore[arg-type]
    return Cosmic(str(path))


@pytest.fixture(scope="module")
def metric(tmp_path_factory: pytest.TempPathFactory, cache: Cache) -> Cosmic:
    return saved(tmp_path_factory.mktemp("weights") / "tiny.safetensors", cache)


def test_a_network_of_a_file_is_trained_in_one_thread(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, scores = set(), cosmic.Data.scores

    def counted(*given: Any) -> torch.Tensor:
        threads.add(torch.get_num_threads())
        return scores(*given)

    monkeypatch.setattr(cosmic.Data, "scores", counted)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    saved(tmp_path / "tiny.safetensors", cache, seed=5)
    torch.set_num_threads(before)
    assert threads == {1}


def forward(path: str, caption: str, label: str, reference: str, reference_label: str) -> float:
    """Return the network's score of one caption, computed in NumPy."""
    weights = {name: array.astype(float) for name, array in load_file(path).items()}
    about = cosmic_file.read(path).about
    vectors = Encoder("all-MiniLM-L6-v2").encode([caption, reference]).astype(float) / about.text_size

    def layer(name: str, given: NDArray[np.float64]) -> NDArray[np.float64]:
        return weights[f"{name}.weight"] @ given + weights[f"{name}.bias"]

    one_hot = np.eye(len(about.labels))
    said = [layer("label", one_hot[about.labels.index(one)]) for one in (label, reference_label)]
    found = np.concatenate([layer("text", vectors[0]), layer("text", vectors[1]), *said])
    for k in range(8):
        found = layer(f"layers.{k}", found if k == 0 else np.maximum(found, 0))
    return float(found[0])


def test_it_is_the_mean_of_a_forward_pass_over_labelled_references(metric: Cosmic, cache: Cache) -> None:
    results = score(STUDY, [metric], Options(chunk=16), cache)
    for run in STUDY.runs:
        result = results[run.name, "cosmic"]
        item = STUDY.items[37]
        (caption,) = run.candidates[item.id]
        expected = forward(metric.weights, caption, run.coherence[item.id][0], item.references[0], "Visible")  # type: ignore[index]
        assert result.values[37] == pytest.approx(expected, abs=1e-5)
        assert result.corpus == pytest.approx(result.values.mean())
        assert result.low < result.corpus < result.high
    one = replace(STUDY.items[0], coherence=("Meta", "Story"))
    again = score(Study("one", (one,), STUDY.runs), [metric], cache=cache)["tale", "cosmic"]
    caption = STUDY.run("tale").candidates[one.id][0]
    both = zip(one.references, ("Meta", "Story"))
    expected = np.mean([forward(metric.weights, caption, "Story", *of) for of in both])  # type: ignore[assignment]
    assert again.values == pytest.approx([expected], abs=1e-5)


def test_labels_follow_their_captions_and_are_part_of_the_cache_key(metric: Cosmic, cache: Cache) -> None:
    """With the same cache, captions in another order keep their values, and another label gives another value."""
    texts, labels = ("b cat", "a dog", "a dog"), ("Meta", "Story", "Visible")

    def values(order: list[int], labels: tuple[str, ...] = labels) -> list[float]:
        said = {"1": tuple(texts[k] for k in order)}
        run = Run("r", "r", Settings(), said, coherence={"1": tuple(labels[k] for k in order)})
        study = Study("s", (replace(STUDY.items[0], id="1"),), (run,))
        return list(score(study, [metric], cache=cache)["r", "cosmic"].values)

    assert sorted(values([0, 1, 2])) == pytest.approx(sorted(values([2, 0, 1])))
    assert len({round(one, 9) for one in values([0, 1, 2])}) == 3
    assert values([0, 1, 2], ("Meta", "Story", "Story"))[1:] != pytest.approx(values([0, 1, 2])[1:])


def test_what_has_no_value_says_why(metric: Cosmic, cache: Cache) -> None:
    def why(item: Item, label: str) -> str:
        run = Run("r", "r", Settings(), {item.id: ("a cat",)}, coherence={item.id: (label,)})
        result = score(Study("s", (item,), (run,)), [metric], cache=cache)["r", "cosmic"]
        assert np.isnan(result.corpus)
        return str(result.why())

    item = STUDY.items[0]
    assert "without a coherence label" in why(item, "")
    assert "has not learned the label irony: it knows Meta, Visible, Subjective, Story" in why(item, "irony")
    assert "no reference with a coherence label" in why(replace(item, coherence=None), "Story")


def test_a_network_without_labels_needs_none(tmp_path: Path, cache: Cache) -> None:
    bare = Study("s", tuple(Item(i.id, i.references) for i in STUDY.items), (replace(STUDY.runs[0], coherence=None),))
    metric = saved(tmp_path / "bare.safetensors", cache, labels=False)
    assert "coherence labels" not in metric.needs
    assert np.isfinite(score(bare, [metric], cache=cache)["plain", "cosmic"].values).all()


def test_a_network_of_images_needs_their_features(tmp_path: Path, cache: Cache) -> None:
    metric = saved(tmp_path / "seeing.safetensors", cache, images=5)
    assert "features.npz" in str(plan(STUDY, [metric], Options(), cache).unmet).lower()
    features = tmp_path / "features.npz"
    rng = np.random.default_rng(0)
    names = [f"{k}.png" for k in range(59)]
    np.savez(features, names=names, features=rng.normal(size=(59, 5)))
    result = score(STUDY, [replace(metric, images=str(features))], cache=cache)["plain", "cosmic"]
    assert np.isfinite(result.items).sum() == 59
    assert list(result.reasons.values()) == ["no features of its image"]
    np.savez(features, names=names, features=rng.normal(size=(59, 6)))
    other = replace(metric, images=str(features))
    assert "the network takes 5" in str(score(STUDY, [other], cache=cache)["plain", "cosmic"].error)


def test_nothing_is_computed_without_a_network_or_ratings(cache: Cache) -> None:
    (asked,) = resolve(["cosmic"], study=labelled(rated=False))
    assert asked == Cosmic()
    assert "train cosmic RATINGS --save" in plan(STUDY, [asked], Options(), cache).unmet["cosmic"]
    assert "cosmic" not in METRICS
    assert "cosmic" in LEARNED
    assert not any("cosmic" in members for members in SETS.values())


def test_a_network_by_name_is_signed_by_its_file(metric: Cosmic, tmp_path: Path, cache: Cache) -> None:
    (named,) = resolve([f"cosmic(weights={metric.weights})"])
    (given,) = resolve(["cosmic"], cosmic=metric.weights)
    assert named.signature == given.signature == metric.signature
    assert cosmic_file.read(metric.weights).digest[:12] in metric.signature
    assert saved(tmp_path / "other.safetensors", cache, seed=1).signature != metric.signature
    with pytest.raises(ValueError, match="not a network of COSMic"):
        resolve([f"cosmic(weights={tmp_path / 'none.safetensors'})"])


def test_damaged_and_foreign_files_are_refused(metric: Cosmic, tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    whole = Path(metric.weights).read_bytes()
    arrays = load_file(metric.weights)
    about = {"format": cosmic_file.FORMAT, **vars(cosmic_file.read(metric.weights).about)}
    paths = (tmp_path / f"{k}.safetensors" for k in range(9))  # equal sizes in one tick of the clock would be one file

    def refused(said: dict[str, object] | None = None, **changed: NDArray[np.float32]) -> str:
        path = next(paths)
        signature = json.dumps({**about, **(said or {})})
        save_file({**arrays, **changed}, path, {"signature": signature})
        return str(cosmic_file.unusable(str(path)))

    assert "None" in refused()
    assert "not finite numbers" in refused(**{"text.bias": np.full(WIDTH, np.inf, dtype=np.float32)})
    assert "not have the shapes" in refused(**{"text.bias": np.zeros(3, dtype=np.float32)})
    assert "not have the shapes" in refused({"texts": 3})
    assert "does not mention COSMic" in refused({"format": "other"})
    assert "labels cannot be read" in refused({"labels": ["x" * 99]})
    assert "sizes cannot be read" in refused({"texts": 10**9})
    assert "not a network of COSMic" in refused({"more": 1})
    path = next(paths)
    path.write_bytes(whole[:-9])
    assert "not a network of COSMic" in str(cosmic_file.unusable(str(path)))


def test_a_study_with_ratings_learns_from_them_in_folds_of_its_images(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own,) = resolve(["cosmic"], study=STUDY)
    assert isinstance(own, Cosmic)
    assert own.own == own_ratings(STUDY)
    results = score(STUDY, [own], Options(chunk=16), cache)
    rated = own_ratings(STUDY).rated
    expected = cosmic_agreement.learned(rated, None, Design(), cache, Hooks()).scores
    mine = [score for one, score in zip(rated, expected) if (one.image, one.label) == ("image 3", "Story")]
    assert len(mine) == 1
    assert results["tale", "cosmic"].values[3] == pytest.approx(np.mean(mine))
    assert not list((cache.directory / TRAINING).rglob("*.safetensors"))  # type: ignore[operator]
    monkeypatch.setattr("metrics.learned.cosmic_metric._train", lambda *given: pytest.fail("trained again"))
    fewer = STUDY.only(items=[item.id for item in STUDY.items[:5]])
    assert np.isfinite(score(fewer, [own], cache=cache)["tale", "cosmic"].values).all()
    assert bound(Cosmic(), fewer).own is None


def test_a_damaged_entry_is_not_believed() -> None:
    whole = {"scores": np.zeros(9), "version": text_array([VERSION])}
    assert _of_arrays(9, whole).tolist() == [0] * 9
    old = {"version": text_array(["0"])}
    wrong = [{"scores": np.full(9, value)} for value in (np.inf, np.nan, 1e300)] + [{"scores": np.zeros(8)}, old]
    for one in wrong:
        with pytest.raises(array_checks.Unfit):
            _of_arrays(9, {**whole, **one})


def test_ratings_of_a_study_are_those_of_its_labels() -> None:
    own = own_ratings(STUDY)
    assert own.images == 60
    story = [one.rating for one in own.rated if one.label == "Story"]
    assert set(story) == {0.0, 1.0}
    human = {item.id: {"overall": float(k)} for k, item in enumerate(STUDY.items)}
    other = own_ratings(replace(STUDY, runs=(replace(STUDY.runs[0], human=human),)))
    assert {one.image: one.rating for one in other.rated}["image 59"] == 1.0
    assert other != own
    read = ratings_in("x.jsonl", to_jsonl_bytes(STUDY))
    assert read.rated == own.known


def test_json_lines_of_ratings_have_a_label_set_of_their_own() -> None:
    rows = [
        {"image": "u", "caption": "a cat", "label": "irony", "rating": 5},
        {"image": "u", "caption": "a cat", "label": "irony", "rating": 3},
        {"image": "u", "caption": "the dog", "label": "visible", "rating": 1, "reference": "a cat"},
    ]
    found = ratings_in("x.jsonl", b"\n".join(json.dumps(row).encode() for row in rows)).rated
    assert {(one.label, one.rating, one.reference) for one in found} == {("Visible", 0.0, "a cat")}
    more = [*rows, {"image": "u", "caption": "two cats", "label": "irony", "rating": 5}]
    found = ratings_in("x.json", json.dumps(more).encode()).rated
    assert {one.caption: (one.rating, one.reference) for one in found}["a cat"] == (0.75, "two cats")
    for wrong, said in (
        ({"rating": "5"}, "not a finite number"),
        ({"label": ""}, "a label is text"),
        ({"image": 3}, "no `image`"),
    ):
        with pytest.raises(DataError, match=f"^x.json: record 2.*{said}"):
            ratings_in("x.json", json.dumps([rows[0], {**rows[1], **wrong}]).encode())


def test_made_captions_level_the_labels_and_stay_in_their_fold() -> None:
    rng = np.random.default_rng(2)
    rating = {"Visible": 0.8, "Meta": 0.6, "Story": 0.4, "Subjective": 0.02}
    rated = [
        Rated(f"u{k:03}", f"{label} {k}", label, float(rng.random() < rating[label]), "r", "Meta")
        for k in range(200)
        for label in LABELS
    ]
    made = level(rated, seed=3)
    assert {one.rating for one in made} == {0.0}
    before, after = label_means(rated), label_means([*rated, *made])
    goal = max(mean for mean, _ in before.values()) / 4
    for label in ("Visible", "Meta", "Story"):
        assert after[label][0] == pytest.approx(goal, abs=0.002)
    assert after["Subjective"] == before["Subjective"]
    images = sorted({one.image for one in rated})
    fold = dict(zip(images, cosmic.folds(np.arange(len(images)), 3)))
    of_text = {one.caption: one.image for one in rated}
    assert all(of_text[one.caption] != one.image and fold[of_text[one.caption]] == fold[one.image] for one in made)
    assert level(rated, seed=3) == made != level(rated, seed=4)


def test_the_commands_save_score_and_judge(tmp_path: Path, cache: Cache) -> None:
    study, network = tmp_path / "s.jsonl", tmp_path / "n.safetensors"
    write_jsonl(STUDY, study)
    kept = ["--cache-dir", str(cache.directory)]
    trained = trilens("train", "cosmic", study, "--augmented", "--save", network, *kept)
    assert "COSMic Vanilla+ without image" in trained.output
    assert "with made captions: " in trained.output
    asked = ["score", str(study), "--metrics", "cosmic", "--cosmic", str(network), *kept]
    found = pd.read_csv(io.StringIO(trilens(*asked).stdout), sep="\t").set_index("run")
    expected = score(STUDY, [Cosmic(str(network))], cache=cache)["tale", "cosmic"].corpus
    assert found.value["tale"] == pytest.approx(expected)
    judged = trilens("judge", study, "--metrics", f"cosmic(weights={network})", *kept)
    assert "COSMic" in judged.output or "cosmic" in judged.output
    missing = trilens(*asked[:4], "--cosmic", study, expect=2)
    assert "not a network of COSMic" in " ".join(missing.output.split())
