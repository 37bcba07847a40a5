"""Test imported embeddings: those of MiniLM give the numbers of MiniLM; missing vectors and unusable files are
named.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from data.study import Study
from metrics.analysis.bundle import checked, study_bundle
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.registry import METRICS, imported_metrics, resolve
from metrics.text.encoder import Encoder
from tests.studies import study as random_study

STUDY = random_study(items=12, references=5, candidates=5, runs=2)
CAPTIONS = ("study.jsonl", to_jsonl_bytes(STUDY))
TEXTS = sorted(
    {t for i in STUDY.items for t in i.references} | {t for r in STUDY.runs for of in r.candidates.values() for t in of}
)
NAMES = ("bert", "trm_bert", "mmd_bert", "frechet_bert", "corpus_frechet_bert", "mauve_bert", "vendi_bert")


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return Encoder().encode(TEXTS)


def npz(**arrays: object) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def parquet(**columns: object) -> bytes:
    out = io.BytesIO()
    pd.DataFrame(columns).to_parquet(out, index=False)
    return out.getvalue()


def loaded(content: bytes, name: str = "clip.npz") -> Loaded:
    return load_study([CAPTIONS, (name, content)])


def with_vectors(content: bytes, name: str = "clip.npz") -> Study:
    found = loaded(content, name).study
    assert found is not None
    assert found.digest == STUDY.digest
    return found


def by_place(rows: np.ndarray) -> dict[str, list[object]]:
    place = {text: k for k, text in enumerate(TEXTS)}
    found: list[tuple[object, ...]] = []
    for item in STUDY.items:
        found += [(item.id, "", k, rows[place[text]].tolist()) for k, text in enumerate(item.references)]
        for run in STUDY.runs:
            texts = run.candidates[item.id]
            found += [(item.id, run.name, k, rows[place[text]].tolist()) for k, text in enumerate(texts)]
    return dict(zip(("item", "run", "candidate", "vector"), (list(column) for column in zip(*found))))


def test_every_form_of_a_file_gives_the_numbers_of_the_encoder(rows: np.ndarray) -> None:
    known = scoring.score(STUDY, [METRICS[name] for name in NAMES])
    keyed = by_place(rows)
    vectors = np.array(keyed.pop("vector"), dtype=np.float32)
    forms = {
        "clip.npz": npz(texts=np.array(TEXTS), vectors=rows),
        "clip.parquet": parquet(text=TEXTS, embedding=rows.tolist()),
    }
    places = {"clip.npz": npz(vectors=vectors, **{k: np.array(v) for k, v in keyed.items()})}
    digests = set()
    for name, content in (*forms.items(), *places.items()):
        study = with_vectors(content, name)
        digests.add(study.vectors[0].digest)
        metrics = imported_metrics(study)
        assert list(metrics) == [f.replace("bert", "clip") for f in NAMES]
    assert len(digests) == 1, "so the numbers of one form are those of all"
    found = scoring.score(study, metrics.values())
    for run in study.runs:
        for one, other in zip(NAMES, metrics):
            mine, theirs = found[run.name, other], known[run.name, one]
            assert np.allclose(mine.items, theirs.items, atol=1e-6, equal_nan=True), other
            assert np.isclose(mine.corpus, theirs.corpus, rtol=1e-4, atol=1e-6), other
            assert mine.corpus != 0


def test_they_are_marked_and_signed_by_their_content(rows: np.ndarray) -> None:
    metrics = imported_metrics(with_vectors(npz(texts=np.array(TEXTS), vectors=rows)))
    others = imported_metrics(with_vectors(npz(texts=np.array(TEXTS), vectors=rows + np.float32(0.001))))
    assert metrics["trm_clip"].label == "TRM clip (imported)"
    assert "enc:file:clip@" in metrics["trm_clip"].signature
    assert metrics["trm_clip"].signature != others["trm_clip"].signature
    study = with_vectors(npz(texts=np.array(TEXTS), vectors=rows), "bert.npz")
    assert list(imported_metrics(study))[:2] == ["imported_bert", "trm_imported_bert"]
    named = resolve(
        ["trm_clip", "bert"], encoder="all-MiniLM-L6-v2", study=with_vectors(npz(texts=np.array(TEXTS), vectors=rows))
    )
    assert [m.name for m in named] == ["bert", "trm_clip"]


def test_captions_without_a_vector_are_counted_and_their_items_have_no_value(rows: np.ndarray) -> None:
    lacking = STUDY.runs[0].candidates["image 3"][0]
    kept = [k for k, text in enumerate(TEXTS) if text != lacking]
    found = loaded(npz(texts=np.array(TEXTS)[kept], vectors=rows[kept]))
    (said,) = [finding for finding in found.findings if finding.code == "vector_missing"]
    assert said.problem == f"1 of {len(TEXTS)} different captions have no vector."
    assert found.study is not None
    result = scoring.score(found.study, [imported_metrics(found.study)["trm_clip"]])[STUDY.runs[0].name, "trm_clip"]
    assert np.isnan(result.items[3])
    assert result.reasons[3].startswith("clip has no vector for ")
    assert result.n < len(STUDY.items)
    whole = scoring.score(found.study, [imported_metrics(found.study)["corpus_frechet_clip"]])
    assert "clip has no vector for" in str(whole[STUDY.runs[0].name, "corpus_frechet_clip"].why())


def header(shape: tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return out.getvalue()


def archive(**members: bytes) -> bytes:
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in members.items():
            packed.writestr(f"{name}.npy", content)
    return out.getvalue()


HOSTILE = {
    "objects": (npz(texts=np.array(TEXTS, dtype=object), vectors=np.ones((len(TEXTS), 3))), "holds Python objects"),
    "other length": (npz(texts=np.array(TEXTS), vectors=np.ones((3, 4))), f"3 vectors for {len(TEXTS)} captions"),
    "one number": (npz(texts=np.array(TEXTS), vectors=np.ones(len(TEXTS))), "not a row of numbers per caption"),
    "text for numbers": (npz(texts=np.array(TEXTS), vectors=np.array([TEXTS] * 2)), "not a row of numbers"),
    "no texts": (npz(vectors=np.ones((len(TEXTS), 3))), "neither texts, nor item and index"),
    "no vectors": (npz(texts=np.array(TEXTS)), "no array `vectors`, but texts ("),
    "another study": (npz(texts=np.array(["x", "y"]), vectors=np.ones((2, 3))), "none belongs to a caption"),
    "huge claim": (archive(texts=b"", vectors=header((1 << 40, 512))), "cannot be used"),
    "no arrays": (archive(texts=b"nonsense"), "cannot be used"),
    "all NaN": (npz(texts=np.array(TEXTS), vectors=np.full((len(TEXTS), 3), np.nan)), "none belongs to a caption"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_a_sentence(name: str) -> None:
    content, why = HOSTILE[name]
    found = loaded(content)
    assert found.study is not None
    assert not found.study.vectors
    (said,) = [finding for finding in found.findings if finding.code == "vectors_unusable"]
    assert (said.file, said.severity) == ("clip.npz", "error")
    assert why in said.problem


def test_infinite_vectors_and_other_vectors_of_one_text_are_findings(rows: np.ndarray) -> None:
    texts, vectors = [*TEXTS, TEXTS[0]], np.vstack([rows, -rows[:1]])
    vectors[1, 0] = np.inf
    found = loaded(npz(texts=np.array(texts), vectors=vectors))
    codes = {finding.code: finding for finding in found.findings}
    assert codes["vector_not_number"].record == "row 2"
    assert codes["vector_differs"].record == f"row {len(texts) - 1}" or codes["vector_differs"].record.startswith("row")
    assert found.study is not None
    assert np.array_equal(found.study.vectors[0].rows[0], rows[0])


def test_a_bundle_carries_them(rows: np.ndarray, tmp_path: Path) -> None:
    study = with_vectors(npz(texts=np.array(TEXTS), vectors=rows))
    cache, metric = Cache(tmp_path), imported_metrics(study)["trm_clip"]
    scoring.score(study, [metric], cache=cache)
    opened = checked(load_study(("study.zip", study_bundle(study, cache))))
    assert opened.study is not None
    assert opened.study.vectors[0].digest == study.vectors[0].digest
    assert len(opened.numbers) == 2
    assert not {finding.code for finding in opened.findings} & {"bundle_unknown", "bundle_damaged"}
