"""Test a critique's other inputs, word vectors and features of images, and the precision of its training."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from data.convert import write_jsonl
from data.study import DataError, Study
from figures.report import commands
from metrics.analysis.critique import stored
from metrics.analysis.feasibility import why_impossible
from metrics.cache.disk import Cache
from metrics.chunk import StudyDigests
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.learned.critique import Design, Work, measure
from metrics.learned.critique_data import Corpus
from metrics.learned.critique_metric import Critique, key_of
from metrics.learned.networks import HIDDEN, Classifier, Critic, WordReader
from metrics.learned.trainer import initialise
from metrics.learned.vocabulary import UNKNOWN
from metrics.progress import Hooks, Unable
from metrics.registry import resolve
from metrics.text.word_vectors import named, read
from tests.command_line import trilens
from tests.learned.test_critique import NOUNS, PLACES, corpus, words_and_pairs
from tests.studies import study as random_study

STUDY = random_study(items=24, references=2, candidates=1, runs=1)
COLOURS = ("red", "blue", "green", "white")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    rows = {word: np.round(np.random.default_rng(k).normal(size=7), 4) for k, word in enumerate(("dog", "a", "wall"))}
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows.items()))
    return path


def npz(path: Path, names: list[str], width: int = 3) -> Path:
    features = np.random.default_rng(0).normal(size=(len(names), width))
    np.savez(path, names=np.array(names, dtype=str), features=features)
    return path


def test_words_of_the_file_begin_with_their_vectors_and_the_others_at_random(vectors: Path) -> None:
    known = named(str(vectors))
    work = Work(corpus(60), Design(reader="lstm", vectors=known.of_words), words_and_pairs, Hooks(), None)
    network = work.network(0)
    initialise(network, 0)
    assert network.reader is not None
    assert work.vocabulary is not None
    weight = network.reader.embedding.weight
    assert weight.shape == (len(work.vocabulary), 7)
    for k, word in enumerate(work.vocabulary.words, UNKNOWN + 1):
        own = known.of_words([word]).get(word)
        assert (own is not None) == (word in ("dog", "a", "wall"))
        if own is None:
            assert weight[k].abs().max() <= 1 / 7**0.5
        else:
            assert torch.equal(weight[k], torch.as_tensor(own))


def test_a_file_without_any_word_of_the_captions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("Zyzzyva 1 2 3\n")
    with pytest.raises(Unable, match="no word of the captions has a vector"):
        Work(corpus(60), Design(reader="lstm", vectors=read(path).of_words), words_and_pairs, Hooks(), None)


def test_the_file_is_part_of_the_signature_and_takes_the_lstm(vectors: Path) -> None:
    (metric,) = resolve([f"critique(reader=lstm,vectors={vectors})"])
    assert f"words:7-{named(str(vectors)).sha256[:12]}" in metric.signature
    assert "words:300-random" in Critique(reader="lstm").signature
    before = metric.signature
    vectors.write_text(vectors.read_text() + "cat 1 2 3 4 5 6 7\n")
    assert metric.signature != before
    with pytest.raises(ValueError, match="vectors is not part of the signature"):
        resolve([f"critique(vectors={vectors})"])


def test_compressed_vectors_are_those_of_the_text(vectors: Path, tmp_path: Path) -> None:
    packed = tmp_path / "glove.txt.gz"
    packed.write_bytes(gzip.compress(vectors.read_bytes()))
    one, other = named(str(vectors)), named(str(packed))
    assert one.sha256 == other.sha256
    for word, row in one.of_words(["dog", "wall"]).items():
        assert np.array_equal(other.of_words([word])[word], row)
    packed.write_bytes(packed.read_bytes()[:-12])
    with pytest.raises(DataError, match=r"glove.txt.gz: cut off, or not a gzip file. Fetch it again"):
        named(str(packed))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3 2\ndog 1 2\ncat 1 2\n", "line 1: 3 words are promised and 2 follow: the file is cut"),
        ("dog 1 2\ncat 1 2 3\n", "line 2: not a word followed by numbers.* Name a text file"),
        ("dog 1 2\ncat 1\n", "line 2: not a word followed by numbers.* Name a text file"),
    ],
)
def test_a_bad_file_is_named_with_line_and_remedy_before_work(tmp_path: Path, text: str, said: str) -> None:
    path, captions = tmp_path / "bad.txt", tmp_path / "captions.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=f"bad.txt, {said}"):
        read(path)
    write_jsonl(STUDY, captions)
    asked = ["train", "critique", str(captions), "--no-cache", "--reader", "lstm", "--word-vectors", str(path)]
    done = trilens(*asked, expect=2)
    assert "bad.txt, line" in " ".join(done.output.split())


def coloured(items: int = 100) -> Corpus:
    """People name the image's colour and the run names another one, so captions alone carry no information."""
    rng = np.random.default_rng(5)
    own = rng.integers(4, size=items)
    other = (own + rng.integers(1, 4, size=items)) % 4
    things = [f"{noun} {place}" for noun in NOUNS for place in PLACES]  # otherwise, equal captions would be in one half
    people = tuple(tuple(f"{COLOURS[k]} {things[(n + m) % 64]}" for m in range(6)) for n, k in enumerate(own))
    run = tuple(tuple(f"{COLOURS[k]} {things[(n + m) % 64]}" for m in range(6)) for n, k in enumerate(other))
    noise = rng.normal(size=(items, 4)) * 0.05
    return Corpus(people, (run,), images=(np.eye(4)[own] + noise).astype(np.float32))


def colours(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the colour with which each text begins, one-hot, and the text's words with a small weight."""
    first = np.array([[float(text.startswith(colour)) for colour in COLOURS] for text in texts])
    return np.hstack([first, 0.05 * words_and_pairs(texts)])


def test_beside_the_image_a_caption_of_another_one_is_told_apart() -> None:
    design = Design("image", "bilinear", augmented=False)
    seen = measure(coloured(), design, colours)
    assert seen.people.mean() > seen.runs.mean() + 0.5
    blind = measure(coloured(), replace(design, context="none"), colours)
    assert blind.people.mean() == pytest.approx(blind.runs.mean(), abs=0.15)


def test_items_in_another_order_keep_their_images() -> None:
    of, order = coloured(), np.random.default_rng(2).permutation(100).tolist()
    design = Design("image", "linear", augmented=False)
    one, other = measure(of, design, words_and_pairs), measure(of.taken(order), design, words_and_pairs)
    assert np.array_equal(one.runs.reshape(100, 6)[order], other.runs.reshape(100, 6))
    assert np.array_equal(one.people.reshape(100, 6)[order], other.people.reshape(100, 6))


def test_both_contexts_are_of_equal_weight_beside_each_other() -> None:
    network = Critic(Classifier(5, 8, "linear"))
    caption, reference, image = torch.randn(3, 5), torch.randn(3, 5), 40 * torch.randn(3, 3)
    assert torch.allclose(network(caption, reference, image), network(caption, reference, image / 40), atol=1e-6)
    assert torch.allclose(network(caption, reference, image), network(caption, reference / 7, image), atol=1e-6)
    assert not torch.allclose(network(caption, reference, image), network(caption, reference, image.flip(0)))


def test_what_images_lack_is_said_before_work(tmp_path: Path) -> None:
    names = [item.id for item in STUDY.items]
    whole, cut = npz(tmp_path / "all.npz", names), npz(tmp_path / "cut.npz", names[2:])
    metric = Critique(context="image", combination="linear", images=str(whole))
    assert why_impossible(STUDY, metric) is None
    lacking = replace(metric, images=str(cut))
    said = f"cut.npz has no features of 2 of 24 images, such as {names[0]!r}: add them"
    assert said in str(why_impossible(STUDY, lacking))
    assert said in scoring.plan(STUDY, [lacking], Options(), Cache(None)).unmet["critique"]
    assert "needs features of the images" in str(why_impossible(STUDY, Critique(context="both")))
    path = tmp_path / "captions.jsonl"
    write_jsonl(STUDY, path)
    asked = ["train", "critique", str(path), "--no-cache", "--context", "image", "--network", "linear", "--images"]
    done = trilens(*asked, cut, expect=2)
    assert said in " ".join(done.output.split())
    alone = trilens("train", "critique", path, "--no-cache", "--images", whole, expect=2)
    assert "--images FILE goes with --context image or both" in " ".join(alone.output.split())


def test_an_image_context_is_scored_and_its_keys_hold_the_images(tmp_path: Path) -> None:
    path = npz(tmp_path / "all.npz", [item.id for item in STUDY.items])
    (metric,) = resolve([f"critique(context=image,combination=linear,images={path})"])
    found = scoring.score(STUDY, [metric], Options(), Cache(None))[STUDY.runs[0].name, metric.name]
    assert np.isfinite(found.items).all()
    other = Study(STUDY.name, tuple(replace(item, image=f"{item.id}.jpg") for item in STUDY.items), STUDY.runs)
    images, texts = Critique(context="image", images=str(path)), Critique()
    assert key_of(images, StudyDigests.of(STUDY)) != key_of(images, StudyDigests.of(other))
    assert key_of(texts, StudyDigests.of(STUDY)) == key_of(texts, StudyDigests.of(other))


def test_captions_are_read_as_an_lstm_reads_them_each_alone() -> None:
    """One pass over a batch in which words and captions recur equals PyTorch's LSTM on one caption at a time."""
    torch.manual_seed(1)
    reader = WordReader(40)
    numbers = torch.zeros(30, 15, dtype=torch.long)
    for row in numbers:
        size = int(torch.randint(0, 16, ()))
        row[:size] = torch.randint(1, 40, (size,))
    numbers[7], numbers[11] = numbers[3], 0
    found = reader(numbers)
    assert found.shape == (30, HIDDEN)
    for row, vector in zip(numbers, found):
        size = max(int((row > 0).sum()), 1)
        assert torch.allclose(vector, reader.lstm(reader.embedding(row[None, :size]))[1][0][0, 0], atol=1e-6)
    found.square().sum().backward()
    shared = [parameter.grad.clone() for parameter in reader.parameters() if parameter.grad is not None]
    reader.zero_grad()
    for row in numbers:
        size = max(int((row > 0).sum()), 1)
        reader.lstm(reader.embedding(row[None, :size]))[1][0].square().sum().backward()
    alone = [parameter.grad for parameter in reader.parameters()]
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in zip(shared, alone, strict=True))


def test_training_in_bfloat16_is_repeatable_close_by_and_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Design.recipe
    monkeypatch.setattr(Design, "recipe", lambda *given: replace(recipe(*given), epochs=2))
    design, of = Design(reader="lstm", context="none"), corpus(24)
    one = measure(of, design, words_and_pairs)
    half = measure(of, replace(design, precision="bfloat16"), words_and_pairs)
    again = measure(of, replace(design, precision="bfloat16"), words_and_pairs)
    for name, array in vars(half).items():
        assert np.array_equal(array, getattr(again, name), equal_nan=True), name
    first = np.s_[0, :, 0]
    assert not np.array_equal(half.losses[first], one.losses[first])
    assert half.losses[first] == pytest.approx(one.losses[first], rel=0.02, nan_ok=True)
    assert half.people.mean() == pytest.approx(one.people.mean(), abs=0.1)
    (metric,) = resolve(["critique(reader=lstm,precision=bfloat16)"])
    assert "|trained in:bfloat16" in metric.signature
    assert "trained in" not in Critique(reader="lstm").signature
    with pytest.raises(ValueError, match="precision is not part of the signature"):
        resolve(["critique(precision=bfloat16)"])


def test_what_was_trained_in_bfloat16_reads_captions_in_float32() -> None:
    torch.manual_seed(2)
    one, half = WordReader(40), WordReader(40, precision="bfloat16")
    half.load_state_dict(one.state_dict())
    numbers = torch.randint(1, 40, (30, 15))
    assert not torch.equal(half(numbers), one(numbers))
    assert torch.allclose(half(numbers), one(numbers), atol=0.02)
    assert torch.equal(half.eval()(numbers), one.eval()(numbers))


def test_the_precision_is_that_of_the_lstm_alone_and_stands_in_the_command(tmp_path: Path) -> None:
    path = tmp_path / "captions.jsonl"
    write_jsonl(STUDY, path)
    asked = ["train", "critique", str(path), "--no-cache", "--context", "none", "--precision", "bfloat16"]
    done = trilens(*asked, expect=2)
    assert "--precision is that of the LSTM: add --reader lstm" in " ".join(done.output.split())
    metric = Critique(reader="lstm", precision="bfloat16")
    assert "--precision bfloat16" in commands.train_critique(commands.CommandInputs(), stored.Design(metric))
