"""The parts of the References page: fewer references, a budget, how well people agree, and on which images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from data.study import Study
from figures.images import contact_sheet
from figures.references import words
from figures.references.agreement import agreement
from figures.references.budget_map import budget_map
from figures.references.curves import curves
from figures.style.escaping import capital
from figures.style.numbers import count, num
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.references import DRAWS, own_scores, subset_totals, tables
from metrics.analysis.references import subsets as reference_subsets
from metrics.analysis.references.own_scores import ScoredItem
from metrics.analysis.references.subsets import Design
from metrics.analysis.references.summary import Summary, summary
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.engine.result import Result
from metrics.suite.consensus import Consensus, Scored
from ui.frame import look
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import ArtifactView, ScoreView, jobs
from ui.session import address, state
from ui.widgets import figure, image_picker, metric_picker, parts, run_picker, thumbnails
from ui.widgets import show as shown

FIRST = ("bleu_4", "meteor", "rouge_l", "cider_d")
CHOICES = ("20", str(DRAWS), "500")
SEEDS = ("0", "1", "2", "3", "4")
LISTED, SHOWN = 1, 4
"""The number of images shown of each kind, and of captions shown for each image; the table has more."""


@dataclass(frozen=True)
class ReferenceChoice:
    """The state of the controls: the compared metrics, the main one, the positions of the runs, and how to draw."""

    metrics: tuple[Metric, ...]
    main: Metric
    runs: tuple[int, ...]
    draws: int
    design: Design


def nothing(study: Study) -> bool:
    """Return True, and show a message with the remedy, if no item has two references."""
    if reference_subsets.design(study) is not None:
        return False
    what = item_noun(study)
    has = f"Every {what} of this study has one reference" if study.items else f"This study has no {what}s"
    with look.empty(
        "Agreement needs two references",
        f"{has}. With two or more of some {what}s, this page shows how far people agree and how many are enough.",
    ):
        image_picker.data_link()
    return True


def choose(study: Study) -> ReferenceChoice | None:
    """Show the row of controls; return the choice, or None with a message if no metric is chosen."""
    scored = {name: metric for name, metric in study_metrics.metrics().items() if isinstance(metric, Scored)}
    every = metric_picker.able(study, scored, "compared", "scored_by")
    address.begin_anew("compared", "scored_by")
    first = [name for name in FIRST if name in every] or list(every)[:1]
    with image_picker.row():
        main_place = st.container(width="content")
        with st.popover(_runs_label(study), key="runs_panel"):
            runs = {run.name for run in run_picker.runs(study)}
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            compared = metric_picker.pills("Compared with", "compared", every, first)
            metric_picker.say_lacking(study, scored, every)
            draws = address.segments("Draws of references", "draws", CHOICES, str(DRAWS))
            seed = address.segments("Seed", "draw_seed", SEEDS, "0")
        if not compared:
            st.info("Choose a metric to see how far people agree.")
            return None
        with main_place, image_picker.row("content"):
            of = {name: every[name] for name in compared}
            begin = first_to_rank(study, list(of.values())) or of[compared[0]]
            address.follow("scored_by", compared)
            main = metric_picker.select("Metric", "scored_by", of, begin.name)
    made = reference_subsets.design(study, seed=int(seed))
    assert made is not None
    places = tuple(k for k, run in enumerate(study.runs) if run.name in runs)
    return ReferenceChoice(tuple(every[name] for name in compared), every[main], places, int(draws), made)


def _runs_label(study: Study) -> str:
    asked = [name for name in address.values("runs") or () if name in {run.name for run in study.runs}]
    n = len(study.runs)
    return f":gray[Runs:] **{f'{len(asked)} of {n}' if asked and len(asked) < n else f'all {n}' if n else 'none'}**"


@dataclass(frozen=True)
class Measured:
    """The existing numbers.

    `people` is how far people agree; `own` are the scores of references where people agree most and least; `subsets`
    are scores of runs with fewer references.
    """

    people: ScoreView
    own: ArtifactView | None
    subsets: ArtifactView | None

    @property
    def views(self) -> tuple[ScoreView | ArtifactView, ...]:
        """The views whose numbers exist or are being computed."""
        return tuple(view for view in (self.people, self.own, self.subsets) if view is not None)


def measured(study: Study, choice: ReferenceChoice) -> Measured:
    """Return the existing numbers, and show the job for the next ones.

    The numbers of single images are computed only on their tab.
    """
    people = jobs().view(study, tables.consensus_metrics(choice.metrics), state.session())
    own = subsets = None
    result = _main_result(choice, people) if address.value("part") == "items" else None
    if result is not None and isinstance(result.metric, Consensus):
        places = own_scores.ends(result.items).places
        own = jobs().artifact(artifacts.own_scores(study, result.metric, places, jobs().cache), state.session())
    if study.runs and people.job is None:
        work = artifacts.subset_totals(study, choice.design, choice.metrics, jobs().cache)
        subsets = jobs().artifact(work, state.session())
    numbers = Measured(people, own, subsets)
    progress.show(next((view for view in numbers.views if view.job is not None), people))
    return numbers


def _main_result(choice: ReferenceChoice, people: ScoreView) -> Result | None:
    own = (r for r in people.results.values() if isinstance(r.metric, Consensus) and r.metric.of == choice.main)
    return next((result for result in own if result.why() is None), None)


def show(study: Study, choice: ReferenceChoice, numbers: Measured) -> None:
    """Show the verdict, the two curves and, below them, the open tab."""
    results = [result for result in numbers.people.results.values() if result.why() is None]
    found = None
    if not study.runs:
        look.note("How many references are enough is a question about runs, and this study has no captions of a model.")
    elif numbers.subsets is None or numbers.subsets.arrays is None:
        if _working(numbers):
            look.pending(height=260, shape="lines")
    else:
        found = _summary(study, choice, numbers.subsets.arrays)
    if found is not None:
        look.verdict(*words.verdict(found, item_noun(study), found.costs.items, choice.main.label))
        _curves(study, choice, found)
    what = item_noun(study)
    titles = {"budget": f"{what.capitalize()}s or references?"} if study.runs else {}
    titles |= {"agreement": "How much people agree", "items": f"By {what}"}
    opened = parts.tabs("part", titles, ("budget",))
    result = _main_result(choice, numbers.people)
    if opened == "agreement":
        _agreement(study, choice, results)
    elif opened == "budget" and found is not None:
        _budget(study, choice, found)
    elif opened == "budget" and _working(numbers):
        look.pending(height=220, shape="cells")
    elif opened == "items" and result is not None and numbers.own is not None and numbers.own.arrays is not None:
        _items(study, choice, result, numbers.own.arrays)
    elif opened == "items" and _working(numbers):
        look.pending(height=220)


def _working(numbers: Measured) -> bool:
    return any(view.job is not None and not view.job.ended for view in numbers.views)


def _summary(study: Study, choice: ReferenceChoice, arrays: Arrays) -> Summary | None:
    key = (subset_totals.key(study, choice.design, choice.metrics), *study.clustering)
    found = _summarised(key, choice.main.name, choice.runs, choice.draws, study, choice, arrays)
    if found is None:
        look.note(choice.main.label, " has no value that all chosen runs share.")
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def _summarised(
    key: tuple[str, ...],
    main: str,
    runs: tuple[int, ...],
    draws: int,
    _study: Study,
    _choice: ReferenceChoice,
    _arrays: Arrays,
) -> Summary | None:
    found = subset_totals.usable(
        subset_totals.from_arrays(_study, _choice.design, _choice.metrics, _arrays).of_runs(runs)
    )
    if main not in {metric.name for metric in found.metrics}:
        return None
    return summary(found, main, range(len(runs)), draws, _choice.design.seed)


def _curves(study: Study, choice: ReferenceChoice, found: Summary) -> None:
    panels, main = words.panels(found, choice.metrics), choice.main.name
    sizes, alt = found.chosen.sizes, words.curves_alt(found, choice.main.label)

    def both() -> None:
        with st.grid(2, min_column_width=340, gap=("medium", "small")) as two:
            for k, panel in enumerate(panels):
                with two.cell():
                    drawn = curves([panel], sizes, main, look.mode())
                    shown.plot(drawn, f"references_{k}", f"{panel.title}. {alt}", _take_first if k == 0 else _take)

    figure.figure(
        "references_curves",
        "What a choice of references changes",
        "lower is steadier",
        draw=lambda on: curves(panels, sizes, main, on.mode, stacked=bool(on.width and on.width < 600)),
        body=both,
        alt=alt,
        twin=figure.Twin(words.curves_table(found, choice.metrics)),
        foot=figure.Foot(
            words.curves_facts(study, found),
            of_items(study, [words.HOW_CURVES]),
            [metric.signature for metric in choice.metrics],
        ),
        metrics=choice.metrics,
        name="fewer references",
    )


def _budget(study: Study, choice: ReferenceChoice, found: Summary) -> None:
    map_of, what = words.budget_map_of(found, item_noun(study)), item_noun(study)
    figure.figure(
        "references_budget",
        f"{what.capitalize()}s or references?",
        "more ink: more exact",
        sub=f"{capital(words.budget_facts(found)[0])}.",
        draw=lambda on: budget_map(map_of, on.mode),
        alt=words.budget_alt(map_of),
        twin=figure.Twin(words.budget_table(map_of), {"digits": 4}),
        foot=figure.Foot(words.budget_facts(found)[1:], of_items(study, [words.HOW_BUDGET]), [choice.main.signature]),
        metrics=[choice.main],
        name=f"{what}s or references, {choice.main.label}",
    )


def _agreement(study: Study, choice: ReferenceChoice, results: Sequence[Result]) -> None:
    if not results:
        look.pending(height=220)
        return
    rows, columns = words.agreement_rows(results)
    n = max(result.n for result in results)
    figure.figure(
        "references_agreement",
        "How much people agree",
        f"mean ± spread over {item_noun(study)}s",
        draw=lambda on: agreement(rows, columns, on.on_screen(choice.main.name), on.mode),
        alt=words.agreement_alt(rows, item_noun(study)),
        twin=figure.Twin(words.agreement_table(rows, columns, n)),
        foot=figure.Foot(
            words.agreement_facts(study, n),
            of_items(study, [words.HOW_AGREEMENT]),
            [result.metric.signature for result in results],
        ),
        metrics=[result.metric for result in results],
        name="agreement of references",
    )


def _items(study: Study, choice: ReferenceChoice, result: Result, arrays: Arrays) -> None:
    ends = own_scores.ends(result.items)
    by = {one.place: one for one in own_scores.scored_items(study, result.items, ends.places, arrays)}
    most, least = ([by[place] for place in places] for places in ends)
    label, what = choice.main.label, item_noun(study)

    def both() -> None:
        with st.grid(2, min_column_width=380, gap=("medium", "small")) as two:
            for title, some in ((f"Most on this {what}", most), ("Least on this one", least)):
                with two.cell():
                    for one in some[:LISTED]:
                        item = study.items[one.place]
                        link = image_picker.href("images", image=item.id)
                        look.block(
                            contact_sheet.small(image_picker.title(study, item), link, thumbnails.of(study, one.place))
                        )
                        _item(study, f"{title}: {label} {num(one.agreement, 2)}", one)

    figure.figure(
        "references_items",
        f"Where people agree, by {label}",
        body=both,
        twin=figure.Twin(words.item_table(study, label, most, least)),
        foot=figure.Foot(
            [f"before each caption: its score against the others; table: {count(len(by), what)}"],
            signatures=[result.metric.signature],
        ),
        name=f"most and least agreement, {label}",
    )


def _item(study: Study, title: str, one: ScoredItem) -> None:
    texts = study.items[one.place].references
    order = sorted(range(len(texts)), key=lambda k: (-one.scores[k] if one.scores[k] == one.scores[k] else 1e9, k))
    if len(order) > SHOWN:
        order = [*order[: SHOWN - 2], *[k for k in order if one.scores[k] == one.scores[k]][-2:]]
    captions = [look.Caption(texts[k], lead=num(float(one.scores[k]), 2)) for k in order]
    look.captions(title, captions)


def _take_first() -> None:
    shown.store_picked("references_0", "scored_by")


def _take() -> None:
    shown.store_picked("references_1", "scored_by")
