"""`trilens judge`: how far metrics agree with people, as on the Judgments page."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from cli import output, reading, required, table_output
from cli.options import Network
from cli.progress_bar import working
from cli.reading import Given, Metrics, with_given
from data.ratings.human_ratings import with_metadata
from data.study import DataError, Study
from metrics.engine.scoring import Results
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    import pandas as pd

    from metrics.analysis.judgments.caption_agreement import CaptionAgreement, Design
    from metrics.analysis.judgments.floors import Floor
    from metrics.analysis.judgments.tables import Row
    from metrics.base import Metric
    from metrics.cache.disk import Cache

DIFFERENCES = ("metric", "other", "criterion", "level", "statistic", "difference", "p_holm", "n")


Against = Annotated[
    list[str] | None,
    typer.Option(help="A number in the items' metadata as a criterion, such as a temperature; repeat for several."),
]
By = Annotated[
    str | None, typer.Option(help="A field of the items' metadata; each of its values is also judged separately.")
]
WithChance = Annotated[
    bool,
    typer.Option(
        "--chance",
        help="Add `chance` and `over_chance`: the agreement of captions that are scored against the references of "
        "other items, as the mean of 39 pairings and the range of 95 % of them, and a metric's lead over that floor. "
        "Takes about 39 times as long as the scores.",
    ),
]
Differences = Annotated[Path | None, typer.Option(help="Write every pair of metrics too: .csv, .parquet or .json.")]


class Raters(StrEnum):
    """The unit of a correlation if a caption has several ratings: each rating, or their mean."""

    each = "each"
    mean = "mean"


@with_given("Captions with ratings by people, or a table of systems.")
def judge(
    given: Given,
    metrics: Metrics = "fast",
    criterion: Annotated[list[str] | None, typer.Option(help="What people rated; repeat for several.")] = None,
    against: Against = None,
    by: By = None,
    raters: Annotated[Raters, typer.Option(help="Single ratings, or the mean of a caption's.")] = Raters.each,
    runs: Annotated[list[str] | None, typer.Option("--run", help="Only captions of this run; repeat.")] = None,
    differences: Differences = None,
    chance: WithChance = False,
    cosmic: Network = None,
) -> None:
    """Compare metrics with people's judgments of captions (all together and within an item), of systems and of pairs.

    Every value is oriented so that more is better. Intervals come from a bootstrap over items, or over systems for
    systems. For captions and pairs, additional rows show the agreement of trivial baselines that need no reading: a
    caption's length, run and coherence label, and the words that it shares with references; the row of each metric
    gives its lead over the baseline that is hardest to beat. The row "people" compares each rating with the mean of the
    caption's other ratings, or each vote on a pair with the majority of the other votes.
    """
    table_output.check_out(differences, given.paths)
    study, loaded, cache, frequencies = given.study_and_frequencies()
    study = _with_metadata(study, against or [])
    wanted = _criteria(study, criterion)
    parts = _parts(study, by, runs or ())
    chosen = reading.metrics_in_force(metrics, study, loaded, frequencies, cosmic)
    options = Options(seed=given.seed)
    every = [_of_part(part, chosen, options, cache, wanted, raters, runs) for part in parts.values()]
    if chance:
        every = [part._replace(floors=_floors(part, chosen, cache, given.seed)) for part in every]
    rows = [list(_rows(one, chosen, criterion, runs, given.seed)) for one in every]
    _give(dict(zip(parts, rows)), by, given.out)
    _say(every[0], chosen)
    if differences is not None:
        table_output.write_table(_differences(every[0], chosen, criterion, runs), differences, "p_holm")
    reading.exit_if_failed(every[0].results)


class _Part(NamedTuple):
    study: Study
    results: Results
    agreements: list[tuple[Design, CaptionAgreement]]
    floors: Sequence[Sequence[Floor | None]] = ()
    """The chance floor of each metric for each agreement, None for a metric without one; empty unless requested."""


def _with_metadata(study: Study, fields: Sequence[str]) -> Study:
    """Return the study with the named numbers from its items' metadata as criteria.

    Exit with status 2 for a field without numbers.
    """
    try:
        for field in fields:
            study = with_metadata(study, field)
    except DataError as why:
        output.fail(str(why))
    return study


def _parts(study: Study, field: str | None, runs: Sequence[str]) -> dict[str, Study]:
    """Return the whole study under the key "" and, under each value of a metadata `field`, the items with this value.

    If `field` is None, return only the whole study. Exit with status 2 if no item has the field, or if the study lacks
    one of the requested runs.
    """
    for name in runs:
        required.require_run(name, study)
    from metrics.analysis.slices.groups import value_text

    if field is None:
        return {"": study}
    values: dict[str, list[str]] = {}
    for item in study.items:
        if field in item.metadata:
            values.setdefault(value_text(item.metadata[field]), []).append(item.id)
    if not values:
        fields = dict.fromkeys(key for item in study.items for key in item.metadata)
        output.fail(f"no item has {field!r} in its metadata; there are {', '.join(fields) or 'none'}")
    return {"": study, **{value: study.only(items) for value, items in values.items()}}


def _of_part(
    study: Study,
    chosen: Sequence[Metric],
    options: Options,
    cache: Cache,
    criteria: Sequence[str],
    raters: Raters,
    runs: Sequence[str] | None,
) -> _Part:
    results = reading.compute_results(study, tuple(chosen), options, cache) if study.runs else {}
    own = [name for name in _own_criteria(study) if name in criteria]
    designs = [_design(name, raters, runs, options.seed) for name in own]
    return _Part(study, results, _measured(study, results, chosen, designs, cache))


def _own_criteria(study: Study) -> list[str]:
    from metrics.analysis.judgments.points import criteria

    return criteria(study)


def _criteria(study: Study, wanted: Sequence[str] | None) -> list[str]:
    """Return the requested criteria of captions, or all of them.

    Exit with status 2 if there are no ratings that can be used, or if a criterion is unknown.
    """
    from metrics.analysis.judgments import preferences

    own = _own_criteria(study)
    known = [*own, *(name for table in study.systems for name in table.criteria)]
    known += preferences.criteria(study)
    if not known and study.preferences:
        output.fail("there are no captions of the pairs that people compared: only `trilens arena` can use these")
    if not known:
        output.fail("no ratings by people: add a file of ratings, pairs or systems (docs/formats.md, section 11)")
    for name in wanted or ():
        if name not in known:
            output.fail(f"there is no criterion {name!r}; there are {', '.join(dict.fromkeys(known))}")
    return [name for name in own if not wanted or name in wanted]


def _design(criterion: str, raters: Raters, runs: Sequence[str] | None, seed: int) -> Design:
    from metrics.analysis.judgments.caption_agreement import Design

    return Design(criterion, "mean" if raters is Raters.mean else "each", tuple(runs or ()), seed=seed)


def _measured(
    study: Study, results: Results, metrics: Sequence[Metric], designs: Sequence[Design], cache: Cache
) -> list[tuple[Design, CaptionAgreement]]:
    from metrics.analysis import artifacts
    from metrics.analysis.judgments.caption_agreement import from_arrays

    found = []
    with working("Comparing with people") as hooks:
        for k, design in enumerate(designs):
            work = artifacts.agreement(study, results, metrics, design)
            part = hooks.part(k / len(designs), (k + 1) / len(designs))
            found.append((design, from_arrays(work.arrays(cache, part))))
    return found


def _floors(part: _Part, metrics: Sequence[Metric], cache: Cache, seed: int) -> list[list[Floor | None]]:
    from metrics.analysis import artifacts
    from metrics.analysis.chance import Design, has_chance
    from metrics.analysis.judgments.floors import from_arrays

    able = [metric for metric in metrics if has_chance(metric)]
    found: list[list[Floor | None]] = []
    with working("chance") as hooks:
        for i, (design, _) in enumerate(part.agreements):
            of: dict[str, Floor] = {}
            for k, metric in enumerate(able):
                work = artifacts.floor(part.study, part.results, metric, design, Design(seed=seed), cache)
                done, every = i * len(able) + k, len(part.agreements) * len(able)
                own = hooks.part(done / every, (done + 1) / every)
                of[metric.name] = from_arrays(work.arrays(cache, own))
            found.append([of.get(metric.name) for metric in metrics])
    return found


def _rows(
    part: _Part, metrics: Sequence[Metric], criterion: Sequence[str] | None, runs: Sequence[str] | None, seed: int
) -> Iterator[Row]:
    from metrics.analysis.judgments import tables
    from metrics.analysis.judgments.system_groups import groups

    study, results, agreements, floors = part
    for k, (design, found) in enumerate(agreements):
        yield from tables.of_captions(found, metrics, design.criterion, floors[k] if floors else ())
    for group in groups(study, results, metrics, runs):
        yield from (row for row in tables.of_systems(group, seed) if not criterion or row[1] in criterion)
    yield from (row for row in tables.of_pairs(study, results, metrics, seed) if not criterion or row[1] in criterion)


def _give(rows: Mapping[str, list[Row]], by: str | None, out: Path | None) -> None:
    from metrics.analysis.judgments.tables import COLUMNS, as_table

    found = as_table([row for of in rows.values() for row in of])
    if by is not None:
        found.insert(0, by, [part for part, of in rows.items() for _ in of])
    table_output.give_table(found, [*((by,) if by else ()), *COLUMNS], out)


def _say(part: _Part, metrics: Sequence[Metric]) -> None:
    if not part.agreements:
        return
    from figures.judgments import floor_words, words
    from figures.style.wording import item_noun
    from metrics.analysis.judgments.points import rated_unit

    for k, (design, found) in enumerate(part.agreements):
        unit, statistic = rated_unit(part.study, design.criterion), "kendall_tau_b"
        ranked, noun = found.ranking(statistic), item_noun(part.study)
        said = words.verdict(found, metrics, ranked, statistic, design.criterion, unit, noun)
        facts = words.beside_trivial(found, metrics, statistic)
        if part.floors:
            facts += floor_words.facts(part.floors[k], metrics, statistic, noun, mark="")
        beside = "".join(f"; {fact}" for fact in facts)
        print(f"{design.criterion}: {''.join(said).removesuffix('.')}{beside}", file=sys.stderr)


def _differences(
    part: _Part, metrics: Sequence[Metric], criterion: Sequence[str] | None, runs: Sequence[str] | None
) -> pd.DataFrame:
    """Return the differences in agreement with people between the metrics of each pair.

    Those for captions are tested by a bootstrap over items, and those for systems by Williams' test.
    """
    import pandas as pd

    from metrics.analysis.judgments import tables
    from metrics.analysis.judgments.system_groups import differences, groups

    study, results, agreements = part[:3]
    rows = [row for design, found in agreements for row in tables.differences(found, metrics, design.criterion)]
    for group in groups(study, results, metrics, runs):
        for name in (name for name in group.criteria if not criterion or name in criterion):
            found = differences(group, name, list(group.metrics))
            rows += [(one.first, one.second, name, "system", "pearson", one.value, one.p_holm, one.n) for one in found]
    return pd.DataFrame(rows, columns=list(DIFFERENCES)).astype({"n": "Int64"})
