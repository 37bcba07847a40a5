"""The parts of the Judgments page: criteria, metrics by agreement, captions of disagreement, whole systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.ratings.human_ratings import METADATA, metadata_fields, with_metadata
from data.study import Study
from figures.judgments import floor_words, footer, words
from figures.judgments import ranking as ranking_chart
from figures.style.escaping import capital
from figures.style.numbers import P_VALUE
from figures.style.run_names import short_names
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts
from metrics.analysis.judgments import preferences
from metrics.analysis.judgments.caption_agreement import CaptionAgreement, Design, from_arrays
from metrics.analysis.judgments.floors import Floor
from metrics.analysis.judgments.points import BY_RATER, Values, criteria, points, rated_unit, suited
from metrics.analysis.judgments.system_groups import Group, groups
from metrics.base import Metric
from metrics.cache.entry import Arrays
from ui.frame import look
from ui.jobs import chance
from ui.jobs.jobs import ArtifactView, ScoreView, jobs
from ui.session import address, state
from ui.views import judgments_pairs, judgments_systems
from ui.widgets import figure, image_picker, metric_picker, parts, rated_captions, show

EVERY = 99
STATISTIC = "kendall_tau_b"
PART = "part"
PARTS = {"captions": "Where they disagree", "pairs": "Pair by pair", "systems": "System by system"}


@dataclass(frozen=True)
class JudgmentChoice:
    """The state of the controls.

    `criterion` is "" if no caption is rated; `metrics` are those that suit what people rated; `by` states how several
    raters count ("mean" or "each"); `runs` are those whose captions count; `by_chance` tells whether chance is shown.
    """

    criterion: str
    statistic: str
    metrics: tuple[Metric, ...]
    by: str
    runs: tuple[str, ...]
    chosen: tuple[Metric, ...] = ()
    """The metrics that the reader chose; some may not suit what people rated."""
    by_chance: bool = False

    @property
    def design(self) -> Design:
        """How metrics are compared with people."""
        return Design(self.criterion, "mean" if self.by == "mean" else "each", self.runs)


def rated(study: Study) -> bool:
    """Return whether people judged captions, pairs of captions or systems."""
    return bool(criteria(study) or study.systems or preferences.criteria(study))


def any_judged(study: Study) -> bool:
    """Return whether metrics can be compared with ratings, or with metadata that varies."""
    return bool(rated(study) or _criteria(study))


def nothing(study: Study) -> bool:
    """Return True, and show a message that says what to add, if there are no judgments and no varying metadata."""
    if any_judged(study):
        return False
    text = (
        "Drop a file with people's ratings beside the captions: `human` in Trilens JSON, a table with item, run or "
        "caption and rating, or a table of whole systems with a rating and metrics. "
    )
    demo = "The demo is synthetic: nobody rated its captions, and no ratings are made up." if state.is_demo() else ""
    with look.empty("No ratings by people in this study", (text + demo).replace("`", "")):
        image_picker.data_link()
    return True


def _criteria(study: Study) -> list[str]:
    """The criteria with which to compare metrics: those of human ratings, then numeric metadata of items."""
    own = criteria(study)
    alone = not own and (study.systems or preferences.criteria(study) or not study.runs)
    return own if alone else [*own, *(METADATA + field for field in metadata_fields(study))]


def compared(study: Study, criterion: str) -> Study:
    """Return the study; if the chosen criterion is a metadata field, add this field as a criterion."""
    return with_metadata(study, criterion) if criterion.startswith(METADATA) else study


def choose(study: Study, bar: DeltaGenerator) -> tuple[JudgmentChoice | None, ScoreView | None]:
    """Show the controls in their row; return the choice and the metrics' numbers, None if only systems are rated."""
    known = _criteria(study)
    if not known:
        return _choose_for_pairs(study, bar) if preferences.criteria(study) else (None, None)
    with bar:
        with image_picker.row("content"):
            label = "People rated" if known == criteria(study) else "Compare with"
            criterion = address.select(label, "rated", known, known[0], format_func=footer.criterion_label)
        whole = compared(study, criterion)
        chosen = metric_picker.pick_metrics(study, EVERY, suits=lambda one: bool(suited(whole, criterion, [one])))
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            statistic = address.select(
                "Correlation",
                "agreement",
                list(words.STATISTIC),
                STATISTIC,
                format_func=words.STATISTIC.__getitem__,
            )
            by = address.segments("Several raters", "raters", BY_RATER, "each", format_func=words.BY.__getitem__)
            short = short_names(study.runs)
            names = [run.name for run in study.runs]
            runs = address.pills("Captions of", "rated_runs", names, names, format_func=short.__getitem__)
            by_chance = chance.asked()
    metrics = suited(whole, criterion, chosen)
    choice = JudgmentChoice(criterion, statistic, metrics, by, tuple(runs), chosen, by_chance)
    return choice, jobs().view(study, metrics, state.session())


def _choose_for_pairs(study: Study, bar: DeltaGenerator) -> tuple[JudgmentChoice, ScoreView]:
    """Show the control of metrics for captions that people compared but did not rate; return the choice and numbers.

    There is no criterion to choose.
    """
    with bar:
        chosen = metric_picker.pick_metrics(study, EVERY, suits=lambda one: bool(preferences.suited([one])))
    metrics = preferences.suited(chosen)
    names = tuple(run.name for run in study.runs)
    return JudgmentChoice("", "", metrics, "each", names, chosen), jobs().view(study, metrics, state.session())


def measured(
    study: Study, choice: JudgmentChoice, results: Values, start: bool = True
) -> tuple[tuple[Metric, ...], ArtifactView]:
    """Return the metrics whose numbers exist, and their agreement or the job that computes it; `start` begins it."""
    ready = tuple(m for m in choice.metrics if all((run, m.name) in results for run in choice.runs))
    work = artifacts.agreement(study, results, ready, choice.design)
    return ready, jobs().artifact(replace(work, title="Comparing metrics with people"), state.session(), start)


def finding(study: Study, start: bool) -> Sequence[str] | ScoreView | ArtifactView:
    """Return the verdict on the first criterion by the default metrics, or the work that is missing.

    `start` begins that work. () if people rated no captions.
    """
    known = criteria(study)
    if not known:
        return ()
    criterion = known[0]
    chosen = metric_picker.on_page(study, EVERY)
    names = tuple(run.name for run in study.runs)
    choice = JudgmentChoice(criterion, STATISTIC, suited(study, criterion, chosen), "each", names, chosen)
    numbers = jobs().view(study, choice.metrics, state.session(), start=start)
    if numbers.job is not None or any((run, m.name) not in numbers.results for m in choice.metrics for run in names):
        return numbers
    metrics, view = measured(study, choice, numbers.results, start)
    return view if view.arrays is None else _verdict(study, choice, metrics, from_arrays(view.arrays))


def show_ranking(
    study: Study, choice: JudgmentChoice, metrics: Sequence[Metric], arrays: Arrays, results: Values
) -> Metric | None:
    """Show the verdict and the ranking; return the chosen metric, or None if no metric has an agreement."""
    found = from_arrays(arrays)
    unit = rated_unit(study, choice.criterion)
    look.verdict(*_verdict(study, choice, metrics, found))
    reasons = {m.name: r.why() or "" for m in metrics for run in choice.runs if (r := results[run, m.name]).why()}
    floor = chance.floors(study, results, metrics, choice.design) if choice.by_chance else ()
    rows = words.rows(found, metrics, choice.statistic, reasons, unit, floor)
    if not rows:
        return None
    main = _main(metrics, [row.key for row in rows])
    _ranking(study, choice, metrics, found, rows, main.name if main else None, floor)
    return main


def _verdict(study: Study, choice: JudgmentChoice, metrics: Sequence[Metric], found: CaptionAgreement) -> Sequence[str]:
    ranked, unit = found.ranking(choice.statistic), rated_unit(study, choice.criterion)
    return words.verdict(found, metrics, ranked, choice.statistic, choice.criterion, unit, item_noun(study))


def show_parts(
    study: Study, choice: JudgmentChoice, main: Metric | None, results: Values, waiting: bool, ranked: bool
) -> None:
    """Show the tabs: captions on which metric and people disagree, compared pairs, whole systems.

    The first tab is shown even before metrics are `ranked`; otherwise another tab would be open, and stay open.
    `waiting` states whether metrics wait for numbers.
    """
    by_system = _groups(study, choice, results)
    there = {
        "captions": (main is not None or not ranked) and _has_captions(compared(study, choice.criterion), choice),
        "pairs": bool(preferences.criteria(study) and results),
        "systems": bool(by_system),
    }
    titles = {name: title for name, title in PARTS.items() if there[name]}
    if not titles:
        return
    part = parts.tabs(PART, titles, tuple(PARTS))
    if part == "captions":
        if main is not None:
            rated_captions.show(compared(study, choice.criterion), choice.criterion, main, results, choice.runs)
        else:
            look.pending()
    elif part == "pairs":
        judgments_pairs.show_pairs(study, choice.chosen, choice.metrics, results, False, waiting)
    elif part == "systems":
        judgments_systems.show(by_system, choice.criterion, False)


def _has_captions(study: Study, choice: JudgmentChoice) -> bool:
    at = points(study, choice.criterion, "mean", choice.runs)
    return bool(len(at)) and rated_unit(study, choice.criterion) != "set"


def _main(metrics: Sequence[Metric], order: Sequence[str]) -> Metric | None:
    by = {metric.name: metric for metric in metrics}
    asked = address.value("main")
    return by.get(asked) or (by[order[0]] if order else None)


def _ranking(
    study: Study,
    choice: JudgmentChoice,
    metrics: Sequence[Metric],
    found: CaptionAgreement,
    rows: Sequence[ranking_chart.Row],
    main: str | None,
    floor: Sequence[Floor | None],
) -> None:
    title, alt = words.STATISTIC[choice.statistic], words.alt(rows, choice.statistic, choice.criterion)
    unit = rated_unit(study, choice.criterion)
    people = found.of(-1, choice.statistic) if found.points[-1] else None
    trivial = words.trivial_rows(found, choice.statistic)
    further = footer.further(study, choice.chosen, choice.metrics, metrics, choice.criterion, unit)

    def both() -> None:
        for key, narrow, taken in (("wide", False, _take), ("narrow", True, _take_narrow)):
            with st.container(key=f"tl-{key}-metrics"):
                drawn = ranking_chart.ranking(rows, title, people, main, look.mode(), narrow, unit, trivial)
                show.plot(drawn, f"judgments_{key}", alt, taken)

    figure.figure(
        "judgments_captions",
        words.by_unit(choice.criterion, unit, item_noun(study)),
        "further right agrees more",
        draw=lambda on: ranking_chart.ranking(
            rows, title, people, on.on_screen(main), on.mode, bool(on.width and on.width < 500), unit, trivial
        ),
        body=both,
        alt=alt,
        twin=figure.Twin(
            words.table(found, metrics, choice.statistic, floor_words.columns(floor, choice.statistic)),
            {"formats": dict.fromkeys(_P, P_VALUE)},
        ),
        foot=figure.Foot(
            [
                *words.facts(study, found, choice.by, people is not None, choice.criterion, unit),
                *floor_words.facts(floor, metrics, choice.statistic, item_noun(study)),
            ],
            [
                *(f"{capital(one)}." for one in (*words.beside_trivial(found, metrics, choice.statistic), *further)),
                *of_items(study, (*words.how(choice.criterion, unit), *((floor_words.HOW,) if floor else ()))),
            ],
            [metric.signature for metric in metrics],
        ),
        metrics=metrics,
        name=f"agreement with {footer.compared_with(choice.criterion)}, {choice.criterion}",
    )


_P = (
    *(f"{title} p {words.UNCORRECTED}" for title in (*words.STATISTIC.values(), "Better of two")),
    "Ahead of all (Holm)",
    "p of chance (Holm)",
)


def show_systems(study: Study, choice: JudgmentChoice | None, results: Values) -> None:
    """Show whole systems: the study's runs, if people rated captions of several, and its tables of systems."""
    if found := _groups(study, choice, results):
        judgments_systems.show(found, choice.criterion if choice is not None else "", choice is None)


def _groups(study: Study, choice: JudgmentChoice | None, results: Values) -> list[Group]:
    chosen = choice.metrics if choice is not None else ()
    return [group for group in groups(study, results, chosen, choice.runs if choice else None) if _usable(group)]


def _usable(group: Group) -> bool:
    return any(group.known(criterion, metric).sum() > 2 for criterion in group.criteria for metric in group.metrics)


def _take() -> None:
    _choose_metric("judgments_wide")


def _take_narrow() -> None:
    _choose_metric("judgments_narrow")


def _choose_metric(key: str) -> None:
    for name, *_ in show.picked(key)[:1]:
        address.store("main", str(name))
        address.store(PART, "captions")
