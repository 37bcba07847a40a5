"""Artifacts: arrays that a view computes as a whole, such as layouts, distances to centres, and experiments.

The app, the report and bundles find the same arrays under the same key; whichever needs them first computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.study import Study, digest
from metrics.analysis import chance as pairing
from metrics.analysis import detectable_faults
from metrics.analysis.central import study as central_study
from metrics.analysis.cloud import captions as cloud_captions
from metrics.analysis.critique import stored as critique_scores
from metrics.analysis.critique.critics import Critic
from metrics.analysis.judgments import caption_agreement, floors
from metrics.analysis.judgments.points import Values
from metrics.analysis.references import own_scores as own
from metrics.analysis.references import subset_totals as totals
from metrics.analysis.references import subsets
from metrics.analysis.robustness import measure as damage
from metrics.analysis.robustness.design import Design as DamageDesign
from metrics.analysis.sensitivity import curve, power
from metrics.analysis.sensitivity.sets import Design as SetsDesign
from metrics.analysis.slices import differences
from metrics.analysis.unique_correct import experiment as sets
from metrics.analysis.words import usage
from metrics.base import Metric, Undefined
from metrics.cache import array_checks
from metrics.cache.disk import Cache, array_texts, text_array
from metrics.cache.entry import Arrays
from metrics.distances.base import Distance
from metrics.engine import scoring
from metrics.permutation.joint_test import PARTS
from metrics.progress import Cancelled, Hooks
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
INTERACTIVE_ITEMS = 500
"""Maximum number of items whose sets of references are compared while the user waits."""


@dataclass(frozen=True)
class Artifact:
    """Arrays that are computed as a whole and stored under a `key` that covers everything they depend on.

    `run` computes them; it raises Cancelled, or Undefined with the reason if they do not exist. It should call
    `hooks.check()` often and report `hooks.share`. `title` describes the work to users, such as "Laying out 4,080
    captions with UMAP". `slow` work takes longer than a user will wait for a file; `preemptible` work is stopped while
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
        """Return the arrays if they are a possible result, or raise Unfit."""
        if not self.fits(arrays):
            raise array_checks.Unfit(self.key)
        return arrays

    def arrays(self, cache: Cache, hooks: Hooks) -> Arrays:
        """Return the arrays from the cache, or compute and store them."""
        return self.stored(cache) or self.compute(cache, hooks)

    def compute(self, cache: Cache, hooks: Hooks) -> Arrays:
        """Compute, store and return the arrays."""
        arrays = self.run(hooks)
        cache.put(self.key, arrays, compress=True)
        return arrays


def layout(study: Study, projection: cloud_captions.Projection, cache: Cache) -> Artifact:
    """Return the artifact of the positions of a study's captions in the plane."""

    def fits(arrays: Arrays) -> bool:
        of = cloud_captions.points(study, seed=projection.seed)
        shapes: array_checks.Shapes = {
            "xy": (len(of.nodes(projection.centred)[0]), 2),
            "trust": (2,),
            "variance": (2,),
            "central": (len(of),),
            **dict.fromkeys(cloud_captions.FACTS, (1 + len(study.runs),)),
        }
        return array_checks.has_shapes(arrays, shapes) and np.isfinite(arrays["xy"]).all().item()

    key = cloud_captions.layout_key(study, projection)
    return _artifact(study, key, partial(cloud_captions.lay_out, study, projection, cache), fits, slow=True)


def centres(study: Study, space: Distance, cache: Cache, as_reference: bool = False) -> Artifact:
    """Return the artifact of the distances of references and runs from the centre.

    `as_reference` sets the direction of the distance.
    """
    references = (sum(len(item.references) for item in study.items),)
    far = (len(study.runs), len(study.items))
    shapes: array_checks.Shapes = {
        **dict.fromkeys(("expected", "central", "words", "content"), references),
        **dict.fromkeys(("near", "own"), far),
    }
    return _artifact(
        study,
        central_study.key(study, space, as_reference),
        partial(central_study.measure, study, space, cache, as_reference=as_reference),
        partial(array_checks.has_shapes, shapes=shapes),
        f"Finding the centres by {space.label}",
        preemptible=True,
    )


def experiment(study: Study, design: sets.Design, trm: Trm, cache: Cache) -> Artifact:
    """Return the artifact of a TRM and its base metric on sets with given numbers of correct and unique captions."""
    usable = len(sets.usable(sets.pools_of(study, design.draw), design.needed))

    def fits(arrays: Arrays) -> bool:
        items = len(arrays.get("items", ()))
        values = (items, design.repeats, len(design.cells))
        shapes: array_checks.Shapes = {
            "items": (items,),
            "base": values,
            "trm": values,
            "failures": (),
            "scores": (items, design.repeats, 2 * design.size),
        }
        known = np.arange(len(study.items))
        if not array_checks.has_shapes(arrays, shapes) or not np.isin(arrays["items"], known).all():
            return False
        if not all(np.isfinite(arrays[name]).all() for name in ("base", "trm")):
            return False
        try:
            why = array_texts(arrays["failed"], int(arrays["failures"]))
        except (KeyError, ValueError):
            return False
        return all(text.isprintable() for text in why)

    return _artifact(
        study,
        sets.experiment_key(study, design, trm),
        lambda hooks: sets.experiment(study, design, trm, cache, hooks).arrays(),
        fits,
        slow=trm.work != "words" or usable > INTERACTIVE_ITEMS,
    )


def agreement(study: Study, results: Values, metrics: Sequence[Metric], design: caption_agreement.Design) -> Artifact:
    """Return the artifact of the agreement between metrics and people's ratings of captions.

    Raises KeyError as `judgments.points.points` does.
    """
    return _artifact(
        study,
        caption_agreement.agreement_key(study, results, metrics, design),
        lambda hooks: caption_agreement.measure(study, results, metrics, design, hooks).arrays(),
        lambda arrays: caption_agreement.fits(arrays, len(metrics), design),
    )


def floor(
    study: Study, results: Values, metric: Metric, design: caption_agreement.Design, by: pairing.Design, cache: Cache
) -> Artifact:
    """Return the artifact of a metric's agreement with people when it scores against the references of other items.

    Raises KeyError as `judgments.points.points` does.
    """
    return _artifact(
        study,
        floors.key(study, results, metric, design, by),
        lambda hooks: floors.measure(study, results, metric, design, by, cache, hooks).arrays(),
        floors.fits,
        f"Comparing {metric.label} with people by other items' references",
        slow=metric.work != "words",
    )


def subset_totals(study: Study, design: subsets.Design, metrics: Sequence[Metric], cache: Cache) -> Artifact:
    """Return the artifact of the totals of all runs, scored against subsets of the references."""
    return _artifact(
        study,
        totals.key(study, design, metrics),
        lambda hooks: totals.measure(study, design, metrics, hooks, cache).arrays(),
        lambda arrays: totals.fits(arrays, design, metrics, len(study.runs)),
        "Scoring runs against fewer references",
        slow=True,
    )


def damaged_captions(study: Study, design: DamageDesign, metrics: Sequence[Metric], cache: Cache) -> Artifact:
    """Return the artifact of damaged captions, or sets of captions, and the statistics that metrics compute from them.

    The numbers of each transformation and metric are artifacts too, stored as soon as they are computed.
    """

    def cell(one: Transformation, metric: Metric) -> Artifact:
        return damaged_captions(study, replace(design, transformations=(one,)), (metric,), cache)

    def store(one: Transformation, metric: Metric, arrays: Arrays) -> None:
        cache.put(cell(one, metric).key, _labelled(arrays, _labels(study)["robustness"]), compress=True)

    cells = damage.Cells(lambda one, metric: cell(one, metric).stored(cache), store)
    return _artifact(
        study,
        damage.key(study, design, metrics),
        lambda hooks: damage.measure(study, design, metrics, cache, hooks, cells),
        partial(damage.fits, study, design, metrics),
        "Damaging and scoring sets of captions" if design.sets else "Damaging and scoring captions",
        slow=True,
    )


def sensitivity(study: Study, design: SetsDesign, metrics: Sequence[Metric], cache: Cache) -> Artifact:
    """Return the artifact of the permutation tests on nested sets of captions."""
    return _artifact(
        study,
        curve.key(study, design, metrics),
        lambda hooks: curve.measure(study, design, metrics, cache, hooks).arrays(),
        lambda arrays: curve.fits(arrays, study, design, metrics),
        "Testing sets of captions",
        slow=True,
    )


def power_map(study: Study, design: power.Design, metric: Metric) -> Artifact:
    """Return the artifact of the power to distinguish two runs, by numbers of items and captions."""
    return _artifact(
        study,
        power.key(study, design, metric),
        lambda hooks: power.measure(study, design, metric, hooks).arrays(),
        lambda arrays: power.fits(arrays, design),
        "Drawing studies of other sizes",
        slow=True,
    )


def slices(study: Study, values: differences.Values) -> Artifact:
    """Return the artifact of the slices of a study, with a test of the difference between two runs on each slice."""
    key, measure = differences.key(study, values), partial(differences.measure, study, values)
    return _artifact(study, key, measure, partial(differences.fits, study, values), "Comparing slices", slow=True)


def words(study: Study, design: usage.Design) -> Artifact:
    """Return the artifact of the words that a run uses more or less often than people do."""
    key, measure = usage.key(study, design), partial(usage.measure, study, design)
    return _artifact(study, key, measure, partial(usage.fits, study, design), f"Comparing {design.unit} with people's")


def critiques(study: Study, design: critique_scores.Design, cache: Cache) -> Artifact:
    """Return the artifact of the critiques of all runs; each critique is stored as soon as it is trained."""
    key, measure = critique_scores.key(study, design), partial(critique_scores.measure, study, design, cache)
    fits = partial(critique_scores.fits, study, design)
    return _artifact(study, key, measure, fits, "Training critiques", slow=True)


def trained_critiques(study: Study, design: critique_scores.Design, cache: Cache) -> list[Critic]:
    """Return the cached critiques, whether of all runs or only some, without training any."""
    part, arrays = study, critiques(study, design, cache).stored(cache)
    if arrays is None:
        part = study.only(runs=critique_scores.trained_runs(study, design, cache.has))
        try:  # Reads one critique after another, and stops at an entry that turns out to be invalid.
            arrays = critiques(part, design, cache).arrays(cache, Hooks(should_stop=lambda: True)) if part.runs else {}
        except Cancelled:
            return []
    return critique_scores.from_arrays(part, design, arrays) if part.runs else []


def own_scores(study: Study, metric: Consensus, places: Sequence[int], cache: Cache) -> Artifact:
    """Return the artifact of the scores of each reference of these items (`places`) against the item's others."""
    key, measure = own.key(study, metric, places), partial(own.measure, study, metric, places, cache)
    return _artifact(
        study, key, measure, partial(own.fits, study, metric, places), "Scoring references against each other"
    )


def known_faults(study: Study, mixed: Study, metric: Metric, cache: Cache) -> Artifact:
    """Return the artifact of the joint tests of the runs of `mixed`, which have known faults (`mixtures`)."""

    def measure(hooks: Hooks) -> Arrays:
        hooks.check()
        found = detectable_faults.statistics(
            mixed, metric, scoring.score(mixed, (metric,), detectable_faults.TESTED, cache)
        )
        if found is None:
            raise Undefined("runs with known faults have no joint test")
        return {"z": found}

    there = all(scoring.stored(cache, metric, run, mixed, detectable_faults.TESTED) for run in mixed.runs)
    fits = partial(array_checks.has_shapes, shapes={"z": (len(mixed.runs), len(PARTS))})
    slow = metric.work != "words" and not there
    return _artifact(study, detectable_faults.key(mixed, metric), measure, fits, slow=slow)


def chance(study: Study, metric: Metric, design: pairing.Design, cache: Cache) -> Artifact:
    """Return the artifact of all runs' values against other items' references.

    Raises DataError as `pairing.key` does.
    """
    return _artifact(
        study,
        pairing.key(study, metric, design),
        partial(pairing.measure, study, metric, design, cache),
        partial(pairing.fits, study),
        f"Scoring {metric.label} against other items' references",
        slow=metric.work != "words",
    )


def _artifact(
    study: Study,
    key: str,
    measure: Callable[[Hooks], Arrays],
    fits: Callable[[Arrays], bool],
    title: str = "",
    slow: bool = False,
    preemptible: bool = False,
) -> Artifact:
    """Return an artifact whose key begins with one of KINDS and whose arrays are labelled with its texts."""

    def run(hooks: Hooks) -> Arrays:
        return _labelled(measure(hooks), _labels(study)[key.partition("/")[0]])

    return Artifact(key, run, title, slow, preemptible, fits)


def entries(study: Study, cache: Cache) -> Iterator[tuple[str, Arrays]]:
    """Yield the key and arrays of every artifact of a study in the cache, whatever its settings."""
    for kind, label in _labels(study).items():
        for key in sorted(cache.keys(kind)):
            if _text(cache.peek(key, LABEL)) == label and (arrays := cache.get(key)) is not None:
                yield key, arrays


def check_entry(study: Study, kind: str, arrays: Arrays) -> None:
    """Raise Unfit unless arrays of this kind can belong to this study."""
    if _text(arrays.get(LABEL)) != _labels(study)[kind]:
        raise array_checks.Unfit("of other texts")


def _labels(study: Study) -> dict[str, str]:
    every = digest([study.references_digest, *(study.contents[run.name] for run in study.runs)])
    return {kind: study.references_digest if of == "references" else every for kind, of in KINDS.items()}


def _labelled(arrays: Arrays, label: str) -> Arrays:
    return {**arrays, LABEL: text_array([label])}


def _text(array: NDArray[Any] | None) -> str | None:
    """The text in an array made by `text_array`; None for any other array, because a bundle can contain anything."""
    if array is None or array.dtype != np.uint8:
        return None
    try:
        return array.tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
