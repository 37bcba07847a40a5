"""A trained critique's scores of captions in the contexts of their items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from metrics.learned.critique_data import Pool, Rows
from metrics.learned.networks import Classifier, joint_context
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks

PAIRS = 4_096
"""Number of pairs of a caption and a context to score together."""


@dataclass(frozen=True)
class Scorer:
    """A trained classifier with the vectors of all texts as `inputs`, and the context of captions.

    `inputs` are (texts, width) and `images` (items, features). `people` are the references of each item, as rows of
    `inputs`; `beside_references` is False if no references are read; `images` is None if no images are read.
    """

    network: Classifier
    inputs: Tensor
    people: Pool
    beside_references: bool
    images: Tensor | None
    hooks: Hooks

    def scores(self, captions: Rows, items: Rows, sources: Rows) -> Floats:
        """(n,) scores of captions; if references are read, means over the item's references, NaN if there are none.

        A reference from which a caption is derived, its source, is not among them.
        """
        if not self.beside_references:
            return self._probability(captions, None, items)
        counts = self.people.counts[items]
        owners = np.repeat(np.arange(len(captions)), counts)
        place = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = place != sources[owners]
        owners, place = owners[kept], place[kept]
        references = self.people.rows[self.people.starts[items][owners] + place]
        found = self._probability(captions[owners], references, items[owners])
        with np.errstate(invalid="ignore"):
            return np.bincount(owners, found, len(captions)) / np.bincount(owners, minlength=len(captions))

    def _probability(self, captions: Rows, references: Rows | None, items: Rows) -> Floats:
        parts = [np.zeros(0)]
        with torch.no_grad():
            for start in range(0, len(captions), PAIRS):
                self.hooks.check()
                part = slice(start, start + PAIRS)
                reference = None if references is None else self.inputs[torch.as_tensor(references[part])]
                image = None if self.images is None else self.images[torch.as_tensor(items[part])]
                caption = self.inputs[torch.as_tensor(captions[part])]
                found = self.network(caption, joint_context(reference, image))
                parts.append(nn.functional.softmax(found, dim=1)[:, 1].cpu().numpy().astype(float))
        return np.concatenate(parts)
