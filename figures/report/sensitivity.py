"""The report's page about sample size: how many captions, references and images it takes to detect a difference."""

from __future__ import annotations

from functools import partial

from figures.notes.hazards import faulty
from figures.report import commands
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.sensitivity import gain_words, too_few_items, words
from figures.sensitivity.curve import p_curve
from figures.sensitivity.items_needed import images_by_difference, images_needed
from figures.style import html as style_html
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun, of_items
from metrics.analysis import artifacts
from metrics.analysis.sensitivity import curve, defaults, power, sets
from metrics.analysis.sensitivity.relative_sensitivity import gains
from metrics.base import Metric
from metrics.needs import unmet
from metrics.registry import METRICS, given_to

QUESTION = "How many captions and images does it take to show a difference?"


def sensitivity(request: Request) -> Page:
    """Return p by number of captions, and the items needed to distinguish two runs, with the page's default settings.

    The page is left out if neither has been computed, or if there is no run.
    """
    study, noun = request.study, item_noun(request.study)
    if not study.runs:
        return LeftOut("it needs a run")
    run = defaults.most_captions(study)
    made = sets.design(study, run, items=defaults.ITEMS)
    tests = _tests(request, made)
    pair = defaults.pair(study, request.numbers, request.ranked, faulty(study))
    by = defaults.judge(study, {metric.name: metric for metric in request.metrics})
    of_pair = _power(request, pair, by)
    if tests is None and of_pair is None:
        return LeftOut(
            f"it needs captions of {article(noun)} to compare, or two runs, and their numbers: open the page first"
        )
    short = short_names(study.runs)
    names = (short[pair[0]], short[pair[1]]) if pair is not None else ("", "")
    said = tuple(words.verdict(short[run.name], tests, names, of_pair, noun, by.label if by else ""))
    blocks = _curve(request, tests, noun) if tests is not None else []
    if of_pair is not None and by is not None and (of_pair.known or of_pair.small):
        blocks += _map(request, of_pair, by, noun, names) if of_pair.known else _small(request, of_pair, noun)
    of_sets = [metric.name for metric in tests.metrics] if tests is not None else list(defaults.METRICS)
    asked = pair if of_pair is not None else None
    line = commands.sensitivity(request.named, run.name, of_sets, defaults.ITEMS, asked, by.name if by else "")
    return Section("Sensitivity", of_items(study, [QUESTION])[0], said, tuple(blocks), (line,))


def _tests(request: Request, made: sets.Design) -> curve.Curve | None:
    """The tests of sets; None without sets of several captions, or without their numbers."""
    if not any(case.candidates > 1 for case in made.of("run")):
        return None
    known = tuple(given_to(METRICS[name], None, request.study.tokenizer) for name in defaults.METRICS)
    metrics = tuple(metric for metric in known if not any(unmet(need) for need in metric.needs))
    work = artifacts.sensitivity(request.study, made, metrics, request.cache)
    arrays = request.arrays(work, "Testing sets of captions") if metrics else None
    return curve.from_arrays(made, metrics, arrays) if arrays is not None else None


def _power(request: Request, pair: tuple[str, str] | None, by: Metric | None) -> power.Power | None:
    """The power to distinguish two runs; None without two runs, references, or the numbers."""
    made = power.design(request.study, pair, by) if pair is not None and by is not None else None
    if made is None or by is None:
        return None
    arrays = request.arrays(artifacts.power_map(request.study, made, by), "Drawing studies of other sizes")
    return power.from_arrays(made, arrays) if arrays is not None else None


def _curve(request: Request, found: curve.Curve, noun: str) -> list[str]:
    chosen = found.metrics[0].name
    drawn, over = words.curves(found, chosen, noun), gains(found, chosen)
    if drawn is None:
        return []
    facts = words.curve_facts(request.study, found, chosen)
    how = of_items(request.study, [words.HOW_CURVE, gain_words.HOW_GAIN])
    return [
        request.charts.block(
            partial(p_curve, drawn, chosen),
            words.alt_curve(drawn),
            words.title_of_captions(short_names(request.study.runs)[found.design.run], found, noun),
            arrow=f"p on a typical {noun}: lower is a clearer difference",
        ),
        gain_words.gain_html(over, found.metrics),
        style_html.figure_footer(facts, how, [metric.tested_as.signature for metric in found.metrics]),
        request.table(words.curve_table(found), "sensitivity", "Every number as a table"),
        request.table(gain_words.gain_table(over, found.metrics), "gains", "Gains as a table"),
    ]


def _small(request: Request, found: power.Power, noun: str) -> list[str]:
    title, how = (
        f"{noun.capitalize()}s needed by the size of a difference",
        of_items(request.study, [too_few_items.HOW]),
    )
    reading = of_items(request.study, [too_few_items.READING])[0]
    return [
        request.charts.block(partial(images_by_difference, found, noun=noun), too_few_items.alt(noun), title, reading),
        style_html.figure_footer(too_few_items.facts(found, noun), how, []),
        request.table(too_few_items.table(noun), "power", "Every number as a table"),
    ]


def _map(request: Request, found: power.Power, by: Metric, noun: str, pair: tuple[str, str]) -> list[str]:
    candidates = found.design.candidates[-1]
    facts = words.power_facts(found, candidates, noun)
    how = of_items(request.study, [words.HOW_POWER, words.HOW_NEED, words.HOW_PAIR])
    return [
        request.charts.block(
            partial(images_needed, found, candidates, noun=noun),
            words.alt_power(found, candidates, noun),
            f"{noun.capitalize()}s needed to distinguish {pair[0]} from {pair[1]}",
            words.reading(found),
            least=560,
        ),
        style_html.figure_footer(facts, how, [by.signature]),
        request.table(words.power_table(found, noun), "power", "Every number as a table"),
    ]
