"""The parts of the Coherence page: scores by label, and captions of each label of one image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from data.ratings.coherence import labels_of, of_candidates, of_references
from data.study import Item, Run, Study
from figures.coherence import words
from figures.coherence.chart import NARROW, chart
from figures.style.palette import Mode, styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, item_title, of_items
from metrics.analysis import paired_defaults
from metrics.analysis.coherence import label_scores as analysis
from metrics.analysis.coherence.label_scores import LabelScore
from metrics.analysis.defaults import scoring_captions
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.numbers import Numbers
from metrics.base import Metric
from metrics.learned.cosmic_metric import Cosmic
from metrics.needs import unmet
from ui.frame import look
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import ScoreView, jobs
from ui.session import address, state
from ui.views import coherence_asserted, coherence_features, coherence_network
from ui.widgets import figure, image_picker, metric_picker, run_picker
from ui.widgets import show as shown

SHOWN = 4
"""Maximum number of captions shown for each label and image."""


@dataclass(frozen=True)
class LabelChoice:
    """The state of the controls: a metric (None if none is possible), a run and an image."""

    metric: Metric | None
    run: Run
    item: Item


def nothing(study: Study) -> bool:
    """Return True, and show a message that says what to add, if this study has no runs or no labels."""
    if not study.runs:
        run_picker.no_runs(study)
        return True
    if any(run.coherence for run in study.runs):
        return False
    with look.empty(words.NOTHING, words.REMEDY):
        image_picker.data_link()
        if not state.is_demo():
            st.page_link(str(address.page_file("coherence")), label="Open the demo", query_params={"study": state.DEMO})
    return True


def choose(study: Study) -> tuple[LabelChoice, ScoreView]:
    """Show the row of controls; return the choice and the numbers of its metric."""
    able, view = _able(study), ScoreView({})
    metric: Metric | None = None
    with image_picker.row():
        if able:
            begin = scoring_captions(study, list(able.values()))
            address.follow("scored_by", able)
            metric = able[metric_picker.select("Metric", "scored_by", able, (begin or next(iter(able.values()))).name)]
            view = jobs().view(study, [metric], state.session())
        short, names = short_names(study.runs), [run.name for run in study.runs if run.coherence]
        ready = view.job is None or view.job.ended
        order = paired_defaults.best_first(study, Numbers(view.results), metric) if ready else names
        scores = analysis.by_label(study, view.results, metric) if ready and metric is not None else []
        first = analysis.most_labels(scores, [*(name for name in order if name in names), *names])
        run = address.select("Run", "run", names, first, keep=ready, format_func=short.__getitem__)
        ids = {item.id: item for item in study.items}
        at = address.select(
            item_title(study),
            "image",
            list(ids),
            next(iter(ids)),
            format_func=lambda one: image_picker.title(study, ids[one]),
        )
        coherence_network.control()
    coherence_network.training()
    coherence_features.computing()
    return LabelChoice(metric, study.run(run), ids[at]), view


def _able(study: Study) -> dict[str, Metric]:
    return {
        name: metric
        for name, metric in study_metrics.metrics().items()
        if metric.grain == "candidate" and metric.family == "quality" and why_impossible(study, metric) is None
        if not any(unmet(need) for need in metric.needs)
    }


def show(study: Study, choice: LabelChoice, view: ScoreView) -> None:
    """Show the job for missing scores, the verdict, scores by label, and one image's captions by label.

    For COSMic, also show the scores that captions would have under every label. Without a metric, say what to add.
    """
    metric, run, name = choice.metric, choice.run, short_names(study.runs)[choice.run.name]
    if metric is None:
        with look.empty("No metric to compare by", words.NO_METRIC):
            image_picker.data_link()
    else:
        scored = (run.name, metric.name) in view.results
        progress.show(view, height=0 if scored else 300)
        if scored:
            scores = analysis.by_label(study, view.results, metric)
            look.verdict(*words.verdict(scores, run.name, name, metric, item_noun(study)))
            said = words.people_facts(analysis.with_people(study, view.results, metric))
            _scores(study, run, metric, scores, name, said)
            if isinstance(metric, Cosmic):
                coherence_asserted.show(study, metric, run, choice.item)
    _captions(study, choice)


def _scores(
    study: Study, run: Run, metric: Metric, scores: Sequence[LabelScore], name: str, people: Sequence[str]
) -> None:
    mine = words.rows(scores, run.name, short_names(study.runs))
    named = {one.run for one in mine}
    others = [one for one in scores if one.run not in named]
    alt = words.alt(mine, metric)
    styles = {one.name: styles_of(study)[one.model] for one in study.runs}
    axis, (title, grey) = metric.label, words.title(scores, name)

    def drawn(mode: Mode, narrow: bool) -> go.Figure:
        return chart(mine, others, axis, styles, mode, narrow)

    figure.figure(
        "coherence",
        title,
        grey,
        sub=words.meaning(words.ordered(scores, run.name)),
        draw=lambda on: drawn(on.mode, bool(on.width and on.width < NARROW)),
        body=lambda: shown.twice(lambda narrow: drawn(look.mode(), narrow), "coherence", "metrics", alt),
        alt=alt,
        twin=figure.Twin(words.table(scores, metric)),
        foot=figure.Foot([*words.facts(study, mine), *people], of_items(study, words.HOW), [metric.signature]),
        metrics=[metric],
        name=f"coherence labels, {metric.label}",
    )


def _captions(study: Study, choice: LabelChoice) -> None:
    styles = styles_of(study)
    style, item = styles[choice.run.model], choice.item
    said = list(zip(choice.run.candidates.get(item.id, ()), of_candidates(choice.run, item.id)))
    people = list(zip(item.references, of_references(item)))

    def body() -> None:
        image_picker.card_head(item, image_picker.title(study, item), beside=[choice.run.name])
        labels = [label for label in labels_of(study) if any(label == one for _, one in [*said, *people])]
        with st.grid(max(1, min(4, len(labels))), min_column_width=220, gap=("medium", "small")) as cells:
            for label in labels:
                with cells.cell():
                    mine, theirs = (list(dict.fromkeys(t for t, one in of if one == label)) for of in (said, people))
                    colours = style.mark(look.mode()), style.text(look.mode())
                    if mine:
                        look.captions(label, [look.Caption(text) for text in mine[:SHOWN]], *colours)
                    if theirs:
                        title = f"{label}, people: {len(theirs)}"
                        look.folded_captions(title, [look.Caption(text) for text in theirs[:SHOWN]])

    figure.figure(
        "coherence_captions",
        f"One {item_noun(study)}, label by label",
        body=body,
        foot=figure.Foot([f"at most {SHOWN} captions of a label"]),
        name="captions by label",
    )
