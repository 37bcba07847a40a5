"""Controls that views share: for metrics, distances, runs, one of a few values, and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from data.checks.people_by_name import of_people_by_name
from data.study import Study
from figures.style.run_names import short_names
from figures.views.view import LOWER_ORDERS, Choice, Control, Known, Refusal, joined
from metrics.analysis import paired_defaults
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.feasibility import first_runs, why_impossible
from metrics.analysis.triangles_defaults import first_scored
from metrics.base import Family, Metric
from metrics.distances.words import CiderDDistance


def metric_of_items(name: str, place: int = 0) -> Control:
    """Return the control for a metric of items: by default the first that can rank the runs, or else the first."""

    def able(known: Known) -> list[Metric]:
        of_items = (metric for metric in known.every_metric if metric.of_items and metric.reads_candidates)
        return [metric for metric in of_items if why_impossible(known.study, metric) is None]

    def options(known: Known, choice: Choice) -> dict[str, str]:
        return {metric.name: metric.label for metric in able(known)}

    def default(known: Known, choice: Choice) -> str:
        every = able(known)
        return (first_to_rank(known.study, every) or every[0]).name

    said = "A metric with a value for each item."
    return Control(name, "Metric", said, "metric", options, default, option="metric", place=place)


def distance_of_texts() -> Control:
    """Return the control for a distance that can be computed between any texts: by default CIDEr-D."""

    def options(known: Known, choice: Choice) -> dict[str, str]:
        return {label: label for label, trm in known.distances.items() if trm.space.of_any_texts}

    said = "cider_d, meteor, bert, bow, rouge_l, bleu_4, vectors, or that of a file of vectors, such as clip."
    return Control("distance", "Distance", said, "distance", options, lambda *_: CiderDDistance.label)


def metric_of_family(
    name: str,
    label: str,
    families: Sequence[Family],
    family: Family,
    first: Callable[[Known, Mapping[Family, Mapping[str, str]]], str],
    lacking: Callable[[Known], Refusal],
) -> Control:
    """Return the control for a metric of a `family`, without options unless each of the `families` has a metric.

    The default is what `first` returns, given the options of each family; `lacking` states why there are no options.
    """

    def offered(known: Known, of: Family) -> dict[str, str]:
        able = (metric for metric in known.every_metric if metric.family == of)
        return {metric.name: metric.label for metric in able if why_impossible(known.study, metric) is None}

    def default(known: Known, choice: Choice) -> str:
        return first(known, {of: offered(known, of) for of in families})

    def options(known: Known, choice: Choice) -> dict[str, str]:
        return offered(known, family) if all(offered(known, of) for of in families) else {}

    said = f"A {family} metric."
    return Control(name, label, said, "metric", options, default, option=family, lacking=lacking)


def distance() -> Control:
    """Return the control for any distance, by default the first with a scored triangle-rank metric, else bag of words.

    The control also offers BLEU of lower orders. The command takes a distance by its name, such as bow.
    """

    def options(known: Known, choice: Choice) -> dict[str, str]:
        return {label: label for label in (*known.distances, *LOWER_ORDERS)}

    def default(known: Known, choice: Choice) -> str:
        scored = {name for _, name in known.numbers.results}
        return first_scored(known.distances, lambda by: by.name in scored)

    said = "meteor, cider_d, bert, bow, bleu_1 and others."
    return Control("distance", "Distance", said, "distance", options, default)


def pair_of_runs(alone: str) -> tuple[Control, Control]:
    """Return the controls for two runs, by default the leader by the study's ranking (`to_rank`) and its `rival`.

    In the list of B, the run chosen as A is labelled `alone`, such as "its own mean".
    """

    def best(known: Known, choice: Choice) -> str:
        return paired_defaults.best_first(known.study, known.numbers, next(iter(to_rank(known)), None))[0]

    def against(known: Known, choice: Choice) -> dict[str, str]:
        return {**runs(known, choice), choice["a"]: alone}

    def rival(known: Known, choice: Choice) -> str:
        if len(known.study.runs) < 2:
            return choice["a"]
        by, first = next(iter(to_rank(known)), None), known.study.run(choice["a"])
        return paired_defaults.rival(known.study, known.numbers, by, first)

    one = f"One run, against {alone}, instead of two."
    two = "Runs A B: A against B. By default the leader and the best of another model."
    return (
        Control("a", "A", one, "run", runs, best, option="run", on_numbers=True),
        Control("b", "B", two, "baseline", against, rival, option="runs", beside="a", on_numbers=True, place=1),
    )


def each_run() -> Control:
    """Return the control for a run; the command accepts several runs and uses all by default.

    A page begins with the leader by quality, if its numbers are known (`of_quality`): the run nearest to people is the
    least informative. A run of captions by people is the default only if all runs are such, because it would be
    compared with captions by people.
    """

    said = "A run; repeat for several. By default all."
    return Control("run", "Run", said, "run", runs, lambda known, _: leader(known), several=True)


def leader(known: Known) -> str:
    """Return the run with which `each_run` begins."""
    by = next((metric for metric in of_quality(known) if known.numbers.of(metric, known.study.runs)), None)
    names = [run.name for run in first_runs(known.study)]
    if by is not None:
        names = paired_defaults.best_first(known.study, known.numbers, by)
    return next((name for name in names if not of_people_by_name(known.study.run(name).model)), names[0])


def to_rank(known: Known) -> tuple[Metric, ...]:
    """Return the metric by which `pair_of_runs` finds the leader: the first that can rank the runs; () without one."""
    metric = first_to_rank(known.study, known.every_metric)
    return () if metric is None else (metric,)


def of_quality(known: Known) -> tuple[Metric, ...]:
    """Return the metric by which `each_run` finds the leader: the first that ranks runs by quality; () without one."""
    metric = first_to_rank(known.study, [one for one in known.every_metric if one.family == "quality"])
    return () if metric is None else (metric,)


def runs_together() -> Control:
    """Return the control for the runs that are shown together, by default all."""
    said = "Show this run instead of all; repeat for several."
    every = lambda known, choice: joined(runs(known, choice))  # noqa: E731
    return Control("runs", "Runs", said, "runs", runs, every, option="run", folded=True)


def one_of(
    name: str,
    label: str,
    said: str,
    values: Mapping[str, str],
    folded: bool = False,
    asked: Callable[[Study], bool] = lambda study: True,
    matters: Callable[[Known, Choice], bool] = lambda known, choice: True,
) -> Control:
    """Return a control that chooses among `values`, which maps values to labels; the default is the first.

    `said` is its help line. If the choice does not matter (`matters`), only the first value is offered; a study for
    which the control is not `asked` gets the first.
    """
    first = next(iter(values))

    def options(known: Known, choice: Choice) -> Mapping[str, str]:
        return values if not choice or matters(known, choice) else {first: values[first]}

    return Control(name, label, said, "one of", options, lambda *_: first, folded=folded, asked=asked)


def number(
    name: str, label: str, said: str, default: Callable[[Study], int], least: int, suggested: Sequence[int] = ()
) -> Control:
    """Return the control for a whole number of at least `least`: `suggested` values under Options, or no widget."""
    values = {str(value): str(value) for value in suggested}

    def first(known: Known, choice: Choice) -> str:
        return str(default(known.study))

    def options(known: Known, choice: Choice) -> dict[str, str]:
        return values or {first(known, choice): first(known, choice)}

    shown = bool(suggested)
    return Control(name, label, said, "number", options, first, least=least, folded=True, shown=shown)


def runs(known: Known, choice: Choice) -> dict[str, str]:
    """Return the runs of the study with their short names."""
    return dict(short_names(known.study.runs))
