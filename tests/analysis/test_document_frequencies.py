"""Test document frequencies from a file: numbers that use them, their signatures, and which files are refused."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.study import DataError, Study
from metrics.analysis.unique_correct.experiment import base_metric
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.distances import document_frequencies
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.guide import documentation
from metrics.registry import METRICS, OWN, frequencies_of, resolve, with_frequencies
from metrics.text.cider import DocumentFrequencies
from tests.studies import study

USERS = ("cider_d", "trm_cider_d", "self_cider", "consensus_cider_d")


def of(found: DocumentFrequencies | None, *names: str) -> tuple[Metric, ...]:
    return resolve(names or USERS, "whitespace", idf=found)


def ngrams(text: str) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[k : k + n]) for n in range(1, 5) for k in range(len(words) - n + 1)]


def counts(of_study: Study) -> Counter[tuple[str, ...]]:
    return Counter(g for item in of_study.items for g in {g for text in item.references for g in ngrams(text)})


def as_json(of_study: Study) -> bytes:
    said = {" ".join(words): n for words, n in counts(of_study).items()}
    return json.dumps({"documents": len(of_study.items), "tokenizer": "whitespace", "frequencies": said}).encode()


def test_its_own_frequencies_leave_cider_d_as_it_is() -> None:
    """A file made from the study itself gives the study's own values.

    CIDEr-D's p is then a test of these values. People's own score is higher with the file, since its counts include the
    captions that are being scored.
    """
    own = study(runs=1)
    found = document_frequencies.count_frequencies(own, "whitespace")
    plain, fixed = (scoring.score(own, of(f, "cider_d", "self_cider", "consensus_cider_d")) for f in (None, found))
    for key, result in plain.items():
        given = fixed[key].items
        if key[1] == "consensus_cider_d":
            assert (given >= result.items).all()
            assert (given > result.items).any()
        else:
            assert given.tolist() == result.items.tolist()
        signature = result.metric.signature.replace("|own:held-out", "").replace(
            "idf:study", f"idf:{found.digest[:12]}"
        )
        assert signature == fixed[key].metric.signature
    (metric,) = of(found, "cider_d")
    assert metric.tested_as == metric
    assert metric.learns == "nothing"


def test_values_are_those_of_the_coco_code_with_the_same_frequencies() -> None:
    cider = pytest.importorskip("pycocoevalcap.cider.cider_scorer")
    here, elsewhere = study(items=5, runs=1, seed=1), study(items=25, references=2, runs=0, seed=2)
    scorer = cider.CiderScorer(n=4, sigma=6.0)
    for item in here.items:
        for caption in sorted(here.runs[0].candidates[item.id]):
            scorer += (caption, list(item.references))
    scorer.document_frequency = Counter(counts(elsewhere))
    assert len(scorer.crefs) == len(elsewhere.items)  # the scorer takes the number of documents from its captions
    expected = scorer.compute_cider()
    found = scoring.score(here, of(document_frequencies.count_frequencies(elsewhere, "whitespace"), "cider_d"))[
        "run 0", "cider_d"
    ]
    assert found.values == pytest.approx(np.array(expected), rel=1e-9)
    assert found.corpus != pytest.approx(scoring.score(here, of(None, "cider_d"))["run 0", "cider_d"].corpus, rel=0.01)


def test_files_say_what_was_counted(tmp_path: Path) -> None:
    elsewhere = study(items=9, seed=5)
    found = document_frequencies.count_frequencies(elsewhere, "whitespace")
    for name, raw in (("a.npz", document_frequencies.to_npz(found, "whitespace")), ("b.json", as_json(elsewhere))):
        (tmp_path / name).write_bytes(raw)
        assert document_frequencies.read(tmp_path / name, "whitespace") == found
    assert document_frequencies.to_npz(found, "whitespace") == document_frequencies.to_npz(found, "whitespace")


@given(st.dictionaries(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple), st.integers(0, 7)))
def test_any_counts_are_found_again(given_counts: dict[tuple[str, ...], int]) -> None:
    """N-grams are found even if their prefixes were never counted."""
    made = document_frequencies.of_counts(7, given_counts)
    assert document_frequencies.parse(document_frequencies.to_npz(made, "ptb"), "x.npz") == made
    for words, count in given_counts.items():
        _, weights = made.weigh([list(words)])
        last = weights[-1] if len(weights) else math.nan
        assert last == pytest.approx(math.log(7) - math.log(max(count, 1)))


def test_other_frequencies_are_other_numbers_in_the_cache() -> None:
    own, cache, options = study(runs=1), Cache(None), Options(p_values=True, draws=99)
    files = [None, *(document_frequencies.count_frequencies(study(items=n, seed=9), "whitespace") for n in (12, 13))]
    keys = {scoring.result_key(m, own.runs[0], own, options) for f in files for m in of(f)}
    assert len(keys) == len(files) * len(USERS)
    values = [scoring.score(own, of(f, "cider_d"), options, cache)["run 0", "cider_d"].corpus for f in files]
    assert len(set(values)) == len(files)


def test_a_registry_by_frequencies_changes_what_resolve_changes_and_leaves_the_rest_as_it_is() -> None:
    found = document_frequencies.count_frequencies(study(), "ptb")
    by = with_frequencies(found)
    assert with_frequencies(None) is OWN
    assert OWN.metrics is METRICS
    assert list(by.metrics.values()) == list(resolve(METRICS, idf=found))
    assert list(by.trms) == list(OWN.trms)
    for name, metric in by.metrics.items():
        assert (metric is METRICS[name]) == (name not in USERS)
        assert frequencies_of(metric) == (found if name in USERS else None)
        assert (f"idf:{found.digest[:12]}" in documentation.summary(metric)) == (name in USERS)


def test_the_score_beside_a_triangle_rank_takes_the_same_frequencies() -> None:
    found = document_frequencies.count_frequencies(study(), "ptb")
    trm = with_frequencies(found).trms["CIDEr-D"]
    assert base_metric(trm).signature == with_frequencies(found).metrics["cider_d"].signature
    assert base_metric(OWN.trms["CIDEr-D"]) is METRICS["cider_d"]


@pytest.mark.parametrize(
    "made", [document_frequencies.of_counts(3, {}), document_frequencies.count_frequencies(study(items=1), "ptb")]
)
def test_frequencies_that_weigh_nothing_are_a_mistake(made: DocumentFrequencies) -> None:
    again = document_frequencies.parse(document_frequencies.to_npz(made, "ptb"), "x.npz")
    with pytest.raises(DataError, match=r"x.npz: (not one n-gram|CIDEr-D needs two sets of references).*trilens idf"):
        document_frequencies.checked(again, "x.npz")


def test_files_of_frequencies_are_told_from_files_of_captions() -> None:
    npz, captions = (
        document_frequencies.to_npz(GOOD, "ptb"),
        json.dumps({"frequencies": ["a"], "documents": ["b"]}).encode(),
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("references.json", captions)
    meant = [
        (npz, "x.npz"),
        (npz, "upload"),
        (b"", "x.npz"),
        (b"\x80\x04}", "x"),
        (b"c__", "x.p"),
        (as_json(study()), "x"),
    ]
    assert all(document_frequencies.looks_like_frequencies(raw, name) for raw, name in meant)
    others = [
        (captions, "x.json"),
        (packed.getvalue(), "x.zip"),
        (b"", "x.json"),
        (b'{"a": "documents" "frequencies"', "x"),
    ]
    assert not any(document_frequencies.looks_like_frequencies(raw, name) for raw, name in others)


def test_only_what_uses_frequencies_changes() -> None:
    found = document_frequencies.count_frequencies(study(), "ptb")
    changed = {m.name for m in resolve(METRICS, idf=found) if m.signature != METRICS[m.name].signature}
    assert changed == set(USERS)


GOOD = document_frequencies.count_frequencies(study(items=4), "ptb")


def damaged(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **{"tokenizer": np.array("ptb"), **GOOD.to_arrays(), **arrays})  # type: ignore[arg-type]
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("raw", "name", "why"),
    [
        (b"\x80\x04}\x94.", "x.npz", "a pickle can run any program"),
        (b"c__builtin__", "coco-val-df.p", "coco-val-df.p: a pickle .* `trilens idf REFERENCES --out"),
        (b"PK\x03\x04nothing", "x.npz", "a damaged .npz file"),
        (b"[1, 2]", "x.json", "neither an .npz file nor a JSON object"),
        (b"\xff\xfe", "x.json", "x.json: these are not document frequencies"),
        (b'{"documents": 3, "frequencies": {"a": 4}}', "x.json", "no n-gram of one to four tokens"),
        (b'{"documents": 3, "frequencies": {"a b c d e": 1}}', "x.json", "no n-gram of one to four tokens"),
        (b'{"documents": 0, "frequencies": {}}', "x.json", "`documents` is not a number"),
        (document_frequencies.to_npz(GOOD, "whitespace"), "x.npz", "counted with the tokenizer whitespace"),
        (damaged(documents=np.array(1)), "x.npz", "more documents than there are"),
        (damaged(last=GOOD.last + 10_000), "x.npz", "words that do not exist"),
        (damaged(prefix=GOOD.prefix + 1), "x.npz", "n-grams whose first words are missing"),
        (damaged(frequency=GOOD.frequency[:-1]), "x.npz", "do not fit together"),
        (damaged(starts=GOOD.starts[:-1]), "x.npz", "lengths other than"),
        (damaged(last=GOOD.last[::-1]), "x.npz", "out of order|first words are missing"),
        (damaged(ends=np.array([0.5])), "x.npz", "not whole"),
        (damaged(version=np.array(2)), "x.npz", "made for version 2, and this one reads version 1"),
        (b"", "x.npz", "neither an .npz file|Expecting value"),
    ],
)
def test_what_is_no_such_file_is_refused(raw: bytes, name: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        document_frequencies.parse(raw, name)
