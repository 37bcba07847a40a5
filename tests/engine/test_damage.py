"""Test that damaged files of a cache cause neither an exception nor a wrong number, and are replaced."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.study import Study
from metrics.analysis import artifacts, chance
from metrics.analysis.cloud.captions import Projection
from metrics.analysis.coherence.cosmic_training import trained, training
from metrics.analysis.critique import stored
from metrics.analysis.detectable_faults import mixtures
from metrics.analysis.judgments import caption_agreement
from metrics.analysis.judgments.trivial_baselines import TRIVIAL
from metrics.analysis.references import subsets
from metrics.analysis.robustness.design import Design as DamageDesign
from metrics.analysis.sensitivity import power
from metrics.analysis.sensitivity import sets as drawn_sets
from metrics.analysis.slices import differences
from metrics.analysis.unique_correct import experiment
from metrics.analysis.words import usage
from metrics.cache import disk as cache_disk
from metrics.cache.disk import KINDS, TEMPORARY, Cache
from metrics.cache.entry import Arrays, encode
from metrics.engine import result_checks, scoring
from metrics.engine.result import to_arrays
from metrics.engine.scores_table import scores
from metrics.engine.tasks import Options
from metrics.judging import answers as judging
from metrics.judging.endpoint import Endpoint, Reply
from metrics.learned.cosmic_metric import Cosmic, bound
from metrics.learned.critique_metric import Critique
from metrics.progress import Hooks
from metrics.registry import METRICS, TRMS, resolve
from metrics.suite.consensus import Consensus
from metrics.transformations import TRANSFORMATIONS
from tests.engine.damage import damaged
from tests.learned.small import small_networks
from tests.learned.test_cosmic_metric import labelled
from tests.studies import study as random_study

ROOT = Path(__file__).parents[2]
CHOSEN = resolve(
    ["bleu_4", "trm_bert", "trm_meteor", "corpus_self_bleu_4", "vocabulary", "consensus_rouge_l", "scene_f"]
)
OPTIONS = Options(p_values=True, draws=99, resamples=50, chunk=2)


def table(cache: Cache) -> pd.DataFrame:
    return scores(STUDY, scoring.score(STUDY, CHOSEN, OPTIONS, cache), ("corpus", "item", "candidate"))


def rated(study: Study) -> Study:
    source = random.Random(4)
    ratings = {item.id: source.randint(1, 5) for item in study.items}
    return replace(study, runs=tuple(replace(run, human=ratings) for run in study.runs))


STUDY = rated(random_study(items=4, references=5, candidates=3, runs=2, seed=21))
REPLY = Reply('{"score": 80}', "stop", "", "m@1", 12, 3)
LARGER = random_study(items=24, references=2, candidates=1, runs=1)
"""A study that is large enough to train a critique."""
LABELLED = labelled(50).only(runs=["plain"])
"""A study that is large enough to train COSMic."""


def of_pages(study: Study, cache: Cache) -> list[artifacts.Artifact]:
    trm, bleu = TRMS["bag of words"], METRICS["bleu_4"]
    rows = subsets.design(study)
    differ = power.design(study, (study.runs[0].name, study.runs[1].name), bleu, (5,), draws=20)
    assert rows is not None
    damage = DamageDesign((TRANSFORMATIONS["random_words"],), (0.5, 1.0))
    assert differ is not None
    both = differences.Design(study.runs[0].name, study.runs[1].name, fewest=2, draws=99)
    values = differences.values(study, scoring.score(study, [bleu], OPTIONS), bleu, both)
    assert not isinstance(values, str)
    mixed = mixtures(study, study.runs[0])
    assert mixed is not None
    return [
        artifacts.known_faults(study, mixed, trm, cache),
        artifacts.chance(LARGER, bleu, chance.Design(), cache),
        artifacts.sensitivity(study, drawn_sets.design(study, study.runs[0], (1, 2), 2), [trm], cache),
        artifacts.power_map(study, differ, bleu),
        artifacts.slices(study, values),
        artifacts.words(study, usage.Design(study.runs[0].name, fewest=2, draws=99)),
        artifacts.agreement(study, scoring.score(study, [bleu], OPTIONS), [bleu], caption_agreement.Design("rating")),
        artifacts.damaged_captions(study, damage, [bleu], cache),
        artifacts.damaged_captions(study, replace(damage, sets=True), [METRICS["distinct_2"]], cache),
        artifacts.subset_totals(study, rows, [bleu], cache),
        artifacts.own_scores(study, Consensus(METRICS["rouge_l"]), [2, 0], cache),  # type: ignore[arg-type]
        artifacts.critiques(LARGER, stored.Design(Critique(context="none")), cache),
        artifacts.layout(study, Projection("pca", seed=5), cache),
        artifacts.centres(study, trm.space, cache),
        artifacts.experiment(study, experiment.Design(2, 2, 3, seed=1), trm, cache),
    ]


@small_networks()
def filled(folder: Path) -> dict[str, bytes]:
    cache = Cache(folder)
    table(cache)
    for work in of_pages(STUDY, cache):
        work.compute(cache, Hooks())
    scoring.score(LABELLED, [bound(Cosmic(), LABELLED)], OPTIONS, cache)
    trained(training("labelled.jsonl", to_jsonl_bytes(LABELLED)), cache).compute(cache, Hooks())
    judging.keep(cache, judging.key(Endpoint("http://localhost", "m"), "How alike?", 0), REPLY)
    found = {str(path.relative_to(folder)).removesuffix(".npz"): path.read_bytes() for path in folder.rglob("*.npz")}
    assert {key.split("/")[0] for key in found} == set(KINDS)
    return found


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with small_networks():
        yield


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return filled(tmp_path_factory.mktemp("whole"))


def equal(found: Arrays, expected: Arrays) -> bool:
    return found.keys() == expected.keys() and all(
        found[name].dtype == array.dtype and np.array_equal(found[name], array, equal_nan=array.dtype.kind == "f")
        for name, array in expected.items()
    )


def damage_entries(folder: Path, entries: Mapping[str, bytes], times: int, seed: int) -> dict[str, int]:
    """Damage one entry at a time; count reads that remove it, return the same arrays, and return other arrays."""
    source, cache, keys = random.Random(seed), Cache(folder), sorted(entries)
    by_kind = {kind: [key for key in keys if key.startswith(f"{kind}/")] for kind in KINDS}
    counts = {"absent": 0, "whole": 0, "wrong": 0}
    expected: dict[str, Arrays] = {}
    for turn in range(times):
        key, other = source.choice(by_kind[KINDS[turn % len(KINDS)]]), source.choice(keys)
        path = folder / f"{key}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        if key not in expected:
            path.write_bytes(entries[key])
            expected[key] = cache.get(key) or {}
        path.write_bytes(damaged(entries[key], source, entries[other] if other != key else b""))
        found = cache.get(key)
        if found is None:
            counts["absent"] += not path.exists() and not cache.has(key)
        else:
            counts["whole" if equal(found, expected[key]) else "wrong"] += 1
    return counts


def test_a_damaged_entry_of_any_kind_is_absent_and_gone(tmp_path: Path, entries: dict[str, bytes]) -> None:
    counts = damage_entries(tmp_path, entries, 270, seed=3)
    assert counts["wrong"] == 0
    assert counts["absent"] + counts["whole"] == 270
    assert counts["absent"] > 250


def test_numbers_over_damaged_entries_are_those_of_a_fresh_cache(tmp_path: Path, entries: dict[str, bytes]) -> None:
    expected = table(Cache(None))
    source = random.Random(0)
    for key, raw in entries.items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        other = entries[source.choice(sorted(entries))]
        (tmp_path / f"{key}.npz").write_bytes(damaged(raw, source, other) if source.random() < 0.7 else raw)
    pd.testing.assert_frame_equal(table(Cache(tmp_path)), expected)
    for work in of_pages(STUDY, Cache(tmp_path)):
        again = work.stored(Cache(tmp_path)) or work.compute(Cache(tmp_path), Hooks())
        assert equal(again, work.stored(Cache(None, given=entries)) or {})
    pd.testing.assert_frame_equal(table(Cache(tmp_path)), expected)


def test_a_damaged_layer_costs_only_its_numbers(tmp_path: Path, entries: dict[str, bytes]) -> None:
    layer, source = tmp_path / "layer.zip", random.Random(8)
    with zipfile.ZipFile(layer, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, raw in entries.items():
            archive.writestr(f"{key}.npz", raw)
    raw, whole = layer.read_bytes(), {key: Cache(None, (layer,)).get(key) or {} for key in entries}
    for _ in range(60):
        layer.write_bytes(damaged(raw, source))
        cache = Cache(None, (layer,))
        for kind in KINDS:
            cache.keys(kind)
        for key in source.sample(sorted(entries), 5):
            found = cache.get(key)
            assert found is None or equal(found, whole[key])


def other_shapes(arrays: Arrays) -> list[Arrays]:
    found: list[Arrays] = []
    for name, array in arrays.items():
        found.append({key: kept for key, kept in arrays.items() if key != name})
        changes = [np.zeros((2, 3, 5, 7)), np.array(["text"]), array[:-1] if array.ndim and len(array) else array[None]]
        changes += [np.full(array.shape, value) for value in (np.inf, -1e300) if array.dtype.kind == "f"]
        found += [{**arrays, name: change} for change in changes]
    return found


def test_an_agreement_whose_error_cannot_be_is_not_believed() -> None:
    """An impossible standard error of Pearson's r would affect its p, so the agreement is computed again."""
    study = rated(random_study(items=8, references=3, candidates=1, runs=2, seed=5))
    metrics, design = [METRICS["bleu_1"]], caption_agreement.Design("rating", resamples=9)
    work = artifacts.agreement(study, scoring.score(study, metrics, OPTIONS), metrics, design)
    arrays = work.run(Hooks())
    error = arrays["pearson_error"]
    assert error.shape == (len(metrics) + len(TRIVIAL) + 1,), "the metric, the baselines, and people with each other"
    assert error[0] > 0
    assert work.fits(arrays)
    for value in (-1e-3, np.inf, -np.inf, 1e300):
        assert not work.fits({**arrays, "pearson_error": np.array([value, *error[1:]])}), value
    for other in (error[:1], np.tile(error, 2), error[None], error.astype(str)):
        assert not work.fits({**arrays, "pearson_error": other}), other.shape
    assert not work.fits({name: array for name, array in arrays.items() if name != "pearson_error"})


def test_sealed_entries_that_do_not_fit_are_made_again(tmp_path: Path, entries: dict[str, bytes]) -> None:
    """Entries may have been written by another version of the program under the same key, or forged with a valid
    seal.
    """
    expected, whole = table(Cache(None)), Cache(tmp_path / "whole")
    computed = scoring.score(STUDY, CHOSEN, OPTIONS)
    for key, raw in entries.items():
        (tmp_path / "whole" / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "whole" / f"{key}.npz").write_bytes(raw)
    for turn in range(4):
        folder, source = tmp_path / str(turn), random.Random(turn)
        cache = Cache(folder)
        for key in entries:
            # Results would hide the entries from which they are computed, so every other turn has no results.
            if turn % 2 or not key.startswith("results/"):
                cache.put(key, source.choice(other_shapes(whole.get(key) or {})))
        if turn % 2:
            for key, kept in scoring.plan(STUDY, CHOSEN, OPTIONS, cache).ready.items():
                for name in ("corpus", "low", "high", "p_value", "p_hmp", "values", "items", "totals", "item_p"):
                    np.testing.assert_equal(getattr(kept, name), getattr(computed[key], name), err_msg=f"{key} {name}")
        results = scores(STUDY, scoring.score(STUDY, CHOSEN, OPTIONS, cache), ("corpus", "item", "candidate"))
        assert len(results) == len(expected)
        assert results.error.isna().all()
        for work in of_pages(STUDY, cache):
            found = work.stored(cache)
            assert found is None or work.fits(found)


def test_every_result_of_the_registry_is_sound() -> None:
    study = random_study(items=3, references=4, candidates=3, runs=1, seed=2)
    thin = random_study(items=2, references=1, candidates=1, runs=1, seed=2)
    for of in (study, thin):
        for options in (Options(p_values=True, draws=9, resamples=20), Options(resamples=20)):
            for (name, _), result in scoring.score(of, resolve(["full"]), options).items():
                run = next(run for run in scoring.runs_of(of, result.metric) if run.name == name)
                tested = options.p_values and result.metric.tested
                again = result_checks.result_of(result.metric, run, of, tested, to_arrays(result))
                assert equal(to_arrays(again), to_arrays(result))


HOSTILE: dict[str, Callable[[dict[str, np.ndarray]], object]] = {
    "a p above 1": lambda a: a["item_p"].__setitem__(0, 1.5),
    "a p below 0": lambda a: a["item_p"].__setitem__(0, -0.1),
    "an infinite value": lambda a: a["values"].__setitem__(0, np.inf),
    "a value out of bounds": lambda a: a["items"].__setitem__(0, 7.0),
    "a corpus value that is not that of its totals": lambda a: a["scalars"].__setitem__(0, 0.9),
    "an interval beside the value": lambda a: a["scalars"].__setitem__(slice(1, 3), [0.98, 0.99]),
    "an interval that ends before it begins": lambda a: a["scalars"].__setitem__(slice(1, 3), [0.9, 0.1]),
    "captions of another item": lambda a: a["unit_item"].__setitem__(0, 3),
    "an item that there is not": lambda a: a["unit_item"].__setitem__(0, 99),
    "fewer items": lambda a: a.__setitem__("items", a["items"][:-1]),
    "objects of text": lambda a: a.__setitem__("values", a["values"].astype(str)),
    "words that are no JSON": lambda a: a.__setitem__("said", np.frombuffer(b"{", np.uint8)),
    "an error": lambda a: a.__setitem__("said", np.frombuffer(b'{"n_items": 4, "error": "x"}', np.uint8)),
    "a list": lambda a: a.__setitem__("said", np.frombuffer(b"[" * 9_000, np.uint8)),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_result_that_cannot_be_is_not_believed(what: str) -> None:
    metric, run = METRICS["bleu_4"], STUDY.runs[0]
    result = scoring.score(STUDY, [metric], OPTIONS)[run.name, metric.name]
    arrays = {name: array.copy() for name, array in to_arrays(result).items()}
    key = scoring.result_key(metric, run, STUDY, OPTIONS)
    assert scoring.stored(Cache(None, given={key: encode(key, arrays, True)}), metric, run, STUDY, OPTIONS) is not None
    HOSTILE[what](arrays)
    assert scoring.stored(Cache(None, given={key: encode(key, arrays, True)}), metric, run, STUDY, OPTIONS) is None


def test_what_killed_writers_left_goes_after_a_while(tmp_path: Path) -> None:
    cache, left = Cache(tmp_path), tmp_path / TEMPORARY
    left.mkdir()
    old, new = left / "old", left / "new"
    for path in (old, new):
        path.write_bytes(b"half an entry")
    os.utime(old, (time.time() - 2 * cache_disk.STALE_SECONDS,) * 2)
    assert cache.usage().entries == 0
    cache.put("stats/aa/own", {"values": np.ones(2)})
    assert [path.name for path in left.iterdir()] == ["new"]
    cache.clear()
    assert not left.exists()


SMALL_DISK = """
import resource, sys
from pathlib import Path
import numpy as np
from metrics.cache import Cache
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
cache = Cache(Path(sys.argv[1]))
cache.put("stats/aa/large", {"values": np.ones(100_000)})
assert cache.get("stats/aa/large") is None
cache.put("stats/aa/small", {"values": np.ones(2)})
assert cache.get("stats/aa/small") is not None
"""


def test_a_full_disk_costs_only_the_caching_and_keeps_no_rest(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", SMALL_DISK, tmp_path], cwd=ROOT, check=True)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["small.npz"]


def test_a_folder_that_nothing_can_be_made_in_costs_only_the_caching(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    cache = Cache(tmp_path / "file")
    cache.put("stats/aa/own", {"values": np.ones(2)})
    assert cache.get("stats/aa/own") is None
    assert not cache.has("stats/aa/own")
    assert cache.keys("stats") == set()
    assert (cache.usage().entries, cache.clear()) == (0, 0)


AT_WORK = """
import sys, time
from pathlib import Path
import numpy as np
from metrics.cache import Cache
cache, what, end, done = Cache(Path(sys.argv[1]), limit=200_000), sys.argv[2], time.monotonic() + 4, 0
while time.monotonic() < end:
    for k in range(40):
        key = f"layouts/{k % 7:02x}/{k}"
        if what == "clear":
            cache.clear()
        else:
            cache.put(key, {"of": np.full(300, k)})
            for found in (cache.get(key), cache.get(f"layouts/{(k + 3) % 7:02x}/{k + 3}")):
                assert found is None or len(set(found["of"].tolist())) == 1
            cache.keys("layouts"), cache.usage(), cache.evict(), cache.has(key), cache.peek(key, "of")
        done += 1
print(done)
"""


def test_a_cache_that_other_processes_clear_goes_on(tmp_path: Path) -> None:
    work = [[sys.executable, "-c", AT_WORK, str(tmp_path), what] for what in ("use", "use", "clear")]
    running = [subprocess.Popen(line, cwd=ROOT, stdout=-1, stderr=-1, text=True) for line in work]
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert int(out) > 40
