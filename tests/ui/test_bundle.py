"""A study bundle in the app: its numbers show at once for who opened it, and for nobody else."""

from __future__ import annotations

from data.load import load_study
from metrics import engine
from metrics.bundle import study_bundle
from metrics.cache import Cache
from metrics.registry import METRICS
from tests.studies import study as random_study
from ui.jobs import OPTIONS, jobs

METRIC = METRICS["bleu_4"]


def test_the_numbers_of_a_bundle_are_seen_by_their_session_alone():
    study, cache = random_study(items=3), Cache(None)
    scored = engine.score(study, [METRIC], OPTIONS, cache)
    loaded = load_study([("b.zip", study_bundle(study, cache))])
    assert loaded.study is not None
    jobs().bring("theirs", loaded.numbers)
    mine = jobs().view(loaded.study, [METRIC], "mine", start=False)
    theirs = jobs().view(loaded.study, [METRIC], "theirs", start=False)
    assert mine.results == {}
    assert {key: result.corpus for key, result in theirs.results.items()} == {
        key: result.corpus for key, result in scored.items()
    }
    jobs().bring("theirs", {})
    assert jobs().view(loaded.study, [METRIC], "theirs", start=False).results == {}
