"""The parts of the Sensitivity page: p by the number of captions, the power to distinguish two runs, and speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from data.study import Run, Study
from figures.notes.hazards import faulty
from figures.sensitivity import averages, gain_words, too_few_items, words
from figures.sensitivity.curve import Curves, p_curve
from figures.sensitivity.items_needed import images_by_difference, images_needed
from figures.style.escaping import capital
from figures.style.numbers import P_VALUE
from figures.style.palette import Mode
from figures.style.run_names import short_names
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts
from metrics.analysis.feasibility import runs_with_sets
from metrics.analysis.numbers import Numbers
from metrics.analysis.sensitivity import curve, defaults, power, relative_sensitivity, sets, speed
from metrics.base import Metric
from ui.frame import look
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import ArtifactView, ScoreView, jobs
from ui.session import address, state
from ui.views import images_order
from ui.widgets import figure, image_picker, metric_picker
from ui.widgets import show as shown

ITEMS = ("100", "200", "500", "1000")
AGAINST = ("2", "3", "4", "5", "8", "10")


@dataclass(frozen=True)
class SensitivityChoice:
    """The state of the controls.

    `run`, `metrics` and `design` are for tests of sets; `pair`, `by` and `candidates` are for power; `average` states
    how p is averaged over images.
    """

    run: Run
    metrics: tuple[Metric, ...]
    design: sets.Design
    pair: tuple[str, str] | None
    by: Metric | None
    candidates: int | None
    average: str


def choose(study: Study) -> SensitivityChoice | None:
    """Show the row of controls; return the choice, or None while the runs are ranked to find the best two."""
    short, run, average = short_names(study.runs), defaults.most_captions(study), "median"
    metrics: tuple[Metric, ...] = ()
    candidates: int | None = None
    made = sets.design(study, run)
    judging = metric_picker.able(study, defaults.judging(study_metrics.metrics()), "by_power")
    ends, view = _ends(study, judging)
    if ends is None and view is not None:
        progress.show(view, height=260, shape="rows")
        return None
    with image_picker.row():
        pair = _pair(study, short, ends, view is None)
        by = _by(study, judging) if pair is not None else None
        if runs_with_sets(study):
            with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
                names = [one.name for one in study.runs]
                of = address.select("Captions of", "sets_of", names, run.name, format_func=short.__getitem__)
                run = study.run(of)
                metrics, made = _metrics(study), _sets(study, run)
                candidates = _candidates(study, pair, by)
                average = address.segments(
                    f"p of the {item_noun(study)}s",
                    "average",
                    averages.AVERAGES,
                    average,
                    format_func=averages.AVERAGE.__getitem__,
                )
    return SensitivityChoice(run, metrics, made, pair, by, candidates, average)


def _sets(study: Study, run: Run) -> sets.Design:
    """Show the controls for how many images and captions are drawn; return the design."""
    has = sets.common([len(item.references) for item in study.items])
    against = _number("Captions by people", "set_references", [n for n in AGAINST if int(n) <= has], sets.REFERENCES)
    fit = sum(int(n) < len(study.items) for n in ITEMS) + 1
    items = _number(f"Most {item_noun(study)}s", "set_items", ITEMS[:fit], defaults.ITEMS)
    return sets.design(study, run, references=against, items=items)


def _number(label: str, name: str, options: Sequence[str], default: int) -> int:
    """Show a control for a number if there is a choice, and return the number.

    At first, the default is chosen or, if it is not among the options, the last option.
    """
    if len(options) < 2:
        return default
    return int(address.segments(label, name, options, str(default) if str(default) in options else options[-1]))


def _ends(study: Study, judging: dict[str, Metric]) -> tuple[tuple[str, str] | None, ScoreView | None]:
    """The two runs to begin with (None for a single run), and the job that ranks the runs (None once it has ended).

    While it runs, there are no two runs to begin with unless the reader chose both.
    """
    names = [run.name for run in study.runs]
    if len(names) < 2 or power.small(study):
        return ((names[0], names[1]) if len(names) > 1 else None), None
    chosen = all(address.value(name) in names for name in ("a", "b"))
    main = images_order.telling_runs(study, [one for one in [defaults.judge(study, judging)] if one])[1]
    if main is None:
        return defaults.pair(study, Numbers({}), None, faulty(study)), None
    view = jobs().view(study, [main], state.session(), start=not chosen)
    ready = view.job is None or view.job.ended
    ends = defaults.pair(study, Numbers(view.results), main, faulty(study))
    return (ends if ready or chosen else None), (None if ready else view)


def _pair(study: Study, short: dict[str, str], ends: tuple[str, str] | None, ready: bool) -> tuple[str, str] | None:
    if ends is None or power.small(study):
        return ends
    names = [run.name for run in study.runs]
    with image_picker.row("content"):
        first = address.select("Tell", "a", names, ends[0], keep=ready, format_func=short.__getitem__)
    with image_picker.row("content"):
        rest = [name for name in names if name != first]
        asked = address.value("b")
        other = next(name for name in (asked, *reversed(ends)) if name in rest)
        second = address.select("from", "b", rest, other, keep=ready, format_func=short.__getitem__)
    return first, second


def _by(study: Study, by: dict[str, Metric]) -> Metric | None:
    if not by:
        return None
    first = defaults.judge(study, by) or next(iter(by.values()))
    if power.small(study):
        return first
    with image_picker.row("content"):
        return by[metric_picker.select("by", "by_power", by, first.name)]


def _metrics(study: Study) -> tuple[Metric, ...]:
    every = tuple(study_metrics.metrics().values())
    tested = (*curve.testable(every), *curve.tested_whole(every))
    suits = {metric.name: metric for metric in tested}
    by = metric_picker.able(study, suits, "set_metrics")
    first = [name for name in defaults.METRICS if name in by] or list(by)[:1]
    chosen = metric_picker.pills("Metrics", "set_metrics", by, first)
    metric_picker.say_lacking(study, suits, by)
    return tuple(by[name] for name in chosen)


def _candidates(study: Study, pair: tuple[str, str] | None, by: Metric | None) -> int | None:
    """Show the control for the number of captions with which to estimate the number of items needed.

    Return the choice; None if this number cannot be estimated.
    """
    made = power.design(study, pair, by) if pair and by and not power.small(study) else None
    if made is None:
        return None
    if len(made.candidates) < 2:
        return made.candidates[-1]
    options = [str(n) for n in made.candidates]
    return int(address.segments("Captions of a run, for the images needed", "map_captions", options, options[-1]))


def measured(study: Study, choice: SensitivityChoice) -> tuple[ArtifactView | None, ArtifactView | None]:
    """Return the tests of sets and the power of the pair, or their jobs; None for one that cannot be computed.

    The power is begun first, because it takes less time and its figure is above the other.
    """
    made = _power_design(study, choice)
    drawn: ArtifactView | None = None
    tests: ArtifactView | None = None
    if made is not None and choice.by is not None:
        drawn = jobs().artifact(artifacts.power_map(study, made, choice.by), state.session())
    if choice.metrics and any(case.candidates > 1 for case in choice.design.of("run")):
        work = artifacts.sensitivity(study, choice.design, choice.metrics, jobs().cache)
        tests = jobs().artifact(work, state.session())
    return tests, drawn


def _power_design(study: Study, choice: SensitivityChoice) -> power.Design | None:
    return power.design(study, choice.pair, choice.by) if choice.pair is not None and choice.by is not None else None


def show(study: Study, choice: SensitivityChoice, tests: ArtifactView | None, drawn: ArtifactView | None) -> None:
    """Show the verdict on the numbers that exist, then each figure or its progress; or why there are no curves."""
    found = of_pair = None
    if tests is not None and tests.arrays is not None:
        found = curve.from_arrays(choice.design, choice.metrics, tests.arrays)
    made = _power_design(study, choice)
    if drawn is not None and drawn.arrays is not None and made is not None:
        of_pair = power.from_arrays(made, drawn.arrays)
    short = short_names(study.runs)
    if found or of_pair:
        pair = (short[choice.pair[0]], short[choice.pair[1]]) if choice.pair is not None else ("", "")
        by = choice.by.label if choice.by is not None else ""
        look.verdict(*words.verdict(short[choice.run.name], found, pair, of_pair, item_noun(study), by))
    if drawn is not None:
        progress.show(drawn, height=260 if drawn.arrays is None else 0, shape="rows")
    if of_pair is not None and (of_pair.known or of_pair.small):
        (_power if of_pair.known else _by_difference)(study, choice, of_pair, short)
    if tests is None:
        _no_sets(choice, item_noun(study), short[choice.run.name], drawn is not None, bool(runs_with_sets(study)))
        return
    progress.show(tests, height=260 if tests.arrays is None else 0, shape="lines")
    if found is not None:
        _curve(study, choice, found, drawn is not None)


def _no_sets(choice: SensitivityChoice, noun: str, run: str, below: bool, sets_exist: bool) -> None:
    """Show why there is no chart by the number of captions.

    If the chart by the number of images is above (`below`), the text is brief, and nothing is shown if no run has sets
    of captions (`sets_exist` is False).
    """
    if sets_exist and not choice.metrics:
        look.note("Choose a metric in Options: its p is drawn against the number of captions.")
        return
    why = f"{f'{run} has no' if sets_exist else 'No run has'} two captions of one {noun}"
    if below and not sets_exist:
        return
    if below:
        look.note(f"There is no chart by the number of captions: {why}.")
        return
    remedy = "choose another run, or add one" if sets_exist else "add a run"
    text = f"This takes several captions of each {noun} by the run, and by people: {remedy} with several captions."
    with look.empty(why, text):
        image_picker.data_link()


def _curve(study: Study, choice: SensitivityChoice, found: curve.Curve, below: bool) -> None:
    """Show the chart by the number of captions, or why there is none, unless it is `below` another chart."""
    asked = address.value("main")
    chosen = asked if asked in [metric.name for metric in choice.metrics] else choice.metrics[0].name
    drawn, gains = (
        words.curves(found, chosen, item_noun(study), choice.average),
        relative_sensitivity.gains(found, chosen),
    )
    if drawn is None:
        reason = "No metric has a p for these sets: most need two captions by the run and two by people."
        for sentence in words.whole_facts(found, item_noun(study)) or [reason]:
            look.note(capital(sentence))
        return
    if len(drawn.floors) == 1:
        ((most, least),) = drawn.floors
        if not below:
            look.note(too_few_items.captions(item_noun(study), most, least))
        return
    alt, of_average = words.alt_curve(drawn), choice.average != "median"
    how = [averages.HOW_AVERAGE.format(what=drawn.title)] if of_average else [words.HOW_CURVE]
    figure.figure(
        "sensitivity_captions",
        words.title_of_captions(short_names(study.runs)[choice.run.name], found, item_noun(study)),
        f"{drawn.title if of_average else f'p on a typical {item_noun(study)}'}: lower is a clearer difference",
        draw=lambda on: p_curve(drawn, on.on_screen(chosen), on.mode, bool(on.width and on.width < 500)),
        body=lambda: _both(drawn, chosen, alt, gain_words.gain_html(gains, choice.metrics)),
        alt=alt,
        twin=figure.Twin(words.curve_table(found), {"formats": dict.fromkeys(_P, P_VALUE)}),
        foot=figure.Foot(
            words.curve_facts(study, found, chosen, choice.average),
            of_items(study, [*how, gain_words.HOW_GAIN, words.HOW_PEOPLE]),
            [metric.tested_as.signature for metric in choice.metrics],
        ),
        metrics=choice.metrics,
        name=f"p by the number of captions, {choice.run.name}",
    )


_AVERAGES = ("Mean p", "Raw harmonic mean p", "Harmonic mean p")
_P = (
    *("p 25 %", "p", "p 75 %", "Smallest possible p", "p of all images", "p of D"),
    *(f"{name}{end}" for name in _AVERAGES for end in ("", " if uniform")),
)


def _both(drawn: Curves, chosen: str, alt: str, gains: str) -> None:
    shown.twice(lambda narrow: p_curve(drawn, chosen, look.mode(), narrow), "sensitivity", "sets", alt, "main")
    if gains:
        look.block(gains)


def _power(study: Study, choice: SensitivityChoice, found: power.Power, short: dict[str, str]) -> None:
    candidates = choice.candidates or found.design.candidates[-1]
    first, second = (short[name] for name in choice.pair or ("", ""))
    higher = choice.by is not None and choice.by.higher_is_better
    gap = found.gap[-1, -1, 0] * (1 if higher else -1)
    better, worse = (second, first) if gap > 0 else (first, second)
    noun = item_noun(study)
    alt = words.alt_power(found, candidates, noun)
    by = f" by {choice.by.label}" if choice.by is not None else ""

    def drawn(mode: Mode, narrow: bool) -> go.Figure:
        return images_needed(found, candidates, mode, narrow, noun)

    figure.figure(
        "sensitivity_power",
        f"{noun.capitalize()}s needed to find {better} better than {worse}{by}",
        sub=words.reading(found),
        draw=lambda on: drawn(on.mode, bool(on.width and on.width < 500)),
        body=lambda: shown.twice(lambda narrow: drawn(look.mode(), narrow), "power", "power", alt),
        alt=alt,
        twin=figure.Twin(words.power_table(found, noun)),
        foot=figure.Foot(
            words.power_facts(found, candidates, noun),
            of_items(study, [words.HOW_POWER, words.HOW_NEED, words.HOW_PAIR]),
            [choice.by.signature] if choice.by is not None else [],
        ),
        metrics=[choice.by] if choice.by is not None else [],
        name=f"{noun}s needed, {better} and {worse}",
    )


def _by_difference(study: Study, choice: SensitivityChoice, found: power.Power, short: dict[str, str]) -> None:
    noun = item_noun(study)
    alt = too_few_items.alt(noun)

    def drawn(mode: Mode, narrow: bool) -> go.Figure:
        return images_by_difference(found, mode, narrow, noun)

    figure.figure(
        "sensitivity_small",
        f"{noun.capitalize()}s needed by the size of a difference",
        sub=of_items(study, [too_few_items.READING])[0],
        draw=lambda on: drawn(on.mode, bool(on.width and on.width < 500)),
        body=lambda: shown.twice(lambda narrow: drawn(look.mode(), narrow), "power", "power", alt),
        alt=alt,
        twin=figure.Twin(too_few_items.table(noun), {"digits": 1}),
        foot=figure.Foot(too_few_items.facts(found, noun), of_items(study, [too_few_items.HOW])),
        name=f"{noun}s needed by difference",
    )


def show_speeds(study: Study, choice: SensitivityChoice) -> None:
    """Show how many captions each chosen metric scores per second, timed on request."""
    metrics = tuple(dict.fromkeys((*choice.metrics, *((choice.by,) if choice.by is not None else ()))))
    key = f"_speeds_{study.digest[:12]}"
    if st.button("How fast is each metric here?", key="time_metrics", type="tertiary", icon=":material/timer:"):
        with progress.during("Timing each metric by itself", height=180):
            st.session_state[key] = speed.measure(study, choice.run, metrics)
    if (found := st.session_state.get(key)) is not None:
        figure.figure(
            "sensitivity_speeds",
            "Captions per second, on this machine",
            "more is faster",
            body=lambda: shown.table(words.speed_table(found, _known(metrics)), "speeds", digits=1),
            foot=figure.Foot((f"{found[0].captions:,} captions, one thread, nothing from the cache",)),
        )


def _known(metrics: Sequence[Metric]) -> Sequence[Metric]:
    return tuple({**study_metrics.metrics(), **{metric.name: metric for metric in metrics}}.values())
