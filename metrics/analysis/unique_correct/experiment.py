"""The experiment with unique and correct captions: sets with given numbers of correct and of unique texts.

This is the experiment of Chan et al., appendix B.2, with a study's own references: some are held out, others are the
correct candidates, captions of other items are the foreign captions, and repeats bring all sets to equal size. The
paper's draw, and one with evenly spread repeats, are described in `docs/decisions/011-unique-versus-correct.md`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from data.study import Captions, Item, Run, Settings, Study, of_study
from metrics.base import Metric, Undefined
from metrics.cache.disk import Cache, array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.chunk import Chunk, StudyDigests, caption_order, pooled_order, split
from metrics.distances.base import Distance
from metrics.distances.words import BowDistance
from metrics.mathematics.arrays import Floats, Integers
from metrics.mathematics.triangle import set_trms
from metrics.progress import Hooks
from metrics.registry import METRICS, frequencies_of, given_to
from metrics.suite.distribution import Trm
from metrics.suite.quality import PairQuality, Rule

Draw = Literal["even", "paper"]
DRAWS: tuple[Draw, ...] = get_args(Draw)
PAPER_SIZE = 10
"""Number of captions of a set, and of references held out, in the paper's draw."""
VERSIONS: dict[Draw, int] = {"even": 1, "paper": 2}
"""Version of the computation, by draw; part of the cache key."""
LARGEST = 12
FEWEST = 2
TEXTS_AT_ONCE = {"words": 1_500, "encoder": 3_000, "meteor": 600}
MAX_FIRST_PAIRS = 400_000
"""Maximum number of METEOR pairs in a first view: about two minutes of work."""


@dataclass(frozen=True)
class BestBow(PairQuality):
    """Cosine similarity of bags of words to the nearest reference: the base metric of TRM on bags of words."""

    space: Distance = BowDistance()
    constants: ClassVar[str] = "refs:max|"
    rule: ClassVar[Rule] = "mean_max"
    source: ClassVar[str] = "Chan et al., section 3.1 with bags of words"
    formula: ClassVar[str] = r"\max_j \cos(w_c, w_{r_j})"
    summary: ClassVar[str] = "Words shared with the best reference, in any order."


@dataclass(frozen=True)
class Design:
    """`size` candidates against `references` held-out references, drawn `repeats` times per item.

    `draw` is "even", or "paper" for the draw of Chan et al., who use 10 of each.
    """

    size: int
    references: int
    repeats: int
    seed: int = 0
    draw: Draw = "even"

    @property
    def cells(self) -> Integers:
        """(cells, 2) the pairs (correct, unique) that the sets have."""
        return cells(self.size, self.draw)

    @property
    def needed(self) -> int:
        """The number of references that an item must have in its pool."""
        return self.size + self.references

    @property
    def counted(self) -> str:
        """The noun for the captions that `needed` counts."""
        return "distinct references" if self.draw == "even" else "references"


@dataclass(frozen=True)
class CaptionSets:
    """The captions of one draw; `copies` (cells, 2 * size) are multiplicities of own, then of foreign captions."""

    held_out: Captions
    own: Captions
    foreign: Captions
    copies: Integers

    @property
    def candidates(self) -> Captions:
        """The item's own texts, then the foreign texts."""
        return self.own + self.foreign


@dataclass(frozen=True)
class Experiment:
    """Values of every set: `base` and `trm` (items, repeats, cells), and captions' `scores` (items, repeats, 2 * size).

    `items` are positions in the study, in order; `cells` (cells, 2) are those of the design; `failed` gives the reasons
    why other items have no values.
    """

    design: Design
    cells: Integers
    items: Integers
    base: Floats
    trm: Floats
    scores: Floats
    failed: tuple[str, ...] = ()

    def arrays(self) -> Arrays:
        """Return arrays for the cache, which `experiment_from` reads back."""
        numbers = {"items": self.items, "base": self.base, "trm": self.trm, "scores": self.scores}
        return {**numbers, "failed": text_array(list(self.failed)), "failures": np.array(len(self.failed))}


def base_metric(trm: Trm) -> Metric:
    """Return the score of captions on which a triangle-rank metric is based."""
    name = trm.space.name_with_order
    tokenizer = getattr(trm.space, "tokenizer", "ptb")
    return given_to(METRICS[name], frequencies_of(trm), tokenizer) if name in METRICS else BestBow(trm.space)


def cells(size: int, draw: Draw = "even") -> Integers:
    """Return the pairs (correct, unique) that a set of `size` captions can have, in lexicographic order: (cells, 2).

    Pairs are left out only if a single text would have to be both correct and foreign. In the paper's draw, the
    second number is the size of each of two pools, and no pair is left out.
    """
    full = draw == "paper"
    pairs = [(m, k) for m in range(size + 1) for k in range(1, size + 1) if full or k > 1 or m in (0, size)]
    return np.array(pairs, dtype=np.int64)


def pools_of(study: Study, draw: Draw) -> tuple[Captions, ...]:
    """Return the references of each item that a draw takes: distinct texts for "even", all references for "paper"."""
    return distinct_references(study) if draw == "even" else tuple(item.references for item in study.items)


def possible(study: Study) -> tuple[Draw, ...]:
    """Return the draws for which some item has enough references for the smallest sets."""
    return tuple(draw for draw in DRAWS if any(len(pool) >= 2 * FEWEST for pool in pools_of(study, draw)))


@of_study
def distinct_references(study: Study) -> tuple[Captions, ...]:
    """Return the references of each item, without any that differ from an earlier one only in case or punctuation."""
    pools: list[Captions] = []
    for item in study.items:
        first: dict[str, str] = {}
        for text in item.references:
            first.setdefault(key(text), text)
        pools.append(tuple(first.values()))
    return tuple(pools)


def key(text: str) -> str:
    """Return the normal form of a caption, by which texts are compared: case and punctuation are ignored."""
    return " ".join(re.findall(r"\w+", text.casefold())) or text.strip()


def usable(pools: Sequence[Captions], needed: int) -> Integers:
    """Return the positions of the items with at least `needed` references in their pools."""
    return np.flatnonzero(np.array([len(pool) for pool in pools]) >= needed)


def default_design(pools: Sequence[Captions], trm: Trm, seed: int = 0, draw: Draw = "even") -> Design:
    """Return the default design, whose sets have half the number of references that nine in ten items have.

    The number of repeats is chosen so that the work takes minutes.
    """
    counts = np.array([len(pool) for pool in pools if pool] or [0])
    common = int(np.quantile(counts, 0.1, method="lower"))
    size = int(np.clip(common - common // 2, FEWEST, PAPER_SIZE))
    references = int(np.clip(common // 2, FEWEST, PAPER_SIZE))
    repeats = default_repeats(len(usable(pools, size + references)), size, references, trm)
    return Design(size, references, repeats, seed, draw)


def default_repeats(items: int, size: int, references: int, trm: Trm) -> int:
    """Return 1 to 5 repeats, fewer for more items, since repeats then add less."""
    texts = 2 * size + references
    most = MAX_FIRST_PAIRS // max(items * texts * (texts - 1), 1) if trm.work == "meteor" else 1_000 // max(items, 1)
    return int(np.clip(most, 1, 5))


def draw(pools: Sequence[Captions], design: Design, item: int, repeat: int) -> CaptionSets:
    """Return the texts of one item and repeat, the same for every distance; `pools` are from `pools_of`.

    Raises Undefined if the item, or all other items together, have too few captions.
    """
    if len(pools[item]) < design.needed:
        raise Undefined(f"needs {design.needed} {design.counted}, has {len(pools[item])}")
    rng = np.random.default_rng([design.seed, item, repeat])
    own = [pools[item][k] for k in rng.permutation(len(pools[item]))]
    foreign = _foreign(pools, item, design, rng)
    if design.draw == "paper":
        copies = _from_pools(design, rng)
    else:
        low, high, chance = _copies(design.size)
        copies = np.where((rng.random(len(chance)) < chance)[:, None], high, low)
    first = design.references
    return CaptionSets(tuple(own[:first]), tuple(own[first : design.needed]), foreign, copies)


def _foreign(pools: Sequence[Captions], item: int, design: Design, rng: np.random.Generator) -> Captions:
    """Captions of other items that this item does not have, each from a different item as long as there are enough.

    In the even draw no text is repeated; in the paper's draw no caption is repeated, but captions of several items may
    have the same text. Raises Undefined if there are too few.
    """
    said, count = {key(text) for text in pools[item]}, design.size
    found: dict[object, str] = {}

    def take(other: int, place: int) -> None:
        text = pools[other][place]
        if key(text) not in said and len(found) < count:
            found.setdefault(key(text) if design.draw == "even" else (other, place), text)

    others = [k for k in rng.choice(len(pools), min(len(pools), 4 * count), replace=False) if k != item and pools[k]]
    for k in others:
        take(int(k), int(rng.integers(len(pools[k]))))
    if len(found) < count:
        rest = [(k, place) for k, pool in enumerate(pools) if k != item for place in range(len(pool))]
        for at in rng.permutation(len(rest)):
            take(*rest[at])
    if len(found) < count:
        raise Undefined(f"needs {count} captions of other items, there are {len(found)}")
    return tuple(found.values())


def _from_pools(design: Design, rng: np.random.Generator) -> Integers:
    """(cells, 2 * size) multiplicities: m of the first k own captions, and size - m of the first k foreign captions.

    Captions are drawn with replacement if a pool has fewer than are needed from it. Chan et al., B.2.
    """

    def drawn(captions: int, pool: int) -> Integers:
        return np.bincount(rng.choice(pool, captions, replace=captions > pool), minlength=design.size)

    return np.array([[*drawn(m, k), *drawn(design.size - m, k)] for m, k in design.cells.tolist()])


def _copies(size: int) -> tuple[Integers, Integers, Floats]:
    """Two tables of multiplicities (cells, 2 * size), and the probability (cells,) of the second.

    Of k unique texts among m correct and size - m foreign captions, k m / size are correct; fractions are rounded at
    random so that the mean is exact. The multiplicities of texts of one kind differ by at most one.
    """
    found = cells(size)
    correct, unique = found[:, 0], found[:, 1]
    share = np.clip(unique * correct / size, np.minimum(correct, 1), unique - np.minimum(size - correct, 1))
    low, high = np.floor(share).astype(np.int64), np.ceil(share).astype(np.int64)
    tables = [
        np.array([[*_spread(m, own, size), *_spread(size - m, k - own, size)] for (m, k), own in zip(found, owns)])
        for owns in (low, high)
    ]
    return tables[0], tables[1], share - low


def _spread(captions: int, texts: int, size: int) -> list[int]:
    """Multiplicities of `size` texts if `captions` captions are spread evenly over the first `texts` texts."""
    return [captions // texts + (k < captions % texts) if k < texts else 0 for k in range(size)]


def experiment(study: Study, design: Design, trm: Trm, cache: Cache, hooks: Hooks | None = None) -> Experiment:
    """Return the experiment, with every cell for every item with enough references. Raises Cancelled.

    Items with a draw that a metric cannot score are left out, and `failed` states why.
    """
    hooks = hooks or Hooks()
    pools = pools_of(study, design.draw)
    positions = usable(pools, design.needed).tolist()
    base = base_metric(trm)
    people = study.only(runs=())  # all texts are references of the study; there is nothing else to learn from
    contexts = base.prepare(people), trm.prepare(people)
    step = max(TEXTS_AT_ONCE[trm.work] // (design.repeats * (design.needed + design.size)), 1)
    found: list[_Scored] = []
    for start in range(0, len(positions), step):
        hooks.check()
        hooks.share(start / len(positions))
        part = _Batch(study, pools, design, positions[start : start + step], cache, hooks)
        found += part.scored(base, trm, contexts)
    return _collected(design, found)


@dataclass(frozen=True)
class _Scored:
    """One item: values by `base` and by `trm`, each (repeats, cells), and caption `scores` (repeats, 2 * size).

    Without values, `why` is the reason.
    """

    item: int
    base: Floats = field(default_factory=lambda: np.empty(0))
    trm: Floats = field(default_factory=lambda: np.empty(0))
    scores: Floats = field(default_factory=lambda: np.empty(0))
    why: str = ""


@dataclass(frozen=True)
class _Batch:
    """Some items whose draws are scored together, each draw as a separate item."""

    study: Study
    pools: Sequence[Captions]
    design: Design
    positions: Sequence[int]
    cache: Cache
    hooks: Hooks

    def scored(self, base: Metric, trm: Trm, contexts: tuple[Any, Any]) -> list[_Scored]:
        sets: dict[tuple[int, int], CaptionSets | str] = {}
        for item in self.positions:
            for repeat in range(self.design.repeats):
                try:
                    sets[item, repeat] = draw(self.pools, self.design, item, repeat)
                except Undefined as why:
                    sets[item, repeat] = str(why)
        drawn = [found for found in sets.values() if isinstance(found, CaptionSets)]
        values = iter(self._values(drawn, base, trm, contexts) if drawn else ())
        all_of = [next(values) if isinstance(found, CaptionSets) else found for found in sets.values()]
        each = self.design.repeats
        return [_of_item(item, all_of[k * each : (k + 1) * each]) for k, item in enumerate(self.positions)]

    def _values(
        self, drawn: Sequence[CaptionSets], base: Metric, trm: Trm, contexts: tuple[Any, Any]
    ) -> list[tuple[Floats, Floats, Floats] | str]:
        names = [f"{k}" for k in range(len(drawn))]
        items = [Item(name, sets.held_out) for name, sets in zip(names, drawn)]
        run = Run("sets", "sets", Settings(), {name: sets.candidates for name, sets in zip(names, drawn)})
        chunk = Chunk.of(items, run, self.cache, self.hooks, StudyDigests.of(self.study.only(runs=())))
        stats = base.stats(contexts[0], chunk)
        scores = split(base.units(stats.values), [2 * self.design.size] * len(drawn))
        matrices = trm.space.all_distances(contexts[1], chunk)
        found: list[tuple[Floats, Floats, Floats] | str] = []
        for k, sets in enumerate(drawn):
            matrix = matrices[k]
            why = stats.reasons.get(k) or (matrix if isinstance(matrix, str) else "")
            if why or isinstance(matrix, str):
                found.append(why)
                continue
            own = scores[k][np.argsort(caption_order(sets.candidates))]
            place = np.argsort(pooled_order(sets.candidates, sets.held_out))
            ranks = set_trms(matrix[np.ix_(place, place)], sets.copies, trm.ties)
            found.append((sets.copies @ own / self.design.size, ranks, own))
        return found


def _of_item(item: int, draws: Sequence[tuple[Floats, Floats, Floats] | str]) -> _Scored:
    why = next((found for found in draws if isinstance(found, str)), "")
    if why:
        return _Scored(item, why=why)
    base, trm, scores = (np.stack(part) for part in zip(*(found for found in draws if not isinstance(found, str))))
    return _Scored(item, base, trm, scores)


def _collected(design: Design, found: Sequence[_Scored]) -> Experiment:
    good = [one for one in found if not one.why]
    pairs = design.cells
    empty = np.empty((0, design.repeats, len(pairs)))
    return Experiment(
        design,
        pairs,
        np.array([one.item for one in good], dtype=np.int64),
        np.stack([one.base for one in good]) if good else empty,
        np.stack([one.trm for one in good]) if good else empty,
        np.stack([one.scores for one in good]) if good else np.empty((0, design.repeats, 2 * design.size)),
        tuple(one.why for one in found if one.why),
    )


def experiment_from(design: Design, arrays: Arrays) -> Experiment:
    """Return the experiment from its arrays, the inverse of `Experiment.arrays`."""
    failed = array_texts(arrays["failed"], int(arrays["failures"]))
    items, base, trm, scores = (arrays[name] for name in ("items", "base", "trm", "scores"))
    return Experiment(design, design.cells, items, base, trm, scores, tuple(failed))


def experiment_key(study: Study, design: Design, trm: Trm) -> str:
    """Return the cache key; it depends on everything that determines the values."""
    kind = "unique correct" if design.draw == "even" else f"unique correct, {design.draw}"
    numbers = design.size, design.references, design.repeats, design.seed
    signatures = [trm.signature, base_metric(trm).signature]
    return entry_key("experiments", kind, VERSIONS[design.draw], study.references_digest, *signatures, *numbers)
