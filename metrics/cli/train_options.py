"""Options of `train critique`: what a critique reads, learns from and stands beside."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Context(StrEnum):
    """What a caption is judged beside."""

    reference = "reference"
    none = "none"


class Network(StrEnum):
    """How caption and context are combined."""

    mlp = "mlp"
    bilinear = "bilinear"
    linear = "linear"


class Reader(StrEnum):
    """What reads captions."""

    sentence = "sentence"
    lstm = "lstm"


class Negatives(StrEnum):
    """What a critique learns to tell from people's captions."""

    all = "all"
    random_captions = "random_captions"


ContextOption = Annotated[Context, typer.Option("--context", help="Judge captions beside a reference, or alone.")]
NetworkOption = Annotated[Network, typer.Option("--network", help="How caption and reference are combined.")]
ReaderOption = Annotated[Reader, typer.Option("--reader", help="Sentence embeddings, or an LSTM over words.")]
NegativesOption = Annotated[
    Negatives,
    typer.Option("--negatives", help="Learn from every kind of captions, or from people's of other items alone."),
]
Augmentation = Annotated[bool, typer.Option(help="Learn from made captions too, or from the run's alone.")]
OneForAll = Annotated[bool, typer.Option("--one-for-all", help="One critique of all runs.")]
Repeats = Annotated[int, typer.Option(min=1, max=50, help="Trainings with other seeds.")]
EncoderOption = Annotated[str | None, typer.Option("--encoder", help="A SentenceTransformer by name or folder.")]
