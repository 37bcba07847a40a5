"""`trilens train`: train a learned metric on a study, and print its scores for the captions of people and of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from cli import output, progress_bar, table_output
from cli import train_options as opt
from cli.file_options import with_cluster
from cli.reading import Given, with_given
from cli.train_cosmic import cosmic

if TYPE_CHECKING:
    import pandas as pd

    from data.study import Study
    from metrics.cache.disk import Cache
    from metrics.learned.critique_metric import Critique

app = typer.Typer(no_args_is_help=True, help="Train a learned metric on a study.")
SHOWN = ("critique", "captions", "value", "low", "high", "n", "spread", "p_value", "epochs", "held_out_loss")


app.command()(cosmic)


@app.callback()
def train() -> None:
    """Train a learned metric on a study."""


@app.command()
@with_cluster
@with_given("Files with candidates and references, or a study bundle.", "idf", "plugin", "scores_direction", "vectors")
def critique(
    given: Given,
    context: opt.ContextOption = opt.Context.reference,
    network: opt.NetworkOption = opt.Network.mlp,
    augmentation: opt.Augmentation = True,
    negatives: opt.NegativesOption = opt.Negatives.all,
    one_for_all: opt.OneForAll = False,
    repeats: opt.Repeats = 1,
    reader: opt.ReaderOption = opt.Reader.sentence,
    encoder: opt.EncoderOption = None,
    word_vectors: opt.VectorsOption = None,
    images: opt.ImagesOption = None,
    precision: opt.PrecisionOption = opt.Precision.float32,
    layers: opt.LayersOption = 1,
    width: opt.WidthOption = 512,
    samples: opt.SamplesOption = None,
) -> None:
    """Train critiques to distinguish people's captions from a run's, and print P(a person wrote it) for each kind.

    A critique scores only captions that it has not learned from, as the items are split into two halves. The metric
    `critique` in `score` is the row `run` of that run's critique. A training run that was killed resumes where it
    stopped.
    """
    from metrics.learned.critique_metric import NO_IMAGES, Critique
    from metrics.text.encoder import DEFAULT

    study, _, cache = given.study()
    made = Critique(
        *(encoder or DEFAULT, context.value, network.value, augmentation, repeats, given.seed),
        *(negatives.value, reader.value, str(word_vectors or ""), str(images or NO_IMAGES), precision.value),
        *(layers, width, str(samples or "")),
    )
    _require(study, made)
    found = _trained(study, made, cache, one_for_all)
    table_output.print_table(found, SHOWN)
    if given.out is not None:
        table_output.write_table(found, given.out)


def _trained(study: Study, metric: Critique, cache: Cache, one_for_all: bool) -> pd.DataFrame:
    from metrics.analysis.critique import critics
    from metrics.learned.critique_result import TooFew

    try:
        with progress_bar.working("Training") as hooks:
            found = critics.critics(study, metric, cache, hooks, one_for_all)
    except TooFew as why:
        output.fail(f"{why}.")
    return critics.table(found)


def _require(study: Study, metric: Critique) -> None:
    """Exit with status 2 before any work if the machine or the study does not meet a critique's requirements."""
    from metrics.learned.critique_metric import LARGEST_SEED
    from metrics.text.encoder import missing

    if metric.seed > LARGEST_SEED:
        output.fail(f"--seed takes a number from 0 to {LARGEST_SEED:,}")
    if metric.negatives != "all" and not metric.augmented:
        said = f"--negatives {metric.negatives}"
        output.fail(f"--no-augmentation leaves out what {said} learns from: give one of the two")
    if metric.reader == "sentence" and (why := missing(metric.encoder)) is not None:
        output.fail(why)
    if why := _unusable(study, metric):
        output.fail(why)
    if not study.runs:
        output.fail("a critique needs a run: give files with candidates.")
    most = max((len(item.references) for item in study.items), default=0)
    if most < 1 + metric.beside_references:
        output.fail("a critique beside references needs two of them per item; `--context none` takes one.")


def _unusable(study: Study, metric: Critique) -> str:
    """Return why an option or a file of the critique cannot be used, with the remedy; "" if all can."""
    from data.study import DataError
    from metrics.learned import critique_samples
    from metrics.learned.critique_metric import NO_IMAGES
    from metrics.text import word_vectors

    if metric.vectors and metric.reader != "lstm":
        return "--word-vectors are read by the LSTM: add --reader lstm"
    if metric.precision != "float32" and metric.reader != "lstm":
        return "--precision is that of the LSTM: add --reader lstm"
    if (metric.layers, metric.width) != (1, 512) and metric.reader != "lstm":
        return "--layers and --width are those of the LSTM: add --reader lstm"
    if metric.samples and not metric.learns_of_samples:
        return "--samples are used only with augmentation and with all or equal --negatives: leave them out"
    if metric.samples and (why := critique_samples.missing(metric.samples)) is not None:
        return why
    if metric.vectors and (why := word_vectors.missing(metric.vectors)) is not None:
        return why
    named = metric.images != NO_IMAGES
    if named != metric.beside_images:
        return "--images FILE goes with --context image or both: give the two options together"
    try:
        return metric.lacks(study)
    except DataError as why:
        return str(why)
