"""How a run is cut into chunks: the same cut everywhere, so that what one made another finds."""

from __future__ import annotations

from data.study import Item, Run

CHUNK = 128
"""Items of a chunk, unless somebody asks for another number."""
MAX_POOLED = 4_000_000


def chunks(items: tuple[Item, ...], run: Run, size: int) -> list[tuple[Item, ...]]:
    """Consecutive items, at most `size` a chunk, fewer where their pooled matrices are large."""
    pieces: list[list[Item]] = []
    room = 0
    for item in items:
        cells = (len(run.candidates.get(item.id, ())) + len(item.references)) ** 2
        if not pieces or len(pieces[-1]) == size or cells > room:
            pieces.append([])
            room = MAX_POOLED
        pieces[-1].append(item)
        room -= cells
    return [tuple(piece) for piece in pieces]


def only_of(run: Run, items: tuple[Item, ...]) -> Run:
    """The run with the captions of these items alone: what a worker has to be sent."""
    return Run(run.name, run.model, run.settings, {i.id: run.candidates.get(i.id, ()) for i in items})
