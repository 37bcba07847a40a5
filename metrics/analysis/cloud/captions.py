"""The caption cloud of a study: its captions, their layout, and the share of the references that each run reaches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Study
from metrics.analysis.cloud.early import some_items
from metrics.analysis.cloud.projection import ROWS, principal_components, trustworthiness
from metrics.analysis.cloud.umap import LEAST, expected_seconds, umap
from metrics.base import Undefined
from metrics.cache.disk import Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.chunk import CHUNK, Chunk, chunks, vectors_of
from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.progress import Hooks
from metrics.text.encoder import DEFAULT, Encoder, Vectors, encoder_label, encoder_signature

LIMIT = 15_000
"""Maximum number of captions in one cloud: more would slow down the browser and the layout."""
IMAGES = 200
PART = 2_000
"""Number of texts whose embeddings are stored together; stopped work keeps the embeddings of finished parts."""
TRUST_NEIGHBOURS = 15
TIED = 1e-6
SECONDS_OF_ENCODER, SECONDS_OF_TEXT, SECONDS_OF_FACTS = 4.0, 1 / 350, 1e-4
"""Approximate seconds to load the encoder, to embed a text, and to compare a caption, on two cores."""

FACTS = ("reach", "chance", "within", "p", "floor")
"""The statistics that `facts` computes for each set of captions in the embedding space."""
Method = Literal["umap", "pca"]
METHODS: dict[Method, str] = {"umap": "UMAP", "pca": "PCA"}
VERSIONS: dict[Method, str] = {"umap": "v3", "pca": "v2"}
DRAWS, DRAWS_PER_RUN = 999, 40
"""Numbers of relabellings in the test of whether a run reaches people's captions as people do: minimum, and per run.

p is corrected for all runs: with 999 relabellings, no run could differ from people in a study of more than 49 runs.
"""


@dataclass(frozen=True)
class Points:
    """The captions of a cloud, which may be a sample; `total` counts those of the whole study.

    The arrays (n,) are sorted by `group`, then `item`, then `place`: `group` is 0 for references and 1 + the position
    of a run, `item` is the position of the item, and `place` is the position of the caption in its set.
    """

    group: Integers
    item: Integers
    place: Integers
    texts: Captions
    total: int

    def __len__(self) -> int:
        return len(self.texts)

    def nodes(self, centred: bool) -> tuple[Integers, Integers]:
        """Return the first point of every node, and the node (n,) of every point: equal captions share a node.

        If `centred`, only equal captions of the same item share a node.
        """
        keys: dict[tuple[str, int], int] = {}
        items = self.item.tolist() if centred else repeat(-1)
        node = np.array([keys.setdefault(key, len(keys)) for key in zip(self.texts, items)])
        _, first = np.unique(node, return_index=True)
        return first, node


@dataclass(frozen=True)
class Projection:
    """A projection of texts to the plane; if `centred`, the mean of the item's references is subtracted first."""

    method: Method = "umap"
    centred: bool = False
    neighbours: int = 15
    apart: float = 0.1
    seed: int = 0
    encoder: str = DEFAULT

    @property
    def signature(self) -> str:
        """All parameters that determine the layout, except the captions. Raises EncoderMissing."""
        own = f"n:{self.neighbours}|d:{self.apart:g}|{self._metric}|seed:{self.seed}|" if self.method == "umap" else ""
        centre = "references of the item" if self.centred else "none"
        sample, encoder = f"{LIMIT},{self.seed}", encoder_signature(self.encoder)
        return f"cloud_{self.method}|{VERSIONS[self.method]}|{own}centre:{centre}|sample:{sample}|enc:{encoder}"

    @property
    def _metric(self) -> str:
        # The angle between two differences ignores how far the captions are from the centre.
        return "euclidean" if self.centred else "cosine"


DEFAULTS = tuple(Projection(method, centred) for method in METHODS for centred in (False, True))
"""The projections shipped with the demo."""


def has_centres(study: Study) -> bool:
    """Return whether most items have a centre to subtract: two or more references (one would be its own centre)."""
    return 2 * sum(len(item.references) > 1 for item in study.items) > len(study.items)


@dataclass(frozen=True)
class Layout:
    """Positions `xy` (n, 2) of captions, and statistics of the plane and of each set.

    `trust` is the trustworthiness over `trust_rows` of `n_nodes` points, with TRUST_NEIGHBOURS neighbours; `variance`
    (2,) applies to PCA. `central` (n,) marks the most central caption of each set of an item. `reach`, its expected
    value `chance`, its `p` with `floor`, and `within` are as in `facts`, with one value per set, references first (for
    which all but `within` are NaN).
    """

    xy: Floats
    trust: float
    trust_rows: int
    n_nodes: int
    variance: Floats
    reach: Floats
    chance: Floats
    within: Floats
    p: Floats
    floor: Floats
    central: Labels


def points(study: Study, limit: int = LIMIT, seed: int = 0) -> Points:
    """Return all captions of a study, or a seeded sample of whole items with at most `limit` captions.

    All runs share the sampled items. If fewer than IMAGES items would fit, each set of captions is thinned first.
    """
    sets = [[item.references for item in study.items]]
    sets += [[run.candidates.get(item.id, ()) for item in study.items] for run in study.runs]
    sizes = np.array([[len(captions) for captions in row] for row in sets], dtype=np.int64)
    total, rng = int(sizes.sum()), np.random.default_rng(seed)
    most = sizes.max(initial=0)
    if total > limit and limit * sizes.shape[1] < total * min(IMAGES, sizes.shape[1]):
        most = max(1, limit // (min(IMAGES, sizes.shape[1]) * len(sets)))
    kept = np.minimum(sizes, most)
    order = rng.permutation(sizes.shape[1])
    chosen = np.sort(order[np.cumsum(kept.sum(axis=0)[order]) <= limit])
    rows: list[tuple[int, int, int]] = []
    for group, captions in enumerate(sets):
        for item in chosen.tolist():
            n = len(captions[item])
            places = range(n) if n <= most else np.sort(rng.permutation(n)[:most]).tolist()
            rows += [(group, item, place) for place in places]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    texts = tuple(sets[group][item][place] for group, item, place in rows)
    return Points(table[:, 0], table[:, 1], table[:, 2], texts, total)


def draws(runs: int) -> int:
    """Return the number of relabellings in the test of each run."""
    return max(DRAWS, DRAWS_PER_RUN * runs)


def layout_key(study: Study, projection: Projection) -> str:
    """Return the cache key of a layout; it depends on all captions, the projection, and the number of relabellings."""
    said = [study.references_digest, *(study.contents[run.name] for run in study.runs)]
    own = draws(len(study.runs))
    return entry_key("layouts", projection.signature + (f"|draws:{own}" if own > DRAWS else ""), said)


def lay_out(study: Study, projection: Projection, cache: Cache, hooks: Hooks) -> Arrays:
    """Compute the arrays of a layout, which the cache stores and `layout` reads.

    Raises Cancelled, and Undefined if there are fewer than three captions, a caption has no vector, or UMAP is asked
    for fewer than LEAST different captions.
    """
    of = points(study, seed=projection.seed)
    if len(of) < 3:
        raise Undefined("a cloud needs at least three captions")
    first, _ = of.nodes(projection.centred)
    known = _known(study, of, projection.encoder, cache)
    embedded, placed = _shares(of, len(set(of.texts)) - len(known), len(first), projection)
    vectors = _embedded(study, of, projection.encoder, known, cache, hooks.part(0.0, embedded))
    if lacking := int(np.isnan(vectors).any(axis=1).sum()):
        name = encoder_label(projection.encoder)
        raise Undefined(f"{name} has no vector for {lacking:,} of {len(of):,} captions, and a cloud needs all")
    hooks.check()
    hooks.progress("comparing sets")
    found = facts(vectors, of, 1 + len(study.runs), hooks)
    if projection.centred:
        vectors = centred(vectors, of)
    space = vectors[first]
    hooks.check()
    xy, variance = _plane(space, projection, hooks.part(embedded, placed))
    hooks.check()
    hooks.progress("comparing the plane with the space")
    hooks.share(placed)
    xy = xy.astype(np.float32)
    trust = trustworthiness(space, xy, TRUST_NEIGHBOURS, seed=projection.seed)
    return {"xy": xy, "trust": np.array([trust, min(ROWS, len(space))]), "variance": variance, **found}


def _shares(of: Points, n_unknown: int, n_nodes: int, projection: Projection) -> tuple[float, float]:
    embedding = SECONDS_OF_ENCODER + SECONDS_OF_TEXT * n_unknown if n_unknown else 0.0
    placing = expected_seconds(n_nodes) if projection.method == "umap" else 0.0
    whole = embedding + placing + SECONDS_OF_FACTS * len(of)
    return embedding / whole, (embedding + placing) / whole


def _plane(space: Vectors, projection: Projection, hooks: Hooks) -> tuple[Floats, Floats]:
    """Positions (n, 2) of vectors (n, d), and shares (2,) of the variance: NaN for UMAP, which may raise Undefined."""
    if projection.method == "pca":
        components = principal_components(space)
        return components.xy, components.variance
    if len(space) < LEAST:
        raise Undefined(f"UMAP needs at least {LEAST} different captions, there are {len(space)}; choose PCA")
    xy = umap(space, projection.neighbours, projection.apart, projection._metric, projection.seed, hooks)
    return xy, np.full(2, np.nan)


def layout(of: Points, projection: Projection, arrays: Arrays) -> Layout:
    """Return the layout of these points from the arrays of `lay_out`.

    Equal captions share one position, the mean over their items; otherwise one sentence could be drawn as a cloud.
    """
    _, node = of.nodes(projection.centred)
    _, text = of.nodes(centred=False)
    xy = np.asarray(arrays["xy"], dtype=float)[node]
    trust, rows = arrays["trust"].tolist()
    by_set = {name: np.asarray(arrays[name], dtype=float) for name in ("variance", *FACTS)}
    return Layout(
        np.column_stack([np.bincount(text, axis) / np.bincount(text) for axis in xy.T])[text],
        trust,
        int(rows),
        len(arrays["xy"]),
        central=np.asarray(arrays["central"], dtype=bool),
        **by_set,
    )


def facts(vectors: Vectors, of: Points, n_sets: int, hooks: Hooks | None = None) -> dict[str, NDArray[Any]]:
    """Return statistics (sets,) of each set of captions in the embedding space, not in the plane.

    `reach` is the share of references whose nearest other caption, among the item's references and the run's captions,
    is one of the run's (ties count fractionally), a nearest-neighbour statistic as in Schilling 1986. `chance` is its
    expected value for a run that writes as people do, n / (n + m - 1) for n captions and m references of an item. `p`
    is two-sided, from `draws` random assignments of an item's captions to the run, and `floor` is the smallest possible
    p. `within` is the mean cosine distance between two captions of one set of an item, over items. `central` (n,) marks
    the most central captions. NaN with too few captions. Raises Cancelled.
    """
    hooks = hooks or Hooks()
    unit, rng, drawn = _unit(vectors), np.random.default_rng(0), draws(n_sets - 1)
    central = np.zeros(len(of), dtype=bool)
    nearest: dict[int, list[_Reached]] = {}
    within: dict[int, list[float]] = {}
    for sets in _items(of):
        hooks.check()
        for group, rows in sets.items():
            if len(rows) > 1:
                within.setdefault(group, []).append(_pair_distance(unit[rows]))
                central[rows] = _central(unit[rows])
        for group, found in _reached(unit, sets, rng, drawn).items():
            nearest.setdefault(group, []).append(found)
    out = {name: np.full(n_sets, np.nan) for name in FACTS}
    for group, items in nearest.items():
        people = sum(one.people for one in items)
        reached, expected = sum(one.reached for one in items), sum(one.expected for one in items)
        out["reach"][group], out["chance"][group] = reached / people, expected / people
        off = np.abs(np.sum([one.drawn for one in items], axis=0) - expected)
        out["p"][group] = (int((off >= abs(reached - expected) - 1e-9).sum()) + 1) / (drawn + 1)
        out["floor"][group] = max(1 / (drawn + 1), math.exp(-sum(one.log_ways for one in items)))
    for group, values in within.items():
        out["within"][group] = np.mean(values)
    return {**out, "central": central}


def centred(vectors: Vectors, of: Points) -> Vectors:
    """Return the vectors minus the mean of their item's references, or of its captions if it has no references."""
    out = np.array(vectors, dtype=np.float32)
    for rows in _cut(np.argsort(of.item, kind="stable"), of.item):
        people = rows[of.group[rows] == 0]
        out[rows] -= vectors[people if len(people) else rows].mean(axis=0)
    return out


def _known(study: Study, of: Points, encoder: str, cache: Cache) -> dict[str, Vectors]:
    """Known embeddings (d,) by text: from an earlier cloud of all or of some items, or from scoring.

    An embedding does not depend on the other texts in its batch (`docs/decisions/005-encoder.md`), so any will do.
    """
    found: dict[str, Vectors] = {}
    early = some_items(study)
    for key, texts in (_parts(of, encoder) | (_parts(points(early), encoder) if early else {})).items():
        kept = cache.read(key, partial(vectors_of, len(texts)))
        if kept is not None:
            found |= zip(texts, kept)
    missing = set(of.texts) - found.keys()
    if not missing:
        return found
    for run in study.runs:
        for piece in chunks(study.items, run, CHUNK):
            new = Chunk.of(piece, run, cache).cached_embeddings(encoder, missing)
            found |= new
            missing -= new.keys()
    return found


def _embedded(study: Study, of: Points, encoder: str, known: dict[str, Vectors], cache: Cache, hooks: Hooks) -> Vectors:
    """(n, d) embeddings of the points; each part is stored in the cache as soon as it is known.

    If any are new, all are also stored where scoring looks for them.
    """
    known, done, total = dict(known), 0, len(set(of.texts) - known.keys())

    def say(more: int, _: int = 0) -> None:
        hooks.progress(f"embedding captions, {done + more:,} of {total:,}")
        hooks.share((done + more) / total)

    for key, texts in _parts(of, encoder).items():
        unknown = [text for text in texts if text not in known]
        if unknown:
            say(0)
            known |= zip(unknown, Encoder(encoder).encode(unknown, progress=say, should_stop=hooks.should_stop))
            cache.put(key, {"vectors": np.array([known[text] for text in texts])})
            done += len(unknown)
    for run in study.runs if done else ():
        for piece in chunks(study.items, run, CHUNK):
            Chunk.of(piece, run, cache).keep_embeddings(encoder, known)
    return np.array([known[text] for text in of.texts])


def _parts(of: Points, encoder: str) -> dict[str, list[str]]:
    texts, model = list(dict.fromkeys(of.texts)), Encoder(encoder)
    return {model.key(part): part for part in (texts[start : start + PART] for start in range(0, len(texts), PART))}


def _unit(vectors: Vectors) -> Vectors:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0), dtype=np.float32)


def _items(of: Points) -> Iterator[dict[int, Integers]]:
    order = np.lexsort((of.group, of.item))
    for rows in _cut(order, of.item):
        yield {int(of.group[part[0]]): part for part in _cut(rows, of.group)}


def _cut(rows: Integers, by: Integers) -> list[Integers]:
    return np.split(rows, np.flatnonzero(np.diff(by[rows])) + 1)


class _Reached(NamedTuple):
    """How many references of an item a run reaches, is expected to reach, and reaches under relabelling (draws,).

    `people` is the number of the item's references; `log_ways` is the logarithm of the number of possible relabellings.
    """

    reached: float
    expected: float
    people: int
    drawn: Floats
    log_ways: float


def _reached(unit: Vectors, sets: dict[int, Integers], rng: np.random.Generator, draws: int) -> dict[int, _Reached]:
    people = sets.get(0, np.empty(0, dtype=np.int64))
    m = len(people)
    if m < 2:
        return {}
    found = {}
    for group, rows in sets.items():
        if group:
            both = unit[np.concatenate([people, rows])]
            near = both @ both.T
            np.fill_diagonal(near, -np.inf)
            tied = near >= near.max(axis=1, keepdims=True) - TIED
            # Break ties at random, so that the expected number is unbiased.
            share = tied / tied.sum(axis=1, keepdims=True)
            n = len(rows)
            by_people = np.zeros((draws, m + n))
            np.put_along_axis(by_people, rng.random((draws, m + n)).argpartition(m - 1, axis=1)[:, :m], 1.0, axis=1)
            drawn = (by_people @ share * (1 - by_people)).sum(axis=1)
            ways = math.lgamma(m + n + 1) - math.lgamma(m + 1) - math.lgamma(n + 1)
            found[group] = _Reached(float(share[:m, m:].sum()), m * n / (n + m - 1), m, drawn, ways)
    return found


def _central(unit: Vectors) -> Labels:
    """Mask of the rows with the smallest mean distance to the other rows; all False if all rows tie."""
    nearness = unit @ unit.sum(axis=0)
    best = nearness >= nearness.max() - TIED * len(unit)
    return np.asarray(best & ~best.all())


def _pair_distance(unit: NDArray[Any]) -> float:
    n = len(unit)
    total = unit.sum(axis=0, dtype=float)
    return float(max(0.0, 1.0 - (total @ total - (unit.astype(float) ** 2).sum()) / (n * (n - 1))))
