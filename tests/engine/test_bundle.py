"""Test that a study bundle reopens offline with exactly the same numbers, and that invalid numbers are not taken
from it.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data import slices
from data.bundle.writing import MARK
from data.files import limits
from data.load import load_study
from data.study import Study
from metrics.analysis import artifacts
from metrics.analysis.bundle import VALUES, checked, own_metrics, result_from_bundle, study_bundle
from metrics.analysis.cloud.captions import Projection
from metrics.analysis.unique_correct import experiment
from metrics.cache.disk import Cache
from metrics.cache.entry import decode, encode, unsealed
from metrics.engine import scores_table, scoring
from metrics.engine.tasks import Options
from metrics.progress import Hooks
from metrics.registry import METRICS, TRMS, resolve
from tests.command_line import trilens
from tests.studies import study as random_study

NAMES = ("bleu_4", "trm_bow", "self_bleu_4", "consensus_cider_d", "corpus_self_bleu_4")
CHOSEN = [METRICS[name] for name in NAMES]
TESTED = Options(p_values=True)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path, scoring.Results]:
    study, folder = random_study(items=4, seed=3), tmp_path_factory.mktemp("scored")
    return study, folder, scoring.score(study, CHOSEN, TESTED, Cache(folder))


@pytest.fixture
def scored(once: tuple[Study, Path, scoring.Results], tmp_path: Path) -> tuple[Study, Cache, scoring.Results]:
    study, folder, results = once
    return study, Cache(shutil.copytree(folder, tmp_path / "cache")), results


def changed(content: bytes, change: dict[str, bytes | None], more: dict[str, bytes] | None = None) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            given = change.get(name, old.read(name))
            if given is not None:
                new.writestr(name, given)
        for name, given in (more or {}).items():
            new.writestr(name, given)
    return packed.getvalue()


def test_the_same_digits_and_the_same_study(scored):
    study, cache, results = scored
    content = study_bundle(study, cache)
    loaded = load_study([("again.trilens.zip", content)])
    assert loaded.study is not None
    assert loaded.study.digest == study.digest
    work = scoring.plan(loaded.study, CHOSEN, TESTED, Cache(None, given=loaded.numbers))
    assert work.todo == []
    before, after = (scores_table.scores(study, r, ("corpus", "item", "candidate")) for r in (results, work.ready))
    pd.testing.assert_frame_equal(before, after, check_exact=True)
    assert study_bundle(loaded.study, Cache(None, given=loaded.numbers)) == content


def test_its_table_is_scores_and_its_mark_names_the_signatures(scored):
    study, cache, results = scored
    with zipfile.ZipFile(io.BytesIO(study_bundle(study, cache))) as archive:
        found = pd.read_csv(archive.open("scores.csv"))
        mark = json.loads(archive.read(MARK))
    expected = scores_table.scores(study, results, ("corpus", "item"))
    assert len(found) == len(expected)
    np.testing.assert_array_equal(found["value"], expected["value"])
    assert mark["digest"] == study.digest
    assert set(mark["signatures"]) == {metric.signature for metric in CHOSEN}


def test_the_command_line_writes_one_and_reads_it_without_computing(tmp_path, monkeypatch, scored):
    study, _, results = scored
    from data.convert import write_jsonl

    write_jsonl(study, tmp_path / "study.jsonl")
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "first"))
    names = "bleu_4,trm_bow"
    packed, asked = str(tmp_path / "b.zip"), ["--metrics", names, "--p-values"]
    trilens("bundle", str(tmp_path / "study.jsonl"), "--out", packed, *asked)
    monkeypatch.setattr("metrics.engine.workers.score_chunk", lambda *given: pytest.fail("computed"))
    out = tmp_path / "scores.csv"
    trilens("score", packed, *asked, "--no-cache", "--out", str(out))
    found = pd.read_csv(out).set_index(["run", "metric"])
    for (run, metric), result in results.items():
        if metric in names.split(","):
            assert found.loc[(run, metric), "value"] == result.corpus
            assert found.loc[(run, metric), "p_value"] == result.p_value


def test_what_is_not_a_number_is_computed_anew(scored):
    study, cache, _ = scored
    content = study_bundle(study, cache)
    metric = METRICS["bleu_4"]
    keys = [scoring.result_key(metric, run, study, TESTED) for run in study.runs]
    empty = encode(keys[1], {"other": np.ones(3)}, compress=True)
    spoiled = changed(content, {f"{keys[0]}.npz": b"PK\x03\x04 not a zip", f"{keys[1]}.npz": empty})
    loaded = load_study([("b.zip", spoiled)])
    for run, key in zip(study.runs, keys):
        assert result_from_bundle(metric, run, study, TESTED, loaded.numbers[key]) is None
        assert result_from_bundle(metric, run, study, TESTED, load_study([("b.zip", content)]).numbers[key]) is not None


def test_objects_and_bombs_inside_are_refused():
    objects = io.BytesIO()
    np.savez(objects, values=np.array([{"a": 1}], dtype=object))
    assert unsealed(objects.getvalue()) is None
    large = encode("results/aa/large", {"values": np.zeros(5_000_000)}, compress=True)
    assert decode("results/aa/large", large) is not None
    assert decode("results/aa/large", large, limits.Budget(len(large))) is None


def test_a_bundle_that_unpacks_to_too_much_is_a_finding(scored, monkeypatch):
    study, cache, _ = scored
    content = changed(study_bundle(study, cache), {}, {"results/aa/zeros.npz": bytes(4 << 20)})
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1 << 20)
    loaded = load_study([("bomb.zip", content)])
    assert loaded.study is None
    assert any(finding.code == "archive_too_large" for finding in loaded.findings)


def test_only_study_and_numbers_are_read(scored):
    study, cache, _ = scored
    content = changed(study_bundle(study, cache), {}, {"../../escape.jsonl": b"{}", "other.json": b'{"x": ["a"]}'})
    loaded = load_study([("b.zip", content)])
    assert [file.name for file in loaded.files] == ["b.zip/study.jsonl"]
    assert loaded.study is not None
    assert loaded.study.digest == study.digest


def computed_by_pages(study: Study, cache: Cache) -> list[artifacts.Artifact]:
    """Return a layout, the centres and an experiment, computed as pages do, but with settings that no page offers."""
    trm = TRMS["bag of words"]
    return [
        artifacts.layout(study, Projection("pca", centred=True, seed=77), cache),
        artifacts.centres(study, trm.space, cache),
        artifacts.experiment(study, experiment.Design(2, 2, 7, seed=123), trm, cache),
    ]


def test_what_pages_computed_comes_along_and_nothing_of_another_study(scored):
    study, cache, _ = scored
    other = random_study(items=4, seed=4)
    wanted = computed_by_pages(study, cache)
    arrays = [work.compute(cache, Hooks()) for work in wanted]
    for work in computed_by_pages(other, cache):
        work.compute(cache, Hooks())
    content = study_bundle(study, cache)
    loaded = load_study([("b.zip", content)])
    assert loaded.study is not None
    brought = {key for key in loaded.numbers if not key.startswith("results/")}
    assert brought == {work.key for work in wanted}
    alone = Cache(None, given=loaded.numbers)
    for work, before in zip(computed_by_pages(loaded.study, alone), arrays):
        after = work.stored(alone)
        assert after is not None
        assert after.keys() == before.keys()
        for name, array in before.items():
            np.testing.assert_array_equal(after[name], array)
    assert study_bundle(loaded.study, alone) == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert json.loads(archive.read(MARK))["pages"] == 3


@pytest.mark.parametrize("label", [np.array([255, 254], np.uint8), np.array(1.0), np.array(["a"])])
def test_what_cannot_say_of_which_texts_it_is_stays_out_of_a_bundle(scored, label):
    study, cache, _ = scored
    key = f"layouts/ab/{'ab' * 32}"
    given = Cache(
        cache.directory, given={key: encode(key, {"xy": np.zeros((3, 2)), artifacts.LABEL: label}, compress=True)}
    )
    assert given.get(key) is not None
    assert study_bundle(study, given) == study_bundle(study, cache)


@pytest.mark.parametrize("kind", range(3))
def test_arrays_that_cannot_be_the_result_are_not_found(scored, kind):
    study, cache, _ = scored
    work = computed_by_pages(study, cache)[kind]
    good = dict(work.compute(Cache(None), Hooks()))
    assert work.fits(good)
    for name in set(good) - {artifacts.LABEL}:
        assert not work.fits({key: array for key, array in good.items() if key != name})
        assert not work.fits({**good, name: np.array(["a", "b", "c"])})
        assert not work.fits({**good, name: np.zeros((3, 5, 7, 9))})
    raw = encode(
        work.key, {**good, "xy": np.zeros((1, 2)), "near": np.zeros(3), "items": np.array([99])}, compress=True
    )
    assert work.stored(Cache(None, given={work.key: raw})) is None


def test_a_report_of_a_bundle_computes_nothing(tmp_path, monkeypatch, scored):
    study, _, _ = scored
    asked = ["--metrics", "bleu_4,trm_bow,self_bleu_4", "--pages", "leaderboard,central,unique_correct"]
    from data.convert import write_jsonl

    write_jsonl(study, tmp_path / "study.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    trilens("report", "study.jsonl", *asked, "--out", "first.html")
    trilens("bundle", "study.jsonl", "--metrics", "bleu_4", "--p-values", "--out", "b.zip")
    with zipfile.ZipFile("b.zip") as archive:
        kinds = {name.split("/")[0] for name in archive.namelist()}
    assert kinds >= {"centres", "detectable", "experiments", "results"}
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(artifacts.Artifact, "compute", lambda *given: pytest.fail("made again"))
    monkeypatch.setattr("metrics.engine.workers.score_chunk", lambda *given: pytest.fail("computed"))
    trilens("report", "b.zip", *asked, "--out", "second.html")
    one, two = ((tmp_path / name).read_text(encoding="utf-8") for name in ("first.html", "second.html"))
    assert one[one.index("<section") : one.index('<section id="unique-vs-correct">')] in two


def test_numbers_by_own_settings_come_along_and_names_of_files_do_not(tmp_path: Path) -> None:
    study, cache = random_study(items=4), Cache(tmp_path / "cache")
    own = resolve(["mmd_bow(bandwidth=1)", "trm_bleu_4(n=2,ties=paper)"])
    results = scoring.score(study, own, VALUES, cache)
    assert [metric.name for metric in own] == ["trm_bleu_4(n=2,ties=paper)", "mmd_bow(bandwidth=1)"]
    content = study_bundle(study, cache, own=own)
    opened = checked(load_study([("b.zip", content)]))
    assert opened.own == tuple(metric.name for metric in own)
    assert len(opened.numbers) == len(results) == 4
    assert opened.study is not None
    here = Cache(None, given=opened.numbers)
    work = scoring.plan(opened.study, own, VALUES, here)
    assert not work.todo
    assert {key: found.corpus for key, found in work.ready.items()} == {k: f.corpus for k, f in results.items()}
    assert study_bundle(opened.study, here, own=own_metrics(opened.own)) == content
    hostile = {"own": ["mmd_bow(bandwidth=1)", "bert(encoder=/etc)", "nothing(x=1)", "bleu_4", 3, "x" * 999]}
    other = checked(load_study([("b.zip", changed(content, {MARK: json.dumps(hostile).encode()}))]))
    assert other.own == ("mmd_bow(bandwidth=1)",)
    assert len(other.numbers) == 2
    for said in (b"[1]", b"{", b'{"own": 7}'):
        assert checked(load_study([("b.zip", changed(content, {MARK: said}))])).own == ()


def test_saved_slices_come_along_and_those_of_other_items_do_not(tmp_path: Path) -> None:
    study, cache = random_study(items=6), Cache(tmp_path / "cache")
    ids = [item.id for item in study.items]
    saved = {"first two": slices.encode(study, ids[:2]), "all but one": slices.encode(study, ids[1:])}
    content = study_bundle(study, cache, saved=saved)
    opened = checked(load_study([("b.zip", content)]))
    assert opened.study is not None
    assert {name: slices.decode(opened.study, text) for name, text in opened.slices.items()} == {
        "first two": tuple(ids[:2]),
        "all but one": tuple(ids[1:]),
    }
    assert study_bundle(opened.study, cache, saved=opened.slices) == content
    foreign = slices.encode(random_study(items=7), ids[:2])
    hostile = {"slices": {**saved, "other": foreign, "": saved["first two"], "x" * 61: foreign, "number": 3}}
    other = checked(load_study([("b.zip", changed(content, {MARK: json.dumps(hostile).encode()}))]))
    assert other.slices == saved
    assert [finding.code for finding in other.findings if finding.code.startswith("bundle")] == ["bundle_unknown"]
    for said in (b"[1]", b"{", b'{"slices": 7}'):
        assert not checked(load_study([("b.zip", changed(content, {MARK: said}))])).slices
