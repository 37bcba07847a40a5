"""`score --p-values`: p-values of metrics that test all captions of a run together, such as MAUVE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.progress_bar import working
from data.study import Study
from metrics.base import Undefined
from metrics.cache.disk import Cache
from metrics.chunk import CHUNK, Chunk, chunks
from metrics.engine.scoring import Results
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    import pandas as pd


def with_run_tests(table: pd.DataFrame, study: Study, results: Results, options: Options, cache: Cache) -> pd.DataFrame:
    """Return SCORES with any requested p-values of metrics such as MAUVE, in the rows of whole runs.

    `p_n` counts the items with captions on both sides.
    """
    from metrics.suite.corpus_embeddings import Mauve

    wanted = {key: one.metric for key, one in results.items() if isinstance(one.metric, Mauve) and not one.why()}
    if not options.p_values or not wanted:
        return table
    with working("p of whole runs") as hooks:
        for k, ((run, name), metric) in enumerate(wanted.items()):
            hooks.share(k / len(wanted))
            of = study.run(run)
            pieces = tuple(map(len, chunks(study.items, of, CHUNK)))
            chunk = Chunk.of(study.items, of, cache, hooks, pieces=pieces, clustered=study.unit is not None)
            row = (table.run == run) & (table.metric == name) & (table.level == "corpus")
            try:
                test = metric.test_run(chunk, options.budget, options.seed, options.draws)
            except Undefined as why:
                table.loc[row, "p_error"] = str(why)
                continue
            both = sum(all(chunk.sizes(index)) for index in range(len(chunk)))
            table.loc[row, ["p_value", "p_two_sided", "p_floor"]] = test.p_value, test.p_two_sided, test.floor
            table.loc[row, "p_n"] = both
            table.loc[row, "p_error"] = None
    return table
