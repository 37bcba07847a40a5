"""Trilens in a notebook: captions as lists and dicts in, a table of numbers out."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from data.findings import Finding, unmarked
from data.formats.nesting.nested_records import names_field
from data.load import load_study
from data.mapped import Roles, columns_of
from data.records import Columns
from data.study import DataError, Study, Tokenizer
from data.unpack import Source
from metrics import needs
from metrics.base import Metric
from metrics.cache.disk import Cache, default_directory
from metrics.distances import document_frequencies
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.extensions import plugins
from metrics.parameters import split
from metrics.registry import SETS, in_order, resolve

if TYPE_CHECKING:
    import pandas as pd

Captions = str | Sequence[str]
Items = Mapping[Any, Captions] | Sequence[Captions]
"""Captions by the id of an item, or in the order of the items."""
Level = Literal["corpus", "item", "candidate"]
ALONE = "candidates"
"""The name of a run that is supplied without a name."""


def score(
    references: Any,
    candidates: Items | Mapping[str, Items] | None = None,
    metrics: str | Iterable[str | Metric] = ("fast",),
    *,
    map: Roles | None = None,
    level: Level | Sequence[Level] = "corpus",
    p_values: bool = False,
    tokenizer: Tokenizer | None = None,
    encoder: str | None = None,
    idf: str | os.PathLike[str] | None = None,
    plugin: Sequence[str | os.PathLike[str]] = (),
    cache: str | os.PathLike[str] | Literal[True] | None = True,
    jobs: int = 2,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the table of scores, one row per number, as `trilens score` writes it.

    `references`, `candidates` and `map` are as in `study`. `metrics` lists metrics, or names of metrics and of sets
    such as "fast", with parameters in brackets if needed; names may also be one string, separated by commas. A set
    contributes the metrics that this machine can compute, and a warning names the others. `level` selects rows of runs,
    items or single candidates. `cache` is True for the usual folder, the path of another folder, or None to store
    nothing. The other arguments are the options of that command with the same names. The columns are described in
    docs/scores.md; a number that cannot be computed is NaN with its reason in `error`. Raises DataError for captions
    that cannot be used, and ValueError for metrics that do not exist.

    >>> references = {"1": ["a dog runs", "the dog is running"], "2": ["a red kite", "a kite in the sky"]}
    >>> candidates = {"model": {"1": ["dogs run", "one dog runs"], "2": ["a kite", "the red kite"]}}
    >>> table = score(references, candidates, ["distinct_1", "bleu_1"], tokenizer="whitespace", cache=None)
    >>> list(zip(table.run, table.metric, table.value.round(4)))
    [('model', 'bleu_1', 0.5731), ('model', 'distinct_1', 0.9)]
    """
    plugins.load_all(Path(one) for one in plugin)
    asked = split(metrics) if isinstance(metrics, str) else list(metrics)
    of = study(references, candidates, map=map)
    wanted = _metrics(asked, tokenizer or of.tokenizer, encoder, idf)
    known = Cache(default_directory() if cache is True else None if cache is None else Path(cache))
    options = Options(p_values=p_values, seed=seed)
    found = scoring.score(of, _able(wanted, asked, of, options, known), options, known, workers=Workers(jobs=jobs))
    return scores(of, found, [level] if isinstance(level, str) else level)


def study(
    references: Any,
    candidates: Items | Mapping[str, Items] | None = None,
    name: str | None = None,
    *,
    map: Roles | None = None,
) -> Study:
    """Return a study of plain captions.

    `references` map the id of each item to its captions, or list them in order (ids are then 1, 2, ..). `candidates`
    are one run in the same form, or a mapping of runs by name. A single text stands for a list with that text. Without
    candidates, the first argument is one of these: a study; the name of a file, or a list of names in any order, as
    commands take them; a table of records as in a file (a DataFrame, a Hugging Face Dataset, a list of dicts, or a dict
    of columns); or such tables by name, like the splits of a DatasetDict, which are read like several files. With
    candidates, either argument, or each of several runs, may be such a table, whose fields are read like those of a
    file. `map` gives these fields their roles, as `--map` does on the command line:
    "id=clip,candidates=hyp,references=r1+r2", or a mapping of roles to names of fields. It applies to every table that
    has all of its fields. Captions are checked like those of files, and findings become warnings.
    Raises DataError, which names the run and the item or the role, also for files that `trilens check` rejects.

    >>> references = [["a dog", "the dog"], ["a cat", "the cat"]]
    >>> low, high = [["one dog", "dogs"], ["one cat", "cats"]], [["pup", "hound"], ["tom", "kitten"]]
    >>> of = study(references, {"low": low, "high": high})
    >>> [run.name for run in of.runs], of.items[0].references
    (['low', 'high'], ('a dog', 'the dog'))
    """
    if isinstance(references, Study):
        if candidates is not None:
            raise DataError("a study has its runs: give no candidates with it")
        if map is not None:
            raise DataError("a study has been read already: give no map with it")
        return references
    columns = columns_of(map or "")
    paths = _paths(references)
    if paths and candidates is None:
        return _read(paths, (), name, columns)
    name = name or "notebook"
    if candidates is None:
        tables = _tables(references) or {name: references}
        return _read([_file(given, str(file)) for file, given in tables.items()], (), name, columns)
    if paths or _paths([*candidates.values()] if isinstance(candidates, Mapping) else candidates):
        raise DataError("give the names of all files as one list, as in `study(['runs.jsonl', 'references.json'])`")
    if any(_is_table(one) for one in (references, candidates, *_several(candidates).values())):
        runs = _several(candidates) or {ALONE: candidates}
        said = [_file(given, str(run)) for run, given in runs.items()]
        return _read(said, [_file(references, "references")], name, columns)
    people = _by_item(references, "the references")
    runs = {run: _by_item(said, f"the run {run!r}") for run, said in _runs(candidates, people).items()}
    for run, said in runs.items():
        _same_items(run, said, people)
    items = [
        {"id": item, "references": texts, "candidates": {run: said[item] for run, said in runs.items()}}
        for item, texts in people.items()
    ]
    raw = json.dumps({"dataset": name, "items": items}).encode()
    return _read([(f"{name}.json", raw)], (), name, columns)


_NAMED = re.compile(
    r".*\S\.(jsonl?|csv|tsv|md|ya?ml|parquet|arrow|feather|xlsx|txt|eval|np[yz]|zip|tar|tgz|gz|bz2|xz|zst)"
)
_ON_PAGE = re.compile(r",? on the Data page,? or with --map")
_MAP = re.compile(r"""--map ((?:'[^']*'|"'"|[^\s'"])+)""")
"""The option `--map` and the word after it, which may be quoted for a shell."""


def _paths(given: Any) -> list[Path]:
    """Return the files given as a path, a name such as captions.json, or a list of these; [] for anything else."""
    several = list(given) if isinstance(given, list | tuple) else [given]
    return [Path(one) for one in several] if several and all(map(_is_path, several)) else []


def _is_path(one: Any) -> bool:
    """Return whether this is a path, or a text that names an existing file or ends like the name of a file."""
    return isinstance(one, Path) or (isinstance(one, str) and bool(_NAMED.fullmatch(one) or os.path.exists(one)))


def _tables(given: Any) -> Mapping[str, Any]:
    """Return tables by name, such as the splits of a DatasetDict; an empty dict for anything else."""
    return given if isinstance(given, Mapping) and given and all(map(_is_table, given.values())) else {}


def _is_table(given: Any) -> bool:
    """Return whether these are records or columns of records, not captions in order or by id."""
    if isinstance(given, Mapping):
        columns = all(isinstance(one, list) for one in given.values()) and len({*map(len, given.values())}) == 1
        return columns and len(given) > 1 and all(names_field(str(key)) for key in given)
    rows = isinstance(given, list | tuple) and bool(given) and all(isinstance(row, Mapping) for row in given)
    return rows or hasattr(given, "columns") or hasattr(given, "column_names")


def _several(candidates: Any) -> Mapping[str, Any]:
    """Return runs by name if candidates are a mapping of tables or of mappings, else an empty dict."""
    several = isinstance(candidates, Mapping) and not _is_table(candidates)
    own = several and all(isinstance(one, Mapping) or _is_table(one) for one in candidates.values())
    return candidates if own else {}


def _file(given: Any, name: str) -> tuple[str, bytes]:
    if _is_table(given) or not isinstance(given, list | tuple | Mapping):
        return f"{name}.jsonl", _records(given)
    if isinstance(given, Mapping):
        return f"{name}.json", json.dumps(_by_item(given, name)).encode()
    return f"{name}.json", json.dumps([*_by_item(given, name).values()]).encode()


def _records(given: Any) -> bytes:
    if isinstance(given, Mapping):
        given = [dict(zip(given, cells)) for cells in zip(*given.values())]
    rows = given.to_dict("records") if hasattr(given, "to_dict") and hasattr(given, "columns") else given
    rows = list(rows) if isinstance(rows, Iterable) and not isinstance(rows, str | bytes | Mapping) else []
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise DataError("give a DataFrame, a Dataset, a list of dicts, a dict of columns, or names of files")
    return "\n".join(json.dumps(dict(row), default=_plain) for row in rows).encode()


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _read(files: Sequence[Source], references: Sequence[Source], name: str | None, columns: Columns) -> Study:
    loaded = load_study(files, references, name, columns=columns)
    errors = [one for one in loaded.errors if one.file in loaded.unread or one.code == "unknown_override"]
    lacking = [*errors, *loaded.lacking]
    if loaded.study is None or lacking or loaded.unread:
        why = dict.fromkeys(map(_said, lacking or loaded.errors))
        raise DataError("; ".join(why) or "there is nothing to compare")
    if references and not any(item.references for item in loaded.study.items):
        raise DataError("the references hold no captions: give texts by id, or a table with a column of texts")
    for finding in loaded.findings:
        if finding.severity != "note":
            _warn(_said(finding))
    return loaded.study


def _warn(text: str) -> None:
    """Issue a warning that points to the caller's line, at any depth of calls: `score` itself calls `study`."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def _said(finding: Finding) -> str:
    """Return a finding with its item and its remedy, in which `--map` is the argument `map`.

    A remedy that only an option of a command or a button of the app offers is left out.
    """

    def argument(found: re.Match[str]) -> str:
        word, end = found[1].removesuffix("."), "." * found[1].endswith(".")
        return f"map={shlex.split(word)[0]!r}{end}" if "=" in word else f"map {found[1]}"

    where = f" (item {finding.id})" if finding.id else ""
    remedy = _ON_PAGE.sub(" with --map", finding.repair) if finding.fix is None else ""
    remedy = _MAP.sub(argument, remedy).replace("--map", "map")
    return f"{unmarked(finding.problem)}{where} {unmarked(remedy)}".strip()


def _metrics(
    asked: Sequence[str | Metric], tokenizer: str, encoder: str | None, idf: str | os.PathLike[str] | None
) -> tuple[Metric, ...]:
    given = None
    if idf is not None:
        path = Path(idf)
        given = document_frequencies.checked(document_frequencies.read(path, tokenizer), path.name)  # type: ignore[arg-type]
    named = resolve([one for one in asked if isinstance(one, str)], tokenizer, encoder, given)
    return in_order((*named, *(one for one in asked if isinstance(one, Metric))))


def _able(
    wanted: tuple[Metric, ...], asked: Sequence[str | Metric], of: Study, options: Options, known: Cache
) -> tuple[Metric, ...]:
    if not any(one in SETS for one in asked if isinstance(one, str)):
        return wanted
    own = {one if isinstance(one, str) else one.name for one in asked}
    rest = [one for one in wanted if one.name not in own and any(map(needs.unmet, one.needs))]
    unmet = scoring.plan(of, rest, options, known).unmet
    for why in dict.fromkeys(unmet.values()):
        left = [name for name in unmet if unmet[name] == why]
        _warn(f"left out: {', '.join(left)}. {why}")
    return tuple(metric for metric in wanted if metric.name not in unmet)


def _runs(candidates: Any, people: Mapping[str, list[str]]) -> Mapping[str, Any]:
    """Return runs by name; a list, or a mapping whose keys are the items' ids, is a single run.

    Raises DataError for an empty mapping.
    """
    if not isinstance(candidates, Mapping):
        return {ALONE: candidates}
    if candidates and all(str(key) in people for key in candidates):
        return {ALONE: candidates}
    if not candidates:
        raise DataError("there are no candidates: give one run, or a mapping of runs by name")
    return {str(run): said for run, said in candidates.items()}


def _by_item(given: Any, what: str) -> dict[str, list[str]]:
    if isinstance(given, Mapping):
        found = {str(item): _texts(texts, f"{what}, item {str(item)!r}") for item, texts in given.items()}
        if len(found) != len(given):
            raise DataError(f"{what}: two ids are the same text, such as 1 and '1'")
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        found = {str(k): _texts(texts, f"{what}, item {k}") for k, texts in enumerate(given, 1)}
    else:
        raise DataError(f"{what}: give a mapping of ids to captions, or a list with the captions of each item")
    if not found:
        raise DataError(f"{what}: there are no items")
    return found


def _texts(given: Any, where: str) -> list[str]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise DataError(f"{where}: {given!r:.60} is neither a caption nor a list of captions")
    return list(texts)


def _same_items(run: str, said: Mapping[str, Any], people: Mapping[str, Any]) -> None:
    without = [item for item in people if item not in said]
    if without:
        raise DataError(
            f"the run {run!r} has no candidates for {_few(without)}; the references have {len(people)} items"
        )
    unknown = [item for item in said if item not in people]
    if unknown:
        raise DataError(f"the run {run!r} has candidates for {_few(unknown)}, for which there are no references")


def _few(items: Sequence[str]) -> str:
    more = f" and {len(items) - 1} more" if len(items) > 1 else ""
    return f"item {items[0]!r}{more}"
