"""The critique as a metric: P(a person wrote the caption), from a network trained on the references and the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from data.study import Run, Study
from metrics.base import Family, Grain, Metric, Need, Range, Stats, Work
from metrics.cache import array_checks
from metrics.cache.disk import TRAINING, WEIGHTS, Cache, array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.chunk import Chunk, Learns, StudyDigests
from metrics.learned.critique_context import Context, InContext
from metrics.learned.critique_result import PROBES, Measured, TooFew, usable_items
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.text.encoder import DEFAULT, encoder_signature

if TYPE_CHECKING:
    from metrics.learned.critique import Design, Features, Judge
    from metrics.learned.critique_data import Corpus
    from metrics.learned.critique_samples import Samples
    from metrics.learned.weights import Folders

VERSION = "2"
NO_IMAGES = "none"
LARGEST_SEED = 999_999


@dataclass(frozen=True)
class Critique(InContext, Metric):
    """P(a person wrote the caption | a reference), by a network that distinguishes the run's captions from people's."""

    encoder: str = DEFAULT
    context: Context = "reference"
    combination: Literal["bilinear", "mlp", "linear"] = "mlp"
    augmented: bool = True
    repeats: Annotated[int, Range(1, 50)] = 1
    seed: Annotated[int, Range(0, LARGEST_SEED)] = 0
    negatives: Literal["all", "equal", "random_captions"] = "all"
    reader: Literal["sentence", "lstm"] = "sentence"
    vectors: str = ""
    images: str = NO_IMAGES
    precision: Literal["float32", "bfloat16"] = "float32"
    layers: Annotated[int, Range(1, 4)] = 1
    width: Annotated[int, Range(8, 2_048)] = 512
    samples: str = ""
    version: ClassVar[int] = 2
    family: ClassVar[Family] = "quality"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    scores_empty_captions: ClassVar[bool] = True
    name: ClassVar[str] = "critique"
    label: ClassVar[str] = "Critique"
    work: ClassVar[Work] = "encoder"
    of_stated_captions: ClassVar[bool] = True
    judges_others: ClassVar[bool] = True
    no_test: ClassVar[str] = "a test relabels captions, and the critique has learned which of them are the run's"
    no_human: ClassVar[str] = (
        "each run has a critique of its own, and people's captions have a score by each: `train critique` prints it"
    )
    source: ClassVar[str] = "Cui et al. 2018, with frozen sentence embeddings in place of their LSTM"
    cites: ClassVar[tuple[str, ...]] = ("cui2018learning", "reimers2019sentence")
    formula: ClassVar[str] = r"\tfrac{1}{m}\sum_{j} P_{-f(i)}(\mathrm{person} \mid c, r_j)"
    summary: ClassVar[str] = (
        "Each half of the items is scored by a critique trained on the other half. Of the captions that it learns to "
        "reject, a third are the run's, a third are samples of the run's model (in the file `samples`) or of a "
        "trigram model of the run, and a third are captions of other items, or have some words permuted or replaced "
        "at random. With `negatives=equal`, each of these five kinds makes up a fifth, and all words change; without "
        "augmentation, only the run's captions are used; with `random_captions`, only those of other items, so it "
        "learns nothing about the run. `vectors` is a file of word vectors for the LSTM, which has `layers` of this "
        "`width`; `precision=bfloat16` trains it faster on processors that support it; `images` is an .npz of image "
        "features for the contexts image and both."
    )

    @property
    def parameters(self) -> str:
        return (
            f"{self.read_by}|context:{self.context}|net:{self.combination}"
            f"|augmented:{self.augmented}|folds:2|repeats:{self.repeats}|seed:{self.seed}"
            + ("" if self.negatives == "all" else f"|negatives:{self.negatives}")
            + (f"|images:{self.seen}" if self.beside_images else "")
            + (f"|samples:{self._given_samples.digest[:12]}" if self.learns_of_samples else "")
        )

    @property
    def learns_of_samples(self) -> bool:
        """Whether the critique learns from samples in a file."""
        return bool(self.samples) and self.augmented and self.learns_of_runs

    @property
    def _given_samples(self) -> Samples:
        from metrics.learned.critique_samples import named

        return named(self.samples)

    @property
    def learns_of_runs(self) -> bool:
        """Whether runs' captions are among those that the critique learns to distinguish from people's."""
        return self.negatives != "random_captions"

    @property
    def read_by(self) -> str:
        """The reader of captions, as it appears in the signature."""
        if self.reader == "lstm":
            half = "" if self.precision == "float32" else f"|trained in:{self.precision}"
            size = str(self.width) if self.layers == 1 else f"{self.layers}x{self.width}"
            return f"enc:lstm-{size}|words:{self._words},10000,5|steps:15{half}"
        return f"enc:{encoder_signature(self.encoder)}"

    @property
    def _words(self) -> str:
        """The length and origin of the word vectors."""
        if not self.vectors:
            return "300-random"
        from metrics.text.word_vectors import named

        found = named(self.vectors)
        return f"{found.dimension}-{found.sha256[:12]}"

    @property
    def seen(self) -> str:
        """The digest of the image features, as it appears in the signature; "none" without a file.

        Raises DataError if the file has no features.
        """
        from metrics.learned.cosmic_data import images_of

        if self.images == NO_IMAGES:
            return NO_IMAGES
        images_of(self.images)
        stat = Path(self.images).stat()
        return _images_digest(self.images, stat.st_mtime_ns, stat.st_size)

    @property
    def learns(self) -> Learns:
        """All texts, and also the items' images if their features are read."""
        return "coherence" if self.beside_images else "texts"

    def images_read(self, study: Study) -> list[str]:
        """Return the keys by which image features are looked up, for cache keys; empty if no features are read."""
        return [str(part) for item in study.items for part in (item.id, item.image)] if self.beside_images else []

    @property
    def needs(self) -> frozenset[Need]:
        found: set[Need] = {"encoder"} if self.reader == "sentence" else set()
        if self.beside_images and self.images == NO_IMAGES:
            found.add("features beside captions")
        return frozenset(found | {"two references"} if self.beside_references else found)

    def lacks(self, study: Study) -> str:
        """Return which images lack features, or which runs lack samples; "" if nothing is missing.

        Raises DataError if a file cannot be used.
        """
        if self.learns_of_samples and (why := self._given_samples.lacks(study)):
            return f"{Path(self.samples).name} has {why}"
        if not self.beside_images or self.images == NO_IMAGES:
            return ""
        from metrics.learned.cosmic_data import images_of, item_rows

        absent = [one for one, row in zip(study.items, item_rows(images_of(self.images), study.items)) if row < 0]
        if not absent:
            return ""
        return (
            f"{Path(self.images).name} has no features of {len(absent):,} of {len(study.items):,} images, such as "
            f"{absent[0].image or absent[0].id!r}: add them to the file, by the name of the image or the id of the item"
        )

    def prepare(self, study: Study) -> Study:
        """Return the study unchanged: the critique is trained on its only run when the first chunk is scored."""
        return study

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        sizes = [chunk.sizes(k)[0] for k in range(len(chunk))]
        item = np.repeat(np.arange(len(chunk)), sizes)
        run = context.runs[0] if context.runs else None
        if run is None:
            return Stats(
                np.full((0, 1), np.nan), item, len(chunk), dict.fromkeys(range(len(chunk)), "no captions of the run")
            )
        try:
            scores = trained(context, run, self, chunk).runs.mean(axis=0)
        except TooFew as why:
            return Stats(np.full((len(item), 1), np.nan), item, len(chunk), dict.fromkeys(range(len(chunk)), str(why)))
        starts = np.cumsum([0, *(len(run.candidates.get(one.id, ())) for one in context.items)])
        place = {one.id: k for k, one in enumerate(context.items)}
        parts = [scores[starts[place[id]] :][:size] for id, size in zip(chunk.ids, sizes, strict=True)]
        flat = np.concatenate([np.zeros(0), *parts])
        return Stats(flat.reshape(-1, 1), item, len(chunk), _reasons(chunk, parts))


@lru_cache(maxsize=8)
def _images_digest(path: str, changed: int, size: int) -> str:
    from metrics.learned.cosmic_data import images_digest, images_of

    return images_digest(images_of(path))


def _reasons(chunk: Chunk, parts: Sequence[Floats]) -> dict[int, str]:
    found = {}
    for k, part in enumerate(parts):
        n = chunk.sizes(k)[0]
        if not n or np.isnan(part).any():
            found[k] = "no captions of the run" if not n else "no captions by people"
    return found


def trained(study: Study, run: Run, metric: Critique, chunk: Chunk) -> Measured:
    """Return the scores by a run's critique, which is trained if they are not cached; `chunk` has the study's digests.

    Captions are in the order of the study's items, and sorted within an item. Raises TooFew if a half of the study has
    too few items, and Cancelled if it is stopped.
    """
    corpus = _corpus(study, (run,), metric)
    return chunk.artifact(
        key_of(metric, chunk.whole),
        lambda: _to_arrays(_train(corpus, metric, chunk)),
        partial(_of_arrays, metric, corpus),
    )


def key_of(metric: Critique, texts: StudyDigests) -> str:
    """Return the cache key of the critique of one run, from settings, all texts, and the images that are read."""
    return entry_key("critiques", metric.signature, texts.key(metric.learns))


def joint(study: Study, metric: Critique, cache: Cache, hooks: Hooks) -> Measured:
    """Return the scores of all runs by one critique that learns to distinguish any run's captions from people's."""
    corpus = _corpus(study, study.runs, metric)
    chunk = Chunk((), (), cache, hooks)
    key = entry_key("critiques", "one for all runs", metric.signature, corpus.digest)
    return chunk.artifact(key, lambda: _to_arrays(_train(corpus, metric, chunk)), partial(_of_arrays, metric, corpus))


def why_untrainable(study: Study, runs: Sequence[Run], metric: Critique) -> str | None:
    """Return why no joint critique of these runs can be trained on a study; None if it can be trained."""
    corpus = _corpus(study, runs, metric)
    try:
        for fold in (0, 1):
            usable_items(corpus, fold, metric.beside_references)
    except TooFew as why:
        return str(why)
    return None


def _corpus(study: Study, runs: Sequence[Run], metric: Critique) -> Corpus:
    from metrics.learned.critique_data import Corpus, plain

    def side(captions: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(plain(text) for text in sorted(texts)) for texts in captions)

    spoken = (side(run.candidates.get(item.id, ()) for item in study.items) for run in runs)
    people = side(item.references for item in study.items)
    clusters = tuple(item.cluster for item in study.items) if study.clustering else ()
    sampled: tuple[tuple[tuple[str, ...], ...], ...] = ()
    if metric.learns_of_samples:
        given = [metric._given_samples.run(run, study) or {} for run in runs]
        sampled = tuple(side(own.get(item.id, ()) for item in study.items) for own in given)
    return Corpus(people, tuple(spoken), metric.seed, _features(study, metric), clusters, sampled)


def _features(study: Study, metric: Critique) -> NDArray[np.float32] | None:
    """Return the (items, d) features of the images, all of which must have features; None if the metric reads none."""
    if not metric.beside_images:
        return None
    from metrics.learned.cosmic_data import images_of, item_rows

    images = images_of(metric.images)
    return images.features[item_rows(images, study.items)].astype(np.float32)


def judge(study: Study, metric: Critique, cache: Cache, hooks: Hooks) -> Judge:
    """Train and return the critique of all runs, for other captions of the items.

    Raises TooFew if a half of the study has too few items, and Cancelled if it is stopped.
    """
    from metrics.learned import critique

    return critique.judge(_corpus(study, study.runs, metric), *_given(metric, Chunk((), (), cache, hooks)))


def _train(corpus: Corpus, metric: Critique, chunk: Chunk) -> Measured:
    from metrics.learned.critique import measure

    return measure(corpus, *_given(metric, chunk))


def _given(metric: Critique, chunk: Chunk) -> tuple[Design, Features, Hooks, Folders | None]:
    from metrics.learned.critique import Design
    from metrics.learned.sentence_embeddings import embeddings
    from metrics.learned.weights import Folders
    from metrics.text import word_vectors

    design = Design(
        metric.context,
        metric.combination,
        metric.augmented,
        metric.repeats,
        metric.seed,
        metric.negatives,
        metric.reader,
        metric.read_by + (f"|images:{metric.seen}" if metric.beside_images else ""),
        metric.precision,
        metric.layers,
        metric.width,
        word_vectors.named(metric.vectors).of_words if metric.reader == "lstm" and metric.vectors else None,
    )
    root = chunk.cache.directory
    folders = Folders(root / TRAINING / "critique", root / WEIGHTS / "critique") if root else None
    return design, partial(embeddings, metric.encoder, chunk), chunk.hooks, folders


def _to_arrays(found: Measured) -> Arrays:
    return {**vars(found), "version": text_array([VERSION])}


def _of_arrays(metric: Critique, corpus: Corpus, arrays: Arrays) -> Measured:
    n_runs = sum(len(texts) for run in corpus.runs for texts in run)
    if array_texts(arrays["version"], 1) != [VERSION]:
        raise array_checks.Unfit("of another version")
    return measured_of(arrays, metric.repeats, n_runs, sum(map(len, corpus.people)), len(corpus.people))


def measured_of(arrays: Arrays, repeats: int, n_runs: int, n_people: int, items: int) -> Measured:
    """Return the scores in cached arrays, for these numbers of captions by runs and by people.

    Raises Unfit for other arrays.
    """
    n = repeats
    probabilities = {"runs": (n, n_runs), "people": (n, n_people), "probes": (n, len(PROBES), items)}
    array_checks.expect(arrays, {**probabilities, "losses": (n, 2, None, 2), "best": (n, 2)})
    for name in probabilities:
        if ((arrays[name] < 0) | (arrays[name] > 1)).any():
            raise array_checks.Unfit(f"{name} that are not probabilities")
    if (arrays["losses"] < 0).any():
        raise array_checks.Unfit("losses below 0")
    array_checks.expect_positions(arrays["best"], arrays["losses"].shape[2])
    return Measured(*(np.asarray(arrays[name]) for name in (*probabilities, "losses", "best")))
