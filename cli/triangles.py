"""`trilens triangles`: the triangles behind the TRM of one item, as on the Triangles page."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, required, table_output
from cli.reading import Given, with_given
from cli.score_directions import check_metrics
from data.study import Run, Study
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from data.load import Loaded
    from metrics.analysis.triangles import TriangleView
    from metrics.base import Metric
    from metrics.cache.disk import Cache
    from metrics.engine.scoring import Results
    from metrics.suite.distribution import Trm
    from metrics.text.cider import DocumentFrequencies


class Panel(StrEnum):
    """A table of the page."""

    shares = "shares"
    captions = "captions"
    distances = "distances"


OPTIONS = Options(p_values=True)


@with_given("Files with captions of runs and references, or a study bundle.", "seed", "scores_direction")
def triangles(
    given: Given,
    item: Annotated[str | None, typer.Option(help="Id of the item; by default one with the median TRM.")] = None,
    run: Annotated[str | None, typer.Option(help="The run whose captions are compared.")] = None,
    metric: Annotated[
        str | None, typer.Option(help="A TRM such as trm_bow; by default the first that is scored.")
    ] = None,
    panel: Annotated[Panel, typer.Option(help="Shares of ranks, the captions, or their distances.")] = Panel.shares,
) -> None:
    """Show why the TRM of one item is what it is: how often its triangles have their pair nearest or farthest apart.

    A triangle joins two captions of one side with one of the other. The table gives the share of triangles in which the
    pair's edge is the shortest, the middle or the longest, with the range of 95 % by chance; it is the page's table,
    and the page's verdict is printed, too.
    """
    if metric is not None:
        check_metrics(metric, given.files)
    study, loaded, cache, frequencies = given.study_and_frequencies()
    _check_names(study, run, item)
    trm = _metric(metric, study, loaded, frequencies, cache)
    from metrics.analysis.triangles import triangle_view
    from metrics.analysis.triangles_defaults import typical
    from metrics.base import Undefined

    def p_of(one: Run, position: int) -> float:
        try:
            return triangle_view(study, one.name, position, trm, cache, OPTIONS).test.p_value
        except Undefined:
            return 1.0

    name, position = typical(study, trm, _scored(study, trm, cache), run, item, p_of)
    view = _view(study, name, position, trm, cache)
    from figures.triangles import tables, words

    table = getattr(tables, panel.value)(view)
    table_output.give_table(table, list(table.columns), given.out, None)
    said = "".join(words.verdict(study, study.run(name), view))
    print(f"{study.items[position].id}, {name}, {trm.label}: {said}", file=sys.stderr)


def _check_names(study: Study, run: str | None, item: str | None) -> None:
    from figures.style.wording import item_noun, without_captions

    if not study.runs:
        output.fail(f"{without_captions(study)}: add a file of a run")
    if run is not None:
        required.require_known("run", run, [one.name for one in study.runs])
    if item is not None:
        required.require_known(item_noun(study), item, [one.id for one in study.items])


def _metric(name: str | None, study: Study, loaded: Loaded, idf: DocumentFrequencies | None, cache: Cache) -> Trm:
    """Return the TRM called `name`, or else the page's default.

    Exit with status 2 for other metrics, or a TRM that cannot be computed.
    """
    from metrics.analysis.triangles_defaults import first_scored
    from metrics.needs import unmet
    from metrics.registry import with_frequencies, with_imported
    from metrics.suite.distribution import Trm

    trms = with_imported(with_frequencies(idf, study.tokenizer), study).trms
    if name is None:
        return trms[first_scored(trms, lambda by: (study.runs[0].name, by.name) in _scored(study, by, cache))]
    found = reading.metrics_in_force(name, study, loaded, idf, default="")
    if len(found) != 1 or not isinstance(found[0], Trm):
        known = ", ".join(trm.name for trm in trms.values())
        output.fail(f"--metric takes one TRM, not {name}; there are {known}")
    trm = found[0]
    assert isinstance(trm, Trm)
    for need in sorted(trm.needs):
        if (why := unmet(need)) is not None:
            output.fail(why)
    return trm


def _scored(study: Study, trm: Metric, cache: Cache) -> Results:
    from metrics.engine import scoring

    return {
        **scoring.existing(study, (trm,), Options(), cache),
        **scoring.existing(study, (trm,), OPTIONS, cache),
    }


def _view(study: Study, run: str, position: int, trm: Trm, cache: Cache) -> TriangleView:
    """Return the TRM with its evidence; exit with status 2 if it is undefined, or if a side has too few captions."""
    from figures.triangles.words import too_few
    from metrics.analysis.triangles import ENOUGH, triangle_view
    from metrics.analysis.triangles_defaults import has_enough
    from metrics.base import Undefined

    item = study.items[position]
    try:
        if few := too_few(item, study.run(run)):
            able = next((one.name for one in study.runs if has_enough(item, one)), None)
            hint = f"; --run {shlex.quote(able)} has enough" if able is not None else ""
            raise Undefined(f"{few}. A verdict needs {ENOUGH} captions on each side{hint}")
        return triangle_view(study, run, position, trm, cache, OPTIONS)
    except Undefined as why:
        return output.fail(f"{item.id}, {run}: {why}")
