"""One view of the caption cloud: groups of captions, their dense regions, and highlights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.analysis.central.medoid import centrality
from metrics.analysis.cloud.captions import Layout, Points
from metrics.analysis.cloud.density import Density, Grid, density
from metrics.analysis.cloud.projection import Scaling, classical_scaling
from metrics.base import Metric, Undefined
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests, caption_order, pooled_order
from metrics.distances.base import Distance, ItemDistances, item_distances
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats, Integers, Labels

MODEL, RUN, TEMPERATURE = "model", "run", "temperature"
PEOPLE = "People"
REGIONS = 6
"""Maximum number of regions drawn at once: more would be indistinguishable."""


@dataclass(frozen=True)
class Group:
    """Captions drawn in one style, as `rows` of the points; `place` among `of` groups of a model sets the shade."""

    name: str
    model: str
    rows: Integers
    place: int = 0
    of: int = 1
    density: Density | None = None


@dataclass(frozen=True)
class CloudView:
    """A view with points coloured by `value` (n,) if `metric` is set, otherwise by model, run or temperature (`by`).

    `focus` is the highlighted item. `stars` and `found` are rows of the points: central captions, and captions that
    match the search.
    """

    points: Points
    layout: Layout
    people: Group
    groups: tuple[Group, ...]
    by: str
    metric: Metric | None = None
    value: Floats | None = None
    focus: int | None = None
    stars: Integers | None = None
    found: Integers | None = None

    @property
    def shown(self) -> Integers:
        """(drawn,) rows of all points drawn, ascending."""
        return np.sort(np.concatenate([self.people.rows, *(group.rows for group in self.groups)]))


def cloud_view(
    study: Study,
    of: Points,
    layout: Layout,
    runs: Sequence[Run],
    by: str,
    *,
    metric: Metric | None = None,
    results: Mapping[str, Result] | None = None,
    focus: int | None = None,
    words: str = "",
    stars: bool = False,
) -> CloudView:
    """Return the view of some runs, coloured by model, run or temperature, or by a metric with its `results` by run.

    Central captions of the item `focus`, or of all items if `stars`, are starred; captions that contain `words` are
    found.
    """
    grid = Grid.over(layout.xy)
    number = {run.name: 1 + k for k, run in enumerate(study.runs)}
    rows = {run.name: np.flatnonzero(of.group == number[run.name]) for run in runs}
    groups = _groups(runs, rows, MODEL if metric else by)
    if not metric:
        groups = tuple(
            Group(g.name, g.model, g.rows, g.place, g.of, density(layout.xy[g.rows], grid) if k < REGIONS else None)
            for k, g in enumerate(groups)
        )
    people = np.flatnonzero(of.group == 0)
    everybody = Group(PEOPLE, "", people, density=density(layout.xy[people], grid))
    value = values(of, study, results or {}) if metric else None
    view = CloudView(of, layout, everybody, groups, by, metric, value, focus)
    shown = view.shown
    starred = shown[layout.central[shown] & ((of.item[shown] == focus) | stars)]
    found = np.array([row for row in shown if words and words.casefold() in of.texts[row].casefold()], dtype=np.int64)
    return CloudView(of, layout, everybody, groups, by, metric, value, focus, starred, found)


def _groups(runs: Sequence[Run], rows: Mapping[str, Integers], by: str) -> tuple[Group, ...]:
    if by == MODEL:
        names = dict.fromkeys(run.model for run in runs)
        return tuple(Group(m, m, np.concatenate([rows[r.name] for r in runs if r.model == m])) for m in names)
    if by == RUN:
        models = [run.model for run in runs]
        return tuple(
            Group(run.name, run.model, rows[run.name], models[:k].count(run.model), models.count(run.model))
            for k, run in enumerate(runs)
        )
    heats = sorted({r.settings.temperature for r in runs if r.settings.temperature is not None})
    found = [
        Group(
            f"{heat:g}",
            "",
            np.concatenate([rows[r.name] for r in runs if r.settings.temperature == heat]),
            k,
            len(heats),
        )
        for k, heat in enumerate(heats)
    ]
    unknown = [rows[run.name] for run in runs if run.settings.temperature is None]
    if unknown:
        found.append(Group("no temperature", "", np.concatenate(unknown), 0, 0))
    return tuple(found)


@dataclass(frozen=True)
class ItemView:
    """The captions of one item in the plane: `scaling` places all N texts, the candidates by run before the references.

    `run` (N,) is the run of each text, -1 for references; `central` (N,) marks the most central texts of each set.
    """

    distances: ItemDistances
    runs: tuple[Run, ...]
    run: Integers
    scaling: Scaling
    central: Labels


def item_view(study: Study, runs: Sequence[Run], position: int, space: Distance, cache: Cache) -> ItemView:
    """Return the plane of one item, from the matrix behind the TRM of one run or a joint matrix of several runs.

    Raises Undefined with the reason if there are no distances.
    """
    item = study.items[position]
    if len(runs) == 1:
        distances = item_distances(study, runs[0].name, position, space, cache)
    else:
        distances = _together(study, runs, item, space, cache)
    sizes = [len(run.candidates.get(item.id, ())) for run in runs]
    label = np.repeat([*range(len(runs)), -1], [*sizes, len(item.references)])
    central = np.zeros(len(label), dtype=bool)
    for k in range(-1, len(runs)):
        central |= centrality(distances.matrix, label == k).central & (label == k)
    return ItemView(distances, tuple(runs), label, classical_scaling(distances.matrix), central)


def _together(study: Study, runs: Sequence[Run], item: Item, space: Distance, cache: Cache) -> ItemDistances:
    all_say = {i.id: tuple(text for run in runs for text in run.candidates.get(i.id, ())) for i in study.items}
    said, one = all_say[item.id], Run("", "", Settings(), all_say)
    alone = Chunk.of((item,), one, cache, whole=StudyDigests.of(study, one))
    found = space.all_distances(space.prepare(replace(study, runs=(one,))), alone)[0]
    if isinstance(found, str):
        raise Undefined(found)
    place = np.argsort(pooled_order(said, item.references))
    return ItemDistances(said, item.references, found[np.ix_(place, place)])


def values(of: Points, study: Study, results: Mapping[str, Result]) -> Floats:
    """Return the values (n,) of captions, or of their items, from a metric's results by run; NaN if missing."""
    found = np.full(len(of), np.nan)
    for number, run in enumerate(study.runs):
        result, rows = results.get(run.name), np.flatnonzero(of.group == 1 + number)
        if result is None or not len(result.items):
            continue
        if result.metric.grain != "candidate":
            found[rows] = result.items[of.item[rows]]
            continue
        starts = np.searchsorted(result.unit_item, np.arange(result.n_items + 1))
        for part in np.split(rows, np.flatnonzero(np.diff(of.item[rows])) + 1):
            index = int(of.item[part[0]])
            own = result.values[starts[index] : starts[index + 1]]
            # Result values follow the sorted captions; points follow the file.
            if len(own):
                found[part] = own[np.argsort(caption_order(run.candidates[study.items[index].id]))[of.place[part]]]
    return found
