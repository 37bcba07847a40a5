"""Command lines that reproduce numbers, reports and experiments."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from data.check import DEFAULTS, Loaded
from data.file_reports import describe
from data.study import Study
from figures.style.escaping import file_stem
from figures.views.registry import command_of
from figures.views.view import Choice, Known, View, names_of
from metrics.analysis.critique.stored import Design as CritiqueDesign
from metrics.extensions import plugins
from metrics.parameters import plain_name
from metrics.registry import METRICS

IDF = "idf.npz"
"""File name under which the document frequencies in use are saved."""

IMPORTED = "imported.jsonl"
"""File name under which imported scores of the open study are saved."""

MOST_FILES = 12
"""Maximum number of uploaded files named on a command line."""


@dataclass(frozen=True)
class CommandInputs:
    """The files named on command lines; `setup_lines` create them, `idf` is the file of document frequencies.

    `directions` states which direction of imported metrics is better, as for `--scores-direction`.
    """

    files: tuple[str, ...] = ("study.jsonl",)
    references: str = ""
    setup_lines: tuple[str, ...] = ()
    idf: str = ""
    directions: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        """The files and the options as command-line arguments."""
        references = ["--references", self.references] if self.references else []
        directions = [text for one in self.directions for text in ("--scores-direction", one)]
        return [*self.files, *references, *(["--idf", self.idf] if self.idf else []), *directions]


def saved(study: Study, demo: bool, frequencies: bool = False) -> CommandInputs:
    """Return the inputs of commands for the open study, as the Data page saves it or as the demo is built.

    With `frequencies`, they include the document frequencies that were set for the study.
    """
    idf = IDF if frequencies else ""
    if demo:
        return CommandInputs(("demo/demo.jsonl.gz",), setup_lines=("trilens demo --out demo",), idf=idf)
    return CommandInputs((f"{file_stem(study.name)}.jsonl", *([IMPORTED] if study.scores else [])), idf=idf)


def uploaded(loaded: Loaded, study: Study) -> tuple[str, ...]:
    """Return the names of the files from which this study can be read again.

    () if the study has changed since, or if two files share a name or there are more than MOST_FILES. Changes to models
    and settings of runs do not count, because they affect no number.
    """
    parts = loaded.draft.parts if loaded.draft is not None else ()
    as_read = {part.file: describe(part) for part in parts}
    whole = all(as_read.get(file.name, file.format) == file.format for file in loaded.files)
    changed = (
        loaded.applied != DEFAULTS
        or (loaded.draft and loaded.draft.cluster)
        or loaded.marks.names
        or loaded.directions
        or study is not loaded.study
    )
    names = tuple(file.name for file in loaded.sources)
    return () if changed or not whole or len(set(names)) < len(names) or len(names) > MOST_FILES else names


def score(given: CommandInputs, metrics: Sequence[str]) -> str:
    """Return the command that writes the scores by these metrics, or sets of metrics."""
    asked = ["--metrics", ",".join(metrics), *_plugins(metrics)]
    return _line("score", given, *asked, "--p-values", "--out", "scores.csv")


def report(given: CommandInputs, metrics: Sequence[str], options: Sequence[str] = ()) -> str:
    """Return the command that writes the report."""
    asked = ["--metrics", ",".join(metrics), *_plugins(metrics)]
    return _line("report", given, *asked, *options, "--out", "report.html")


def judge(given: CommandInputs, metrics: Sequence[str], chance: bool = False) -> str:
    """Return the command that writes the agreement of the metrics with people and, with `chance`, also by chance."""
    more = [*_plugins(metrics), *(["--chance"] if chance else []), "--out", "judgments.csv"]
    return _line("judge", given, "--metrics", ",".join(metrics), *more)


def ask(given: CommandInputs) -> str:
    """Return the command that only prints how many calls a judge's scores require, and what these calls cost."""
    judge = ("--judge", "http://localhost:8080", "--judge-model", "my-model")
    return _line("ask", given, *judge, "--ask", "clair", "--plan", "--out", "answers.jsonl")


def agreement(given: CommandInputs, metrics: Sequence[str]) -> str:
    """Return the command that writes a table of the agreement between metrics."""
    return _line("agreement", given, "--metrics", ",".join(metrics), *_plugins(metrics), "--out", "agreement.csv")


def replicates(given: CommandInputs, metrics: Sequence[str], pair: Sequence[str] = ()) -> str:
    """Return the command that writes settings over their seeds, or the differences between a pair of settings."""
    asked = ["--metrics", ",".join(metrics), *_plugins(metrics), *(["--compare", *pair] if pair else [])]
    return _line("replicates", given, *asked, "--out", "differences.csv" if pair else "settings.csv")


def consensus(given: CommandInputs, metrics: Sequence[str], draws: int) -> str:
    """Return the command that writes the tables of the References page."""
    written = ["--out", "consensus.csv", "--stability", "references.csv", "--budget", "budget.csv"]
    chosen = ["--metrics", ",".join(metrics), *_plugins(metrics), "--draws", str(draws)]
    return _line("consensus", replace(given, directions=()), *chosen, *written, "--items", "items.csv")


def robustness(given: CommandInputs, metrics: Sequence[str], transformations: Sequence[str]) -> str:
    """Return the command that writes the share of its score that a damaged caption or set keeps."""
    chosen = ["--metrics", ",".join(metrics), *_plugins(metrics), "--transformations", ",".join(transformations)]
    return _line("robustness", replace(given, directions=()), *chosen, "--out", "robustness.csv")


def sensitivity(
    given: CommandInputs, run: str, metrics: Sequence[str], items: int, pair: tuple[str, str] | None, by: str
) -> str:
    """Return the command that writes the tables of the Sensitivity page."""
    chosen = ["--run", run, "--metrics", ",".join(metrics), *_plugins([*metrics, by]), "--items", str(items)]
    differ = ["--power", *pair, "--by", by, "--power-out", "power.csv"] if pair is not None else []
    written = ["--out", "sensitivity.csv", "--gains", "gains.csv", *differ]
    return _line("sensitivity", replace(given, idf="", directions=()), *chosen, *written)


def view(given: CommandInputs, shown: View[Any], known: Known, choice: Choice) -> str:
    """Return the command that writes the first table of a view for a choice.

    Metrics, distances and a pair of runs are always named, because a default may change with the files. The value of a
    control that takes `several`, such as a run, is never named: the command includes all its values.
    """
    asked: list[str] = []
    pairs = {control.beside for control in shown.controls if control.kind == "baseline"}
    for control in shown.controls:
        value, by = choice[control.name], choice.get(control.beside, "")
        if control.kind == "metric":
            asked += [control.flag, value, *_plugins([value])]
        elif control.kind == "distance":
            trm = known.trm(value)
            asked += [control.flag, trm.space.name_with_order, *_plugins([trm.name])]
        elif control.kind == "baseline":
            first = shown.control(control.beside)
            asked += [first.flag, by] if value == by else [control.flag, by, value]
        elif control.kind == "runs":
            every = value == control.default(known, choice)
            asked += [] if every else [text for name in names_of(value) for text in (control.flag, name)]
        elif not control.several and control.name not in pairs and value != control.default(known, choice):
            asked += [control.flag, value]
    inputs = given if shown.scored else replace(given, directions=())
    name = command_of(shown.name)
    return _line(name, inputs if shown.scored else replace(inputs, idf=""), *asked, "--out", f"{name}.csv")


def coherence(given: CommandInputs, metric: str) -> str:
    """Return the command that writes the scores of every run by coherence label."""
    return _line("coherence", given, "--metric", metric, *_plugins([metric]), "--out", "coherence.csv")


def train_critique(given: CommandInputs, design: CritiqueDesign) -> str:
    """Return the command that trains critiques and writes their scores of runs, people and artificial captions."""
    metric = design.metric
    options = {"context": metric.context, "network": metric.combination, "repeats": metric.repeats, "seed": metric.seed}
    chosen = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    more = [*([] if metric.augmented else ["--no-augmentation"]), *(["--one-for-all"] if design.one_for_all else [])]
    more += ["--negatives", metric.negatives] if metric.negatives != "all" else []
    more += ["--reader", metric.reader] if metric.reader != "sentence" else []
    more += ["--precision", metric.precision] if metric.precision != "float32" else []
    more += ["--layers", str(metric.layers)] if metric.layers != 1 else []
    more += ["--width", str(metric.width)] if metric.width != 512 else []
    more += ["--samples", Path(metric.samples).name] if metric.samples else []
    more += ["--word-vectors", Path(metric.vectors).name] if metric.vectors else []
    more += ["--images", Path(metric.images).name] if metric.beside_images else []
    asked = replace(given, idf="", directions=())
    return _line("train", replace(asked, files=("critique", *given.files)), *chosen, *more, "--out", "critique.csv")


def _plugins(metrics: Sequence[str]) -> list[str]:
    """Return the options for the plug-in files of these metrics; installed plug-ins are loaded automatically."""
    known = (METRICS.get(plain_name(name)) for name in metrics)
    found = dict.fromkeys(plugins.of_metric(metric) for metric in known if metric is not None)
    return [text for one in found if one and not one.installed for text in ("--plugin", one.path.name)]


def _line(command: str, given: CommandInputs, *options: str) -> str:
    return shlex.join(["trilens", command, *given.arguments, *options])
