"""The same captions under every label, on the Coherence page: COSMic by run and label, and by caption of one image."""

from __future__ import annotations

from collections.abc import Mapping

from data.study import Item, Run, Study
from figures.coherence import words
from figures.coherence.asserted import matrix
from figures.coherence.chart import NARROW
from figures.style.run_names import short_names
from metrics.analysis.coherence import asserted_labels as analysis
from metrics.analysis.coherence.asserted_labels import SIDES, Side
from metrics.base import Metric
from metrics.learned.cosmic_metric import OWN, Cosmic
from ui.frame import look
from ui.jobs import progress
from ui.jobs.jobs import ScoreView, jobs
from ui.session import address, state
from ui.widgets import figure, image_picker
from ui.widgets import show as shown

NEVER = "nothing"
"""The option to assign no label: the default if COSMic learns from the study, because it would be trained again."""


def show(study: Study, metric: Cosmic, run: Run, item: Item) -> None:
    """Show the matrix of runs and labels, and the captions of one image; nothing for a network that ignores labels."""
    if not analysis.labels(study, metric):
        return
    options: dict[str, str] = {**dict(words.SIDES.items()), NEVER: "nothing"}
    asked = address.segments(
        "Give each label to",
        "asserted",
        list(options),
        NEVER if metric.weights == OWN else SIDES[0],
        format_func=lambda one: options[one],
    )
    side = next((one for one in SIDES if one == asked), None)
    if side is None:
        return
    by = analysis.metrics(study, metric, side)
    view = jobs().view(study, list(by.values()), state.session())
    waiting = any((one.name, of.name) not in view.results for one in study.runs for of in by.values())
    progress.show(view, height=300 if waiting else 0)
    if waiting:
        return
    _matrix(study, view, by, side)
    _image(study, view, by, run, item)


def _matrix(study: Study, view: ScoreView, by: Mapping[str, Metric], side: Side) -> None:
    found, names = analysis.sweep(study, view.results, by), short_names(study.runs)
    alt = words.asserted_alt(found, side)

    said = words.asserted_line(analysis.spread(found), names)
    figure.figure(
        "coherence_asserted",
        "Under every label",
        "the same captions",
        draw=lambda on: matrix(found, names, on.mode, bool(on.width and on.width < NARROW)),
        body=lambda: shown.twice(lambda narrow: matrix(found, names, look.mode(), narrow), "asserted", "asserted", alt),
        alt=alt,
        twin=figure.Twin(words.asserted_table(found, side)),
        foot=figure.Foot(
            [*([said] if said else []), "95 % bootstrap"], words.HOW_ASSERTED, [one.signature for one in by.values()]
        ),
        metrics=list(by.values())[:1],
        name=f"asserted labels of {side}",
    )


def _image(study: Study, view: ScoreView, by: Mapping[str, Metric], run: Run, item: Item) -> None:
    captions = analysis.of_image(study, view.results, by, run, study.items.index(item))
    if captions:
        figure.figure(
            "coherence_one",
            f"One image of {short_names(study.runs)[run.name]} under every label",
            image_picker.title(study, item),
            body=lambda: shown.table(words.captions_table(captions), "coherence_one_table", name="one image"),
        )
