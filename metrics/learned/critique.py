"""The critique of Cui et al. 2018: the probability that a person wrote a caption, learned from the study itself.

There are two folds of items, each scored by the critique trained on the other fold. A caption's score is the mean over
the references of its item as context, and over repeats with other seeds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from data.study import digest
from metrics.learned.checkpoint import Checkpoint
from metrics.learned.critique_context import Context, InContext
from metrics.learned.critique_data import Corpus, Pool, Pools, Rows, Texts
from metrics.learned.critique_result import PROBES, Measured, usable_items
from metrics.learned.critique_scores import Scorer
from metrics.learned.critique_task import HELD_OUT, KINDS, SHARES, Examples, another_item
from metrics.learned.networks import HIDDEN, Classifier, Combination, Critic, Precision, WordReader
from metrics.learned.trainer import History, Recipe, device, train
from metrics.learned.vocabulary import UNKNOWN, Vocabulary
from metrics.learned.weights import Folders, Weights
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks, Unable
from metrics.text.torch_setup import cores

T = TypeVar("T")
Reader = Literal["sentence", "lstm"]
Negatives = Literal["all", "equal", "random_captions"]
LEAST_TO_STOP = 2 * HELD_OUT
"""Minimum number of items of a fold for early stopping, which holds some out; with fewer, all epochs are run."""
FORMAT = "trilens critique 2"
"""Format of weight files; the number is raised when equal settings yield other weights."""

Features = Callable[[Sequence[str]], Floats]
WordVectors = Callable[[Sequence[str]], Mapping[str, NDArray[np.float32]]]


@dataclass(frozen=True)
class Design(InContext):
    """The design of a critique: the network's context and combination, negatives, repeats, seed, and caption reader.

    `inputs` identifies how texts and images are read, for example by the signature of an encoder; `vectors` are the
    word vectors of the LSTM, which are random by default; `precision` is that of the LSTM's matrix products during
    training, and `width` is the size of each of its `layers`. If `negatives` is "all", the kinds have the paper's
    shares and some captions are only partly damaged; if "equal", the kinds have equal shares and all words are damaged.
    If it is "random_captions", the only negatives are people's captions of other items. Otherwise, unless `augmented`,
    the only negatives are the runs' captions.
    """

    context: Context = "reference"
    combination: Combination = "bilinear"
    augmented: bool = True
    repeats: int = 1
    seed: int = 0
    negatives: Negatives = "all"
    reader: Reader = "sentence"
    inputs: str = ""
    precision: Precision = "float32"
    layers: int = 1
    width: int = HIDDEN
    vectors: WordVectors | None = field(default=None, compare=False, repr=False)

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of negatives as positions in KINDS, repeated according to their shares."""
        if self.negatives == "random_captions":
            return (KINDS.index("random_caption"),)
        if not self.augmented:
            return (KINDS.index("run"),)
        shares = (1,) * len(KINDS) if self.negatives == "equal" else SHARES
        return tuple(kind for kind, share in enumerate(shares) for _ in range(share))

    @property
    def partly(self) -> bool:
        """Whether captions with only some of their words damaged are also learned from."""
        return self.negatives == "all" and self.augmented

    def order(self, corpus: Corpus) -> list[int]:
        """Return the order of items for random draws, which depends only on the captions that are learned from."""
        return corpus.order_of_people if self.negatives == "random_captions" else corpus.order

    def recipe(self, repeat: int, fold: int) -> Recipe:
        """Return the settings of one training run: the paper's, with a seed for this run."""
        return Recipe(seed=int(np.random.SeedSequence([self.seed, repeat, fold]).generate_state(1)[0]))


def measure(
    corpus: Corpus, design: Design, features: Features, hooks: Hooks | None = None, folders: Folders | None = None
) -> Measured:
    """Return the scores of each fold, in each repeat, by a critique that was trained on the other fold.

    Each training run uses one core. `features` returns the (n, d) vectors of texts. An interrupted training run resumes
    from its checkpoint in `folders`, and one whose weights are stored there is not repeated. Raises TooFew if a fold
    has too few items, and Cancelled if it is stopped.
    """
    order = design.order(corpus)  # so that the order of items does not change the draws
    work = Work(corpus.taken(order), design, features, hooks or Hooks(), folders)
    return _in_order(work.joined(_each(design, work.done)), corpus, order)


def judge(
    corpus: Corpus, design: Design, features: Features, hooks: Hooks | None = None, folders: Folders | None = None
) -> Judge:
    """Return the trained critiques of `measure`, for scoring other captions. Raises the same errors."""
    order = design.order(corpus)
    work = Work(corpus.taken(order), design, features, hooks or Hooks(), folders)
    return Judge(work, [network for network, _ in _each(design, work.trained)], np.argsort(order))


def _each(design: Design, work: Callable[[int, int], T]) -> list[T]:
    """Return the results of the work for each repeat and fold, in this order, using all cores."""
    jobs = [(repeat, fold) for repeat in range(design.repeats) for fold in (0, 1)]
    with ThreadPoolExecutor(_cores(), "critique", initializer=torch.set_num_threads, initargs=(1,)) as threads:
        asked = [threads.submit(work, *job) for job in jobs]
        try:
            return [one.result() for one in asked]
        finally:
            for one in asked:
                one.cancel()


def _in_order(found: Measured, corpus: Corpus, order: Sequence[int]) -> Measured:
    """Return scores that were measured with the items in `order`, rearranged to the order of the corpus."""
    runs, people, probes = (np.full_like(one, np.nan) for one in (found.runs, found.people, found.probes))
    runs[:, _flat(corpus.runs, order)] = found.runs
    people[:, _flat((corpus.people,), order)] = found.people
    probes[:, :, order] = found.probes
    return replace(found, runs=runs, people=people, probes=probes)


def _flat(sides: Sequence[Sequence[Texts]], order: Sequence[int]) -> Rows:
    """Return the positions of the captions of all sides, numbered by side and item, when items are taken in `order`."""
    found, start = [np.zeros(0, dtype=np.int64)], 0
    for side in sides:
        starts = start + np.cumsum([0, *map(len, side)])
        found += [np.arange(starts[k], starts[k + 1]) for k in order]
        start = int(starts[-1])
    return np.concatenate(found)


def _cores() -> int:
    return 1 if device().type == "cuda" else cores()


@dataclass(frozen=True)
class _Scored:
    """One critique's scores of the fold that it did not learn from, with the captions' positions."""

    runs: tuple[Rows, Floats]
    people: tuple[Rows, Floats]
    probes: tuple[Rows, Floats]
    history: History


class Work:
    """The training runs of a design on a corpus, by repeat and fold."""

    def __init__(
        self, corpus: Corpus, design: Design, features: Features, hooks: Hooks, folders: Folders | None
    ) -> None:
        self.corpus, self.design, self.hooks, self.folders = corpus, design, hooks, folders
        self.features = features
        hooks.progress("making captions to distinguish from people's")
        sides = corpus.texts(design.partly)
        texts = [text for side in sides for text in side]
        self.texts = texts
        self.pools = Pools.of(corpus, {text: row for row, text in enumerate(texts)}, design.partly)
        own = (text for side in (corpus.people, *corpus.runs) for texts in side for text in texts)
        self.vocabulary = Vocabulary.of(own) if design.reader == "lstm" else None
        self.inputs = torch.cat([self.read(side) for side in sides if side])
        self.given = self._given()
        images = corpus.images if design.beside_images else None
        self.images = None if images is None else torch.as_tensor(images, dtype=torch.float32).to(device())
        self.spoken = Pool.of([(k, -1) for k in part] for part in _positions(corpus))
        self.shares: dict[tuple[int, int], float] = {}

    def read(self, texts: Sequence[str]) -> Tensor:
        """Return the network's inputs for texts: sentence embeddings, or word numbers."""
        if self.vocabulary is not None:
            return torch.as_tensor(self.vocabulary.numbers(texts)).to(device())
        return torch.as_tensor(self.features(texts), dtype=torch.float32).to(device())

    def done(self, repeat: int, fold: int) -> _Scored:
        """Return the scores of one fold by the critique of the other, `fold`."""
        network, history = self.trained(repeat, fold)
        seed = self.design.recipe(repeat, fold).seed
        return self._scored(network, np.flatnonzero(self.corpus.folds != fold), history, seed)

    def trained(self, repeat: int, fold: int) -> tuple[Critic, History]:
        """Return the trained critique of one fold and the history of its training.

        Raises TooFew if the fold has too few items, and Cancelled if it is stopped.
        """
        items = usable_items(self.corpus, fold, self.design.beside_references)
        units = self.corpus.units[items]
        apart = np.isin(units, np.unique(units)[::HELD_OUT])
        held = items[apart] if len(items) >= LEAST_TO_STOP else items[:0]
        recipe = self.design.recipe(repeat, fold)
        examples = Examples(
            *(self.pools, np.setdiff1d(items, held), held, self.inputs),
            *(self.design.beside_references, self.design.kinds, recipe.seed, self.images),
        )
        network = self.network(recipe.seed)
        signature = self._signature(repeat, fold, items)
        return network, self._train(network, examples, recipe, self._hooks(repeat, fold), signature)

    def network(self, seed: int) -> Critic:
        """Return an untrained critique."""
        made, reader = self.design, None
        if self.vocabulary is not None:
            reader = WordReader(len(self.vocabulary), self.given, made.precision, made.layers, made.width)
        width = self.inputs.shape[1] if reader is None else made.width
        context = width if self.design.beside_references else 0
        context += 0 if self.images is None else self.images.shape[1]
        return Critic(Classifier(width, context, self.design.combination, seed), reader).to(device())

    def _given(self) -> tuple[Tensor, Tensor] | None:
        if self.design.vectors is None or self.vocabulary is None:
            return None
        known = self.design.vectors(self.vocabulary.words)
        places = [k for k, word in enumerate(self.vocabulary.words) if word in known]
        if not places:
            raise Unable("no word of the captions has a vector in the file: name a file of lower-case words")
        rows = np.array([known[self.vocabulary.words[k]] for k in places])
        return torch.as_tensor(places) + UNKNOWN + 1, torch.as_tensor(rows, dtype=torch.float32)

    def _train(self, network: Critic, examples: Examples, recipe: Recipe, hooks: Hooks, signature: str) -> History:
        """Train the network, or load its stored weights, and return the history of its training."""
        if self.folders is None:
            return train(network, examples, recipe, hooks)
        weights = Weights(self.folders.weights)
        if (known := weights.read(signature, network)) is not None:
            hooks.share(1.0)
            return known
        checkpoint = Checkpoint(self.folders.checkpoints / f"{digest(signature)}.safetensors", signature)
        history = train(network, examples, recipe, hooks, checkpoint)
        weights.write(signature, network, history)
        checkpoint.remove()
        return history

    def joined(self, found: Sequence[_Scored]) -> Measured:
        """Return the combined scores of all folds and repeats; NaN where a fold or an epoch has none."""
        repeats, epochs = self.design.repeats, max(len(one.history.losses) for one in found)
        sizes = len(self.spoken.rows), len(self.pools.people.rows)
        runs, people = (np.full((repeats, size), np.nan) for size in sizes)
        probes = np.full((repeats, len(PROBES), len(self.corpus.people)), np.nan)
        losses = np.full((repeats, 2, epochs, 2), np.nan)
        for k, one in enumerate(found):
            runs[k // 2, one.runs[0]] = one.runs[1]
            people[k // 2, one.people[0]] = one.people[1]
            probes[k // 2][:, one.probes[0]] = one.probes[1]
            losses[k // 2, k % 2, : len(one.history.losses)] = one.history.losses
        best = np.array([one.history.best for one in found], dtype=np.int64).reshape(repeats, 2)
        return Measured(runs, people, probes, losses, best)

    def _signature(self, repeat: int, fold: int, items: Rows) -> str:
        """Return a signature of everything that determines the weights of one training run on these items."""
        learned: list[object] = [self.corpus.people, items.tolist(), self.vocabulary and self.vocabulary.words]
        if self.design.negatives != "random_captions":
            learned += [self.texts, self.corpus.runs, *([self.corpus.samples] if self.corpus.samples else [])]
        if self.images is not None:
            learned.append(self.corpus.seen)
        if self.corpus.clusters:
            learned.append(self.corpus.units.tolist())
        said = {
            "format": FORMAT,
            "design": asdict(replace(self.design, repeats=1, vectors=None)),
            "recipe": asdict(self.design.recipe(repeat, fold)),
            "repeat": repeat,
            "fold": fold,
            "data": digest(learned),
        }
        return json.dumps(said, sort_keys=True)

    def _hooks(self, repeat: int, fold: int) -> Hooks:
        of = 2 * self.design.repeats

        def share(done: float) -> None:
            self.shares[repeat, fold] = done
            self.hooks.share(sum(self.shares.values()) / of)

        name = f"half {fold + 1} of 2" + (f", repeat {repeat + 1} of {self.design.repeats}" if of > 2 else "")
        return Hooks(lambda text: self.hooks.progress(f"{name}: {text}"), self.hooks.should_stop, share)

    def scorer(self, network: Critic, inputs: Tensor) -> Scorer:
        """Return a scorer of captions and references given as rows of these inputs."""
        return Scorer(
            *(network.classifier, network.vectors(inputs), self.pools.people),
            *(self.design.beside_references, self.images, self.hooks),
        )

    def _scored(self, network: Critic, items: Rows, history: History, seed: int) -> _Scored:
        judge = self.scorer(network, self.inputs)
        people, spoken = self.pools.people, self.spoken
        own, said = people.all_of(items), spoken.all_of(items)
        rows = self.pools.spoken.rows[self.pools.spoken.all_of(items)]
        of_runs = judge.scores(rows, np.repeat(items, spoken.counts[items]), np.full(len(rows), -1))
        of_people = judge.scores(people.rows[own], np.repeat(items, people.counts[items]), people.sources[own])
        having = items[people.counts[items] > 0]
        probes = np.full((len(PROBES), len(having)), np.nan)
        if len(having) > 1:
            drawn, _ = people.draw(
                another_item(having, having, np.random.default_rng(seed)), np.random.default_rng(seed)
            )
            probes[0] = judge.scores(drawn, having, np.full(len(having), -1))
        for kind, pool in enumerate((*self.pools.probes, self.pools.sampled), 1):
            at, owners = pool.all_of(having), np.repeat(np.arange(len(having)), pool.counts[having])
            found = judge.scores(pool.rows[at], having[owners], pool.sources[at])
            with np.errstate(invalid="ignore"):
                probes[kind] = np.bincount(owners, found, len(having)) / np.bincount(owners, minlength=len(having))
        return _Scored((spoken.rows[said], of_runs), (own, of_people), (having, probes), history)


class Judge:
    """The critiques of both halves of a corpus, for scoring other captions of its items."""

    def __init__(self, work: Work, networks: Sequence[Critic], places: Rows) -> None:
        self.work, self.networks, self.places = work, networks, places

    def scores(self, items: Rows, texts: Sequence[str], sources: Rows) -> Floats:
        """(n,) scores of plain captions, for items given by position, by critiques that did not learn from the item.

        If a caption was made from one of its item's references, `sources` is the position of that reference, which is
        not used as its context; otherwise -1.
        """
        work, at, rows = self.work, self.places[items], len(self.work.inputs) + np.arange(len(texts))
        inputs, found = torch.cat([work.inputs, work.read(texts)]), np.full((work.design.repeats, len(texts)), np.nan)
        for k, network in enumerate(self.networks):
            own = np.flatnonzero(work.corpus.folds[at] != k % 2)
            found[k // 2, own] = work.scorer(network, inputs).scores(rows[own], at[own], sources[own])
        return np.asarray(found.mean(axis=0))


def _positions(corpus: Corpus) -> list[list[int]]:
    """Return, by item, the positions of all runs' captions among the captions ordered by run, item and candidate."""
    found: list[list[int]] = [[] for _ in corpus.people]
    place = 0
    for run in corpus.runs:
        for k, texts in enumerate(run):
            found[k] += range(place, place + len(texts))
            place += len(texts)
    return found
