"""CLIPScore and RefCLIPScore: captions against the image itself, by vectors from a vision-and-language model."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from metrics.base import Family, Grain, Metric, Need, Range, Stats, Undefined, by_item
from metrics.chunk import Chunk
from metrics.mathematics.arrays import Floats

if TYPE_CHECKING:
    from metrics.text.clip_features import ClipFeatures

SCALE = 2.5
"""Factor of the cosine that spreads the values over 0..1. Hessel et al. 2021, section 3."""


class OnImages(Metric):
    """A metric of vectors of images and captions, which are in the file named by its field `features`."""

    features: str
    scale: float
    family: ClassVar[Family] = "quality"
    grain: ClassVar[Grain] = "candidate"
    higher_is_better: ClassVar[bool] = True
    size_free: ClassVar[bool] = True
    scores_empty_captions: ClassVar[bool] = True
    cites: ClassVar[tuple[str, ...]] = ("hessel2021clipscore", "sarto2023positive")

    @property
    def parameters(self) -> str:
        from metrics.text.clip_features import read

        return f"scale:{self.scale:g}|features:{read(self.features).digest[:12] if self.features else 'none'}"

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset() if self.features else frozenset({"image vectors"})

    @abstractmethod
    def values(self, image: Floats, captions: Floats, references: Floats) -> Floats:
        """(n,) values of captions, from the vector of the image and the vectors of captions and references."""

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        from metrics.text.clip_features import read

        known = read(self.features)
        return by_item(chunk, self.grain, lambda index: self._of_item(known, chunk, index))

    def _of_item(self, known: ClipFeatures, chunk: Chunk, index: int) -> Floats:
        n, _ = chunk.sizes(index)
        texts = chunk.texts(index)
        if not n:
            raise Undefined("no captions of the run")
        if (image := known.image(chunk.ids[index])) is None:
            raise Undefined("the file of features has no vector of this item's image")
        read = texts if self.reads_references else texts[:n]
        if (rows := known.captions(read)) is None:
            raise Undefined("the file of features has no vector of one of the captions")
        return self.values(image, rows[:n], rows[n:])


@dataclass(frozen=True)
class ClipScore(OnImages):
    """CLIPScore: 2.5 times the cosine of a caption with the image, or 0 if the cosine is negative."""

    features: str = ""
    scale: Annotated[float, Range(0.1, 100)] = SCALE
    name: ClassVar[str] = "clipscore"
    label: ClassVar[str] = "CLIPScore"
    reads_references: ClassVar[bool] = False
    no_test: ClassVar[str] = "it reads one caption and its image, and never compares a set with people's"
    source: ClassVar[str] = "Hessel et al. 2021, section 3"
    formula: ClassVar[str] = r"2.5\,\max(\cos(c, v), 0)"
    summary: ClassVar[str] = (
        "Does the caption go with the image, whatever people wrote? `features` is an .npz with vectors of images and "
        "captions from one model; the meaning of a value depends on the model and on the words put before captions, "
        "'A photo depicts' in the paper. With `scale=2` and vectors of the PAC model it is PAC-S (Sarto et al. 2023)."
    )

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, self.scale

    def values(self, image: Floats, captions: Floats, references: Floats) -> Floats:
        return self.scale * np.maximum(captions @ image, 0)


@dataclass(frozen=True)
class RefClipScore(OnImages):
    """RefCLIPScore: the harmonic mean of CLIPScore and the cosine with the nearest reference."""

    features: str = ""
    scale: Annotated[float, Range(0.1, 100)] = SCALE
    name: ClassVar[str] = "refclipscore"
    label: ClassVar[str] = "RefCLIPScore"
    no_test: ClassVar[str] = "the image decides much of the value, and is the same for candidates and references"
    no_human: ClassVar[str] = "it scores against all references, and each reference would be among them"
    source: ClassVar[str] = "Hessel et al. 2021, section 3"
    formula: ClassVar[str] = r"\mathrm{HM}\big(2.5\max(\cos(c,v),0),\; \max(\max_j\cos(c,r_j),0)\big)"
    summary: ClassVar[str] = (
        "CLIPScore that also compares the caption with the references. `features` is an .npz with vectors of images, "
        "captions and references from one model; with `scale=2` and vectors of the PAC model it is RefPAC-S."
    )

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, 2 * self.scale / (self.scale + 1)

    @property
    def best_of(self) -> bool:
        return True

    def values(self, image: Floats, captions: Floats, references: Floats) -> Floats:
        if not len(references):
            raise Undefined("no captions by people")
        seen = self.scale * np.maximum(captions @ image, 0)
        said = np.maximum((captions @ references.T).max(axis=1), 0)
        both = seen + said
        return np.where(both > 0, 2 * seen * said / np.where(both > 0, both, 1), 0.0)
