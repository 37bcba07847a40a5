"""`trilens cloud`: how near the captions of each run are to people's, and how varied, as on the Caption cloud page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output, table_output
from cli.progress_bar import working
from cli.reading import Given, with_given

if TYPE_CHECKING:
    from data.study import Study
    from metrics.analysis.cloud.captions import Projection
    from metrics.cache.disk import Cache
    from metrics.cache.entry import Arrays


@with_given(
    "Files with captions of runs and references, or a study bundle.", "idf", "plugin", "scores_direction", "vectors"
)
def cloud(
    given: Given,
    encoder: Annotated[str | None, typer.Option(help="SentenceTransformer by name or folder.")] = None,
) -> None:
    """Compare the captions of each run with people's by their embeddings: how near they are, and how varied.

    The table and the verdict are the page's; its maps change none of the numbers.
    """
    study, _, cache = given.study()
    from figures.cloud import spread_and_nearness_words, words
    from metrics.analysis.cloud.captions import Projection, layout, points
    from metrics.analysis.cloud.spread_and_nearness import standings
    from metrics.text.encoder import DEFAULT

    projection = Projection("pca", centred=True, seed=given.seed, encoder=encoder or DEFAULT)
    arrays = _laid_out(study, projection, cache)
    of = points(study, seed=given.seed)
    lay = layout(of, projection, arrays)
    found = standings(of, lay)
    table = words.runs_table(study, lay, of, found)
    table_output.give_table(table, list(table.columns), given.out, None)
    print("".join(spread_and_nearness_words.verdict(study, found, lay.within)).strip(), file=sys.stderr)


def _laid_out(study: Study, projection: Projection, cache: Cache) -> Arrays:
    from metrics.analysis import artifacts
    from metrics.base import Undefined
    from metrics.text.encoder import EncoderFaulty, EncoderMissing

    try:
        with working("captions") as hooks:
            return artifacts.layout(study, projection, cache).arrays(cache, hooks)
    except (Undefined, EncoderMissing, EncoderFaulty) as why:
        return output.fail(str(why))
