"""Options of `train critique`: inputs, the captions to learn from, and the context in which captions are judged."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Context(StrEnum):
    """The context in which a caption is judged."""

    reference = "reference"
    image = "image"
    both = "both"
    none = "none"


class Network(StrEnum):
    """The kind of network that combines a caption with its context."""

    mlp = "mlp"
    bilinear = "bilinear"
    linear = "linear"


class Reader(StrEnum):
    """The encoder of captions."""

    sentence = "sentence"
    lstm = "lstm"


class Precision(StrEnum):
    """The precision of matrix products while the LSTM is trained."""

    float32 = "float32"
    bfloat16 = "bfloat16"


class Negatives(StrEnum):
    """The texts that a critique learns to distinguish from people's captions."""

    all = "all"
    equal = "equal"
    random_captions = "random_captions"


ContextOption = Annotated[
    Context, typer.Option("--context", help="Judge captions beside a reference, their image, both, or alone.")
]
ImagesOption = Annotated[
    Path | None, typer.Option("--images", help="An .npz with `names` and `features` of images, for image and both.")
]
VectorsOption = Annotated[
    Path | None, typer.Option("--word-vectors", help="Initial word vectors of the LSTM: .txt or .gz.")
]
PrecisionOption = Annotated[
    Precision,
    typer.Option(
        "--precision", help="Precision of the LSTM's training; bfloat16 is faster on processors that have it."
    ),
]
NetworkOption = Annotated[Network, typer.Option("--network", help="How caption and reference are combined.")]
ReaderOption = Annotated[Reader, typer.Option("--reader", help="Sentence embeddings, or an LSTM over words.")]
NegativesOption = Annotated[
    Negatives,
    typer.Option(
        "--negatives",
        help="Every kind in the paper's shares, in equal ones, or only people's captions of other items.",
    ),
]
SamplesOption = Annotated[
    Path | None,
    typer.Option(
        "--samples", help="Samples of the runs' own models, by run and item, in place of those of trigram models."
    ),
]
LayersOption = Annotated[int, typer.Option("--layers", min=1, max=4, help="Layers of the LSTM.")]
WidthOption = Annotated[int, typer.Option("--width", min=8, max=2_048, help="Width of each layer of the LSTM.")]
Augmentation = Annotated[bool, typer.Option(help="Learn from artificial captions too, or only from the run's.")]
OneForAll = Annotated[bool, typer.Option("--one-for-all", help="One critique for all runs.")]
Repeats = Annotated[int, typer.Option(min=1, max=50, help="Number of trainings, each with another seed.")]
EncoderOption = Annotated[str | None, typer.Option("--encoder", help="A SentenceTransformer by name or folder.")]
