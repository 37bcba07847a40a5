"""`trilens unconditional`: compare texts of models with the texts of a test set, one per line, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, table_output
from cli.options import Jobs, Seed, Tokenizer
from data.findings import unmarked
from data.study import Run, Study
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    import pandas as pd

    from metrics.base import Metric
    from metrics.engine.scoring import Results

REAL = "Real"
ITEM = "all texts"
POOL = 40_000
"""Maximum number of texts of the test set to use; from a larger set, this many are drawn."""
COLUMNS = tuple(f"corpus_{name}_{n}" for name in ("bleu", "self_bleu", "ms_jaccard") for n in range(2, 6))


def unconditional(
    files: Annotated[list[Path], typer.Argument(help="Texts by models, one per line; one file per model.")],
    test: Annotated[Path, typer.Option(help="Texts by people with which all are compared, one per line.")],
    train: Annotated[Path | None, typer.Option(help="Other texts by people, for the row Real.")] = None,
    size: Annotated[
        int | None, typer.Option(min=2, help="Texts drawn from each file; by default as many as the shortest has.")
    ] = None,
    logprobs: Annotated[
        list[Path] | None,
        typer.Option(
            help="Log-probabilities of the texts of --test under a model, one per line, for the column nll; named as "
            "the model's file, or model_a.logprobs.txt beside model_a.txt. May be repeated."
        ),
    ] = None,
    metrics: Annotated[str | None, typer.Option(help="Names separated by commas, instead of the table's.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table: .csv, .parquet or .json.")] = None,
    study_out: Annotated[Path | None, typer.Option(help="Write the study for the app too: .jsonl.")] = None,
    tokenizer: Tokenizer = None,
    encoder: Annotated[str | None, typer.Option(help="SentenceTransformer by name or folder.")] = None,
    jobs: Jobs = 2,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder for cached results.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Cache nothing.")] = False,
    seed: Seed = 0,
) -> None:
    """Compare models that write without a prompt: one row per model, and Real for people's own texts.

    The columns are BLEU-2 to 5 against the whole test set, Self-BLEU and MS-Jaccard of the same orders, and the Fréchet
    distance of sentence embeddings (Montahaei et al., tables 1 to 3); with --logprobs, NLL, too. All rows have the same
    number of texts, since most columns depend on it.
    """
    from data.convert import to_jsonl_bytes
    from metrics.suite.oracle import Nll

    paths = [test, *([train] if train else []), *files, *(logprobs or [])]
    table_output.check_out(out, paths)
    if study_out is not None:
        output.check(study_out, (".jsonl",), paths)
    study = _study(test, train, files, logprobs or [], size, seed)
    default = ",".join([*COLUMNS, "corpus_frechet_bert", *(["nll"] if logprobs else [])])
    chosen = reading.chosen_metrics(metrics or default, study, tokenizer, encoder, default=default)
    if logprobs and not any(isinstance(metric, Nll) for metric in chosen):
        output.fail("--logprobs is for nll, which --metrics does not name")
    cache = reading.open_cache(cache_dir, no_cache)
    with reading.workers(None, jobs, not no_cache) as backend:
        results = reading.compute_results(study, chosen, Options(seed=seed), cache, backend)
    if study_out is not None:
        output.write(study_out, to_jsonl_bytes(study))
    _say_gaps(results, chosen)
    _give(_table(study, results, chosen), chosen, out)
    reading.exit_if_failed(results)


def _study(
    test: Path, train: Path | None, files: Sequence[Path], logprobs: Sequence[Path], size: int | None, seed: int
) -> Study:
    """Return a study of one item, with texts of the test set, and of one run per file, all with equally many texts.

    With `train`, its texts are one more run. Exit with status 2 for files that cannot be used: if two have the same
    name, for example, or if one has fewer texts than `size`.
    """
    from data.study import Item, Settings

    lines = _lines(test)
    kept = _drawn(len(lines), POOL, seed, test.name)
    texts = {REAL: _lines(train)} if train else {}
    for path in files:
        if (name := _name(path)) in texts:
            output.fail(f"{path}: there are two runs called {name}; rename one file")
        texts[name] = _lines(path)
    least = min(len(of) for of in texts.values())
    if size is not None and size > least:
        output.fail(f"--size {size}: the shortest file has {least:,} texts")
    stated = _stated(logprobs, [name for name in texts if name != REAL], test, len(lines))
    runs = []
    for name, of in texts.items():
        own = {ITEM: tuple(of[k] for k in _drawn(len(of), size or least, seed, name))}
        of_test = {ITEM: tuple(stated[name][k] for k in kept)} if name in stated else None
        runs.append(Run(name, name, Settings(), own, reference_logprobs=of_test))
    return Study(test.stem, (Item(ITEM, tuple(lines[k] for k in kept)),), tuple(runs))


def _name(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".txt")


def _stated(files: Sequence[Path], models: Sequence[str], test: Path, texts: int) -> dict[str, tuple[float, ...]]:
    """Return the log-probabilities of the test set's texts by model.

    Exit with status 2 for a file that cannot be used, for example because it belongs to no model or has the wrong
    number of values.
    """
    from data.formats.known.logprobs import from_lines
    from data.study import DataError

    found: dict[str, tuple[float, ...]] = {}
    for path in files:
        if (name := _name(path).removesuffix(".logprobs")) not in models:
            output.fail(f"{path}: there is no model {name}; name the file as that of one of {', '.join(models)}")
        if name in found:
            output.fail(f"{path}: the log-probabilities of {name} are given twice")
        try:
            found[name] = from_lines(_content(path).split("\n"), str(path))
        except DataError as error:
            output.fail(str(error))
        if len(found[name]) != texts:
            output.fail(
                f"{path}: it has {len(found[name]):,} numbers, but {test} has {texts:,} texts; one is needed for each"
            )
    return found


def _lines(path: Path) -> tuple[str, ...]:
    found = tuple(line.strip() for line in _content(path).split("\n") if line.strip())
    if len(found) < 2:
        output.fail(f"{path}: two texts are needed, one per line")
    return found


def _content(path: Path) -> str:
    from data.files.limits import Total
    from data.findings import Log
    from data.unpack import unpack

    log = Log()
    blobs = list(unpack(path, log, Total()))
    if len(blobs) != 1 or log.findings():
        why = unmarked(log.findings()[0].problem) if log.findings() else "it holds several files"
        output.fail(f"{path}: {why}")
    try:
        content = blobs[0].content.decode("utf-8-sig")
    except UnicodeDecodeError:
        output.fail(f"{path}: this is not UTF-8 text")
    return content


def _drawn(texts: int, size: int, seed: int, name: str) -> Sequence[int]:
    """Return sorted positions of at most `size` texts, drawn without replacement.

    A message says so if some are left out.
    """
    import numpy as np

    if texts <= size:
        return range(texts)
    output.warn(f"{name}: {size:,} of its {texts:,} texts were drawn (seed {seed}).")
    return [int(k) for k in np.sort(np.random.default_rng(seed).choice(texts, size, replace=False))]


def _table(study: Study, results: Results, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return a row for each run: the numbers of texts and references, each metric's value, and the interval of BLEU."""
    import pandas as pd

    rows = []
    for run in study.runs:
        row: dict[str, object] = {"run": run.name, "texts": len(run.candidates[ITEM])}
        row["references"] = len(study.items[0].references)
        for metric in metrics:
            result = results[run.name, metric.name]
            row[metric.name] = result.corpus
            if metric.name.startswith("corpus_bleu"):
                row |= {f"{metric.name}_low": result.low, f"{metric.name}_high": result.high}
        rows.append(row)
    return pd.DataFrame(rows)


def _say_gaps(results: Results, metrics: Sequence[Metric]) -> None:
    from metrics.logprobs import NEEDS
    from metrics.needs import unmet

    for metric in metrics:
        said = {unmet(need) for need in metric.needs}  # reported before the work
        why = {found for (_, name), result in results.items() if name == metric.name and (found := result.why())}
        remedy = "; --logprobs FILE states those of a model" if NEEDS["references"] in metric.needs else ""
        for reason in sorted(why - said):
            output.warn(f"{metric.name}: {reason}{remedy if reason.startswith('the files') else ''}.")
    corpus = "Intervals of corpus BLEU are over the texts of a run, with the test set as it is."
    none = "one item cannot be resampled."
    bleu = [metric.name.startswith("corpus_bleu_") for metric in metrics]
    output.warn(" ".join([corpus] * any(bleu) + [f"Other columns have no interval: {none}"] * (not all(bleu))))


def _give(table: pd.DataFrame, metrics: Sequence[Metric], out: Path | None) -> None:
    names = [metric.name for metric in metrics]
    table_output.give_table(table, ["run", "texts", "references", *names], out, names[0])
