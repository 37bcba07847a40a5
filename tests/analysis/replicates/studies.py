"""Make studies with replicates: the captions of each run are divided among several seeds."""

from __future__ import annotations

from dataclasses import replace

from data.study import Run, Study


def split(study: Study, seeds: int) -> Study:
    return replace(study, runs=tuple(part for run in study.runs for part in _parts(run, seeds)))


def _parts(run: Run, seeds: int) -> list[Run]:
    return [
        replace(
            run,
            name=f"{run.name} seed {k}",
            settings=replace(run.settings, seed=k),
            candidates={id: texts[k::seeds] for id, texts in run.candidates.items()},
            human=None,
            logprobs=None,
            oracle_logprobs=None,
            reference_logprobs=None,
        )
        for k in range(seeds)
    ]
