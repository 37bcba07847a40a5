"""Artifacts: arrays that a view computes as a whole, such as layouts, distances to centres, and experiments.

The app, the report and bundles find the same arrays under the same key; whichever needs them first computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.study import Study, digest
from metrics.analysis import chance as pairing
from metrics.analysis import detectable
from metrics.analysis.central import study as central_study
from metrics.analysis.cloud import captions as cloud_captions
from metrics.analysis.critique import stored as critique_scores
from metrics.analysis.judgments import captions, floors
from metrics.analysis.judgments.points import Values
from metrics.analysis.references import own_scores as own
from metrics.analysis.references import subsets, totals
from metrics.analysis.robustness import measure as damage
from metrics.analysis.robustness.design import Design as DamageDesign
from metrics.analysis.sensitivity import curve, power
from metrics.analysis.sensitivity.sets import Design as SetsDesign
from metrics.analysis.slices import differences
from metrics.analysis.unique_correct import experiment as sets
from metrics.analysis.words import usage
from metrics.base import Metric, Undefined
from metrics.cache import validation
from metrics.cache.disk import Cache, array_texts, text_array
from metrics.cache.entry import Arrays
from metrics.distances.base import Distance
from metrics.engine import scoring
from metrics.permutation.joint import PARTS
from metrics.progress import Hooks
from metrics.suite.consensus import Consensus
from metrics.suite.distribution import Trm
from metrics.transformations import Transformation

KINDS: dict[str, Literal["all captions", "references"]] = {
    "layouts": "all captions",
    "centres": "all captions",
    "experiments": "references",
    "judgments": "all captions",
    "references": "all captions",
    "robustness": "references",
    "sensitivity": "all captions",
    "slices": "all captions",
    "critiques": "all captions",
    "words": "all captions",
    "detectable": "all captions",
    "chance": "all captions",
}
"""Each kind of entry, with the texts that it depends on: all captions in order, or only the references."""
LABEL = "of"
"""Name of the array that identifies the texts of an entry, so that a bundle includes the entries of its study."""
Shapes = Mapping[str, tuple[int, ...]]
INTERACTIVE_ITEMS = 500
"""Maximum number of items whose sets of references are compared while the user waits."""


@dataclass(frozen=True)
class Artifact:
    """Arrays that are computed as a whole and stored under a `key` that covers everything they depend on.

    `run` computes them; it raises Cancelled, or Undefined with the reason if they do not exist. It should call
    `hooks.check()` often and report `hooks.share`. `title` describes the work to users, such as "Laying out 4,080
    captions with UMAP". `slow` work takes longer than a user waits for a file; `preemptible` work is stopped while
    somebody waits for first numbers and restarted afterwards, so it should cache its own intermediate results. `fits`
    checks whether arrays from a cache or a bundle are a possible result.
    """

    key: str
    run: Callable[[Hooks], Arrays]
    title: str = ""
    slow: bool = False
    preemptible: bool = False
    fits: Callable[[Arrays], bool] = lambda arrays: True

    def stored(self, cache: Cache) -> Arrays | None:
        """Return the arrays from the cache, or None if they are missing or invalid."""
        return cache.read(self.key, self.validated)

    def validated(self, arrays: Arrays) -> Arrays:
        """Return the arrays if they are a possible result. Raises Unfit."""
        if not self.fits(arrays):
            raise validation.Unfit(self.key)
        return arrays

    def compute(self, cache: Cache, hooks: Hooks) -> Arrays:
        """Compute the arrays and store them."""
        arrays = self.run(hooks)
        cache.put(self.key, arrays, compress=True)
        return arrays


def layout(study: Study, projection: cloud_captions.Projection, cache: Cache) -> Artifact:
    """Return the artifact of the positions of a study's captions in the plane."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(cloud_captions.lay_out(study, projection, cache, hooks), _labels(study)["layouts"])

    def fits(arrays: Arrays) -> bool:
        of = cloud_captions.points(study, seed=projection.seed)
        sets_of = (1 + len(study.runs),)
        shapes: Shapes = {
            "xy": (len(of.nodes(projection.centred)[0]), 2),
            "trust": (2,),
            "variance": (2,),
            "central": (len(of),),
            **dict.fromkeys(cloud_captions.FACTS, sets_of),
        }
        return _has_shapes(arrays, shapes) and np.isfinite(arrays["xy"]).all().item()

    return Artifact(cloud_captions.layout_key(study, projection), run, slow=True, fits=fits)


def centres(study: Study, space: Distance, cache: Cache, as_reference: bool = False) -> Artifact:
    """Return the artifact of the distances of references and runs from the centre.

    `as_reference` sets the direction of the distance.
    """

    def run(hooks: Hooks) -> Arrays:
        return _labelled(
            central_study.measure(study, space, cache, hooks, as_reference=as_reference), _labels(study)["centres"]
        )

    references = (sum(len(item.references) for item in study.items),)
    far = (len(study.runs), len(study.items))
    shapes: Shapes = dict.fromkeys(("expected", "central", "words", "content"), references)
    shapes = {**shapes, "near": far, "own": far}
    key, title = central_study.key(study, space, as_reference), f"Finding the centres by {space.label}"
    return Artifact(key, run, title, preemptible=True, fits=lambda arrays: _has_shapes(arrays, shapes))


def experiment(study: Study, design: sets.Design, trm: Trm, cache: Cache) -> Artifact:
    """Return the artifact of a distance and its base metric on sets with prescribed correct and unique captions."""
    usable = len(sets.usable(sets.pools_of(study, design.draw), design.needed))

    def run(hooks: Hooks) -> Arrays:
        arrays = sets.experiment(study, design, trm, cache, hooks).arrays()
        return _labelled(arrays, _labels(study)["experiments"])

    def fits(arrays: Arrays) -> bool:
        items = len(arrays.get("items", ()))
        values = (items, design.repeats, len(design.cells))
        shapes: Shapes = {
            "items": (items,),
            "base": values,
            "trm": values,
            "failures": (),
            "scores": (items, design.repeats, 2 * design.size),
        }
        known = np.arange(len(study.items))
        if not _has_shapes(arrays, shapes) or not np.isin(arrays["items"], known).all():
            return False
        if not all(np.isfinite(arrays[name]).all() for name in ("base", "trm")):
            return False
        try:
            why = array_texts(arrays["failed"], int(arrays["failures"]))
        except (KeyError, ValueError):
            return False
        return all(text.isprintable() for text in why)

    slow = trm.work != "words" or usable > INTERACTIVE_ITEMS
    return Artifact(sets.experiment_key(study, design, trm), run, slow=slow, fits=fits)


def agreement(study: Study, results: Values, metrics: Sequence[Metric], design: captions.Design) -> Artifact:
    """Return the artifact of the agreement between metrics and people's ratings of captions."""

    def run(hooks: Hooks) -> Arrays:
        arrays = captions.measure(study, results, metrics, design, hooks).arrays()
        return _labelled(arrays, _labels(study)["judgments"])

    def fits(arrays: Arrays) -> bool:
        return captions.fits(arrays, len(metrics), design)

    return Artifact(captions.agreement_key(study, results, metrics, design), run, fits=fits)


def floor(
    study: Study, results: Values, metric: Metric, design: captions.Design, by: pairing.Design, cache: Cache
) -> Artifact:
    """Return the artifact of a metric's agreement with people when it scores against the references of other items."""

    def run(hooks: Hooks) -> Arrays:
        arrays = floors.measure(study, results, metric, design, by, cache, hooks).arrays()
        return _labelled(arrays, _labels(study)["judgments"])

    title = f"Comparing {metric.label} with people by other items' references"
    key = floors.key(study, results, metric, design, by)
    return Artifact(key, run, title, slow=metric.work != "words", fits=floors.fits)


def subset_totals(study: Study, design: subsets.Design, metrics: Sequence[Metric], cache: Cache) -> Artifact:
    """Return the artifact of all runs' totals when scored against subsets of the references."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(totals.measure(study, design, metrics, hooks, cache).arrays(), _labels(study)["references"])

    def fits(arrays: Arrays) -> bool:
        return totals.fits(arrays, design, metrics, len(study.runs))

    key = totals.key(study, design, metrics)
    return Artifact(key, run, "Scoring runs against fewer references", slow=True, fits=fits)


def damaged_captions(study: Study, design: DamageDesign, metrics: Sequence[Metric], cache: Cache) -> Artifact:
    """Return the artifact of damaged captions, or sets of captions, and the statistics that metrics compute from them.

    The numbers of each transformation and metric are artifacts too, stored as soon as they are computed.
    """

    def cell(one: Transformation, metric: Metric) -> Artifact:
        return damaged_captions(study, replace(design, transformations=(one,)), (metric,), cache)

    def store(one: Transformation, metric: Metric, arrays: Arrays) -> None:
        cache.put(cell(one, metric).key, _labelled(arrays, _labels(study)["robustness"]), compress=True)

    def run(hooks: Hooks) -> Arrays:
        cells = damage.Cells(lambda one, metric: cell(one, metric).stored(cache), store)
        return _labelled(damage.measure(study, design, metrics, cache, hooks, cells), _labels(study)["robustness"])

    def fits(arrays: Arrays) -> bool:
        return damage.fits(study, design, metrics, arrays)

    title = "Damaging and scoring sets of captions" if design.sets else "Damaging and scoring captions"
    return Artifact(damage.key(study, design, metrics), run, title, slow=True, fits=fits)


def sensitivity(study: Study, design: SetsDesign, metrics: Sequence[Metric], cache: Cache) -> Artifact:
    """Return the artifact of the permutation tests on nested sets of captions."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(curve.measure(study, design, metrics, cache, hooks).arrays(), _labels(study)["sensitivity"])

    def fits(arrays: Arrays) -> bool:
        return curve.fits(arrays, study, design, metrics)

    return Artifact(curve.key(study, design, metrics), run, "Testing sets of captions", slow=True, fits=fits)


def power_map(study: Study, design: power.Design, metric: Metric) -> Artifact:
    """Return the artifact of the power to distinguish two runs, by numbers of items and captions."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(power.measure(study, design, metric, hooks).arrays(), _labels(study)["sensitivity"])

    def fits(arrays: Arrays) -> bool:
        return power.fits(arrays, design)

    return Artifact(power.key(study, design, metric), run, "Drawing studies of other sizes", slow=True, fits=fits)


def slices(study: Study, values: differences.Values) -> Artifact:
    """Return the artifact of the slices of a study, with a test on each of the difference between two runs."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(differences.measure(study, values, hooks), _labels(study)["slices"])

    def fits(arrays: Arrays) -> bool:
        return differences.fits(study, values, arrays)

    return Artifact(differences.key(study, values), run, "Comparing slices", slow=True, fits=fits)


def words(study: Study, design: usage.Design) -> Artifact:
    """Return the artifact of the words that a run uses more or less often than people do."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(usage.measure(study, design, hooks), _labels(study)["words"])

    def fits(arrays: Arrays) -> bool:
        return usage.fits(study, design, arrays)

    return Artifact(usage.key(study, design), run, f"Comparing {design.unit} with people's", fits=fits)


def critiques(study: Study, design: critique_scores.Design, cache: Cache) -> Artifact:
    """Return the artifact of the critiques of all runs; each critique is stored as soon as it is trained."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(critique_scores.measure(study, design, cache, hooks), _labels(study)["critiques"])

    def fits(arrays: Arrays) -> bool:
        return critique_scores.fits(study, design, arrays)

    return Artifact(critique_scores.key(study, design), run, "Training critiques", slow=True, fits=fits)


def own_scores(study: Study, metric: Consensus, places: Sequence[int], cache: Cache) -> Artifact:
    """Return the artifact of the scores of each of these items' references against the item's other references."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(own.measure(study, metric, places, cache, hooks), _labels(study)["references"])

    def fits(arrays: Arrays) -> bool:
        return own.fits(study, metric, places, arrays)

    return Artifact(own.key(study, metric, places), run, "Scoring references against each other", fits=fits)


def known_faults(study: Study, mixed: Study, metric: Metric, cache: Cache) -> Artifact:
    """Return the artifact of the joint tests of runs with known faults, built from the captions of a study."""
    shape = (len(mixed.runs), len(PARTS))

    def run(hooks: Hooks) -> Arrays:
        hooks.check()
        found = detectable.statistics(mixed, metric, scoring.score(mixed, (metric,), detectable.TESTED, cache))
        if found is None:
            raise Undefined("runs with known faults have no joint test")
        return _labelled({"z": found}, _labels(study)["detectable"])

    def fits(arrays: Arrays) -> bool:
        return _has_shapes(arrays, {"z": shape})

    there = all(scoring.stored(cache, metric, run, mixed, detectable.TESTED) for run in mixed.runs)
    return Artifact(detectable.key(mixed, metric), run, slow=metric.work != "words" and not there, fits=fits)


def chance(study: Study, metric: Metric, design: pairing.Design, cache: Cache) -> Artifact:
    """Return the artifact of all runs' values when scored against the references of other items."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(pairing.measure(study, metric, design, cache, hooks), _labels(study)["chance"])

    def fits(arrays: Arrays) -> bool:
        return pairing.fits(study, arrays)

    slow = metric.work != "words"
    title = f"Scoring {metric.label} against other items' references"
    return Artifact(pairing.key(study, metric, design), run, title, slow=slow, fits=fits)


def entries(study: Study, cache: Cache) -> Iterator[tuple[str, Arrays]]:
    """Yield the key and arrays of every artifact of a study in the cache, whatever its settings."""
    for kind, label in _labels(study).items():
        for key in sorted(cache.keys(kind)):
            if _text(cache.peek(key, LABEL)) == label and (arrays := cache.get(key)) is not None:
                yield key, arrays


def check_entry(study: Study, kind: str, arrays: Arrays) -> None:
    """Raise Unfit unless arrays of this kind can belong to this study."""
    if _text(arrays.get(LABEL)) != _labels(study)[kind]:
        raise validation.Unfit("of other texts")


def _labels(study: Study) -> dict[str, str]:
    every = digest([study.references_digest, *(study.contents[run.name] for run in study.runs)])
    return {kind: study.references_digest if of == "references" else every for kind, of in KINDS.items()}


def _labelled(arrays: Arrays, label: str) -> Arrays:
    return {**arrays, LABEL: text_array([label])}


def _text(array: NDArray[Any] | None) -> str | None:
    """The text in an array made by `text_array`; None for any other array, because a bundle can hold anything."""
    if array is None or array.dtype != np.uint8:
        return None
    try:
        return array.tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _has_shapes(arrays: Arrays, shapes: Shapes) -> bool:
    try:
        validation.expect(arrays, shapes)
    except validation.Unfit:
        return False
    return True
