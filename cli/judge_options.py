"""The judge on the command line: the server, the plan, and the questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, progress_bar
from data.findings import Log
from data.imported.judge_answers import with_answers
from data.judge_answers import Answer
from data.study import Study

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
        help="Address of an OpenAI-compatible server; if it needs a key, set TRILENS_JUDGE_KEY.",
    ),
]
JudgeModel = Annotated[
    str | None,
    typer.Option("--judge-model", metavar="NAME", envvar="TRILENS_JUDGE_MODEL", help="The model on that server."),
]
JudgeLimit = Annotated[
    int, typer.Option("--judge-limit", min=0, help="Maximum number of calls: if more are needed, nothing is sent.")
]
USUAL_LIMIT = 10_000
METRICS: tuple[Ask, ...] = ("clair", "rating", "facts", "alike")
"""The questions to a judge whose answers yield metrics, by the name used in `--metrics`."""


@dataclass(frozen=True)
class Judging:
    """The questions to ask a judge before a study is scored, where to send them, and the maximum number of calls."""

    asks: tuple[Ask, ...]
    endpoint: Endpoint
    limit: int


def split_metrics(names: str, judge: str | None, model: str | None, limit: int) -> tuple[str, Judging | None]:
    """Return the names of ordinary metrics, and the questions to a judge, if any.

    Exit with status 2 for names that cannot be parsed, or for questions without a judge.
    """
    from metrics.judging.endpoint import Endpoint
    from metrics.parameters import split

    try:
        every = split(names)
    except ValueError as error:
        return output.fail(str(error))
    asks = tuple(one for one in METRICS if one in every)
    if not asks:
        return names, None
    left = ",".join(name for name in every if name not in asks)
    return left, Judging(asks, Endpoint(*named(judge, model)), limit)


def judged(study: Study, names: str, judging: Judging | None, cache: Cache) -> tuple[Study, str]:
    """Return the study with the judge's answers added, and the names of all metrics, including those of the answers."""
    from metrics.judging.plan import in_words
    from metrics.registry import imported_metrics

    if judging is None:
        return study, names
    made = planned(study, judging.asks, judging.endpoint, cache, 1)
    print(in_words(made, judging.endpoint), file=sys.stderr)
    answers = asked(study, judging.asks, judging.endpoint, cache, made, judging.limit)
    log, known = Log(), {one.question: one for one in (*study.answers, *answers)}
    found = with_answers(study, known.values(), log)
    for finding in log.findings():
        output.warn(finding.problem)
    signed = {f"judged|{one.signature}|" for one in answers}
    own = [name for name, one in imported_metrics(found).items() if any(sign in one.signature for sign in signed)]
    return found, ",".join([*([names] if names else []), *own])


def named(judge: str | None, model: str | None) -> tuple[str, str]:
    """Return the server and the model; exit with status 2 if either is not named."""
    if not judge or not model:
        return output.fail("name the judge's server and model: --judge URL and --judge-model NAME")
    return judge, model


def planned(study: Study, asks: Sequence[Ask], endpoint: Endpoint, cache: Cache, repeats: int) -> Plan:
    """Return the plan: calls, tokens and cost; exit with status 2 if there is nothing to ask about."""
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
    """Return the answers, with progress on stderr.

    Exit with status 2 if the plan has more calls than the limit, 1 if the server fails.
    """
    from metrics.judging import ask as judging
    from metrics.judging.endpoint import Client
    from metrics.progress import Unable

    if made.calls > limit:
        output.fail(f"this takes {made.calls:,} calls, more than --judge-limit {limit:,} allows: nothing was sent")
    try:
        with Client(endpoint) as client, progress_bar.working(f"asking {endpoint.model}") as hooks:
            return judging.ask(study, asks, client, cache, repeats, parallel, hooks)
    except Unable as error:
        kept = "" if cache.directory is None else " The answers so far are kept: the same command resumes from there."
        print(f"Stopped: {error}.{kept}", file=sys.stderr)
        raise typer.Exit(1) from None
