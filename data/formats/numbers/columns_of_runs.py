"""Tables of numbers with columns named after the runs of other files: `image,blip,git`, `fluency_blip,fluency_git`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from data.fields.criteria import HINTS
from data.fields.names import RUNS, known_run
from data.fields.word_lists import in_name
from data.formats.columns import metadata
from data.formats.columns.contents import cell_of, is_written
from data.formats.tables.table import Table
from data.ratings.human_ratings import UNNAMED
from data.records import Source

_MARK = r"[\s_.:/-]+"


def below_each_other(found: Table, source: Source) -> Table:
    """Turn a table whose columns name two or more runs of other files into one with a row per run, with a finding;
    return tables with other columns, texts or a column of runs unchanged.

    There is then one column per criterion or metric. A column with only a run's name contains ratings in a file named
    after people, and otherwise scores by the metric after which the file is named.
    """
    runs, sample = source.reading.runs_beside, found.sample()
    if any(known_run(name) in RUNS for name in found.header) or any(
        is_written(sample, k) for k in range(len(found.header))
    ):
        return found
    told = {k: of for k, name in enumerate(found.header) if (of := run_in(name, runs)) is not None}
    if len({run for run, _ in told.values()}) < 2:
        return found
    metadata.say(source.log, "columns_of_runs", source.name, [found.header[k] for k in told])
    others = [k for k in range(len(found.header)) if k not in told]
    unnamed = UNNAMED if HINTS & {*in_name(source.stem)} else source.stem
    measures = list(dict.fromkeys(measure for _, measure in told.values()))
    header = [*(found.header[k] for k in others), RUNS[0], *(measure or unnamed for measure in measures)]

    def rows() -> Iterator[tuple[str, Sequence[Any]]]:
        for where, row in found.rows:
            for run in dict.fromkeys(run for run, _ in told.values()):
                of = {measure: cell_of(row, k) for k, (one, measure) in told.items() if one == run}
                yield where, [*(cell_of(row, k) for k in others), run, *(of.get(measure) for measure in measures)]

    return Table(header, rows(), found.nested)


def run_in(name: str, runs: frozenset[str]) -> tuple[str, str] | None:
    """Return the run at either end of a name, perhaps in brackets, and the rest of the name; None if it names no
    run.
    """
    for run in sorted(runs, key=len, reverse=True):
        of = re.escape(run)
        pattern = rf"{of}(?:{_MARK}(.+))?|(.+?){_MARK}{of}|(.+?)\s*[\[(]{of}[\])]"
        if match := re.fullmatch(pattern, name.strip(), re.IGNORECASE):
            return run, next((one.strip() for one in match.groups() if one), "")
    return None
