"""`trilens ask`: ask a model at the user's own endpoint about captions, and write its answers."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from data.answers import Answer, to_jsonl_bytes
from data.study import Study
from metrics.cli import complete, output, progress_bar
from metrics.cli import score as cli_score

if TYPE_CHECKING:
    from metrics.cache.disk import Cache
    from metrics.judging.endpoint import Endpoint
    from metrics.judging.plan import Plan
    from metrics.judging.questions import Ask

Judge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="URL",
        envvar="TRILENS_JUDGE",
        help="Address of an OpenAI-compatible server; its key, if it takes one, is read from TRILENS_JUDGE_KEY alone.",
    ),
]
JudgeModel = Annotated[
    str | None,
    typer.Option("--judge-model", metavar="NAME", envvar="TRILENS_JUDGE_MODEL", help="The model on that server."),
]
JudgeLimit = Annotated[int, typer.Option("--judge-limit", min=0, help="Most calls: if it takes more, none is sent.")]
USUAL_LIMIT = 10_000


def ask(
    files: Annotated[list[Path], typer.Argument(help="Files with captions and references, or a study bundle.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    judge: Judge = None,
    judge_model: JudgeModel = None,
    asks: Annotated[
        str, typer.Option("--ask", help="clair, rating, facts, pairwise, alike, or several separated by commas.")
    ] = "clair",
    repeats: Annotated[int, typer.Option(min=1, help="How often each question is asked in the same words.")] = 1,
    judge_limit: JudgeLimit = USUAL_LIMIT,
    price_in: Annotated[float | None, typer.Option(min=0, help="Price per million tokens sent.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="Price per million tokens answered.")] = None,
    only_plan: Annotated[bool, typer.Option("--plan", help="Say what it takes, and send nothing.")] = False,
    runs: Annotated[str | None, typer.Option(help="Runs separated by commas; by default all.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the judge.")] = 0.0,
    seed: cli_score.Seed = 0,
    tokens: Annotated[int, typer.Option(min=1, help="Most tokens of an answer.")] = 400,
    as_json: Annotated[
        bool, typer.Option("--json/--no-json", help="Have the server answer in JSON (response_format), or as it likes.")
    ] = True,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")] = 60.0,
    parallel: Annotated[int, typer.Option(min=1, max=256, help="Questions at a time.")] = 4,
    out: Annotated[Path | None, typer.Option(help="Write the answers: a .jsonl file.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder in which answers are kept.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no answer, and use none that is kept.")] = False,
    keep_going: cli_score.KeepGoing = False,
) -> None:
    """Ask a model about the captions in FILES: captions and references are sent to the server that --judge names.

    Answers are kept as they come, so the same command goes on where it was stopped. Exit status: 0 if every question
    has an answer, also one that cannot be read; 1 if some have none; 2 for bad input.
    """
    from metrics.judging.endpoint import Endpoint

    chosen = asks_of(asks)
    if out is None and not only_plan:
        output.fail("--out FILE.jsonl: name the file of the answers, or ask for the --plan alone")
    if out is not None:
        output.check(out, (".jsonl",), [*files, references])
    endpoint = Endpoint(*named(judge, judge_model), temperature, seed, timeout, tokens, as_json)
    study, _ = cli_score.load_study_or_exit(files, references, keep_going)
    names = [name.strip() for name in (runs or "").split(",") if name.strip()]
    for name in names:
        complete.require_run(name, study)
    study, cache = study.only(runs=names or None), cli_score.open_cache(cache_dir, no_cache)
    made = planned(study, chosen, endpoint, cache, repeats)
    print(in_words(made, endpoint, price_in, price_out))
    if out is None or only_plan:
        return
    answers = asked(study, chosen, endpoint, cache, made, judge_limit, repeats, parallel)
    output.write(out, to_jsonl_bytes(answers))
    for sentence in summary(answers):
        print(sentence)
    print(f"{out}: {len(answers):,} answers; read them beside the captions, as in `trilens score FILES {out.name}`")
    if left := planned(study, chosen, endpoint, cache, repeats).calls:
        output.warn(f"{left:,} calls had no answer: the same command asks them again.")
        raise typer.Exit(1)


def named(judge: str | None, model: str | None) -> tuple[str, str]:
    """Return the server and the model; exit 2 where one is not named."""
    if not judge or not model:
        return output.fail("a judge is a server and a model on it: name them by --judge URL and --judge-model NAME")
    return judge, model


def asks_of(text: str) -> list[Ask]:
    """Return what is to be asked; exit 2 for what cannot be."""
    from metrics.judging.questions import ASKS

    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in ASKS:
            output.fail(f"--ask {name}: a judge can be asked for {', '.join(ASKS)}")
    return [one for one in ASKS if one in names] or output.fail(f"--ask takes {', '.join(ASKS)}")


def planned(study: Study, asks: Sequence[Ask], endpoint: Endpoint, cache: Cache, repeats: int) -> Plan:
    """Return what asking takes; exit 2 where there is nothing to ask about."""
    from metrics.judging.plan import plan

    made = plan(study, asks, endpoint, cache, repeats)
    if not made.wanted:
        output.fail("there is nothing to ask: a judge needs captions of runs, and references")
    return made


def asked(
    study: Study,
    asks: Sequence[Ask],
    endpoint: Endpoint,
    cache: Cache,
    made: Plan,
    limit: int,
    repeats: int = 1,
    parallel: int = 4,
) -> tuple[Answer, ...]:
    """Return the answers, with progress on stderr; exit 2 over the limit, 1 where the server cannot go on."""
    from metrics.judging import ask as judging
    from metrics.judging.endpoint import Client
    from metrics.progress import Unable

    if made.calls > limit:
        output.fail(f"this takes {made.calls:,} calls, more than --judge-limit {limit:,}: nothing was sent")
    try:
        with Client(endpoint) as client, progress_bar.working(f"asking {endpoint.model}") as hooks:
            return judging.ask(study, asks, client, cache, repeats, parallel, hooks)
    except Unable as error:
        kept = "" if cache.directory is None else " What was answered is kept: the same command goes on from there."
        print(f"Stopped: {error}.{kept}", file=sys.stderr)
        raise typer.Exit(1) from None


def in_words(made: Plan, endpoint: Endpoint, price_in: float | None = None, price_out: float | None = None) -> str:
    """Return where the captions go, and what it takes."""
    from metrics.judging.plan import TOKENS_PER_WORD

    of = f"{made.wanted:,} answers of {endpoint.model} at {endpoint.url}"
    took = f"{made.calls:,} calls ({made.kept:,} prompts are answered already)"
    size = (
        f"about {made.tokens_in:,} tokens sent (words and signs, times {TOKENS_PER_WORD:g}) and at most "
        f"{made.tokens_out:,} answered"
    )
    said = f"{of}: {took}, {size}."
    if price_in is None and price_out is None:
        return said
    return f"{said} It costs at most about {made.cost(price_in or 0.0, price_out or 0.0):,.2f} at the stated prices."


def summary(answers: Sequence[Answer]) -> list[str]:
    """Return a line for each prompt: how many answers it has, and how many of them have no score, and why."""
    found = []
    for prompt in dict.fromkeys(one.prompt for one in answers):
        group = [one for one in answers if one.prompt == prompt]
        faults = Counter(one.fault for one in group if one.fault)
        why = "; ".join(f"{n:,}: {fault}" for fault, n in faults.most_common())
        found.append(f"{prompt}: {len(group):,} answers, {faults.total():,} unusable{f' ({why})' if why else ''}")
    return found
