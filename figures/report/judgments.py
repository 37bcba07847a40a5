"""The report's page about metrics: how well they agree with people, and with each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from figures.agreement import words as agreement_words
from figures.agreement.matrix import Cells, matrix
from figures.judgments import floor_words, footer, pair_words, words
from figures.judgments.pairs import pair_ranking
from figures.judgments.ranking import ranking
from figures.judgments.systems import pulls
from figures.report import commands
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.wording import item_noun, of_items
from metrics.analysis import artifacts
from metrics.analysis.agreement.matrix import agreement, ends, order
from metrics.analysis.agreement.observations import Over, observations, varying
from metrics.analysis.chance import Design as Pairing
from metrics.analysis.chance import has_chance
from metrics.analysis.judgments import preferences
from metrics.analysis.judgments.caption_agreement import Design, from_arrays
from metrics.analysis.judgments.floors import Floor
from metrics.analysis.judgments.floors import from_arrays as floor_of
from metrics.analysis.judgments.points import criteria, rated_unit, suited
from metrics.analysis.judgments.system_groups import groups, pull
from metrics.base import Metric

DOING = "Comparing metrics with people"
QUESTION = "Which metric agrees with people, and which with each other?"
STATISTIC = "kendall_tau_b"
MOST = 8
"""Maximum number of metrics drawn from a table of systems, which may have a column for every number of references."""


def judgments(request: Request) -> Page:
    """Return how metrics agree with people, over captions, pairs and systems, and with each other; or why this is
    left out.
    """
    parts = [*_captions(request), *_pairs(request), *_systems(request), *_each(request)]
    if not parts:
        return LeftOut("nobody rated these captions, and a comparison needs two metrics with values")
    first, *others = parts
    blocks = [*first.blocks]
    for part in others:
        blocks += [style_html.folding_verdict(part.verdict), *part.blocks]
    run = tuple(dict.fromkeys(part.command for part in parts))
    return Section("Judgments", QUESTION, first.verdict, tuple(blocks), run)


class Part(NamedTuple):
    """A comparison: its verdict, its blocks, and the command that prints its numbers."""

    verdict: tuple[str, ...]
    blocks: tuple[str, ...]
    command: str


def _judge(request: Request, chance: bool = False) -> str:
    return commands.judge(request.named, [metric.name for metric in request.metrics], chance)


def _captions(request: Request) -> list[Part]:
    study, results = request.study, request.numbers.results
    rated = criteria(study)
    if not rated:
        return []
    ready = [metric for metric in suited(study, rated[0], request.metrics) if request.scored(metric.name)]
    design = Design(rated[0], "each", tuple(run.name for run in study.runs))
    arrays = request.arrays(artifacts.agreement(study, results, ready, design), DOING) if ready else None
    if arrays is None:
        return []
    found = from_arrays(arrays)
    ranked, several = found.ranking(STATISTIC), bool(found.points[-1])
    unit = rated_unit(study, rated[0])
    by = words.by_unit(rated[0], unit, item_noun(study))
    floor = _floors(request, ready, design)
    rows = words.rows(found, ready, STATISTIC, {}, unit, floor)
    people = found.of(-1, STATISTIC) if several else None
    drawn = partial(
        ranking, rows, words.STATISTIC[STATISTIC], people, None, unit=unit, trivial=words.trivial_rows(found, STATISTIC)
    )
    facts = [*words.facts(study, found, "each", several, unit=unit), *words.beside_trivial(found, ready, STATISTIC)]
    facts += [*floor_words.facts(floor, ready, STATISTIC, item_noun(study)), *filter(None, [footer.sign(ready)])]
    said = tuple(words.verdict(found, ready, ranked, STATISTIC, unit=unit, item=item_noun(study)))
    blocks = (
        request.charts.block(drawn, words.alt(rows, STATISTIC), f"{by}: {footer.criterion_label(rated[0])}", least=720),
        style_html.figure_footer(
            facts, of_items(study, [floor_words.HOW]) if any(floor) else [], [metric.signature for metric in ready]
        ),
        request.table(
            words.table(found, ready, STATISTIC, floor_words.columns(floor, STATISTIC)),
            "judgments",
            "Every statistic as a table",
        ),
    )
    return [Part(said, blocks, _judge(request, any(floor)))]


def _floors(request: Request, metrics: Sequence[Metric], design: Design) -> list[Floor | None]:
    """The agreement by chance of each metric; of a slow metric only if it is known already, else None."""
    found: list[Floor | None] = []
    for metric in metrics:
        results = request.numbers.results
        work = artifacts.floor(request.study, results, metric, design, Pairing(), request.cache)
        arrays = None
        if has_chance(metric):
            arrays = work.stored(request.cache) if work.slow else request.arrays(work, work.title)
        found.append(None if arrays is None else floor_of(arrays))
    return found


def _pairs(request: Request) -> list[Part]:
    study = request.study
    ready = [metric for metric in preferences.suited(request.metrics) if request.scored(metric.name)]
    parts: list[Part] = []
    for criterion in preferences.criteria(study) if ready else ():
        found = preferences.pair_agreement(study, request.numbers.results, ready, criterion)
        if not found.n:
            continue
        rows = pair_words.rows(found, ready)
        blocks = (
            request.charts.block(
                partial(pair_ranking, rows, pair_words.titles(found), None),
                pair_words.alt(rows),
                f"Which of two captions people prefer: {footer.criterion_label(criterion)}",
                least=640,
            ),
            style_html.figure_footer(pair_words.facts(study, found), [], [metric.signature for metric in ready]),
            request.table(pair_words.table(found, ready), "pairs", "Every category as a table"),
        )
        parts.append(Part(tuple(pair_words.verdict(found, ready)), blocks, _judge(request)))
    return parts


def _systems(request: Request) -> list[Part]:
    parts = []
    for group in groups(request.study, request.numbers.results, request.metrics):
        criterion = next(iter(group.criteria))
        names = [name for name in group.metrics if group.known(criterion, name).sum() > 2][:MOST]
        if not names:
            continue
        labels = {metric.name: metric.label for metric in request.metrics}
        rows = {name: (labels.get(name, name), pull(group, criterion, name)) for name in names}
        said, n = words.system_line(rows[names[0]][1], rows[names[0]][0]), rows[names[0]][1].n
        title = f"System by system: {footer.criterion_label(criterion)}"
        facts = [*words.system_facts(group, n), *words.led_by_best(group, criterion, rows)]
        blocks = (
            request.charts.block(partial(pulls, rows, names[0]), said, title, least=480),
            style_html.figure_footer(facts),
            request.table(words.system_table(group, criterion, names), "systems", "Systems as a table"),
        )
        parts.append(Part(tuple(words.system_verdict(rows)), blocks, _judge(request)))
    return parts


def _each(request: Request) -> list[Part]:
    study = request.study
    over: Over = "items" if study.runs else "systems"
    found = varying(observations(study, request.numbers.results, request.metrics, over))
    if len(found.names) < 2:
        return []
    named = {metric.name: metric.label for metric in request.metrics}
    labels, both = [named.get(name, name) for name in found.names], agreement(found)
    place = order(both.spearman)
    values, n = both.spearman[place][:, place], both.n[place][:, place]
    cells = Cells([found.names[k] for k in place], [labels[k] for k in place], values, n)
    signatures = [metric.signature for metric in request.metrics if metric.name in found.names]
    facts = agreement_words.facts(found, both, "spearman", study, 0)
    run = commands.agreement(request.named, [metric.name for metric in request.metrics])
    blocks = (
        request.charts.block(
            partial(matrix, cells),
            agreement_words.alt(both.spearman, labels),
            agreement_words.title(over, "spearman", study),
            "more ink: more alike; red with a minus: the opposite order",
            least=130 + 42 * len(labels),
        ),
        style_html.figure_footer(facts, [], signatures),
        request.table(agreement_words.table(both, labels, place), "agreement", "Every pair as a table"),
    )
    between = ends(found, both, "spearman")
    sided = {metric.name: metric.has_better_side for metric in request.metrics}
    judged = [sided.get(name, True) for name in found.names]
    longer = {metric.name for metric in request.metrics if metric.more_means == "longer"}
    lengths = [name in longer for name in found.names]
    said = agreement_words.verdict(both.spearman, between, labels, over, study, judged, lengths)
    return [Part(tuple(said), blocks, run)]
