"""Test FENSE: similarity of embeddings, reduced to a tenth if a given classifier finds an error in the caption."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.numbers import score_with_people
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.progress import Cancelled
from metrics.registry import METRICS, resolve
from metrics.text import fluency
from metrics.text.encoder import Encoder
from metrics.text.folder_model import FolderModelMissing

WORDS = ["a", "dog", "barks", "twice", "and", "the", "rain", "falls", "on", "roof", "bird", "sings", "while", "wind"]
LONGEST = 10


Kind = Literal["regression", "single_label_classification", "multi_label_classification"]


@cache
def vector(text: str) -> Floats:
    found = np.asarray(Encoder().encode([text])[0], dtype=float)
    return found / math.sqrt(found @ found)


def made(path: Path, labels: Sequence[str], kind: Kind) -> str:
    """Make a folder with a classifier of two small layers with random weights and these labels; return its path."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    vocabulary = {word: k for k, word in enumerate(["<pad>", "<unknown>", *WORDS])}
    words = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unknown>"}
    file = path.with_suffix(".json")
    file.write_text(json.dumps({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": words}))
    PreTrainedTokenizerFast(tokenizer_file=str(file), pad_token="<pad>", unk_token="<unknown>").save_pretrained(path)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=LONGEST,
        initializer_range=1.0,
        id2label=dict(enumerate(labels)),
        label2id={label: k for k, label in enumerate(labels)},
        problem_type=kind,
    )
    BertForSequenceClassification(config).save_pretrained(path)
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("m") / "echecker", ("tail", "error", "verb"), "multi_label_classification")


def probability(folder: str, text: str, label: int, each: bool) -> float:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        logits = model(torch.tensor([tokenizer(text)["input_ids"][:LONGEST]])).logits[0].double().tolist()
    if each:
        return 1 / (1 + math.exp(-logits[label]))
    return math.exp(logits[label]) / sum(math.exp(one) for one in logits)


STUDY = Study(
    name="sounds",
    items=(
        Item("one", ("a dog barks twice", "the dog barks and the rain falls", "a dog")),
        Item("two", ("a bird sings", "the wind and a bird")),
    ),
    runs=(
        Run(
            "m",
            "m",
            Settings(),
            {"one": ("a dog barks and", "the rain falls on the roof"), "two": ("a bird sings while", "a bird")},
        ),
    ),
)
TEXTS = [text for item in STUDY.items for text in (*STUDY.runs[0].candidates[item.id], *item.references)]


def slow(p: dict[str, float], own: Sequence[str], people: Sequence[str], threshold: float, penalty: float) -> float:
    total = 0.0
    for text in own:
        near = [float(vector(text) @ vector(other)) for other in people]
        total += sum(near) / len(near) * ((1 - penalty) if p[text] > threshold else 1)
    return total / len(own)


def scored(name: str, p_values: bool = False) -> Result:
    (metric,) = resolve([name])
    return scoring.score(STUDY, [metric], Options(p_values=p_values), Cache(None))["m", metric.name]


@pytest.mark.parametrize(
    ("labels", "kind", "label", "each"),
    [
        (("tail", "Error", "verb"), "multi_label_classification", 1, True),
        (("fine", "broken"), "single_label_classification", 1, False),
        (("LABEL_0",), "regression", 0, True),
    ],
)
def test_probabilities_are_those_of_transformers_text_by_text(
    tmp_path: Path, labels: Sequence[str], kind: Kind, label: int, each: bool
) -> None:
    folder = made(tmp_path / "model", labels, kind)
    texts = [*TEXTS, " ".join(["dog"] * 30)]
    expected = [probability(folder, text, label, each) for text in texts]
    np.testing.assert_allclose(fluency.probabilities(folder, texts), expected, atol=1e-6)
    with pytest.raises(Cancelled):
        fluency.probabilities(folder, texts, lambda: True)


def test_values_are_the_formula_s_with_a_folder(folder: str) -> None:
    p = {text: probability(folder, text, 1, True) for text in TEXTS}
    threshold = float(np.round(np.median(list(p.values())), 3))
    assert 0 < sum(p[text] > threshold for text in TEXTS[:2] + TEXTS[5:7]) < 4  # both kinds are tried
    found = scored(f"fense(classifier={folder},threshold={threshold:g},penalty=0.8)")
    for k, item in enumerate(STUDY.items):
        expected = slow(p, STUDY.runs[0].candidates[item.id], item.references, threshold, 0.8)
        assert found.items[k] == pytest.approx(expected, abs=1e-6)
    assert found.corpus == pytest.approx(np.mean(found.items))


def table(path: Path, p: dict[str, float]) -> str:
    rows = [{"Caption": f" {text} ", "fer.error_prob": value} for text, value in p.items()]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        lines = [mark.join(rows[0]), *(mark.join((f'"{row["Caption"]}"', repr(row["fer.error_prob"]))) for row in rows)]
        path.write_text("\n".join(lines))
    return str(path)


PROBABILITIES = {text: (0.95 if text.split()[-1] in ("and", "while") else 0.9) for text in TEXTS}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_a_file_states_probabilities_and_the_threshold_itself_is_no_error(tmp_path: Path, suffix: str) -> None:
    found = scored(f"fense(classifier={table(tmp_path / f'errors{suffix}', PROBABILITIES)})")
    for k, item in enumerate(STUDY.items):
        expected = slow(PROBABILITIES, STUDY.runs[0].candidates[item.id], item.references, 0.9, 0.9)
        assert found.items[k] == pytest.approx(expected, abs=1e-6)


def test_line_breaks_within_a_caption_do_not_part_rows(tmp_path: Path) -> None:
    texts = ["a dog\nbarks", "a bird\u2028sings", "the rain\x0cfalls"]
    rows = [f'"{text}",0.{k}' for k, text in enumerate(texts, 1)]
    path = tmp_path / "e.csv"
    path.write_text("\r\n".join(["caption,error_probability", *rows]), newline="")
    assert fluency.probabilities(str(path), texts).tolist() == [0.1, 0.2, 0.3]


def test_texts_are_cut_where_the_tokenizer_ends_if_that_is_before_the_last_position(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    folder = made(tmp_path / "model", ("fine", "error"), "single_label_classification")
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    tokenizer.model_max_length = LONGEST - 2
    tokenizer.save_pretrained(folder)
    long = "a dog barks twice and the rain falls on the roof"
    expected = probability(folder, " ".join(long.split()[: LONGEST - 2]), 1, False)
    np.testing.assert_allclose(fluency.probabilities(folder, [long]), [expected], atol=1e-6)


def test_the_exact_test_moves_each_text_with_its_own_penalty(tmp_path: Path) -> None:
    found = scored(f"fense(classifier={table(tmp_path / 'e.csv', PROBABILITIES)})", p_values=True)
    for k, item in enumerate(STUDY.items):
        own = STUDY.runs[0].candidates[item.id]
        texts = [*own, *item.references]
        values = []
        for chosen in combinations(range(len(texts)), len(own)):
            mine = [texts[j] for j in chosen]
            people = [text for j, text in enumerate(texts) if j not in chosen]
            values.append(slow(PROBABILITIES, mine, people, 0.9, 0.9))
        assert found.item_p is not None
        assert found.item_p[k] == pytest.approx(np.mean(np.array(values) <= values[0] + 1e-9))


def test_people_have_a_value_with_their_own_errors(tmp_path: Path) -> None:
    (metric,) = resolve([f"fense(classifier={table(tmp_path / 'e.csv', PROBABILITIES)})"])
    found = score_with_people(STUDY, (metric,), lambda of, some: scoring.score(of, some, Options(), Cache(None)))
    (agreement,) = found.agreement.values()
    for k, item in enumerate(STUDY.items):
        each = [
            slow(PROBABILITIES, [one], [other for other in item.references if other != one], 0.9, 0.9)
            for one in item.references
        ]
        assert agreement.items[k] == pytest.approx(np.mean(each), abs=1e-6)


def test_a_caption_that_the_file_lacks_has_no_value_and_says_so(tmp_path: Path) -> None:
    runs_only = {text: p for text, p in PROBABILITIES.items() if text not in STUDY.items[0].references}
    del runs_only["a bird"]
    found = scored(f"fense(classifier={table(tmp_path / 'e.csv', runs_only)})", p_values=True)
    assert math.isfinite(found.items[0])
    assert math.isnan(found.items[1])
    assert found.reasons[1] == "the file of error probabilities lacks 1 of 2 captions"
    assert found.item_p is not None
    assert np.isnan(found.item_p[0])  # its references have no probability


def test_the_signature_says_encoder_classifier_threshold_and_penalty(folder: str, tmp_path: Path) -> None:
    path = table(tmp_path / "e.csv", PROBABILITIES)
    (one,) = resolve([f"fense(classifier={folder})"])
    (two,) = resolve([f"fense(classifier={path},threshold=0.5,penalty=0.25)"])
    assert one.signature.startswith("fense|v1|refs:mean|errors:echecker@")
    assert "|above:0.9|penalty:0.9|enc:all-MiniLM-L6-v2@53aa5117" in one.signature
    assert "|errors:file@" in two.signature
    assert "|above:0.5|penalty:0.25|" in two.signature
    before = two.signature
    table(tmp_path / "e.csv", {**PROBABILITIES, "more": 0.1})
    assert two.signature != before
    assert "fense" not in METRICS  # in no set, so that released tables do not change


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("e.csv", "caption,error\na dog,1.5\n", r"e\.csv, row 1: '1\.5' is not a probability from 0 to 1"),
        ("e.csv", "caption,error\na dog,yes\n", r"row 1: 'yes' is not a probability"),
        ("e.csv", "caption,error\na dog,0.1\na  dog,0.2\n", r"row 2: a caption has two probabilities, 0\.1 and 0\.2"),
        ("e.csv", "id,error\n1,0.1\n", r"has the columns id, error; name the folder"),
        ("e.csv", "", r"has no rows"),
        ("e.jsonl", "{", r"cannot be read"),
        ("e.jsonl", "[1, 2]", r"cannot be read"),
        ("e.json", '{"caption": 1}', r"cannot be read"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_the_remedy(tmp_path: Path, name: str, text: str, why: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=why):
        resolve([f"fense(classifier={tmp_path / name})"])


def test_no_file_no_weights_and_no_classifier_are_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No such file"):
        resolve([f"fense(classifier={tmp_path}/none.csv)"])
    with pytest.raises(ValueError, match=r"no config.json and no tokenizer.json: save model"):
        resolve([f"fense(classifier={tmp_path})"])
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(FolderModelMissing, match="transformers cannot load a classifier"):
        fluency.probabilities(str(tmp_path), ["a dog"])
    (metric,) = resolve(["fense"])
    assert "fense(classifier=FOLDER_OR_FILE)" in (why_impossible(STUDY, metric) or "")
