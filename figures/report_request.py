"""What a report shows: a study with its numbers, the pages and the images chosen, and the commands behind them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from data.study import Run, Study
from figures.report import Charts
from metrics.base import Family, Metric
from metrics.cache import Cache
from metrics.compare import ranking
from metrics.scored import Numbers
from metrics.tasks import Options


@dataclass(frozen=True)
class Request:
    """What a report shows: a study with its numbers of some metrics, pages by name, images by position.

    `commands` are the lines that give the numbers again, `pictures` the files of the chosen images.
    """

    study: Study
    numbers: Numbers
    metrics: tuple[Metric, ...]
    pages: tuple[str, ...]
    images: tuple[int, ...] = ()
    commands: tuple[str, ...] = ()
    pictures: Mapping[int, Path] = field(default_factory=dict)
    cache: Cache = field(default_factory=lambda: Cache(None))
    options: Options = field(default_factory=lambda: Options(p_values=True))
    charts: Charts = field(default_factory=Charts)
    anonymous: bool = False

    @property
    def ranked(self) -> Metric | None:
        """The first metric that has a better side."""
        return next((metric for metric in self.metrics if metric.family != "diversity"), None)

    def first(self, family: Family) -> Metric | None:
        """The first metric of a family."""
        return next((metric for metric in self.metrics if metric.family == family), None)

    def best(self, metric: Metric) -> Run | None:
        """The run with the best value, None if none has one."""
        values, _ = self.numbers.corpus(self.study, metric, self.study.runs)
        best = ranking(values, metric.higher_is_better)[0]
        return None if np.isnan(values[best]) else self.study.runs[best]

    @property
    def signatures(self) -> tuple[str, ...]:
        """Those of all its metrics."""
        return tuple(metric.signature for metric in self.metrics)


def commands(files: Sequence[str], references: str, metrics: Sequence[Metric], anonymous: bool) -> tuple[str, ...]:
    """The lines that give the numbers and the report again; anonymous ones name no file of anybody's."""
    given = ["study.jsonl"] if anonymous or not files else list(files)
    more = ["--references", references] if references and not anonymous else []
    names = ["--metrics", ",".join(metric.name for metric in metrics)]
    score = ["python", "-m", "metrics", "score", *given, *more, *names, "--p-values", "--out", "scores.csv"]
    again = ["python", "-m", "metrics", "report", *given, *more, *names, "--out", "report.html"]
    return shlex.join(score), shlex.join(again)
