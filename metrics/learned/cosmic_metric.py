"""COSMic as a metric: the rating that a network, trained on ratings by coherence label, predicts for a caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from data.coherence_study import OwnRatings, own_ratings
from data.ratings.coherence import of_candidates, of_references
from data.ratings.coherence_ratings import Rated
from data.ratings.human_ratings import ratings_of
from data.study import Item, Run, Study
from metrics.base import Family, Grain, Metric, Need, Range, Stats, Work
from metrics.cache import array_checks
from metrics.cache.disk import TRAINING, array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.chunk import Chunk, Learns, caption_order
from metrics.learned.pictures import are_pictures, by_item, listed, pictures_digest
from metrics.mathematics.arrays import Floats, Labels
from metrics.text.encoder import DEFAULT, encoder_signature, missing

if TYPE_CHECKING:
    from metrics.learned.cosmic_data import Images
    from metrics.learned.cosmic_file import Trained

Places = NDArray[np.int64]
VERSION = "2"
OWN, NO_IMAGES = "own", "none"
LEAST_IMAGES = 50
"""Minimum number of rated images of a study to learn from: ten per fold."""
LARGEST_SEED = 999_999
NO_FEATURES, NO_PICTURE = "no features of its image", "no picture of its image"
UNLABELLED = "a candidate without a coherence label"
NO_REFERENCE = "no reference with a coherence label that the network knows"


@dataclass(frozen=True)
class Cosmic(Metric):
    """The rating that a network predicts for a caption, given a reference, both coherence labels and the image.

    The network learns from ratings in 0..1, but its predictions may lie outside this range. `candidates_as` is a label
    assigned to all candidates in place of their own labels, and `references_as` to all references. `relu` applies to
    networks that learn from the study, like `--relu` of `train cosmic`.
    """

    weights: str = OWN
    images: str = NO_IMAGES
    encoder: str = DEFAULT
    seed: Annotated[int, Range(0, LARGEST_SEED)] = 0
    candidates_as: str = ""
    references_as: str = ""
    relu: Literal["paper", "code"] = "paper"
    own: OwnRatings | None = field(default=None, repr=False)
    version: ClassVar[int] = 2
    family: ClassVar[Family] = "quality"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    scores_empty_captions: ClassVar[bool] = True
    name: ClassVar[str] = "cosmic"
    label: ClassVar[str] = "COSMic"
    work: ClassVar[Work] = "encoder"
    learns: ClassVar[Learns] = "coherence"
    no_test: ClassVar[str] = "a test relabels captions, and their coherence labels would not follow"
    no_human: ClassVar[str] = "people's captions are the references that the network reads"
    source: ClassVar[str] = (
        "Inan et al. 2021: COSMic Vanilla, with the packaged sentence encoder in place of theirs, or their cross-modal "
        "network with an encoder that the user names"
    )
    cites: ClassVar[tuple[str, ...]] = ("inan2021cosmic", "reimers2019sentence")
    formula: ClassVar[str] = r"\tfrac{1}{m}\sum_{j} f_\theta(c, \ell_c, r_j, \ell_{r_j}, I)"
    summary: ClassVar[str] = (
        "The network is trained beforehand, `train cosmic RATINGS --save FILE`, and named with `--cosmic FILE`; or on "
        "the study's own ratings and labels, in five folds of images, each scored by the network that has not seen it. "
        "The value is the mean over the references that have a label; a caption without a label has no value."
    )

    @property
    def parameters(self) -> str:
        images = NO_IMAGES if self.images == NO_IMAGES else _digest(self.images)
        said = [("candidates_as", self.candidates_as), ("references_as", self.references_as)]
        asserted = "".join(f"|{name}:{label}" for name, label in said if label)
        if self.weights != OWN:
            return f"weights:{_trained(self.weights).digest[:12]}|images:{images}{asserted}"
        own = "" if self.own is None else f"@{self.own.digest[:12]}"
        relu = "" if self.relu == "paper" else f"|relu:{self.relu}"
        read = f"enc:{encoder_signature(self.encoder)}|images:{images}"
        return f"weights:own{own}|{read}|folds:5|seed:{self.seed}{relu}{asserted}"

    @property
    def needs(self) -> frozenset[Need]:
        if self.weights == OWN:
            return frozenset({"encoder", "coherence labels"} if self.own else {"encoder", "trained network"})
        takes, found = _trained(self.weights).about, set[Need]({"encoder"})
        if takes.labels:
            found.add("coherence labels")
        if takes.images and (self.images == NO_IMAGES or are_pictures(self.images)):
            found.add("image features")
        if takes.cross and not are_pictures(self.images):
            found.add("pictures")
        if missing(self.encoder) is None and takes.encoder != encoder_signature(self.encoder):
            found.add("encoder of the network")
        return frozenset(found)

    def prepare(self, study: Study) -> Study:
        """Return the study of one run unchanged: it already has the coherence labels of the captions."""
        return study

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        pairs, place, reasons = self._pairs(context, chunk)
        sizes = [chunk.sizes(k)[0] for k in range(len(chunk))]
        item = np.repeat(np.arange(len(chunk)), sizes)
        own = self.own is not None
        scores = self._own_scores(pairs, chunk) if own else self._scores(pairs, context, chunk)
        for k in np.flatnonzero(np.isnan(scores)):
            reasons.setdefault(int(item[place[k]]), NO_PICTURE if are_pictures(self.images) else NO_FEATURES)
        count = np.bincount(place, minlength=len(item))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.bincount(place, weights=scores, minlength=len(item)) / count
        values[count == 0] = np.nan
        return Stats(values.reshape(-1, 1), item, len(chunk), reasons)

    def _pairs(self, context: Study, chunk: Chunk) -> tuple[list[Rated], Places, dict[int, str]]:
        """Return the chunk's captions paired with each reference, the unit of each pair, and why items lack values."""
        items = {one.id: one for one in context.items}
        (run,) = context.runs
        pairs, place, reasons, unit = [], [], {}, 0
        for k, id in enumerate(chunk.ids):
            for text, label in zip(chunk.candidates[k], labels_in_order(run, id), strict=True):
                mine, why = self._against(items[id], text, label)
                if why:
                    reasons[k] = why
                pairs += mine
                place += [unit] * len(mine)
                unit += 1
            if not chunk.candidates[k]:
                reasons[k] = "no captions of the run"
        return pairs, np.array(place, dtype=np.int64), reasons

    def _against(self, item: Item, text: str, label: str) -> tuple[list[Rated], str]:
        """Return a caption paired with each reference that counts, or no pairs and the reason."""
        if self.own is not None:
            mine = list(map(self._as_asserted, self.own.of.get((item.id, text, label), ())))
            return mine, "" if mine else UNLABELLED if not label else NO_REFERENCE
        labels, label = _trained(self.weights).about.labels, self.candidates_as or label
        unknown = next((one for one in (label, self.references_as or label) if one not in labels), None)
        if labels and unknown is not None:
            known = f"the network has not learned the label {unknown}: it knows {', '.join(labels)}"
            return [], known if unknown else UNLABELLED
        theirs = (self.references_as,) * len(item.references) if self.references_as else of_references(item)
        said = sorted(set(zip(item.references, theirs if labels else ("",) * len(item.references))))
        mine = [Rated(item.id, text, label, np.nan, *one) for one in said if not labels or one[1] in labels]
        return mine, "" if mine else NO_REFERENCE

    def _as_asserted(self, one: Rated) -> Rated:
        """Return a rated caption of the study with assigned labels, and without its rating, which no longer applies."""
        if not self.candidates_as and not self.references_as:
            return one
        labels = self.candidates_as or one.label, self.references_as or one.reference_label
        return replace(one, label=labels[0], reference_label=labels[1], rating=np.nan)

    def _scores(self, pairs: Sequence[Rated], study: Study, chunk: Chunk) -> Floats:
        """Return each pair's score by the network in a file; NaN if the network needs an image that is missing."""
        from metrics.learned.cosmic_data import images_of
        from metrics.learned.sentence_embeddings import embeddings

        trained = _trained(self.weights)
        if trained.about.cross:
            return self._cross_modal_scores(trained, pairs, study)
        features = np.zeros((len(pairs), 0))
        if trained.about.images:
            features = _features(images_of(self.images), study, pairs, trained.about.images)
        known: Labels = np.asarray(np.isfinite(features).all(axis=1))
        mine = [one for one, has in zip(pairs, known) if has]
        texts = sorted({text for one in mine for text in (one.caption, one.reference)})
        scores = np.full(len(pairs), np.nan)
        if mine:
            scores[known] = trained.scores(mine, texts, embeddings(self.encoder, chunk, texts), features[known])
        return scores

    def _cross_modal_scores(self, trained: Trained, pairs: Sequence[Rated], study: Study) -> Floats:
        """Return scores by a fine-tuned encoder; NaN if an image has no picture."""
        from metrics.learned import cross_modal

        pictures = by_item(listed(Path(self.images)), study.items)
        known = np.array([one.image in pictures.of for one in pairs], dtype=bool)
        mine, scores = [one for one, has in zip(pairs, known) if has], np.full(len(pairs), np.nan)
        if mine:
            scores[known] = cross_modal.scored(trained, mine, cross_modal.load(self.encoder), pictures)
        return scores

    def _own_scores(self, pairs: Sequence[Rated], chunk: Chunk) -> Floats:
        """Return scores by networks trained on the study's own ratings; no network scores an image that it has seen.

        A caption that the networks did not score has NaN.
        """
        assert self.own is not None
        rated = (*self.own.rated, *self._asserted_rows())
        plain = replace(self, candidates_as="", references_as="")
        key = entry_key("cosmics", plain.signature, self.own.digest, *self._swept())
        found = chunk.artifact(key, lambda: _train(self, rated, chunk), partial(_of_arrays, len(rated)))
        known = {_identity(one): score for one, score in zip(rated, found)}
        return np.array([known.get(_identity(one), np.nan) for one in pairs])

    def _swept(self) -> tuple[str, ...]:
        """Return the part of a cache key for assigned labels; if only one side has a label, all its labels share this
        part.
        """
        if self.candidates_as and self.references_as:
            return "both", self.candidates_as, self.references_as
        return ("candidates",) if self.candidates_as else ("references",) if self.references_as else ()

    def _asserted_rows(self) -> tuple[Rated, ...]:
        """Return the study's ratings under each label of the assigned side, without those that exist already."""
        assert self.own is not None
        variants = [self]
        if self._swept() == ("candidates",):
            variants = [replace(self, candidates_as=label) for label in self.own.labels]
        elif self._swept() == ("references",):
            variants = [replace(self, references_as=label) for label in self.own.labels]
        known = {_identity(one) for one in self.own.rated}
        made = {_identity(one): one for variant in variants for one in map(variant._as_asserted, self.own.rated)}
        return tuple(one for key, one in made.items() if key not in known)


def bound(metric: Cosmic, study: Study) -> Cosmic:
    """Return the metric with the study's own ratings if it is to learn from them and they suffice; else unchanged."""
    if metric.weights != OWN or not ratings_of(study):
        return metric
    found = own_ratings(study)
    return replace(metric, own=found) if found.images >= LEAST_IMAGES else metric


def with_given(metric: Cosmic, study: Study, weights: str | None, images: str | None) -> Cosmic:
    """Return the metric with a network file and, if the features have the width that the network takes, a feature file.

    Without a network, the metric learns from the study, with the features if all images that it learns from have
    features under the ids of their items. Raises DataError if a file has no network or no features.
    """
    names: Sequence[str] = ()
    width = 0
    if images is not None:
        from metrics.learned.cosmic_data import images_of

        names, width = images_of(images).names, images_of(images).features.shape[1]
    if weights is None:
        learns = bound(metric, study)
        covered = learns.own is not None and {one.image for one in learns.own.rated} <= set(names)
        return replace(learns, images=images or NO_IMAGES) if covered else learns
    read = images if images is not None and _trained(weights).about.images == width else metric.images
    return replace(metric, weights=weights, images=read)


def _identity(one: Rated) -> tuple[str, ...]:
    return one.image, one.caption, one.label, one.reference, one.reference_label


def labels_in_order(run: Run, id: str) -> list[str]:
    """Return the label of each candidate of an item, in the order of a chunk."""
    said = of_candidates(run, id)
    return [said[place] for place in caption_order(run.candidates.get(id, ()))]


def _digest(path: str) -> str:
    from metrics.learned.cosmic_data import images_digest, images_of

    if are_pictures(path):
        return pictures_digest(path)
    return images_digest(images_of(path))


def _features(images: Images, study: Study, pairs: Sequence[Rated], width: int) -> Floats:
    """(n, width) features of the image of each pair, found by the name of its image or item; NaN if missing.

    Raises ValueError for features of another width.
    """
    from metrics.learned.cosmic_data import item_rows

    if images.features.shape[1] != width:
        raise ValueError(f"features of {images.features.shape[1]} numbers per image; the network takes {width}")
    row = dict(zip([item.id for item in study.items], item_rows(images, study.items), strict=True))
    found: Floats = np.vstack([images.features, np.full((1, width), np.nan)])[[row[one.image] for one in pairs]]
    return found


def _train(metric: Cosmic, rated: Sequence[Rated], chunk: Chunk) -> Arrays:
    from metrics.learned.cosmic import cross_validated
    from metrics.learned.cosmic_data import Design, images_of, require_features, tables
    from metrics.learned.sentence_embeddings import embeddings

    images = None if metric.images == NO_IMAGES else images_of(metric.images)
    if images is not None:
        require_features(images, [one.image for one in rated], metric.images)
    design = Design(metric.encoder, relu=metric.relu, seed=metric.seed)
    folder = chunk.cache.directory / TRAINING / "cosmic" if chunk.cache.directory else None
    data = tables(rated, partial(embeddings, metric.encoder, chunk), images, design).data
    found = cross_validated(data, metric.seed, metric.relu, chunk.hooks, folder)
    return {"scores": found.scores, "version": text_array([VERSION])}


def _of_arrays(size: int, arrays: Arrays) -> Floats:
    array_checks.expect(arrays, {"scores": (size,)})
    if not np.isfinite(arrays["scores"]).all():
        raise array_checks.Unfit("scores that are not finite numbers")
    if array_texts(arrays["version"], 1) != [VERSION]:
        raise array_checks.Unfit("of another version")
    return np.asarray(arrays["scores"], dtype=float)


def _trained(path: str) -> Trained:
    from metrics.learned.cosmic_file import read

    return read(path)
