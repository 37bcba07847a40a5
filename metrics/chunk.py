"""Chunks of a run's items and the data that metrics share, computed once: tokens, embeddings, pooled matrices."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Item, Run, Study, digest, of_study, run_digest
from metrics.cache import array_checks
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.mathematics.arrays import Floats, Labels
from metrics.progress import Hooks, undivided
from metrics.text.text_set import TextSet
from metrics.text.tokens import Tokenizer, Tokens
from metrics.units import Units

if TYPE_CHECKING:
    from metrics.text.encoder import Encoder, StatesKeeper

T = TypeVar("T")
CHUNK = 128
"""Default number of items per chunk."""
MAX_POOLED = 4_000_000
AHEAD = 8
"""Number of chunks to embed together: a batch contains texts of one length, of which one chunk has too few."""


# All runs share the data of a chunk's references: the first run computes them while the others wait.
_locks: dict[str, threading.Lock] = {}
_locks_lock = threading.Lock()


class StudyDigests(NamedTuple):
    """Digests of what metrics may learn from a whole study.

    `references` covers the references; `texts` the references, all captions of the run and the clusters of items;
    `names` the names of the run and its items, with the run's captions; `logprobs` all log-probabilities of the run, ""
    if none are stated; `coherence` the texts with their coherence labels, items and images; and `objects` the texts
    with the objects stated for the items.
    """

    references: str = ""
    texts: str = ""
    names: str = ""
    logprobs: str = ""
    coherence: str = ""
    objects: str = ""

    @classmethod
    def of(cls, study: Study, run: Run | None = None) -> StudyDigests:
        """Return the digests of a study and one run: by default, its only run or, if it has no runs, no run.

        Raises ValueError if `run` is missing and the study has several runs: each has its own digests.
        """
        if run is None and len(study.runs) > 1:
            raise ValueError(f"What is learned from all texts is learned for one run at a time, got {len(study.runs)}.")
        run = run or next(iter(study.runs), None)
        own = next((study.contents[one.name] for one in study.runs if one is run), None)
        known = _digests_of_runs(study) if own else {}
        name = run.name if run else ""
        if name not in known:
            said = own or run_digest(run, study.items) if run else ""
            names = digest([name, [item.id for item in study.items], said])
            stated = study.logprobs_digests.get(name, "") if own else ""
            texts = digest([study.references_digest, said, *study.clustering])
            labels = [[one.id, one.image, one.coherence] for one in study.items]
            labelled = digest([texts, labels, run and run.coherence])
            objects = digest([texts, [[one.id, one.metadata.get("objects")] for one in study.items]])
            known[name] = cls(study.references_digest, texts, names, stated, labelled, objects)
        return known[name]

    def key(self, learns: Learns) -> str:
        """Return the part of a cache key that stands for the learned facts; "" if there are none."""
        return "" if learns == "nothing" else str(getattr(self, learns))


@of_study
def _digests_of_runs(study: Study) -> dict[str, StudyDigests]:
    return {}  # a run's digests are added when they are first needed


@dataclass
class Chunk:
    """Items of one run. Pooled order is always candidates first, then references.

    Each side is sorted by text, so that no number can depend on the order in which captions were given; `caption_order`
    restores the order of the file. For a chunk of a whole run, `pieces` are the sizes of the smaller chunks whose
    embeddings it reuses. `layers` maps an encoder to the layer whose token states are needed besides its embeddings, so
    that one pass yields both. `clusters` contains the cluster of each item, "" for an item without a cluster; it is ()
    if the study has no clusters. `known` contains the chunk's texts, and possibly those of other chunks that are
    compared later.
    """

    candidates: tuple[Captions, ...]
    references: tuple[Captions, ...]
    cache: Cache
    hooks: Hooks = field(default_factory=Hooks)
    whole: StudyDigests = StudyDigests()
    reference_places: tuple[tuple[int, ...], ...] = ()
    ids: tuple[str, ...] = ()
    run: str = ""
    pieces: tuple[int, ...] = ()
    layers: Mapping[str, int] = field(default_factory=dict)
    clusters: tuple[str, ...] = ()
    known: TextSet | None = None
    _shared: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        items: Sequence[Item],
        run: Run,
        cache: Cache,
        hooks: Hooks | None = None,
        whole: StudyDigests | None = None,
        pieces: tuple[int, ...] = (),
        clustered: bool | None = None,
    ) -> Chunk:
        """Return the chunk of these items with this run's candidates; `whole` contains the digests of their study.

        `clustered` states whether the study has clusters of items; if omitted, it is inferred from these items.
        """
        candidates = tuple(tuple(sorted(run.candidates.get(i.id, ()))) for i in items)
        references = tuple(tuple(sorted(i.references)) for i in items)
        places = tuple(tuple(caption_order(i.references)) for i in items)
        clusters = tuple(i.cluster for i in items)
        return cls(
            candidates,
            references,
            cache,
            hooks or Hooks(),
            whole or StudyDigests(),
            places,
            tuple(i.id for i in items),
            run.name,
            pieces,
            clusters=clusters if (any(clusters) if clustered is None else clustered) else (),
        )

    def __len__(self) -> int:
        return len(self.references)

    @cached_property
    def content(self) -> str:
        """Digest of all texts: the part of a cache key that stands for the data."""
        return digest([self.candidates, self.references])

    @property
    def ordered_content(self) -> str:
        """Digest of all texts that, unlike `content`, depends on the order of the references."""
        return digest([self.content, self.reference_places])

    def sizes(self, index: int) -> tuple[int, int]:
        """Return the number of candidates and of references of an item."""
        return len(self.candidates[index]), len(self.references[index])

    def is_candidate(self, index: int) -> Labels:
        """(N,) labels of the pooled texts of an item."""
        n, m = self.sizes(index)
        return np.arange(n + m) < n

    @cached_property
    def unit(self) -> Units:
        """(items,) number of each item's independent unit; None if the study has no clusters."""
        if not self.clusters:
            return None
        numbers: dict[tuple[str, int], int] = {}
        names = ((cluster, -1 if cluster else k) for k, cluster in enumerate(self.clusters))
        return np.array([numbers.setdefault(name, len(numbers)) for name in names])

    def item_digest(self, index: int) -> int:
        """Return a seed that depends only on the texts of an item."""
        return int(digest([self.candidates[index], self.references[index]])[:16], 16)

    def relabelling_digest(self, index: int) -> int:
        """Return a seed for relabelling the texts of an item; without a cluster, it depends only on these texts.

        Items of one cluster with equal numbers of candidates and of references share the seed: their texts, which are
        sorted, change sides together.
        """
        if self.clusters and self.clusters[index]:
            return int(digest([self.clusters[index], self.sizes(index)])[:16], 16)
        return self.item_digest(index)

    def shared(self, key: Any, make: Callable[[], T]) -> T:
        """Return the value for a key, computed once in the lifetime of the chunk."""
        if key not in self._shared:
            self.hooks.check()
            self._shared[key] = make()
        return self._shared[key]

    def tokens(self, tokenizer: Tokenizer, index: int) -> list[Tokens]:
        """Return the tokens of the pooled texts of an item."""

        return self.text_set.tokens(tokenizer, self.texts(index))

    @cached_property
    def text_set(self) -> TextSet:
        """The texts in `known`, or else those of the chunk."""
        return self.known or TextSet(text for k in range(len(self)) for text in self.texts(k))

    def sides(self, tokenizer: Tokenizer, index: int) -> tuple[list[Tokens], list[Tokens]]:
        """Return the tokens of the candidates and of the references of an item."""
        of = self.text_set
        return of.tokens(tokenizer, self.candidates[index]), of.tokens(tokenizer, self.references[index])

    def embeddings(self, encoder: str, index: int) -> Floats:
        """(N, d) embeddings of the pooled texts of an item."""
        candidates = self._embedded(encoder, self.candidates)
        references = self._embedded(encoder, self.references)
        pooled = np.concatenate([candidates[index], references[index]])
        # A text that occurs on both sides has one vector, although the sides were encoded in different batches.
        first = {text: k for k, text in reversed(list(enumerate(self.texts(index))))}
        return pooled[[first[text] for text in self.texts(index)]]

    def embedded_sides(self, encoder: str) -> tuple[Floats, Floats]:
        """Return embeddings (n, d) of all candidates and (m, d) of all references of the chunk."""
        return self._flat(encoder, self.candidates), self._flat(encoder, self.references)

    def cached_embeddings(self, encoder: str, of: Set[str]) -> dict[str, NDArray[np.float32]]:
        """Return the embeddings of these texts, by text, if scoring has cached them for this chunk; embed nothing."""
        from metrics.text.encoder import Encoder

        found: dict[str, NDArray[np.float32]] = {}
        for side in (self.candidates, self.references):
            flat = [text for captions in side for text in captions]
            if of.isdisjoint(flat):
                continue
            kept = self.cache.read(Encoder(encoder).key(flat), partial(vectors_of, len(flat)))
            if kept is not None:
                found |= {text: vector for text, vector in zip(flat, kept) if text in of}
        return found

    def keep_embeddings(self, encoder: str, known: Mapping[str, NDArray[np.float32]]) -> None:
        """Store, for scoring, the embeddings of each side of this chunk whose texts are all `known`."""
        from metrics.text.encoder import Encoder

        for side in (self.candidates, self.references):
            flat = [text for captions in side for text in captions]
            if flat and known.keys() >= set(flat):
                make = lambda: {"vectors": np.stack([known[text] for text in flat])}  # noqa: B023, E731
                self.artifact(Encoder(encoder).key(flat), make, partial(vectors_of, len(flat)))

    def texts(self, index: int) -> Captions:
        """Return the pooled texts of an item."""
        return (*self.candidates[index], *self.references[index])

    def _embedded(self, encoder: str, texts: tuple[Captions, ...]) -> list[Floats]:
        found = self._flat(encoder, texts)
        return self.shared(("split", encoder, id(texts)), lambda: split(found, [len(c) for c in texts]))

    def _flat(self, encoder: str, texts: tuple[Captions, ...]) -> Floats:
        """Return the embeddings of all captions of one side; those of a whole run come from its smaller chunks."""

        def make() -> Floats:
            from metrics.text.encoder import Encoder

            model, pieces = Encoder(encoder), self._pieces(texts)
            rows: list[NDArray[np.float32]] = []
            for start in range(0, len(pieces), AHEAD):
                window = pieces[start : start + AHEAD]
                if len(window) > 1:
                    self._embed_ahead(model, window)
                rows += [self._vectors(model, flat) for flat in window]
            return np.concatenate(rows, dtype=float)

        return self.shared(("embeddings", encoder, id(texts)), make)

    def _pieces(self, texts: tuple[Captions, ...]) -> list[list[str]]:
        sizes = self.pieces or (len(texts),)
        return [[text for captions in piece for text in captions] for piece in split(texts, sizes)]

    def _vectors(self, model: Encoder, flat: Sequence[str]) -> NDArray[np.float32]:
        """(n, d) embeddings from the cache, or else from the model."""

        def encode() -> Arrays:
            return {"vectors": self._encoded(model, flat)}

        vectors = self.artifact(model.key(flat), encode, partial(vectors_of, len(flat)))
        if self.cache.text_vectors is not None:
            self.cache.text_vectors.put_many({(model.signature, t): row for t, row in zip(flat, vectors)})
        return vectors

    def _encoded(self, model: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, d) embeddings; the model encodes only the texts whose vectors are not in the cache."""

        def say(done: int, of: int) -> None:
            self.hooks.embedded(done / max(of, 1))
            self.hooks.progress(f"embedding captions, {done:,} of {of:,}")

        def keep(some: Sequence[str], rows: NDArray[np.float32]) -> None:
            if kept is not None:
                kept.put_many({(signature, text): row for text, row in zip(some, rows)})

        signature, kept = model.signature, self.cache.text_vectors
        known = kept.get_many((signature, text) for text in texts) if kept is not None else {}
        new = [text for text in dict.fromkeys(texts) if (signature, text) not in known]
        if new or not texts:  # an empty call still returns the vectors' width
            keeper = self._keeper(model.name)
            found = model.encode(new, progress=say, should_stop=self.hooks.should_stop, keeper=keeper, take=keep)
            known |= {(signature, text): row for text, row in zip(new, found)}
        return np.stack([known[signature, text] for text in texts]) if texts else found

    def _keeper(self, encoder: str) -> StatesKeeper | None:
        from metrics.text.encoder import EncoderMissing
        from metrics.text.token_states import Keeper, LayerMissing

        try:
            return Keeper(encoder, self.layers[encoder]) if encoder in self.layers else None
        except (EncoderMissing, LayerMissing):  # raised again for, and reported by, the metric that needs the states
            return None

    def embed_ahead(self, encoder: str, chunks: Iterable[Chunk]) -> None:
        """Embed the texts of these chunks that the cache lacks, for its `text_vectors`; do nothing if it has none.

        Batches contain texts of one length: the texts of many chunks fill them, while those of one chunk would need
        padding.
        """
        from metrics.text.encoder import Encoder

        sides = [(chunk, side) for chunk in chunks for side in (chunk.candidates, chunk.references)]
        self._embed_ahead(Encoder(encoder), [flat for chunk, side in sides for flat in chunk._pieces(side)])

    def _embed_ahead(self, model: Encoder, texts: Iterable[Sequence[str]]) -> None:
        if (kept := self.cache.text_vectors) is None:
            return
        lacking: list[str] = []
        for flat in texts:
            if self.cache.read(model.key(flat), partial(vectors_of, len(flat))) is None:
                lacking += flat
        if not lacking:
            return
        kept.put_many({(model.signature, t): row for t, row in zip(lacking, self._encoded(model, lacking))})

    def artifact(self, key: str, make: Callable[[], Arrays], of: Callable[[Arrays], T]) -> T:
        """Return `of(arrays)` for arrays from the disk cache; `make` computes them once even if several threads ask.

        `of` must raise one of `cache.disk.UNFIT_ERRORS` for arrays that cannot be the output of `make`.
        """
        with _locks_lock:
            lock = _locks.setdefault(key, threading.Lock())
        with lock, undivided():
            found = self.cache.read(key, of)
            if found is None:
                self.hooks.check()
                made = make()
                self.cache.put(key, made)
                found = of(made)
        with _locks_lock:
            _locks.pop(key, None)
        return found


def vectors_of(texts: int, kept: Arrays) -> NDArray[np.float32]:
    """Return the (texts, d) embeddings from cached arrays. Raises Unfit for other arrays."""
    return array_checks.expect(kept, {"vectors": (texts, None)})["vectors"]


def caption_order(texts: Captions) -> list[int]:
    """Return, for each caption of a chunk's side, its position in the file."""
    return sorted(range(len(texts)), key=texts.__getitem__)


def pooled_order(candidates: Captions, references: Captions) -> list[int]:
    """Return, for each pooled text of a chunk, its position among the pooled texts in file order."""
    return [*caption_order(candidates), *(len(candidates) + k for k in caption_order(references))]


def split(rows: Any, sizes: Sequence[int]) -> list[Any]:
    """Split consecutive rows into pieces of these sizes."""
    ends = np.cumsum(sizes)
    return [rows[end - size : end] for end, size in zip(ends, sizes)]


Learns = Literal["nothing", "references", "texts", "names", "logprobs", "coherence", "objects"]
"""The data from which a metric learns global facts: none; all references; all references and all captions of one run;
the names of a run and its items, which imported scores and distances belong to; the run's log-probabilities; the
coherence labels of candidates and references, with the names of items and images; or the objects of items.
"""


def chunks(items: tuple[Item, ...], run: Run, size: int) -> list[tuple[Item, ...]]:
    """Return the items in consecutive chunks of at most `size`, or fewer where their pooled matrices are large."""
    pieces: list[list[Item]] = []
    room = 0
    for item in items:
        cells = (len(run.candidates.get(item.id, ())) + len(item.references)) ** 2
        if not pieces or len(pieces[-1]) == size or cells > room:
            pieces.append([])
            room = MAX_POOLED
        pieces[-1].append(item)
        room -= cells
    return [tuple(piece) for piece in pieces]
