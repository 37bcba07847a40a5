"""Test the engine: what it caches or recomputes, its backends, which give equal tables, its progress, and its
refusals.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from data.study import Run, Settings
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.engine.scoring import Callbacks
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.progress import Cancelled
from metrics.registry import METRICS, resolve
from tests.studies import study

ROOT = Path(__file__).parents[2]
WORDS = resolve(["bleu_4", "cider_d", "trm_cider_d", "self_bleu_3", "vocabulary", "consensus_rouge_l"], "whitespace")
OPTIONS = Options(p_values=True, draws=99, resamples=50, chunk=4)
LEVELS = ("corpus", "item", "candidate")


def table(workers: Workers | None = None, cache: Cache | None = None) -> pd.DataFrame:
    of = study(items=11, runs=3)
    return scores(of, scoring.score(of, WORDS, OPTIONS, cache, workers=workers), LEVELS)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def expected() -> pd.DataFrame:
    return table()


def test_processes_give_the_same_table(expected: pd.DataFrame, tmp_path: Path) -> None:
    pd.testing.assert_frame_equal(table(Workers("loky", 2), Cache(tmp_path)), expected)


def test_threads_that_score_do_not_divide_matrix_products() -> None:
    """OpenBLAS threads beside scoring threads would spin while they wait, and take ten times the processor time."""

    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if "numpy.libs" in one["filepath"]}

    seen: list[set[int]] = []
    watched = Callbacks(result=lambda run, result: seen.append(threads()))
    with threadpool_limits(2, user_api="blas"):
        scoring.score(study(3), resolve(["bleu_1"]), callbacks=watched, workers=Workers(jobs=2))
        assert threads() == {2}
    assert seen
    assert all(one == {1} for one in seen)


def test_a_run_more_computes_only_that_run(tmp_path: Path) -> None:
    cache, small = Cache(tmp_path), study(runs=2)
    scoring.score(small, WORDS, OPTIONS, cache)
    new = Run("new", "new", Settings(), dict(small.runs[0].candidates) | {"image 0": ("a dog sits on a red bench",)})
    plan = scoring.plan(replace(small, runs=(*small.runs, new)), WORDS, OPTIONS, cache)
    assert {run.name for run, _ in plan.todo} == {"new"}


def test_a_run_may_be_called_as_the_references_are(expected: pd.DataFrame, tmp_path: Path) -> None:
    """Results of metrics of the references are stored under a name that a run of the study may have, too."""
    of, cache = study(items=11, runs=3), Cache(tmp_path)
    of = replace(of, runs=(of.runs[0], replace(of.runs[1], name="references"), of.runs[2]))
    for _ in ("computed", "from the cache"):
        found = scores(of, scoring.score(of, WORDS, OPTIONS, cache), LEVELS)  # type: ignore[arg-type]
        own = (found["run"] == "references") & ~found["metric"].str.startswith("consensus")
        pd.testing.assert_frame_equal(found.assign(run=found["run"].mask(own, "run 1")), expected)


def test_labels_are_not_part_of_what_is_cached(tmp_path: Path) -> None:
    cache, small = Cache(tmp_path), study()
    scoring.score(small, WORDS, OPTIONS, cache)
    renamed = replace(small, name="other", runs=tuple(replace(r, name=r.name + "!", model="m") for r in small.runs))
    assert not scoring.plan(renamed, WORDS, OPTIONS, cache).todo


@pytest.mark.parametrize("changed", [{"seed": 1}, {"resamples": 60}, {"draws": 98}, {"budget": 10}])
def test_what_changes_numbers_changes_the_key(tmp_path: Path, changed: dict[str, int]) -> None:
    cache, small = Cache(tmp_path), study(runs=1)
    scoring.score(small, WORDS, OPTIONS, cache)
    assert scoring.plan(small, WORDS, replace(OPTIONS, **changed), cache).todo  # type: ignore[arg-type]


def test_cancelling_keeps_what_is_finished(tmp_path: Path) -> None:
    cache, small = Cache(tmp_path), study(items=12, runs=3)
    finished: list[str] = []
    callbacks = Callbacks(result=lambda run, result: finished.append(run), should_stop=lambda: len(finished) >= 3)
    with pytest.raises(Cancelled):
        scoring.score(small, WORDS, OPTIONS, cache, callbacks, Workers(jobs=1))
    plan = scoring.plan(small, WORDS, OPTIONS, cache)
    assert len(plan.ready) >= 3
    assert plan.todo


def test_progress_rises_to_the_end() -> None:
    seen: list[scoring.Progress] = []
    scoring.score(study(items=9), WORDS, OPTIONS, callbacks=Callbacks(progress=seen.append))
    assert [step.fraction for step in seen] == sorted(step.fraction for step in seen)
    assert seen[-1].fraction == pytest.approx(1)
    assert seen[-1].tasks_done == seen[-1].tasks
    for step in seen:
        assert (step.seconds_left is not None) == (step.fraction > scoring.FIRST), "too early to tell, or not"
        assert step.seconds_left is None or step.seconds_left >= 0


def test_the_share_that_is_done_follows_the_time() -> None:
    """A metric of references takes a fraction of a run's time, and permutation tests add to it; the shares reflect
    both.
    """
    seen: list[scoring.Progress] = []
    scored = study(items=40, runs=1)
    wanted = ("cider_d", "trm_bow", "rouge_l", "consensus_cider_d", "consensus_rouge_l")
    metrics = [METRICS[name] for name in wanted]
    options = replace(OPTIONS, p_values=True)
    scoring.score(scored, metrics, options, callbacks=Callbacks(progress=seen.append), workers=Workers(jobs=1))
    of_run = next(step.fraction for step in seen if step.tasks_done == step.tasks // 2)
    assert of_run > 0.8


def test_results_come_before_the_work_ends() -> None:
    when: list[float] = []
    steps: list[scoring.Progress] = []
    callbacks = Callbacks(progress=steps.append, result=lambda run, result: when.append(steps[-1].fraction))
    scoring.score(study(items=12, runs=3), WORDS, OPTIONS, callbacks=callbacks, workers=Workers(jobs=1))
    assert min(when) < 0.5


SLOW = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from metrics.engine import scoring, tasks
    from metrics.engine.workers import Workers
    from metrics.cache.disk import Cache
    from tests.engine.test_engine import OPTIONS, WORDS
    from tests.studies import study
    def said(step):
        print(step.tasks_done, flush=True)
        time.sleep(0.1)
    cache, callbacks = Cache(Path(sys.argv[1])), scoring.Callbacks(progress=said)
    scoring.score(study(items=16, runs=2), WORDS, OPTIONS, cache, callbacks, Workers(jobs=1))
    """
)


def child(directory: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(directory)], stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    )


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    process = child(tmp_path)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 6:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    of, cache = study(items=16, runs=2), Cache(tmp_path)
    kept = cache.usage().kinds["stats"][0]
    assert kept >= 6
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    resumed = scores(of, scoring.score(of, WORDS, OPTIONS, cache), LEVELS)  # type: ignore[arg-type]
    fresh = scores(of, scoring.score(of, WORDS, OPTIONS), LEVELS)  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(resumed, fresh)
    stats = {path for path in before if "stats" in path.parts}
    assert stats <= set(tmp_path.rglob("*.npz"))


def test_two_processes_share_one_folder(tmp_path: Path) -> None:
    processes = [child(tmp_path), child(tmp_path)]
    deadline = time.monotonic() + 120
    for process in processes:
        process.communicate(timeout=deadline - time.monotonic())
        assert process.returncode == 0
    of = study(items=16, runs=2)
    shared = scoring.plan(of, WORDS, OPTIONS, Cache(tmp_path))
    assert not shared.todo
    fresh = scoring.score(of, WORDS, OPTIONS)
    for key, result in shared.ready.items():
        np.testing.assert_array_equal(result.items, fresh[key].items)
    assert not list(tmp_path.rglob(".new-*"))


def test_damaged_entries_heal(tmp_path: Path, expected: pd.DataFrame) -> None:
    table(cache=Cache(tmp_path))
    for number, path in enumerate(sorted(tmp_path.rglob("*.npz"))):
        raw = path.read_bytes()
        path.write_bytes(raw[: len(raw) * (number % 4) // 4])
    pd.testing.assert_frame_equal(table(cache=Cache(tmp_path)), expected)


def test_unmet_needs_are_said_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics.needs.unmet", lambda need: "install METEOR" if need == "meteor" else None)
    small, metrics = study(), resolve(["meteor", "vocabulary"], "whitespace")
    plan = scoring.plan(small, metrics, OPTIONS, Cache(None))
    assert plan.unmet == {"meteor": "install METEOR"}
    results = scoring.score(small, metrics, OPTIONS)
    assert results["run 0", "meteor"].why() == "install METEOR"
    assert results["run 0", "vocabulary"].corpus > 0


def test_a_metric_that_is_asked_for_twice_counts_once() -> None:
    small, twice = study(items=5), (*WORDS, *resolve(["consensus_rouge_l", "bleu_4"], "whitespace"))
    once = scoring.score(small, WORDS, OPTIONS)
    again = scoring.score(small, (twice[-1], *twice), OPTIONS)
    assert once.keys() == again.keys()
    pd.testing.assert_frame_equal(scores(small, again, LEVELS), scores(small, {k: once[k] for k in again}, LEVELS))
    assert len(scoring.plan(small, twice, OPTIONS, Cache(None)).todo) == len(once)


def test_two_metrics_of_one_name_are_refused() -> None:
    other = resolve(["bleu_4"], "ptb")
    with pytest.raises(ValueError, match=r"bleu_4 is asked for with two sets of parameters, .*tok:whitespace.*tok:ptb"):
        scoring.score(study(items=3), (*WORDS, *other), OPTIONS)
