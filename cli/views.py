"""A command for each view: its controls are options, its first table is printed or written, and its verdict is
printed.
"""

from __future__ import annotations

import inspect
import keyword
import sys
from dataclasses import replace
from functools import cache as once
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import output, reading, required, table_output
from cli.bundle_numbers import report_foreign
from cli.file_options import with_cluster
from cli.progress_bar import working
from cli.reading import OPTIONS, REFERENCES, Given
from cli.score_directions import check_metrics
from data.study import Study
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    import pandas as pd

    from figures.views.view import Control, Known, Panel, Presentation, Refusal, View
    from metrics.cache.disk import Cache
    from metrics.text.cider import DocumentFrequencies

    Worked = tuple[Known, list[dict[str, str]], dict[str, Any]]
    """A study, its choices, and the results by value of the control that takes several; the key is "" if no control
    does.
    """

Files = Annotated[list[Path], typer.Argument(help="Files with captions of runs and references, or a study bundle.")]
PANEL = Annotated[str | None, typer.Option(help="A table other than the first, by name.")]
SCORED = ("idf", "plugin", "vectors", "scores_direction")
"""Shared options that only views with a metric or a distance have."""
SIDE_BY_SIDE: dict[str, tuple[Any, Any]] = {
    "beside": (
        Annotated[
            list[Path] | None,
            typer.Option(help="File of another study, listed in the same table; may be repeated."),
        ],
        None,
    ),
    "figure": (
        Annotated[
            Path | None, typer.Option(help="Write the figure, a panel on equal axes for each study: a page, .html.")
        ],
        None,
    ),
}
"""Additional options for views of several studies."""


@once
def command(name: str) -> Any:
    """Return the command called `name`, which shows a view. Raises KeyError if no view has such a command."""
    from figures.views import registry

    view = registry.view(registry.COMMANDS[name])
    named = {_identifier(control.name): control for control in view.controls}

    def run(**given: Any) -> None:
        _run(view, {named[key].name if key in named else key: value for key, value in given.items()})

    own: dict[str, Any] = {key: (_type(control), None) for key, control in named.items()}
    shared = {name: option for name, option in OPTIONS.items() if view.scored or name not in SCORED}
    # A control replaces the shared option of the same name: a seed of draws, for example, replaces that of bootstraps.
    options = {"references": (REFERENCES, None), **own, "panel": (PANEL, None), **shared, **own}
    options |= SIDE_BY_SIDE if view.side_by_side else {}
    parameter = partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
    listed = [parameter("files", annotation=Files)]
    listed += [parameter(name, default=value, annotation=kind) for name, (kind, value) in options.items()]
    run.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in listed}
    run.__doc__ = view.about
    program = typer.Typer(add_completion=False, rich_markup_mode=None)
    program.command(name)(with_cluster(run))
    return typer.main.get_command(program)


def _identifier(name: str) -> str:
    return f"{name.replace('-', '_')}{'_' * keyword.iskeyword(name)}"


def _type(control: Control) -> Any:
    """Return the type of a control's option.

    The type of a choice that does not depend on the study lists its values; the names of runs and metrics are checked
    later.
    """
    from figures.views.view import Known

    kind: Any = str
    if control.kind == "number":
        return Annotated[int | None, typer.Option(control.flag, help=control.help, min=control.least)]
    if control.kind == "one of":
        kind = Literal[tuple(control.options(Known(Study("", (), ())), {}))]
    if control.kind == "baseline":
        kind = tuple[str, str]
    if control.several or control.kind == "runs":
        kind = list[str]
    metavar = "A B" if control.kind == "baseline" else None
    return Annotated[kind | None, typer.Option(control.flag, help=control.help, metavar=metavar)]


def _run(view: View[Any], given: dict[str, Any]) -> None:
    beside, figure = given.get("beside") or [], given.get("figure")
    read = [*given["files"], given["references"], given.get("idf"), *beside]
    table_output.check_out(given["out"], read)
    if figure is not None:
        output.check(figure, (".html", ".htm"), read)
    if beside or figure is not None:
        _side_by_side(view, given, beside, figure)
        return
    known, choices, found = _worked(view, given)
    shown = _presentations(view, known, choices, found)
    _give(_table(view, shown, given["panel"]), given["out"])
    for one in shown:
        _say(one)


def _say(shown: Presentation, whose: str = "") -> None:
    print(f"{whose}{''.join(shown.verdict)}", file=sys.stderr)
    for note in shown.notes:
        output.warn(f"{whose}{note}")


def _side_by_side(view: View[Any], given: dict[str, Any], beside: list[Path], figure: Path | None) -> None:
    """Compute a view of several studies with the choices made for the first; write a table and, if requested, a figure.

    The table has a column that names the study; the figure has a panel per result.
    """
    from figures.export.table import Table

    runs = [control for control in view.controls if control.kind in ("run", "runs", "baseline")]
    for control in runs:
        if beside and given[control.name]:
            output.fail(f"{control.flag} names runs of one study: leave it out beside others")
    first = _worked(view, given)
    (choice,) = first[1]
    same = {control.name: choice[control.name] for control in view.controls if control not in runs}
    others = [_worked(view, {**given, **same, "files": [path], "references": None}) for path in beside]
    worked = _by_name([first, *others], [given["files"][0], *beside])
    shown = {name: _presentations(view, *one)[0] for name, one in worked.items()}
    table = Table.of_studies({name: _panel(one, given["panel"]).table for name, one in shown.items()})
    _give((table.frame(), list(table.brief)), given["out"])
    for name, one in shown.items():
        _say(one, f"{name}: ")
    if figure is not None:
        from figures.report.render import of_studies

        results = {name: result for name, (_, _, found) in worked.items() for result in found.values()}
        output.write(figure, of_studies(view, view.panels(choice, results), shown).encode())
        print(f"{figure}: {len(results)} panel{'s' * (len(results) > 1)}", file=sys.stderr)


def _by_name(worked: list[Worked], files: list[Path]) -> dict[str, Worked]:
    names = [known.study.name for known, _, _ in worked]
    named = [name if names.count(name) == 1 else str(path) for name, path in zip(names, files)]
    if twice := [name for name in named if named.count(name) > 1]:
        output.fail(f"{twice[0]} is given twice: name another study")
    return dict(zip(named, worked))


def _worked(view: View[Any], given: dict[str, Any]) -> Worked:
    known, frequencies = _read(view, given)
    why = view.refuses(known.study)
    if why and not (why.control and given[why.control]):
        output.fail(f"{why.why}{_remedy(view, why)}")
    known, choices = _chosen(view, known, _asked(view, known, given), known.cache)
    found = _results(view, known, choices, known.cache)
    if not view.scored:  # scoring has already reported it
        report_foreign(known.study, known.cache, frequencies)
    return known, choices, found


def _read(view: View[Any], given: dict[str, Any]) -> tuple[Known, DocumentFrequencies | None]:
    """Return the study with all metrics that can be chosen, and the document frequencies in force.

    Exit with status 2 for bad input, or for a name that stands for several metrics.
    """
    from figures.views.view import Known
    from metrics.analysis.numbers import Numbers
    from metrics.engine import scoring
    from metrics.registry import METRICS, with_frequencies, with_imported

    named = {control: given[control.name] for control in view.controls if control.kind == "metric"}
    named = {control: name for control, name in named.items() if name is not None}
    for name in named.values():
        check_metrics(name, given["files"])
    shared = Given(**{name: given[name] for name in ("files", "references", *OPTIONS) if given.get(name) is not None})
    study, loaded, cache, frequencies = shared.study_and_frequencies() if view.scored else (*shared.study(), None)
    metrics = dict(METRICS) if view.scored else {}
    for control, name in named.items():
        if len(found := reading.chosen_metrics(name, study, loaded=loaded)) != 1:
            output.fail(f"{control.flag} takes one metric, not {len(found)}")
        metrics[found[0].name], given[control.name] = found[0], found[0].name
    every = tuple(metrics.values())
    if view.scored:
        every = reading.with_frequencies_of(every, frequencies)
    distances = with_imported(with_frequencies(frequencies, study.tokenizer), study).trms if view.scored else {}
    known = Known(study, every, seed=shared.seed, distances=distances, cache=cache)
    existing = scoring.existing(study, view.optional(known), Options(p_values=True, seed=known.seed), cache)
    return replace(known, numbers=Numbers(existing)), frequencies


def _asked(view: View[Any], known: Known, given: dict[str, Any]) -> dict[str, Any]:
    """Return the given values by control; a run given without a baseline is its own baseline.

    Exit with status 2 for names that the study does not have, and for choices that contradict each other.
    """
    from figures.views.view import joined

    asked = {control.name: given[control.name] for control in view.controls if given[control.name] is not None}
    for control in view.controls:
        value = asked.get(control.name)
        if control.kind in ("run", "runs", "baseline") and value is not None:
            for name in [value] if isinstance(value, str) else value:
                required.require_run(name, known.study)
        if control.kind == "distance" and value is not None:
            asked[control.name] = _distance(control, known, value)
        if control.kind == "runs" and value is not None:
            asked[control.name] = joined(dict.fromkeys(value))
        if control.kind == "baseline" and value is not None:
            if control.beside in asked:
                first = view.control(control.beside)
                output.fail(f"give {control.flag} A B or {first.flag} A, not both")
            if value[0] == value[1]:
                output.fail("a run does not differ from itself: name another")
            asked[control.beside], asked[control.name] = value
        elif control.kind == "baseline" and control.beside in asked:
            asked[control.name] = asked[control.beside]
    return {name: str(value) if isinstance(value, int) else value for name, value in asked.items()}


def _distance(control: Control, known: Known, name: str) -> str:
    offered = {known.trm(label).space.name_with_order: label for label in control.options(known, {})}
    if name not in offered:
        more = ", and with --vectors FILE vectors" if "vectors" not in offered else ""
        output.fail(f"there is no distance {name!r}; there are {', '.join(offered)}{more}")
    return offered[name]


def _chosen(view: View[Any], known: Known, asked: dict[str, Any], cache: Cache) -> tuple[Known, list[dict[str, str]]]:
    """Return the study with the numbers that the view needs, and the choices for each value of a control that takes
    several.

    Exit with status 2 if the view refuses the study or a choice. A message names the two runs if they were chosen by
    default.
    """
    from figures.views.view import Refusal, defaults
    from metrics.analysis.numbers import Numbers, score_with_people

    several = asked.pop(view.several.name, None) if view.several is not None else None
    early = defaults(view, known, asked, early=True)
    if isinstance(early, Refusal):
        return output.fail(early.why)
    if needs := view.needs(known, early):
        named = [early.get(control.name) for control in view.controls if control.on_numbers]
        every = None in named or not named
        of = known.study if every else known.study.only(runs=list(dict.fromkeys(map(str, named))))
        score = partial(reading.compute_results, options=Options(seed=known.seed), cache=cache)
        known = known.with_numbers(
            score_with_people(of, needs, score) if view.with_people else Numbers(score(of, needs))
        )
    choice = defaults(view, known, early)
    if isinstance(choice, Refusal):
        return output.fail(choice.why)
    for control in view.controls:
        if control.kind == "named" and choice[control.name] not in (known_names := control.options(known, choice)):
            output.fail(f"{control.flag}: {choice[control.name]!r} is not one of {', '.join(known_names)}")
        if control.kind == "baseline" and control.name not in asked:
            first, second = choice[control.beside], choice[control.name]
            output.warn(f"{first} against {'its own mean' if first == second else second}; {control.flag} names others")
    if view.several is None:
        return known, [choice]
    values = dict.fromkeys(several or view.several.options(known, choice))
    return known, [{**choice, view.several.name: value} for value in values]


def _results(view: View[Any], known: Known, choices: list[dict[str, str]], cache: Cache) -> dict[str, Any]:
    from figures.views.view import Refusal

    several = view.several.name if view.several is not None else ""
    found: dict[str, Any] = {}
    for choice in choices:
        value = choice.get(several, "")
        one = _result(view, known, choice, cache)
        if not isinstance(one, Refusal):
            found[value] = one
            continue
        output.warn(f"{f'{value}: ' if value else ''}{one.why}{_remedy(view, one)}")
    if not found:
        raise typer.Exit(2)
    return found


def _presentations(
    view: View[Any], known: Known, choices: list[dict[str, str]], found: dict[str, Any]
) -> list[Presentation]:
    several = view.several.name if view.several is not None else ""
    return [
        view.present(known, choice, found[value], {k: v for k, v in found.items() if k != value})
        for choice in choices
        if (value := choice.get(several, "")) in found
    ]


def _remedy(view: View[Any], why: Refusal) -> str:
    return f"; another {view.control(why.control).flag} may help" if why.control else ""


def _result(view: View[Any], known: Known, choice: dict[str, str], cache: Cache) -> Any:
    from figures.views.view import Refusal
    from metrics.analysis.artifacts import Artifact

    work = view.work(known, choice)
    if work is None or isinstance(work, Refusal):
        return work or Refusal("its numbers are not there")
    if not isinstance(work, Artifact):
        return view.result(known, choice, work)
    with working(work.title) as hooks:
        arrays = work.arrays(cache, hooks)
    return view.result(known, choice, arrays)


def _table(view: View[Any], shown: list[Presentation], named: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Return the table of the named panel, or else the first table, and the columns displayed on a screen."""
    import pandas as pd

    key = _panel(shown[0], named).key
    tables = [panel.table for one in shown for panel in one.panels if panel.key == key]
    whole = pd.concat([table.frame() for table in tables]).drop_duplicates(ignore_index=True)
    own = [view.several.name] if view.several is not None and view.several.name in whole else []
    return whole, list(dict.fromkeys([*own, *(tables[0].brief or tables[0].labels)]))


def _panel(shown: Presentation, named: str | None) -> Panel:
    known = {panel.key: panel for panel in shown.panels}
    if named is not None and named not in known:
        output.fail(f"there is no table {named!r}; there are {', '.join(known)}")
    return known[named or next(iter(known))]


def _give(table: tuple[pd.DataFrame, list[str]], out: Path | None) -> None:
    whole, seen = table
    table_output.give_table(whole, seen, out, "p_value" if "p_value" in whole else None)
