"""The parts of the Overview: the study's conclusion, the chart of its two orders, one image and its triangle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from data.findings import merged
from data.study import Study
from figures.export.paper import Ground
from figures.images.pictures import Picture
from figures.notes import flags
from figures.overview import chart, html, words
from figures.overview.names import two_lines
from figures.overview.second_order import axis, unmeasured
from figures.overview.tables import twin
from figures.style.escaping import esc, short
from figures.style.numbers import P_VALUE, count
from figures.style.terms import with_cards
from figures.style.wording import item_noun, without_captions
from figures.views.view import Presentation
from metrics.analysis import overview as facts
from metrics.analysis import overview_image
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.numbers import Numbers
from metrics.analysis.overview import Overview
from metrics.analysis.overview_image import CaptionSet, Steps
from metrics.base import Metric, Undefined
from metrics.distances.base import Distance
from metrics.guide.cards import as_distance
from metrics.partly_read import with_findings
from metrics.suite.distribution import Trm
from metrics.suite.ratings import RatedByPeople
from ui import render, rooms
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import OPTIONS, ScoreView, jobs
from ui.session import address, state
from ui.session.pictures import picture_of
from ui.views import upload
from ui.widgets import image_picker, metric_picker, rated_captions, show
from ui.widgets.figure import Foot, Twin, figure
from ui.widgets.triangle_steps import show_steps

CSS = Path(__file__).with_name("overview.css")
_TRM = "the triangle-rank metric (TRM)"
TALL = 9
"""The number of runs from which the chart is about as tall as a picture with three sets of captions."""


@dataclass(frozen=True)
class OverviewChoice:
    """The names of the chosen metrics, `quality` on the left and `other` on the right, and those offered for each side.

    `unmeasured` states why no run can have a distance; it is "" if one can.
    """

    quality: str
    other: str
    qualities: Mapping[str, Metric]
    others: Mapping[str, Metric]
    unmeasured: str = ""

    @property
    def metrics(self) -> tuple[Metric, Metric]:
        """The left and the right metric."""
        return self.qualities[self.quality], self.others[self.other]


def choose(study: Study) -> OverviewChoice:
    """Return the metrics in the address, else the defaults."""

    def there(metric: Metric) -> bool:
        results = jobs().view(study, (metric,), state.session(), start=False).results
        return all((run.name, metric.name) in results for run in study.runs)

    def offered(found: Mapping[str, Metric]) -> dict[str, Metric]:
        return {
            name: metric for name, metric in found.items() if why_impossible(study, metric) is None or there(metric)
        }

    every = study_metrics.metrics()
    qualities = offered({name: m for name, m in every.items() if m.family == "quality" and m.has_better_side})
    address.begin_anew("by_quality", "by_people", "second")
    address.follow("by_quality", qualities)
    quality = address.select_one("by_quality", list(qualities), facts.quality_metric(study, qualities, there))
    trms = {metric.name: metric for metric in study_metrics.trms().values()}
    others = {name: metric for name, metric in every.items() if not isinstance(metric, Trm)}
    seconds = offered(facts.second_metrics(study, {**trms, **others}))
    if seconds:
        address.follow("by_people", seconds)
        other = address.select_one("by_people", list(seconds), facts.second_metric(study, seconds, there))
        return OverviewChoice(quality, other, qualities, seconds)
    others = {name: metric for name, metric in qualities.items() if name != quality}
    other = address.select_one("second", list(others), facts.quality_metric(study, others, there))
    return OverviewChoice(quality, other, qualities, others, unmeasured(study))


def fetch_overview(study: Study, choice: OverviewChoice) -> tuple[Overview, Numbers, ScoreView]:
    """Return the overview of the available numbers, these numbers, and the view of the job that computes the others."""
    numbers, view = jobs_numbers.fetch(study, choice.metrics, human=False, detect=choice.metrics[1])
    return facts.overview(study, numbers, *choice.metrics, choice.unmeasured), numbers, view


def top(way: bool = True) -> None:
    """Add the page's style; show its name, its question and, if `way`, the link to the files and their checks.

    For the demo, a line that identifies it replaces the question and the link; if `way`, files to open instead can be
    dropped beside this line. An error is shown if the last files made no study.
    """
    st.html(CSS)
    asked = "" if state.is_demo() else "<span>What does this study say?</span>"  # the demo's line needs the room
    head = f'<div class="tl-head tl-ov-kick"><b>Overview</b>{asked}</div>'
    with st.container(key="tl-ov-kick", horizontal=True, vertical_alignment="center", gap="small"):
        look.block(head)
        if state.is_demo():
            look.block(html.demo_line(state.study()))
            if way:
                with st.container(key="tl-ov-drop", horizontal=True, vertical_alignment="center", gap="small"):
                    upload.classic_button()
                    look.block('<b class="tl-ov-own">Your captions</b>')
                    upload.files()
        elif way:
            image_picker.page_link("dataset", _checked())
    if upload.failed() is not None:
        st.error("No study could be made of these files. *Data* says why, and what to do.")
        image_picker.data_link()


def _checked() -> str:
    warnings = sum(one.severity != "note" for one in merged(with_findings(state.loaded()).findings))
    return f"{count(warnings, 'warning')}: Data →" if warnings else "Files and checks: Data →"


def headline(seen: Overview, view: ScoreView) -> None:
    """Show the study's conclusion, what else is to be known of it, and the job for missing numbers."""
    said = words.headline(seen, _computing(view))
    look.block(with_cards(html.headline(said)) + html.deck(*words.deck(seen, said, _computing(view))))
    progress.show(view)


def _computing(view: ScoreView) -> bool:
    return view.job is not None and not view.job.stopped_for(state.session())


def show_no_runs(study: Study) -> None:
    """Show what a study without runs lacks, with a link for adding it."""
    found = render.immediate("arena", study) if study.preferences and not study.items else None
    arena = found if isinstance(found, Presentation) else None
    look.block(html.headline(("".join(arena.verdict) if arena else f"{without_captions(study)}.",)))
    if study.preferences and not study.items:
        told = f"{without_captions(study)}." if arena else "Arena ranks the runs by these pairs."
        look.block(html.deck(told, "Everything else needs captions of every run."))
        if arena:
            render.show_panel(arena.panels[0])
        image_picker.page_link("arena", "Every pair: Arena →" if arena else "Open Arena", "swords")
        return
    look.block(html.deck(*words.lesson(study)))
    with look.empty("Nothing to compare yet", "Add files of generated captions together with the references."):
        image_picker.data_link()


def orders(seen: Overview, choice: OverviewChoice, alone: bool = False) -> None:
    """Show the chart of both orders of the runs, below the controls for the two metrics, which are its axis titles.

    If the chart is `alone`, long names have more room where the page is wide.
    """

    def both() -> None:
        for size in ("wide", "narrow"):
            with st.container(key=f"tl-{size}-metrics"):
                show.plot(chart.bump(seen, Ground(look.mode()), size == "wide"), f"overview_{size}", words.alt(seen))

    known = seen.quality.ranked and seen.other.ranked and not seen.waiting
    with st.container(key="tl-ov-chart"):
        title = words.change(seen) + (", by two quality metrics" if seen.unmeasured else "")
        figure(
            "overview_orders",
            title if known else "Ranks",
            words.reading(seen),
            draw=lambda on: chart.bump(seen, on),
            body=both if alone and two_lines(seen.study.runs) else None,
            alt=words.alt(seen),
            twin=Twin(partial(twin, seen), {"formats": {"Corrected p": P_VALUE}}),
            foot=_foot(seen, choice),
            metrics=choice.metrics,
            name="overview",
            above=lambda: _axes(choice),
            beside=lambda: image_picker.page_link("leaderboard", "All intervals: Leaderboard →"),
        )


def _foot(seen: Overview, choice: OverviewChoice) -> Foot:
    n, odd = count(len(seen.study.items), item_noun(seen.study)), flags.facts(seen.every, seen.every.runs)
    facts = [f"n = {n}", *words.marks(seen), *odd]
    return Foot(facts, words.rules(seen), [metric.signature for metric in choice.metrics])


def _axes(choice: OverviewChoice) -> None:
    name, asked = axis(choice.metrics[1])
    right = ("Quality", "second", "") if choice.unmeasured else (name, "by_people", asked)
    axes = (("Quality", "by_quality", "shares phrases with people"), right)
    offers = ((choice.quality, choice.qualities), (choice.other, choice.others))
    with st.container(key="tl-ov-axes", horizontal=True, horizontal_alignment="distribute", gap="small"):
        for (label, name, _), (chosen, offered) in zip(axes, offers):
            _axis(label, name, chosen, offered)
    (*_, left), (*_, at_right) = axes
    said = "".join(f"<span>{what}</span>" for what in (left, at_right))
    look.block(f'<div class="tl-ov-what">{said}</div>')


def _axis(label: str, name: str, chosen: str, offered: Mapping[str, Metric]) -> None:
    metric_picker.select(label, name, offered, chosen)


def evidence(seen: Overview, choice: OverviewChoice, numbers: Numbers, position: int) -> Steps | str:
    """Show the chart, if there are several runs, and a representative image with captions by people and by runs.

    The image is beside the chart if it has a picture and the chart is tall, else below. Return the triangle of the
    image, or why there is none. If people rated captions, those on which they and the metric disagree most replace the
    image, and "" is returned.
    """
    study = seen.study
    if isinstance(seen.other.metric, RatedByPeople):
        with st.container(key="tl-ov-top"):
            orders(seen, choice)
            with st.container(key="tl-ov-right", gap="xsmall"):
                _where_they_part(seen, numbers)
        return ""
    picture = picture_of(study.items[position])
    beside = picture is not None and len(study.runs) >= TALL
    with st.container(key="tl-ov-top" if beside else "tl-ov-wide"):
        if len(study.runs) > 1:
            orders(seen, choice, alone=not beside)
        else:
            foot = _foot(seen, choice)
            look.figure_footer(foot.facts, foot.how, foot.signatures)
        with st.container(key="tl-ov-right", gap="xsmall"):
            # After the chart, because distances that scoring did not store take seconds.
            steps = steps_of(seen, position)
            drawn = None if isinstance(steps, str) else steps
            _sets(seen, position, overview_image.caption_sets(study, seen.told, position, drawn), picture)
    return steps


def _where_they_part(seen: Overview, numbers: Numbers) -> None:
    """Show the captions that the quality metric most overrates and underrates against people, and a link to more."""
    if seen.quality.waiting:
        return
    assert isinstance(seen.other.metric, RatedByPeople)
    rated_captions.show(seen.every, seen.other.metric.criterion, seen.quality.metric, numbers.results, most=1)
    with st.container(key="tl-foot-image", horizontal=True):
        image_picker.page_link("judgments", "Every metric: Judgments →", rated=seen.other.metric.criterion)


def _sets(seen: Overview, position: int, sets: Sequence[CaptionSet], picture: Picture | None) -> None:
    study = seen.study
    item, mode = study.items[position], look.mode()
    shown = [html.caption_set(seen, found, mode) for found in sets]
    number = ("no set", "one set", "two sets", "three sets", "four sets")[len(sets)]
    if picture is None:
        look.figure_title(
            f"One {item_noun(study)}, {number} of captions", arrow=short("; ".join(item.references[:1]), 90)
        )
        look.block(html.columns(shown))
    elif len(study.runs) < TALL:
        look.figure_title(f"One picture, {number} of captions")
        with st.container(key="tl-ov-flat"):
            st.image(picture.shown, width="stretch", alt=image_picker.title(study, item))
            look.block(html.columns(shown))
    else:
        look.figure_title(f"One picture, {number} of captions")
        with st.container(key="tl-ov-sets"):
            with st.container(key="tl-ov-left", gap="small"):
                st.image(picture.shown, width="stretch", alt=image_picker.title(study, item))
                look.block(shown[0])
            with st.container(key="tl-ov-runs", gap="small"):
                for said in shown[1:]:
                    look.block(said)
    rest = len(study.items) - 1
    if rest:
        with st.container(key="tl-foot-image", horizontal=True):
            label = f"The other {rest:,}: {rooms.title(rooms.IMAGES, study)} →"
            image_picker.page_link("images", label, image=item.id)


def steps_of(seen: Overview, position: int) -> Steps | str:
    """Return a triangle of the image at `position` and each run's shares of its triangles, or why there are none.

    The reason is "" if there is nothing to say, for example while distances are being computed.
    """
    study, metric = seen.study, seen.other.metric
    if not isinstance(metric, Trm):
        return seen.unmeasured
    if metric.work != "words" and seen.other.waiting:
        return ""
    if not seen.taught:
        return words.untaught(seen)
    try:
        with progress.during(f"Comparing the captions of this {item_noun(study)} with one another"):
            found = _steps(study, study.digest, seen.taught, position, metric, metric.signature)
    except Undefined as why:
        return str(why)
    return found or f"No three captions of this {item_noun(study)} make a triangle."


@st.cache_resource(max_entries=32, show_spinner=False)
def _steps(
    _study: Study, digest: str, runs: tuple[int, ...], position: int, _metric: Trm, signature: str
) -> Steps | None:
    return overview_image.steps(_study, runs, position, _metric, jobs().cache, OPTIONS)


def show_triangle(seen: Overview, position: int, steps: Steps | str) -> None:
    """Show how TRM distinguishes runs: the triangle in three steps, and the shares of all triangles of the image.

    Nothing is shown if the runs are ordered by another measure.
    """
    if not isinstance(seen.other.metric, Trm):
        return
    # With another label the panel would be another element, and closed.
    place = st.expander(f"How {_TRM} works", key="overview_how", on_change="rerun")
    if place.open:
        with place:
            _lesson(seen, position, steps)


def _lesson(seen: Overview, position: int, steps: Steps | str) -> None:
    study = seen.study
    assert isinstance(seen.other.metric, Trm)
    _how(seen.other.metric.space)
    if isinstance(steps, str):
        why = steps or f"The distances of this {item_noun(study)} are being computed."
        look.block(f'<div class="tl-ov-what">{esc(why)}</div>')
        return
    _drawn(study, seen, position, steps)
    with st.container(key="tl-foot-steps", horizontal=True, vertical_alignment="top", gap="small"):
        many = steps.shares[0].triangles if steps.shares else 0
        look.figure_footer([f"n = {count(many, 'triangle')}"], [], [steps.metric.signature])
        image_picker.page_link(
            "triangles",
            f"Every {item_noun(study)}: Triangles →",
            image=study.items[position].id,
            run=seen.seeds(steps.run)[0].name,
            distance=steps.metric.space.label,
        )


def _how(space: Distance) -> None:
    formula = as_distance(space)
    by = f" = {formula}" if formula else f" by {space.label}"
    said = f"Distance{by}: 0 for the same wording, {space.maximum:g} for nothing in common."
    look.block(f'<div class="tl-ov-how"><p>{esc(said)}</p></div>')


def _drawn(study: Study, seen: Overview, position: int, steps: Steps) -> None:
    mode = look.mode()
    show_steps(study, steps)
    place = "picture" if study.items[position].image else item_noun(study)
    look.block(html.shares_html(study, steps, seen, mode, place))
