"""The parts of a view: its controls, what must be computed for a choice, the result, and its presentation.

A page (`ui/render.py`), the report (`figures/report/render.py`) and the command line (`cli/views.py`) can show any view
without knowing it.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from data.study import Study
from figures.export.table import Table
from figures.style.html import Shape
from figures.style.palette import ModelStyle, styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, without_captions
from metrics.analysis.artifacts import Artifact
from metrics.analysis.feasibility import has_references
from metrics.analysis.numbers import Numbers
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.distances.words import BleuDistance
from metrics.registry import given_to
from metrics.suite.distribution import Trm
from metrics.suite.ratings import rating_metrics

if TYPE_CHECKING:
    from figures.export.paper import Draw

R = TypeVar("R")
Choice = Mapping[str, str]
"""The value of each control, by its name."""
Kind = Literal["metric", "distance", "run", "runs", "baseline", "one of", "named", "number"]
_BETWEEN = "\x1f"
LOWER_ORDERS = {f"BLEU-{n}": n for n in (1, 2, 3)}
"""BLEU distances whose triangle-rank metrics are not in the registry, with the longest n-gram that they count."""


def joined(names: Iterable[str]) -> str:
    """Return several names as one value of a choice."""
    return _BETWEEN.join(names)


def names_of(value: str) -> list[str]:
    """Return the names that `joined` combined into a value."""
    return value.split(_BETWEEN)


@dataclass(frozen=True)
class Known:
    """A study, the metrics that can be chosen, and what has been computed; `complete` if no more numbers will come.

    `distances` maps the labels of the distances that can be chosen to their triangle-rank metrics. The `cache` holds
    intermediate results that several computations share, such as distance matrices.
    """

    study: Study
    metrics: tuple[Metric, ...] = ()
    numbers: Numbers = field(default_factory=lambda: Numbers({}))
    complete: bool = True
    seed: int = 0
    distances: Mapping[str, Trm] = field(default_factory=dict)
    cache: Cache = field(default_factory=lambda: Cache(None))

    def name(self, run: str) -> str:
        """Return the short name of a run."""
        return short_names(self.study.runs)[run]

    def style(self, run: str) -> ModelStyle:
        """Return the colours and the mark of a run."""
        return styles_of(self.study)[self.study.run(run).model]

    def with_numbers(self, numbers: Numbers) -> Known:
        """Return a copy with these numbers, in addition to the results that it already has."""
        return replace(self, numbers=replace(numbers, results={**self.numbers.results, **numbers.results}))

    def trm(self, label: str) -> Trm:
        """Return the triangle-rank metric of a distance by its label. Raises KeyError if there is none."""
        if label not in LOWER_ORDERS:
            return self.distances[label]
        made: Trm = given_to(Trm(BleuDistance(n=LOWER_ORDERS[label])), None, self.study.tokenizer)
        return made

    @property
    def every_metric(self) -> tuple[Metric, ...]:
        """People's ratings, then the metrics."""
        return (*rating_metrics(self.study).values(), *self.metrics)

    def metric(self, name: str) -> Metric:
        """Return the metric with that name. Raises KeyError if there is none."""
        return {metric.name: metric for metric in self.every_metric}[name]


@dataclass(frozen=True)
class Refusal:
    """Why there is nothing to show: a clause such as "a slice needs 5 images".

    On a page that cannot begin, `title` is its heading and `remedy` a sentence on what to do. `control` names the
    control whose other values may help.
    """

    why: str
    title: str = ""
    remedy: str = ""
    control: str = ""


def no_option(known: Known) -> Refusal:
    """Return why no metric can be chosen."""
    noun = item_noun(known.study)
    return Refusal(f"it needs a metric with a value for each {noun} of this study", "No metric to compare by")


@dataclass(frozen=True)
class Control:
    """One choice: a widget and a part of the address, an option of the command and its line of help.

    `options` are the values with their labels, given the choices made before it. Kinds: "named" values are names in the
    study; "number" options are suggestions, because the command takes any whole number from `least`; a "distance" is
    chosen by its label, on the command line by its name; a "one of" with a single value has no widget; a "baseline" is
    chosen together with the control `beside`, as one option that takes both; "runs" are several that are shown
    together. If `several`, the command takes any number of values, by default all, and shows each separately. If
    `asked` is false for a study, the control keeps its default. The default depends `on_numbers` if it needs scored
    metrics. `label` may contain `{noun}`. `option` is the name of the option if it differs from that in the address.
    `place` is the position of the widget; one that is `folded` is under Options, and one not `shown` is only an option.
    `lacking` states why nothing can be shown without an option.
    """

    name: str
    label: str
    help: str
    kind: Kind
    options: Callable[[Known, Choice], Mapping[str, str]]
    default: Callable[[Known, Choice], str]
    option: str = ""
    beside: str = ""
    least: int = 1
    several: bool = False
    on_numbers: bool = False
    place: int = 0
    folded: bool = False
    shown: bool = True
    asked: Callable[[Study], bool] = lambda study: True
    lacking: Callable[[Known], Refusal] = no_option

    @property
    def flag(self) -> str:
        """The option of the command, such as `--metric`."""
        return f"--{self.option or self.name}"

    def title(self, study: Study) -> str:
        """Return the label, with the noun of the study."""
        return self.label.format(noun=item_noun(study))


@dataclass(frozen=True)
class Chart:
    """One of several figures side by side that share a table; `name` is the file name of its pictures."""

    key: str
    title: str
    draw: Draw
    alt: str
    sub: str = ""
    better: str = ""
    name: str = ""
    printed: str = ""


@dataclass(frozen=True)
class Panel:
    """A figure with its title, table and footer, or several `charts`; without either, only a table.

    `sub` is a line on how to read the figure, `better` the direction that is better. Below the figure, `facts` are on
    one line, and `how` and `signatures` are folded; `metrics` are the metrics to describe. A `responsive` panel is
    drawn differently on a narrow screen; in the report it is at least `least` px wide. If `folded`, a panel is closed
    under this title, and the report omits it, but not the table of the first. The `key` is its place on the page and
    the value of `--panel`. Its pictures are named by `name` or, without one, by the key; its table is named by its own
    `file`, or by the view for the first panel. Below the first panel, those with the same `part` of the view share a
    tab.
    """

    key: str
    title: str
    table: Table
    draw: Draw | None = None
    alt: str = ""
    better: str = ""
    facts: Sequence[str] = ()
    how: Sequence[str] = ()
    signatures: Sequence[str] = ()
    metrics: tuple[Metric, ...] = ()
    name: str = ""
    responsive: bool = False
    least: int = 0
    folded: str = ""
    sub: str = ""
    charts: tuple[Chart, ...] = ()
    part: str = ""


@dataclass(frozen=True)
class Presentation:
    """The sentences and panels of a result.

    The `verdict` is a few sentences in parts that are joined; `Strong` ones are bold. Text from the study is escaped
    only when it is displayed, as in titles, facts and tables. `more` contains sentences folded below the verdict.
    `notes` are lines that a command prints, because it has no figure to put them below.
    """

    verdict: Sequence[str]
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


class View(ABC, Generic[R]):
    """One question about a study. The docstring of its class is the text of `trilens NAME --help`."""

    name: str
    title: str
    question: str
    controls: tuple[Control, ...]
    pick = ""
    """Address parameter for the marked row of the first panel, if rows can be chosen; several are separated by
    spaces.
    """
    parts: ClassVar[Mapping[str, str]] = {}
    """The titles of the tabs below the first panel, by their names in the address."""
    with_people = False
    """Whether people's values are needed, too."""
    kept: ClassVar[bool] = False
    """Whether a page caches results, which it may if they depend only on the choice and the arrays of the work."""
    shape: ClassVar[Shape] = "rows"
    """The shape of the first figure, in which a page draws it while it is being computed."""
    side_by_side: ClassVar[bool] = False
    """Whether `panels` can show several studies in one figure."""

    @abstractmethod
    def refuses(self, study: Study) -> Refusal | None:
        """Return why this study has nothing to show, at least by default; None if it may have something."""

    def needs(self, known: Known, choice: Choice) -> tuple[Metric, ...]:
        """Return the metrics whose results the work, or a default, reads."""
        return ()

    def optional(self, known: Known) -> tuple[Metric, ...]:
        """Return the metrics whose results are read if they exist, but not computed for this view."""
        return ()

    @abstractmethod
    def work(self, known: Known, choice: Choice) -> Artifact | Arrays | Refusal | None:
        """Return what to compute, or the arrays themselves if they take no time, such as {}.

        None while numbers that the work needs are missing.
        """

    @abstractmethod
    def result(self, known: Known, choice: Choice, arrays: Arrays) -> R | Refusal:
        """Return the result, given the arrays of the work, or why there is nothing to show."""

    def picked(self, known: Known, result: R, asked: str) -> str:
        """Return the key of the row to mark: `asked`, which comes from the address; "" marks none."""
        return asked

    @abstractmethod
    def present(self, known: Known, choice: Choice, result: R, others: Mapping[str, R] | None = None) -> Presentation:
        """Return the sentences and panels; `others` are the results for other values of the `several` control."""

    def panels(self, choice: Choice, results: Mapping[str, R]) -> Panel:
        """Return one figure of several studies, by name: a chart for each on equal axes, and their table.

        Raises NotImplementedError unless the view is `side_by_side`.
        """
        raise NotImplementedError(f"{self.name} shows one study at a time")

    @property
    def about(self) -> str:
        """The description of the command."""
        return inspect.getdoc(type(self)) or self.question

    def control(self, name: str) -> Control:
        """Return the control with that name. Raises StopIteration if there is none."""
        return next(control for control in self.controls if control.name == name)

    @property
    def several(self) -> Control | None:
        """The control that takes several values, if any."""
        return next((control for control in self.controls if control.several), None)

    @property
    def scored(self) -> bool:
        """Whether a metric or a distance is chosen; document frequencies, vectors and plug-ins may change these."""
        return any(control.kind in ("metric", "distance") for control in self.controls)


def defaults(
    view: View[Any], known: Known, given: Choice | None = None, early: bool = False
) -> dict[str, str] | Refusal:
    """Return the value of every control, as `given` or by default; a refusal if one that is not given has no option.

    `early` leaves out controls whose default depends on numbers.
    """
    choice = dict(given or {})
    for control in view.controls:
        if control.name not in choice and not (early and control.on_numbers):
            if not control.options(known, choice):
                return control.lacking(known)
            choice[control.name] = control.default(known, choice)
    return choice


def without_runs(study: Study) -> Refusal | None:
    """Return the refusal of a study without runs; None if it has runs."""
    if study.runs:
        return None
    title = "This study has captions by people but no runs" if study.items else without_captions(study)
    return Refusal("these files have captions of no run", title, "Add files of generated captions to compare them.")


def without_references(study: Study, why: str) -> Refusal | None:
    """Return the refusal of a study without human captions; `why` is a sentence on why the view needs them.

    None if it has human captions.
    """
    if has_references(study):
        return None
    remedy = f"{why} Add a file of captions by people on the Data page."
    return Refusal("these files have no references", "This study has no captions by people", remedy)
