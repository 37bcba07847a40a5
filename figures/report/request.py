"""The contents of a report: a study with its numbers, chosen pages and images, and the commands that reproduce them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from data.files.blobs import File
from data.findings import Finding
from data.marks import Marks
from data.study import Run, Study
from figures.export.table import Table
from figures.images.pictures import Picture
from figures.notes.seeds import names_shown
from figures.report import html as report_html
from figures.report.charts import Charts
from figures.report.commands import IDF, CommandInputs
from metrics.analysis.artifacts import Artifact
from metrics.analysis.critique.stored import Design as CritiqueDesign
from metrics.analysis.feasibility import ranking_metric
from metrics.analysis.numbers import Numbers
from metrics.analysis.run_differences import ranking
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.engine.tasks import Options
from metrics.text.cider import DocumentFrequencies

Make = Callable[[Artifact, str], Arrays | None]


@dataclass(frozen=True)
class Request:
    """The contents of a report: a study with its numbers by some metrics, pages by name, images by position.

    `day` is when the report was made (ISO 8601), `files` are the files from which the study was read, `given` their
    names in the commands, `ids` the images requested by name, `pictures` those of the displayed images. `make`, given
    an artifact and a description of the work, computes what `cache` lacks; it returns None if the artifact must not be
    computed. `may_score` allows unscored captions to be scored. `critique` is the design of the critiques that the
    app's page shows. `idf` are the document frequencies supplied for every CIDEr-D, if any. `beside` are metrics that
    only the Overview shows, and `ratings` are people's ratings, before the metrics on the Leaderboard if
    `ratings_first`, else after them; of all these, the first that can rank the runs ranks them. `marks` are stars and
    notes on images; `hidden` counts the hidden runs, which `study` lacks. `findings` are the unrepaired findings in its
    files.
    """

    study: Study
    numbers: Numbers
    metrics: tuple[Metric, ...]
    pages: tuple[str, ...]
    day: str
    images: tuple[int, ...] = ()
    files: tuple[File, ...] = ()
    given: CommandInputs = field(default_factory=CommandInputs)
    ids: tuple[str, ...] = ()
    pictures: Mapping[int, Picture] = field(default_factory=dict)
    cache: Cache = field(default_factory=lambda: Cache(None))
    options: Options = field(default_factory=lambda: Options(p_values=True))
    make: Make = lambda work, doing: None
    may_score: bool = False
    charts: Charts = field(default_factory=Charts)
    anonymous: bool = False
    idf: DocumentFrequencies | None = None
    critique: CritiqueDesign | None = None
    beside: tuple[Metric, ...] = ()
    ratings: tuple[Metric, ...] = ()
    ratings_first: bool = True
    marks: Marks = field(default_factory=Marks)
    hidden: int = 0
    findings: tuple[Finding, ...] = ()

    def table(self, frame: pd.DataFrame, name: str, title: str) -> str:
        """Return a table of the report, with the short names of the study's runs."""
        return report_html.table(frame, name, title, names_shown(self.study))

    def table_of(self, numbers: Table, title: str) -> str:
        """Return a table of the columns for people; its file has all columns, under the names that programs read."""
        names = names_shown(self.study)
        return report_html.table(numbers.readable(), numbers.file, title, names, numbers.frame())

    @property
    def board(self) -> tuple[Metric, ...]:
        """The metrics of the Leaderboard: people's ratings, and the metrics of the other pages."""
        return (*self.ratings, *self.metrics) if self.ratings_first else (*self.metrics, *self.ratings)

    @property
    def ranked(self) -> Metric | None:
        """The metric that ranks the runs, if any."""
        return ranking_metric(self.board)

    def metric(self, name: str) -> Metric:
        """Return the metric with that name. Raises KeyError if it was not chosen."""
        return {metric.name: metric for metric in (*self.board, *self.beside)}[name]

    def scored(self, name: str) -> bool:
        """Return whether every run has a result by the metric with that name."""
        return not self.numbers.waiting(self.metric(name), self.study.runs)

    def best(self, metric: Metric) -> Run | None:
        """Return the run with the best value; None if no run has a value."""
        values, _ = self.numbers.corpus(self.study, metric, self.study.runs)
        best = ranking(values, metric.higher_is_better)[0]
        return None if np.isnan(values[best]) else self.study.runs[best]

    def arrays(self, work: Artifact, doing: str) -> Arrays | None:
        """Return an artifact that a page needs; None if it neither exists nor may be computed. Raises what its work
        raises.
        """
        found = work.stored(self.cache)
        return self.make(work, doing) if found is None else found

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the values of one part of the metrics' signatures, such as the tokenizers from `tok`."""
        parts = (
            part.partition(":") for metric in (*self.metrics, *self.beside) for part in metric.signature.split("|")
        )
        return tuple(dict.fromkeys(value for key, _, value in parts if key == name))

    @property
    def named(self) -> CommandInputs:
        """The files for commands, under generic names if the report is anonymous."""
        return CommandInputs(idf=IDF if self.idf is not None else "") if self.anonymous else self.given

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signatures of the metrics."""
        return tuple(metric.signature for metric in self.metrics)
