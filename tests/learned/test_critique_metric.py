"""Test that the metric and the command give the critique's numbers, and that these are cached by content."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Item, Run, Settings, Study
from metrics.analysis.critique import critics
from metrics.cache.disk import TRAINING, Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.engine.scoring import score
from metrics.engine.tasks import Options
from metrics.learned.critique_metric import Critique, _corpus, trained
from metrics.progress import Hooks
from metrics.registry import METRICS, SETS, resolve
from tests.command_line import trilens
from tests.studies import study as random_study


def two_voices(items: int = 48) -> Study:
    made = random_study(items, references=3, candidates=1, runs=1)
    dull = {item.id: ("a picture of some things",) for item in made.items}
    return Study("voices", made.items, (*made.runs, Run("dull", "dull", Settings(), dull)))


STUDY = two_voices()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def found(cache: Cache) -> dict[str, critics.Critic]:
    return {one.run: one for one in critics.critics(STUDY, Critique(), cache, Hooks())}


def test_a_dull_run_is_found_out_and_one_of_people_is_not(found: dict[str, critics.Critic]) -> None:
    dull = found["dull"].scores
    assert dull["run"].value < 0.1 < 0.6 < dull["people"].value
    assert found["run 0"].scores["run"].value > 0.3
    assert dull["run"].low <= dull["run"].value <= dull["run"].high


def test_the_metric_is_the_mean_of_the_run_by_its_own_critique(cache: Cache, found: dict[str, critics.Critic]) -> None:
    results = score(STUDY, [Critique()], Options(chunk=16), cache)
    for run, one in found.items():
        result = results[run, "critique"]
        assert result.corpus == pytest.approx(one.scores["run"].value, abs=1e-12)
        assert result.values == pytest.approx(np.concatenate(one.run_scores), abs=1e-12)
        assert result.low < result.corpus < result.high
    assert not list((cache.directory / TRAINING).rglob("*.safetensors"))  # type: ignore[operator]


def test_what_is_trained_is_read_from_the_cache_and_depends_on_every_caption(
    cache: Cache, found: dict[str, critics.Critic], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainings: list[object] = []
    monkeypatch.setattr("metrics.learned.critique_metric._train", lambda *given: trainings.append(given) or _none())
    again = critics.critics(STUDY, Critique(), cache, Hooks())
    assert critics.table(again).equals(critics.table(list(found.values())))
    assert not trainings
    other = Run("dull", "dull", Settings(), {**STUDY.run("dull").candidates, "image 0": ("a boat",)})
    changed = Study("voices", STUDY.items, (other,))
    with pytest.raises(RuntimeError):
        trained(changed, other, Critique(), Chunk((), (), cache, whole=StudyDigests.of(changed)))
    with pytest.raises(RuntimeError):
        critics.critics(STUDY, Critique(augmented=False), cache, Hooks())
    assert len(trainings) == 2


def _none() -> None:
    raise RuntimeError("trained")


def test_what_is_damaged_in_the_cache_is_trained_again(cache: Cache, found: dict[str, critics.Critic]) -> None:
    key = next(iter(sorted(cache.keys("critiques"))))
    whole = cache.get(key)
    assert whole is not None
    for name, wrong in (("runs", 2.0), ("people", np.inf), ("probes", 1e300), ("losses", np.inf), ("best", 900)):
        cache.put(key, {**whole, name: np.full_like(whole[name], wrong)})
        results = critics.critics(STUDY, Critique(), cache, Hooks())
        assert critics.table(results).equals(critics.table(list(found.values()))), name


def test_it_is_trained_only_when_asked_for_by_name() -> None:
    assert "critique" not in METRICS
    assert not any("critique" in members for members in SETS.values())
    assert resolve(["critique"]) == (Critique(),)
    (other,) = resolve(["critique(augmented=false,context=none,repeats=3)"])
    assert (other.augmented, other.context, other.repeats) == (False, "none", 3)  # type: ignore[attr-defined]
    assert other.signature != Critique().signature
    with pytest.raises(ValueError, match="from 1 to 50"):
        resolve(["critique(repeats=0)"])


def test_a_study_that_is_too_small_has_a_reason_and_no_value() -> None:
    small = two_voices(8)
    result = score(small, [Critique()], Options(), Cache(None))["dull", "critique"]
    assert np.isnan(result.corpus)
    assert "a critique learns from at least 10 items of each half" in (result.why() or "")


def test_one_critique_of_all_runs_judges_each(cache: Cache) -> None:
    every = critics.critics(STUDY, Critique(), cache, Hooks(), one_for_all=True)
    table = critics.table(every)
    people = table[table.captions == "people"].value
    assert people.nunique() == 1
    assert every[1].scores["run"].value < every[0].scores["run"].value


def test_the_command_prints_and_writes_every_kind(tmp_path: Path, cache: Cache) -> None:
    path, out = tmp_path / "voices.jsonl", tmp_path / "critiques.csv"
    write_jsonl(STUDY, path)
    asked = ["train", "critique", str(path), "--cache-dir", str(cache.directory), "--out", str(out)]
    done = trilens(*asked)
    written, printed = pd.read_csv(out), pd.read_csv(io.StringIO(done.stdout), sep="\t")
    assert len(written) == len(printed) == 2 * 8
    scored = trilens("score", path, "--metrics", "critique", "--cache-dir", cache.directory)
    values = pd.read_csv(io.StringIO(scored.stdout), sep="\t").set_index("run").value
    own = written[written.captions == "run"].set_index("run").value
    assert values.to_dict() == pytest.approx(own.to_dict(), abs=1e-9)


def test_the_command_learns_from_captions_of_other_items_alone(tmp_path: Path, cache: Cache) -> None:
    path, out = tmp_path / "voices.jsonl", tmp_path / "critiques.csv"
    write_jsonl(STUDY, path)
    asked = ["train", "critique", str(path), "--negatives", "random_captions", "--network", "linear"]
    trilens(*asked, "--cache-dir", cache.directory, "--out", out)
    written = pd.read_csv(out).set_index(["run", "captions"]).value
    alone = {
        one.run: one
        for one in critics.critics(STUDY, Critique(combination="linear", negatives="random_captions"), cache, Hooks())
    }
    for run, one in alone.items():
        assert written[run, "run"] == pytest.approx(one.scores["run"].value, abs=1e-12)
    assert written["dull", "people"] == written["run 0", "people"]  # nothing is learned of a run


def test_samples_in_a_file_are_signed_and_read_by_run_and_item(tmp_path: Path) -> None:
    said = [
        {"id": item.id, "candidates": {run.name: [f"{item.id} one", "two"] for run in STUDY.runs}}
        for item in STUDY.items
    ]
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(map(json.dumps, said)))
    metric = Critique(samples=str(path))
    assert metric.lacks(STUDY) == ""
    assert metric.signature != Critique().signature
    first, own = STUDY.items[0], _corpus(STUDY, STUDY.runs[:1], metric)
    assert own.sampled[0][0] == (f"{first.id} one", "two")
    path.write_text("\n".join(map(json.dumps, said[1:])))
    assert metric.lacks(STUDY).startswith(f"samples.jsonl has no samples of run {STUDY.runs[0].name!r} for 1 items")
    assert Critique(samples=str(path), augmented=False).signature == Critique(augmented=False).signature


@pytest.mark.parametrize(
    ("made", "options", "said"),
    [
        (STUDY, ["--negatives", "random_captions", "--no-augmentation"], "give one of the two"),
        (Study("one", tuple(Item(i.id, i.references[:1]) for i in STUDY.items), STUDY.runs), [], "needs two of them"),
        (STUDY, ["--negatives", "equal", "--no-augmentation"], "give one of the two"),
        (STUDY, ["--layers", "2"], "add --reader lstm"),
        (STUDY, ["--samples", "no-such-file.jsonl"], "no-such-file.jsonl"),
        (STUDY, ["--encoder", "no-such-encoder"], "no encoder 'no-such-encoder'"),
        (STUDY.only(runs=[]), [], "needs a run"),
        (two_voices(8), [], "learns from at least 10 items"),
    ],
)
def test_what_is_lacking_is_said(tmp_path: Path, made: Study, options: list[str], said: str) -> None:
    path = tmp_path / "lacking.jsonl"
    write_jsonl(made, path)
    done = trilens("train", "critique", path, "--no-cache", *options, expect=2)
    assert said in " ".join(done.output.split())
