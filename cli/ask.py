"""`trilens ask`: ask a model on a server of the user's choice about captions, and write its answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, reading, required
from cli.judge_options import USUAL_LIMIT, Judge, JudgeLimit, JudgeModel, asked, named, planned
from cli.options import KeepGoing, Seed
from data.judge_answers import to_jsonl_bytes

if TYPE_CHECKING:
    from metrics.judging.questions import Ask


def ask(
    files: Annotated[list[Path], typer.Argument(help="Files with captions and references, or a study bundle.")],
    references: Annotated[Path | None, typer.Option(help="File of references.")] = None,
    judge: Judge = None,
    judge_model: JudgeModel = None,
    asks: Annotated[
        str,
        typer.Option("--ask", help="clair, rating, facts, pairwise, alike, or several separated by commas."),
    ] = "clair",
    repeats: Annotated[int, typer.Option(min=1, help="How many times each question is asked.")] = 1,
    judge_limit: JudgeLimit = USUAL_LIMIT,
    price_in: Annotated[float | None, typer.Option(min=0, help="Price per million tokens sent.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="Price per million tokens received.")] = None,
    only_plan: Annotated[bool, typer.Option("--plan", help="Show calls, tokens and cost; send nothing.")] = False,
    runs: Annotated[str | None, typer.Option(help="Runs separated by commas; by default all.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Temperature of the judge.")] = 0.0,
    seed: Seed = 0,
    tokens: Annotated[int, typer.Option(min=1, help="Maximum number of tokens per answer.")] = 400,
    as_json: Annotated[
        bool, typer.Option("--json/--no-json", help="Ask the server for JSON (response_format), or not.")
    ] = True,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for each answer.")] = 60.0,
    parallel: Annotated[int, typer.Option(min=1, max=256, help="Questions sent at a time.")] = 4,
    out: Annotated[Path | None, typer.Option(help="Write the answers to this .jsonl file.")] = None,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder of the cache of answers.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor write cached answers.")] = False,
    keep_going: KeepGoing = False,
) -> None:
    """Ask a model about the captions in FILES: captions and references are sent to the server that --judge names.

    Answers are cached as they arrive, so the same command resumes where it was stopped. Exit status: 0 if every
    question has an answer, readable or not; 1 if some have none; 2 for bad input.
    """
    from metrics.judging.ask import summary
    from metrics.judging.endpoint import Endpoint
    from metrics.judging.plan import in_words

    chosen = asks_of(asks)
    if out is None and not only_plan:
        output.fail("--out FILE.jsonl: name a file for the answers, or use --plan")
    if out is not None:
        output.check(out, (".jsonl",), [*files, references])
    endpoint = Endpoint(*named(judge, judge_model), temperature, seed, timeout, tokens, as_json)
    study, _ = reading.load_study_or_exit(files, references, keep_going)
    study = required.only_runs(study, [name.strip() for name in (runs or "").split(",") if name.strip()])
    cache = reading.open_cache(cache_dir, no_cache)
    made = planned(study, chosen, endpoint, cache, repeats)
    print(in_words(made, endpoint, price_in, price_out))
    if out is None or only_plan:
        return
    answers = asked(study, chosen, endpoint, cache, made, judge_limit, repeats, parallel)
    output.write(out, to_jsonl_bytes(answers))
    for sentence in summary(answers):
        print(sentence)
    print(f"{out}: {len(answers):,} answers; read them with the captions, as in `trilens score FILES {out.name}`")
    if left := planned(study, chosen, endpoint, cache, repeats).calls:
        output.warn(f"{left:,} calls had no answer: run the same command to ask them again.")
        raise typer.Exit(1)


def asks_of(text: str) -> list[Ask]:
    """Return the questions to ask, from their comma-separated names.

    Exit with status 2 if no name is given, or one is unknown.
    """
    from metrics.judging.questions import ASKS

    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in ASKS:
            output.fail(f"--ask {name}: a judge can be asked for {', '.join(ASKS)}")
    return [one for one in ASKS if one in names] or output.fail(f"--ask takes {', '.join(ASKS)}")
