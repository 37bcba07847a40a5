"""`trilens report`: write the figures and tables of the pages as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import output, progress_bar, reading
from cli.bundle_numbers import report_foreign
from cli.reading import Given, with_given
from cli.required import require_known
from data.study import Study
from metrics.engine.tasks import Options
from metrics.progress import Hooks

if TYPE_CHECKING:
    from data.load import Loaded
    from figures.report.commands import CommandInputs
    from figures.report.pages import Report
    from figures.report.request import Request
    from metrics.analysis.artifacts import Artifact
    from metrics.analysis.numbers import Numbers
    from metrics.base import Metric
    from metrics.cache.disk import Cache
    from metrics.cache.entry import Arrays
    from metrics.text.cider import DocumentFrequencies


Asked = Annotated[str | None, typer.Option(help="fast, full, paper, or names separated by commas; the app's own.")]


@with_given("Prediction and reference files, or a study bundle.", "out", "no_cache", "seed")
def report(
    given: Given,
    out: Annotated[Path, typer.Option("--out", help="The .html file to write.")],
    metrics: Asked = None,
    pages: Annotated[str, typer.Option(help="Pages, separated by commas; by default all that the study allows.")] = "",
    images: Annotated[
        str, typer.Option(help="Ids of images to show, separated by commas; by default a few telling ones.")
    ] = "",
    without: Annotated[str, typer.Option(help="Pages to leave out, separated by commas: `cloud` takes a minute.")] = "",
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Leave out the names of study and files; runs keep theirs.")
    ] = False,
) -> None:
    """Score FILES and write figures, tables, captions and signatures as one HTML file that needs nothing else."""
    from figures.report import pages as report_pages
    from figures.report.images import first_images
    from figures.report.marked_images import with_marks
    from figures.report.request import Request

    output.check(out, (".html", ".htm"), given.paths)
    wanted = _pages(pages, without, report_pages.PAGES)
    study, loaded, cache, frequencies = given.study_and_frequencies()
    chosen, ratings, first = _apart(_metrics(metrics, study, frequencies, loaded))
    beside = _beside(study, chosen, frequencies) if "overview" in wanted else ()
    numbers = _numbers(study, chosen + ratings + beside, cache)
    shown = _images(images, study) or first_images(study, numbers, chosen)
    request = Request(study, numbers, chosen, wanted, date.today().isoformat(), shown, loaded.sources)
    request = replace(request, given=_command_inputs(given), ids=tuple(_named(images)))
    request = replace(request, ratings=ratings, ratings_first=first)
    request = replace(request, cache=cache, anonymous=anonymous, may_score=True)
    request = with_marks(replace(request, idf=frequencies, beside=beside), loaded, study.synthetic)
    _write(request, out)


def _write(request: Request, out: Path) -> None:
    output.write(out, (made := _whole(request)).html.encode())
    print(f"{out}: {_size(request.study, request.metrics)}")
    for title, why in made.left_out:
        print(f"left out: {title}: {why}")


def _command_inputs(given: Given) -> CommandInputs:
    from figures.report.commands import CommandInputs

    named = str(given.references or ""), (), str(given.idf or "")
    return CommandInputs(tuple(map(str, given.files)), *named, tuple(given.scores_direction or ()))


def _size(study: Study, metrics: tuple[Metric, ...]) -> str:
    from figures.style.numbers import count

    runs, items = count(len(study.runs), "run"), count(len(study.items), "item")
    return f"{count(len(metrics), 'metric')} of {runs} on {items}"


def _whole(request: Request) -> Report:
    """Return the report; a message gives the number of values from a bundle, which the report states, too."""
    from figures.report import pages as report_pages

    with progress_bar.working("Report") as hooks:
        pages = _Pages(request.cache, hooks)
        made = report_pages.build_report(replace(request, make=pages.make), pages.begin)
    everything = request.cache.with_bundle(dict(request.cache.given))
    report_foreign(request.study, everything, request.idf)
    return made


class _Pages:
    def __init__(self, cache: Cache, hooks: Hooks) -> None:
        self._cache, self._hooks, self._page, self._now = cache, hooks, hooks, ""

    def begin(self, doing: str, start: float, end: float) -> None:
        self._page, self._now = self._hooks.part(start, end), doing
        self._hooks.progress(doing)
        self._hooks.share(start)

    def make(self, work: Artifact, doing: str) -> Arrays:
        said = replace(
            self._page, progress=lambda text: self._hooks.progress(": ".join(filter(None, [self._now, doing])))
        )
        said.progress("")
        return work.compute(self._cache, said)


def _pages(names: str, without: str, known: Mapping[str, Any]) -> tuple[str, ...]:
    wanted = _named(names) or list(known)
    for name in wanted + _named(without):
        require_known("page", name, list(known))
    return tuple(name for name in wanted if name not in _named(without))


def _named(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _metrics(names: str | None, study: Study, idf: DocumentFrequencies | None, loaded: Loaded) -> tuple[Metric, ...]:
    """Return the metrics in the order of `names`, and those of a set in the order of the pages.

    Runs are ranked by the first metric that can rank them.
    """
    from metrics.analysis.feasibility import defaults
    from metrics.parameters import split
    from metrics.suite.ratings import RATINGS, RatedByPeople, ranking_ratings

    rated = ranking_ratings(study)
    asked = [*([rated.name] if rated else []), *defaults(study)] if names is None else split(names)
    found = reading.metrics_in_force(",".join(asked), study, loaded, idf)
    order = {name.strip(): k for k, name in enumerate(asked)}
    families = ("distribution", "quality", "diversity", "references")

    def place(metric: Metric) -> tuple[int, int]:
        rated = order.get(RATINGS, len(order)) if isinstance(metric, RatedByPeople) else len(order)
        return order.get(metric.name, rated), families.index(metric.family)

    return tuple(sorted(found, key=place))


def _apart(metrics: tuple[Metric, ...]) -> tuple[tuple[Metric, ...], tuple[Metric, ...], bool]:
    """Return the metrics except people's ratings, the ratings (only for the Leaderboard), and whether a rating was
    named first.
    """
    from metrics.suite.ratings import RatedByPeople

    ratings = tuple(metric for metric in metrics if isinstance(metric, RatedByPeople))
    return tuple(metric for metric in metrics if metric not in ratings), ratings, metrics[:1] == ratings[:1]


def _beside(study: Study, metrics: tuple[Metric, ...], idf: DocumentFrequencies | None) -> tuple[Metric, ...]:
    """Return the Overview's own metrics if it can use none of the chosen metrics; else ()."""
    from metrics.analysis.overview import stand_ins
    from metrics.registry import METRICS

    return reading.with_frequencies_of(stand_ins(study, metrics, METRICS), idf, study.tokenizer)


def _numbers(study: Study, metrics: tuple[Metric, ...], cache: Cache) -> Numbers:
    from metrics.analysis.numbers import score_with_people

    options = Options(p_values=True)
    return score_with_people(study, metrics, lambda of, wanted: reading.compute_results(of, wanted, options, cache))


def _images(ids: str, study: Study) -> tuple[int, ...]:
    from figures.report.images import chosen_images

    try:
        return chosen_images(_named(ids), study)
    except ValueError as error:
        return output.fail(str(error))
