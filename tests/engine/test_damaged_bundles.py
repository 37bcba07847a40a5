"""Test that damaged or malicious bundles either open with correct numbers or are refused with a sentence."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from data.check import Loaded
from data.load import load_study
from data.study import Study
from metrics.analysis import artifacts, bundle
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays, decode, encode
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import resolve
from tests.command_line import trilens
from tests.engine.damage import damaged
from tests.engine.test_damage import equal, of_pages, rated
from tests.learned.small import small_networks
from tests.studies import study as random_study

METRICS = resolve(["bleu_4", "trm_bow", "self_bleu_4", "consensus_cider_d", "vocabulary"])
STUDY = rated(random_study(items=4, references=5, candidates=3, seed=31))
TIMES = 60


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    with small_networks():
        yield


@pytest.fixture(scope="module")
def packed() -> tuple[bytes, dict[str, Arrays]]:
    cache = Cache(None)
    scoring.score(STUDY, METRICS, bundle.TESTED, cache)
    works = of_pages(STUDY, cache)
    for work in works:
        work.compute(cache, Hooks())
    content = bundle.study_bundle(STUDY, cache)
    numbers = bundle.checked(load_study([("b.zip", content)])).numbers
    ours = len(works) - 2  # critiques and chance belong to a larger study
    assert len(numbers) == ours + len(METRICS) * 2 - 1  # consensus is common to both runs
    return content, {key: decode(key, raw) or {} for key, raw in numbers.items()}


def opened(content: bytes) -> Loaded:
    return bundle.checked(load_study([("b.zip", content)]))


def right(loaded: Loaded, arrays: dict[str, Arrays]) -> bool:
    """Return whether the bundle has the packed captions and only packed numbers.

    If any number is missing, a finding must say so.
    """
    assert loaded.study is not None
    if loaded.study.references_digest != STUDY.references_digest or loaded.study.contents != STUDY.contents:
        return False
    if not all(equal(decode(key, raw) or {}, arrays[key]) for key, raw in loaded.numbers.items()):
        return False
    return len(loaded.numbers) == len(arrays) or any(f.code.startswith("bundle_") for f in loaded.findings)


def outcome(content: bytes, arrays: dict[str, Arrays]) -> str:
    loaded = opened(content)
    if loaded.study is None:
        return "refused" if any(error.problem and error.repair for error in loaded.errors) else "refused in silence"
    return "right" if right(loaded, arrays) else "wrong"


def damaged_bundles(content: bytes, source: Random, times: int) -> list[bytes]:
    """Return damaged bundles: one half are damaged as files, the other half are packed again with one damaged
    member.
    """
    found = []
    for turn in range(times):
        if turn % 2:
            found.append(damaged(content, source))
            continue
        with zipfile.ZipFile(io.BytesIO(content)) as old:
            members = {name: old.read(name) for name in old.namelist()}
        numbers = [name for name in members if name.endswith(".npz")]
        name, other = source.sample(numbers, 2)
        members[name] = damaged(members[name], source, members[other])
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
            for member, raw in members.items():
                new.writestr(member, raw)
        found.append(packed.getvalue())
    return found


def fuzz(packed: tuple[bytes, dict[str, Arrays]], seed: int, times: int) -> Counter[str]:
    content, arrays = packed
    return Counter(outcome(found, arrays) for found in damaged_bundles(content, Random(seed), times))


def test_damaged_bundles_open_right_or_are_refused(packed: tuple[bytes, dict[str, Arrays]]) -> None:
    counts = fuzz(packed, seed=4, times=TIMES)
    assert set(counts) <= {"right", "refused"}, counts
    assert counts["right"] >= TIMES / 2
    assert counts["refused"] > 5


def test_a_bundle_without_its_study_is_refused(packed: tuple[bytes, dict[str, Arrays]]) -> None:
    for lost in (b"study.jsonl", b"trilens.json"):
        loaded = opened(packed[0].replace(lost, lost[:-1] + b"x"))
        if lost == b"study.jsonl":
            assert loaded.study is None
            assert "without its study.jsonl" in loaded.errors[0].problem
        else:
            assert right(loaded, packed[1])


def with_arrays(content: bytes, change: Callable[[str, dict[str, np.ndarray]], object]) -> bytes:
    """Return the bundle with the arrays of every entry changed and sealed again, as by a forger."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            key, raw = name.removesuffix(".npz"), old.read(name)
            if name.endswith(".npz"):
                arrays = dict(decode(key, raw) or {})
                change(key, arrays)
                raw = encode(key, arrays, compress=True)
            new.writestr(name, raw)
    return out.getvalue()


def every(value: float) -> Callable[[str, dict[str, np.ndarray]], object]:
    def change(key: str, arrays: dict[str, np.ndarray]) -> None:
        for name, array in arrays.items():
            if array.dtype.kind == "f":
                arrays[name] = np.full(array.shape, value)

    return change


def shorter(key: str, arrays: dict[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        if name not in ("said", artifacts.LABEL) and array.ndim:
            arrays[name] = array[:-1]


def huge(key: str, arrays: dict[str, np.ndarray]) -> None:
    arrays.update({name: np.zeros((50, 50, 50)) for name in arrays if name not in ("said", artifacts.LABEL)})


def texts(key: str, arrays: dict[str, np.ndarray]) -> None:
    arrays.update({name: array.astype(str) for name, array in arrays.items()})


HOSTILE = {
    "inf": every(np.inf),
    "-1": every(-1.0),
    "1e300": every(1e300),
    "5": every(5.0),
    "shorter": shorter,
    "huge": huge,
    "texts": texts,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_numbers_that_cannot_be_are_left_out_with_a_finding(what: str, packed: tuple[bytes, dict[str, Arrays]]) -> None:
    loaded = opened(with_arrays(packed[0], HOSTILE[what]))
    assert loaded.study is not None
    for key in loaded.numbers:
        assert not key.startswith("results/"), key
    assert next(f for f in loaded.findings if f.code == "bundle_damaged").count >= len(METRICS) * 2 - 1
    given = Cache(None, given=loaded.numbers)
    for work in of_pages(loaded.study, given):
        found = work.stored(given)
        # An experiment on fewer items is possible, since some items may have no values.
        fewer = what == "shorter" and work.key.startswith("experiments/")
        assert found is None or fewer or what in ("-1", "5"), "numbers that pages would stumble over"


def test_entries_that_nobody_knows_are_ignored_with_a_finding(packed: tuple[bytes, dict[str, Arrays]]) -> None:
    out = io.BytesIO(packed[0])
    key = f"results/ab/{'ab' * 32}"
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(f"{key}.npz", encode(key, {"values": np.ones(2)}, True))
        archive.writestr("results/../../x.npz", b"")
        archive.writestr("layouts/ab/other.npz", b"PK")
    loaded = opened(out.getvalue())
    assert right(loaded, packed[1])
    assert {f.code: f.count for f in loaded.findings if f.code.startswith("bundle_")} == {
        "bundle_unknown": 2,
        "bundle_damaged": 1,
    }


def test_the_command_line_says_what_it_did_not_compute(
    packed: tuple[bytes, dict[str, Arrays]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "b.zip"
    file.write_bytes(packed[0])
    asked = ["score", str(file), "--metrics", "bleu_4", "--p-values", "--out", str(tmp_path / "s.csv")]
    trusting = trilens(*asked)
    said = "2 numbers came with the study bundle and were not computed here; --recompute computes them."
    assert said in trusting.stderr, "of all that the bundle holds, what was asked for"
    assert not (tmp_path / "cache" / "results").exists()
    again = trilens(*asked, "--recompute")
    assert "not computed here" not in again.stderr
    assert len(list((tmp_path / "cache" / "results").rglob("*.npz"))) == 2
    own = trilens(*asked)
    assert "came with" not in own.stderr, "both were computed here meanwhile"
    more = trilens("score", file, "--metrics", "bleu_4,vocabulary", "--p-values")
    assert "2 numbers came" in more.stderr, "the two of the vocabulary"


def test_what_a_command_did_not_take_from_a_bundle_is_not_counted(
    packed: tuple[bytes, dict[str, Arrays]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    file, again = tmp_path / "b.zip", tmp_path / "again.zip"
    file.write_bytes(packed[0])
    asked = ["unique-correct", str(file), "--distance", "bow", "--size", "2", "--held", "2", "--repeats", "1"]
    done = trilens(*asked)
    assert "came with" not in done.stderr, "these sets are not in the bundle"
    one = "consensus_cider_d"
    done = trilens("score", file, "--metrics", one, "--p-values")
    assert "1 number came with the study bundle and was not computed here; --recompute computes it." in done.stderr
    done = trilens("bundle", file, "--metrics", one, "--out", again)
    assert "9 numbers and the data of 13 figures came with" in done.stderr, "all that the new bundle holds"


def test_what_one_session_was_told_is_never_told_another() -> None:
    """A forged bundle may be open at the same time, so intervals and comparisons are cached with the numbers in
    their keys.
    """
    from metrics.analysis import numbers as analysis_numbers

    fake = scoring.score(faked(STUDY), METRICS[:1])
    real = scoring.score(STUDY, METRICS[:1])
    told = analysis_numbers.Numbers(fake).corpus(STUDY, METRICS[0], STUDY.runs)[1]
    found = analysis_numbers.Numbers(real).corpus(STUDY, METRICS[0], STUDY.runs)[1]
    assert not np.array_equal(told, found)
    from metrics.analysis.paired import family

    pair = [(STUDY.runs[0], STUDY.runs[1], METRICS[0])]
    first, second = (family(STUDY, analysis_numbers.Numbers(n), pair).comparisons[0] for n in (fake, real))
    assert first.difference != second.difference


def faked(study: Study) -> Study:
    return random_study(items=len(study.items), references=5, candidates=3, seed=99)
