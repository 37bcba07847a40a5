"""Log-probabilities of a run's captions and its references, as stated in its files, in the order of a chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from data.study import Run, Study, of_study
from metrics.base import Need, Undefined
from metrics.chunk import caption_order
from metrics.mathematics.arrays import Floats

Field = Literal["own", "oracle", "references", "references_oracle"]
NEEDS: dict[Field, Need] = {
    "own": "logprobs",
    "oracle": "oracle_logprobs of candidates",
    "references": "reference_logprobs",
    "references_oracle": "oracle_logprobs of references",
}
"""The name of each field in the file format."""
SEARCHES = ("greedy", "beam", "argmax", "diverse_beam", "contrastive")


class ItemLogprobs(NamedTuple):
    """Natural log-probabilities for one item, each (n,) or None if not stated; -inf is probability 0.

    `own` and `oracle` are those of the candidates under the run and the oracle; `references` and `references_oracle`
    are those of the references.
    """

    own: Floats | None
    oracle: Floats | None
    references: Floats | None
    references_oracle: Floats | None


@dataclass(frozen=True)
class RunLogprobs:
    """The log-probabilities of a run by item; `searched` names its decoder if that is a search, such as beam."""

    items: dict[str, ItemLogprobs]
    searched: str

    def of(self, item: str, *fields: Field) -> list[Floats]:
        """Return the arrays of these fields for an item. Raises Undefined if the files do not state one of them."""
        found = self.items.get(item)
        arrays = [None if found is None else getattr(found, field) for field in fields]
        for field, array in zip(fields, arrays):
            if array is None:
                whose = "" if field == "references_oracle" else " of this run"
                raise Undefined(f"the files do not state {NEEDS[field]}{whose}")
        return [array for array in arrays if array is not None]

    def need_sampled(self) -> None:
        """Raise Undefined unless the captions are sampled from the distribution that the log-probabilities describe."""
        if self.searched:
            raise Undefined(
                f"its captions were found by {self.searched} decoding, so they are not a sample of a distribution"
            )

    @property
    def impossible(self) -> tuple[int, int]:
        """The number of references to which the run assigns probability 0, and the number of references."""
        known = [one.references for one in self.items.values() if one.references is not None]
        return sum(int(np.isneginf(values).sum()) for values in known), sum(len(values) for values in known)


@of_study
def stated(study: Study) -> frozenset[Need]:
    """Return the kinds of log-probabilities that the files of a study state for some run and item."""
    known = {
        NEEDS["own"]: any(run.logprobs for run in study.runs),
        NEEDS["oracle"]: any(run.oracle_logprobs for run in study.runs),
        NEEDS["references"]: any(run.reference_logprobs for run in study.runs),
        NEEDS["references_oracle"]: any(item.oracle_logprobs for item in study.items),
    }
    return frozenset(need for need, there in known.items() if there)


def unstated(study: Study, needs: Iterable[Need]) -> str:
    """Return a sentence that lists the requirements that a study's files do not meet; "" if they meet all."""
    lacking = sorted((set(needs) & set(NEEDS.values())) - stated(study))
    return f"the files do not state {', '.join(lacking)} (docs/formats.md)" if lacking else ""


@of_study
def of_run(study: Study) -> RunLogprobs:
    """Return the log-probabilities of the study's only run; empty if it has no run."""
    if not study.runs:
        return RunLogprobs({}, "")
    (run,) = study.runs
    items = {}
    for item in study.items:
        own = caption_order(run.candidates.get(item.id, ()))
        people = caption_order(item.references)
        items[item.id] = ItemLogprobs(
            _ordered((run.logprobs or {}).get(item.id), own),
            _ordered((run.oracle_logprobs or {}).get(item.id), own),
            _ordered((run.reference_logprobs or {}).get(item.id), people),
            _ordered(item.oracle_logprobs, people),
        )
    return RunLogprobs(items, _searched(run))


def _ordered(values: Sequence[float] | None, order: list[int]) -> Floats | None:
    """Return the values (n,) in the given order (n,); None if they are not stated or their number is not n."""
    if not values or len(values) != len(order):
        return None
    return np.asarray(values, dtype=float)[order]


def _searched(run: Run) -> str:
    name = (run.settings.decoder or "").strip().lower().replace(" ", "_").replace("-", "_")
    return name.replace("_", " ") if name.startswith(SEARCHES) else ""
