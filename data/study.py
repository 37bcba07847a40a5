"""The data model: items, runs, and the study that contains them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, update_wrapper
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from data.judge_answers import Answer

Captions = tuple[str, ...]
Tokenizer = Literal["ptb", "whitespace", "zh", "char"]
"""Ways to split captions into words."""
ScoreGrain = Literal["candidate", "item", "run"]
"""The level to which the values of an imported score belong."""
T = TypeVar("T")


class DataError(ValueError):
    """Input that cannot be used; the message gives the reason."""


@dataclass(frozen=True)
class Item:
    """One image, clip or prompt with its references.

    `oracle_logprobs` are the log-probabilities of the references under their true source, if it is known: natural
    logarithms in the order of the references, -inf for probability 0. `coherence` has the coherence label of each
    reference, "" for a reference without one. Items in one `cluster`, such as frames of a video, are not independent;
    `cluster` is "" for an item that belongs to no cluster.
    """

    id: str
    references: Captions
    image: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    oracle_logprobs: tuple[float, ...] | None = None
    coherence: Captions | None = None
    cluster: str = ""


@dataclass(frozen=True)
class Settings:
    """The decoding settings of a run; None means unknown."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    decoder: str | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Run:
    """The captions of one model at one setting: `candidates[item id]`, in the order generated.

    `human` contains ratings by item id, as `data.ratings.human_ratings` reads them. Log-probabilities are natural
    logarithms by item id, -inf for probability 0: `logprobs` of the candidates under the run itself, `oracle_logprobs`
    of the candidates under the true source of the references, `reference_logprobs` of the item's references under the
    run. `setting` is the name that a person gave to a setting whose replicates differ only in a seed. `coherence` maps
    item ids to the coherence label of each candidate, "" for a candidate without one.
    """

    name: str
    model: str
    settings: Settings
    candidates: Mapping[str, Captions]
    human: Mapping[str, Any] | None = None
    logprobs: Mapping[str, tuple[float, ...]] | None = None
    oracle_logprobs: Mapping[str, tuple[float, ...]] | None = None
    reference_logprobs: Mapping[str, tuple[float, ...]] | None = None
    setting: str | None = None
    coherence: Mapping[str, Captions] | None = None


@dataclass(frozen=True, eq=False)
class ImportedScores:
    """The values of one metric, computed elsewhere.

    `values[run][item id]` contains a value for each candidate, in the order generated, or a single value for the item;
    `values[run][""]` contains the value of a whole run. NaN marks a missing value. `low` and `high` are the stated
    range, infinite if none is stated. `signature` identifies the judge that gave the answers; "" if the values come
    from a file.
    """

    name: str
    grain: ScoreGrain
    higher_is_better: bool
    low: float
    high: float
    values: Mapping[str, Mapping[str, tuple[float, ...]]] = field(repr=False)
    signature: str = ""

    @cached_property
    def digest(self) -> str:
        """The sha256 digest of the grain, and of the values with the names of their runs and items."""
        return digest([self.grain, self.values])

    def _identity(self) -> tuple[object, ...]:
        return self.name, self.digest, self.higher_is_better, self.low, self.high, self.signature

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImportedScores) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


@dataclass(frozen=True, eq=False)
class ImportedVectors:
    """Embeddings of texts, computed elsewhere: row k of `rows` (n, d) is the embedding of `texts[k]`; the texts are
    sorted.
    """

    name: str
    texts: Captions = field(repr=False)
    rows: NDArray[np.float32] = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """The sha256 digest of texts and vectors."""
        found = hashlib.sha256(digest([self.texts, self.rows.shape]).encode())
        found.update(np.ascontiguousarray(self.rows, dtype="<f4").tobytes())
        return found.hexdigest()

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each text."""
        return {text: row for row, text in enumerate(self.texts)}


@dataclass(frozen=True, eq=False)
class ImportedDistances:
    """Distances between captions, computed elsewhere.

    `matrices[run][item id]` is (N, N): the run's candidates, then the references, both in file order; rows are
    hypotheses, columns references. `signature` identifies the judge that rated the similarity of the captions; "" if
    the distances come from a file.
    """

    name: str
    matrices: Mapping[str, Mapping[str, NDArray[np.float64]]] = field(repr=False)
    signature: str = ""

    @cached_property
    def digest(self) -> str:
        """The sha256 digest of the matrices with the names of their runs and items."""
        found = hashlib.sha256()
        for run, items in sorted(self.matrices.items()):
            for id, matrix in sorted(items.items()):
                found.update(digest([run, id, matrix.shape]).encode())
                found.update(np.ascontiguousarray(matrix, dtype="<f8").tobytes())
        return found.hexdigest()


class Preference(NamedTuple):
    """How many people preferred each of two candidates of an item; a tie counts half for each.

    `first` and `second` are the run and the position of a candidate. `ties` is the number of ties among all votes.
    """

    item: str
    first: tuple[str, int]
    second: tuple[str, int]
    first_votes: float
    second_votes: float
    criterion: str
    category: str
    ties: float = 0.0


@dataclass(frozen=True, eq=False)
class SystemRatings:
    """Ratings of whole systems, which need not be runs, with the values of metrics beside them; NaN is a gap.

    `criteria` and `metrics` map names to one value for each of `systems`; for metrics in `lower`, lower is better.
    """

    name: str
    systems: tuple[str, ...]
    criteria: Mapping[str, tuple[float, ...]] = field(repr=False)
    metrics: Mapping[str, tuple[float, ...]] = field(repr=False)
    lower: frozenset[str] = frozenset()

    @cached_property
    def digest(self) -> str:
        """The sha256 digest of everything but the name."""
        return digest([self.systems, self.criteria, self.metrics, sorted(self.lower)])


@dataclass(frozen=True)
class Study:
    """Items and the runs that describe them. Every run has candidates for every item.

    `scores`, `vectors` and `distances` were computed elsewhere; `preferences` and `systems` are judgments by people, as
    is `human` of a run. `answers` are a judge's, from which scores, preferences and distances are derived. The digest
    covers none of them, because captions have the same numbers without them. If this study is a part of another,
    `models` are the models of the whole study. `lacking` counts, by run, the items that only other runs describe, which
    the study therefore lacks, and `pictured` states whether it has pictures of its items. `tokenizer` is the default
    way in which word-based metrics split its captions.
    """

    name: str
    items: tuple[Item, ...]
    runs: tuple[Run, ...]
    synthetic: bool = False
    scores: tuple[ImportedScores, ...] = ()
    vectors: tuple[ImportedVectors, ...] = ()
    distances: tuple[ImportedDistances, ...] = ()
    preferences: tuple[Preference, ...] = ()
    systems: tuple[SystemRatings, ...] = ()
    answers: tuple[Answer, ...] = ()
    models: tuple[str, ...] = field(default=(), compare=False)
    pictured: bool = field(default=False, compare=False)
    lacking: Mapping[str, int] = field(default_factory=dict, compare=False)
    astray: Mapping[str, str] = field(default_factory=dict, compare=False)
    tokenizer: Tokenizer = "ptb"

    def __repr__(self) -> str:
        """Return the study's size and the first of its runs, since all captions would fill a notebook."""
        runs = ", ".join(run.name for run in self.runs[:4]) + ", .." * (len(self.runs) > 4)
        return f"<Study {self.name!r}, items: {len(self.items):,}, runs: {len(self.runs):,} ({runs})>"

    @property
    def every_model(self) -> tuple[str, ...]:
        """The models of the study, in order, including those whose runs were left out; used only to assign colours."""
        return tuple(dict.fromkeys((*self.models, *(run.model for run in self.runs))))

    @cached_property
    def digest(self) -> str:
        """The sha256 digest of the content: name, items with references, clusters and tokenizer, and runs, in order."""
        runs = [[r.name, r.model, vars(r.settings), self.contents[r.name]] for r in self.runs]
        items = [[i.id, i.image] for i in self.items]
        return digest([self.name, items, self.references_digest, runs, *self.clustering, *self.splitting])

    @property
    def splitting(self) -> tuple[str, ...]:
        """The tokenizer as a part of cache keys; empty for the default tokenizer."""
        return () if self.tokenizer == "ptb" else (self.tokenizer,)

    @cached_property
    def clustering(self) -> tuple[str, ...]:
        """The sha256 digest of the items' clusters as a part of cache keys; empty if no item is in a cluster."""
        clusters = [item.cluster for item in self.items]
        return (digest(clusters),) if any(clusters) else ()

    @cached_property
    def unit(self) -> NDArray[np.int64] | None:
        """(items,) number of each item's independent unit, its cluster or the item itself; None if no two items share a
        cluster.
        """
        if not self.clustering:
            return None
        names = [("cluster", item.cluster) if item.cluster else ("item", item.id) for item in self.items]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return np.array([numbers[name] for name in names]) if len(numbers) < len(names) else None

    @cached_property
    def references_digest(self) -> str:
        """The sha256 digest of all references in order, for facts that depend on the whole study."""
        return digest([item.references for item in self.items])

    @cached_property
    def contents(self) -> dict[str, str]:
        """The sha256 digest of each run's captions, by run name; labels are not part of it."""
        return {run.name: run_digest(run, self.items) for run in self.runs}

    @cached_property
    def logprobs_digests(self) -> dict[str, str]:
        """The sha256 digest of each run's log-probabilities and all that they depend on, by run name; "" if there are
        none.
        """
        of_references = [item.oracle_logprobs for item in self.items]
        found = {}
        for run in self.runs:
            own = [run.logprobs, run.oracle_logprobs, run.reference_logprobs]
            stated = any(own) or any(of_references)
            said = [run.settings.decoder, [item.id for item in self.items], self.contents[run.name]]
            found[run.name] = digest([*said, *own, of_references]) if stated else ""
        return found

    def run(self, name: str) -> Run:
        """Return the run called `name`. Raises KeyError, listing the existing runs, if there is none."""
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(f"no run {name!r}; there are {', '.join(r.name for r in self.runs)}")

    def only(self, items: Iterable[str] | None = None, runs: Iterable[str] | None = None) -> Study:
        """Return the study restricted to these items or runs, in the study's order; the study itself if nothing is left
        out.
        """
        keep = None if items is None else set(items)
        names = None if runs is None else set(runs)
        if (keep is None or keep >= {i.id for i in self.items}) and (
            names is None or names >= {r.name for r in self.runs}
        ):
            return self
        return replace(
            self,
            items=tuple(i for i in self.items if keep is None or i.id in keep),
            runs=tuple(r for r in self.runs if names is None or r.name in names),
            models=self.every_model,
        )


class OfStudy(Generic[T]):
    """A function of a study alone, computed once per study, like a `cached_property` in another module."""

    def __init__(self, function: Callable[[Study], T]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._name = f"{function.__module__}.{function.__qualname__}"

    def __call__(self, study: Study) -> T:
        known = vars(study)
        if self._name not in known:
            known[self._name] = self._function(study)
        found: T = known[self._name]
        return found

    def keep(self, study: Study, value: T) -> None:
        """Store a value that was computed for a study with the same captions, items and run names."""
        vars(study)[self._name] = value


def of_study(function: Callable[[Study], T]) -> OfStudy[T]:
    """Decorate a function so that it is computed once per study."""
    return OfStudy(function)


def run_digest(run: Run, items: Iterable[Item]) -> str:
    """Return the sha256 digest of a run's captions for these items, in order, without its labels."""
    return digest([run.candidates.get(item.id, ()) for item in items])


def digest(value: Any) -> str:
    """Return the sha256 digest of plain values (lists, tuples, strings, numbers, None), as hexadecimal text."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
