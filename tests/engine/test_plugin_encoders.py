"""Test encoders from plug-in files: their metrics, the cache of embeddings by text and file, and refusals of faulty
ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import write_jsonl
from metrics.cache.disk import Cache
from metrics.distances.bertscore import BertScoreDistance
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.extensions import plugins
from metrics.laws import encoders
from metrics.mathematics.triangle import triangle_rank
from metrics.registry import DISTANCES, METRICS, resolve
from metrics.suite.quality import BertScore
from metrics.text.encoder import Encoder, EncoderFaulty, EncoderMissing
from tests.command_line import trilens
from tests.engine.test_plugins import run
from tests.studies import study

ENCODER = '''
from dataclasses import dataclass
import zlib
import numpy as np
from metrics import TextEncoder

CALLS = []

@dataclass(frozen=True)
class Hashed(TextEncoder):
    """Counts of words in buckets."""
    size: int = 64
    name, label = "hashed", "Hashed words"

    def encode(self, texts):
        CALLS.append(len(texts))
        rows = np.zeros((len(texts), self.size), dtype=np.float32)
        for row, text in zip(rows, texts):
            for word in [*text.lower().split(), "<end>"]:
                row[zlib.crc32(word.encode()) % self.size] += 1
        return rows

ENCODERS = (Hashed(),)
'''
NAMES = [
    "hashed",
    "trm_hashed",
    "mmd_hashed",
    "frechet_hashed",
    "corpus_frechet_hashed",
    "mauve_hashed",
    "vendi_hashed",
]
STUDY = study(items=15, references=4, candidates=4, runs=2)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    yield
    for one in plugins.loaded():
        plugins.unload(one)


def loaded(tmp_path: Path, text: str = ENCODER) -> plugins.Plugin:
    (tmp_path / "mine.py").write_text(text)
    return plugins.load(tmp_path / "mine.py")


def slow_rows(texts: list[str]) -> np.ndarray:
    import zlib

    words = [[*text.lower().split(), "<end>"] for text in texts]
    return np.array([[sum(zlib.crc32(w.encode()) % 64 == k for w in of) for k in range(64)] for of in words], float)


def test_it_is_a_distance_and_all_metrics_of_embeddings(tmp_path: Path) -> None:
    made = loaded(tmp_path)
    assert [metric.name for metric in made.metrics] == NAMES
    assert DISTANCES["Hashed words"].name == "hashed"
    assert METRICS["trm_hashed"].label == "TRM Hashed words"
    signature = f"trm_hashed|v1|ties:shared|enc:hashed|v1|size:64|plugin:{made.digest}"
    assert METRICS["trm_hashed"].signature == signature
    assert resolve(["trm_hashed"], encoder="another/model")[0].signature == signature
    plugins.unload(made)
    assert "Hashed words" not in DISTANCES
    assert not set(NAMES) & set(METRICS)


def test_its_numbers_are_those_of_its_vectors(tmp_path: Path) -> None:
    loaded(tmp_path)
    found = scoring.score(STUDY, resolve(NAMES), Options(p_values=True, draws=99, resamples=20))
    assert all(result.error is None and np.isfinite(result.corpus) for result in found.values())
    one, item = STUDY.runs[0], STUDY.items[3]
    texts = [*one.candidates[item.id], *item.references]
    rows = slow_rows(texts)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    distance = np.round(1 - unit @ unit.T, 7)
    distance[np.equal.outer(texts, texts)] = 0
    assert found[one.name, "trm_hashed"].items[3] == pytest.approx(triangle_rank(distance, np.arange(8) < 4), abs=1e-9)
    assert found[one.name, "hashed"].items[3] == pytest.approx((unit[:4] @ unit[4:].T).max(axis=1).mean(), abs=1e-6)


def test_bertscore_of_it_is_refused_and_the_others_are_computed(tmp_path: Path) -> None:
    made = loaded(tmp_path)
    space = METRICS["trm_hashed"].space  # type: ignore[attr-defined]
    both = [BertScore(BertScoreDistance(encoder=space.encoder)), *resolve(["hashed"])]
    found = scoring.score(STUDY, both, Options(resamples=20))
    run = STUDY.runs[0].name
    assert found[run, "hashed"].error is None
    assert "vectors of texts, not of their words" in str(found[run, "bertscore"].why())
    assert made.metrics


def test_embeddings_are_kept_by_text_until_the_file_is_edited(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "home")
    made = loaded(tmp_path)
    calls = vars(__import__("sys").modules[f"trilens_plugin_{made.digest}"])["CALLS"]
    scoring.score(STUDY, resolve(["trm_hashed"]), cache=cache)
    before = list(calls)
    assert sum(before) > 40
    scoring.score(STUDY, resolve(["mmd_hashed", "vendi_hashed"]), cache=cache)
    assert calls == before, "other metrics read the same embeddings"
    plugins.unload(made)
    edited = loaded(tmp_path, ENCODER.replace("+= 1", "+= 2"))
    assert edited.digest != made.digest
    assert scoring.plan(STUDY, resolve(["trm_hashed"]), Options(), cache).todo


def test_many_texts_are_encoded_some_at_a_time_and_can_be_stopped(tmp_path: Path) -> None:
    (one,) = loaded(tmp_path).encoders
    texts = [f"dog {k % 700}" for k in range(1_400)]
    steps: list[tuple[int, int]] = []
    found = Encoder(one.name).encode(texts, progress=lambda done, of: steps.append((done, of)))
    assert steps == [(256, 700), (512, 700), (700, 700)]
    assert np.array_equal(found, slow_rows(texts))
    assert Encoder(one.name).encode([]).shape == (0, 64)
    assert np.isfinite(Encoder(one.name).encode(["lone \ud800 surrogate"])).all()
    plugins.unload(plugins.loaded()[0])
    name = one.name
    del one
    with pytest.raises(EncoderMissing, match="The encoder hashed comes from a plug-in file that is not loaded here"):
        Encoder(name).encode(texts)


FAULTS = {
    "rows[0]": r"gives an array of shape \(64,\) for \d+ texts",
    "rows[:1]": r"gives an array of shape \(1, 64\) for \d+ texts, not a row of numbers for each",
    "rows[:, :0]": r"gives an array of shape \(\d+, 0\)",
    "rows.tolist()": "gives a list, not a numpy array",
    "rows.astype(int)": "gives numbers of the kind int64, not float32",
    "rows.astype(str)": "gives numbers of the kind <U32, not float32",
    "rows / 0": r"gives a vector with NaN or infinite numbers for \d+ of \d+ texts",
    "1 / 0": "raises ZeroDivisionError: division by zero",
}


@pytest.mark.parametrize("returned", FAULTS)
def test_a_faulty_encoder_is_a_sentence(returned: str, tmp_path: Path) -> None:
    (one,) = loaded(tmp_path, ENCODER.replace("return rows", f"return {returned}")).encoders
    with pytest.raises(EncoderFaulty, match=rf"mine\.py: the encoder hashed {FAULTS[returned]}"):
        Encoder(one.name).encode(["a dog", "a cat"])


def test_a_faulty_encoder_gives_no_number(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ENCODER.replace("return rows", "return 1 / 0"))
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    asked = ["--metrics", "trm_hashed", "--plugin", tmp_path / "mine.py", "--out", tmp_path / "s.csv"]
    done = trilens("score", tmp_path / "study.jsonl", *asked, expect=1)
    table = pd.read_csv(tmp_path / "s.csv")
    assert table["value"].isna().all()
    assert table["error"].str.contains("mine.py: the encoder hashed ", regex=False).all()
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENCODER.replace("return rows", "return rows[:1]"), "line 10: hashed: gives an array of shape"),
        (
            ENCODER.replace("return rows", "return rows + np.random.rand(*rows.shape).astype('f')"),
            "line 10: hashed: the same texts get different vectors the second time",
        ),
        (
            ENCODER.replace("return rows", "return rows - rows.mean(axis=0)"),
            "line 10: hashed: the vector of a text depends on the texts that are encoded with it",
        ),
        (
            ENCODER.replace("return rows", "return rows + np.arange(len(rows), dtype='f')[:, None]"),
            "line 10: hashed: the vector of a text depends on its place among the other texts",
        ),
        (ENCODER.replace("zlib.crc32(word.encode())", "hash(word)"), "different vectors in another process"),
        (ENCODER.replace("return rows", "return rows * 0"), "line 10: hashed: all texts have the same vector"),
    ],
)
def test_check_plugin_names_what_is_wrong(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "another process" not in said:
        monkeypatch.setattr(encoders, "_elsewhere", lambda *given: "")
    (tmp_path / "mine.py").write_text(text)
    code, output = run("check-plugin", tmp_path / "mine.py")
    assert code == 2
    assert said in output
    assert "Traceback" not in output


def test_check_plugin_tries_the_laws_on_a_sound_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ENCODER)
    code, output = run("check-plugin", tmp_path / "mine.py")
    assert code == 0, output
    assert [line.rpartition(": ")[2] for line in output.splitlines()] == [
        "the laws of encoders hold",
        "all 18 laws hold",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENCODER.replace("@dataclass(frozen=True)\n", ""), "Hashed: write @dataclass(frozen=True) above the class"),
        (ENCODER.replace('"hashed", ', '"Hashed", '), "Hashed: `name` must consist of lowercase letters"),
        (ENCODER.replace('"Hashed words"', '""'), "Hashed: `label` must be a text"),
        (ENCODER.replace('"hashed", ', '"bert", '), "the name bert is taken"),
        (ENCODER.replace("(Hashed(),)", "(Hashed,)"), "ENCODERS holds the class Hashed: write Hashed()"),
        (ENCODER.replace("(Hashed(),)", "(3,)"), "ENCODERS holds 3, which is not a TextEncoder"),
        (ENCODER.replace("    name, label", "    parameters = ''\n    name, label"), "the field `size` is not in the"),
        (ENCODER.replace("def encode", "def embed"), "TypeError: Can't instantiate abstract class Hashed"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(plugins.PluginError) as error:
        loaded(tmp_path, text)
    assert said in str(error.value)
    assert not plugins.loaded()
