"""Options shared by several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.output import fail
from data.study import Tokenizer as Splits

KeepGoing = Annotated[
    bool,
    typer.Option("--keep-going", help="Continue without files that cannot be read, instead of exiting with status 2."),
]


Recompute = Annotated[
    bool, typer.Option("--recompute", help="Recompute the numbers in a study bundle, instead of trusting them.")
]


Tokenizer = Annotated[
    Splits | None,
    typer.Option(
        help="ptb (as COCO; the default), whitespace, or as sacreBLEU: zh (Chinese), char (Japanese, Thai and others)."
    ),
]


Idf = Annotated[
    Path | None,
    typer.Option(
        help="File of document frequencies for CIDEr-D, made by `idf`; by default those of the study's references."
    ),
]


def _from_zero(seed: int) -> int:
    return seed if seed >= 0 else fail("--seed takes a number from 0")


def _jobs(jobs: int) -> int:
    return jobs if jobs >= 1 or jobs == -1 else fail("--jobs takes a number from 1, or -1: as many as there are cores")


Seed = Annotated[int, typer.Option(help="Seed of bootstrap, draws and samples, from 0.", callback=_from_zero)]
Jobs = Annotated[int, typer.Option(help="Chunks scored in parallel; -1 uses all cores.", callback=_jobs)]
Network = Annotated[
    Path | None, typer.Option("--cosmic", help="A network of COSMic, as `train cosmic --save` writes it.")
]
