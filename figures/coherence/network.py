"""Sentences about the network of COSMic and its training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures.style.numbers import count, num
from metrics.analysis.coherence.cosmic_training import Agreement, Training
from metrics.learned.cosmic_file import About

if TYPE_CHECKING:
    from metrics.learned.cosmic_data import Images

FILE = "cosmic.safetensors"
ABOUT = (
    "COSMic (Inan et al. 2021) reads coherence labels with a network trained on people's ratings. Without a file, "
    "it learns from this study's own ratings, if 50 images are rated."
)
FILES = (
    "A network that `train cosmic --save` wrote, of at most 128 MB; or ratings as RaCCoon's table, JSON or a rated "
    "study, of at most 64 MB, to train one on; or features of images as .npz with `names` and `features`."
)
INSTALL = "COSMic can read this study's pictures by EfficientNet-lite0, once its weights (17 MB) are installed:"
PICTURES = "1,280 numbers per picture from EfficientNet-lite0, trained on ImageNet; each picture is read once."
AUGMENTED = "Captions of other images with the same label, rated 0, until the labels' mean ratings are equal (COSMic+)."


def about(found: About) -> list[tuple[str, str]]:
    """Return what a network learned from and what it reads, as names and values."""
    learned = f"{count(found.captions, 'caption')} of {count(found.pictures, 'image')}"
    reads = [", ".join(found.labels) or "no labels", *(["image features"] if found.images else [])]
    return [("Learned from", learned), ("Reads", "; ".join(reads))]


def features(found: Images) -> str:
    """Return a description of a file of features."""
    return f"{count(found.features.shape[1], 'number')} of each of {count(len(found.names), 'image')}"


def lacking(network: About, width: int) -> str | None:
    """Return what a network lacks to read images, given features of `width` numbers (0: none); None if it lacks
    nothing.
    """
    if network.cross:
        return (
            "This network reads pictures with an encoder of its own, which the app does not load; to score with it, "
            "run "
            'trilens score STUDY --metrics "cosmic(images=PICTURES)" --cosmic FILE --encoder FOLDER.'
        )
    if network.images in (0, width):
        return None
    if not width:
        return f"This network reads {network.images:,} numbers of each image: drop an .npz file of them here."
    return f"This network reads {network.images:,} numbers of each image, and these features have {width:,}."


def ratings(work: Training) -> str:
    """Return a description of a file of ratings, and whether a network trained on it can read images."""
    held = f"{work.name}: {count(len(work.rated), 'rated caption')} of {count(work.images, 'image')}."
    if work.features is None:
        return held
    if work.covered:
        return f"{held} The network reads the image features."
    return f"{held} The image features lack some of these images, so the network reads none."


def agreement(work: Training, found: Agreement) -> str:
    """Return how well a network agrees with ratings of images that it has not seen."""
    better = found.difference_low > 0
    worse = found.difference_high < 0
    beside = "better than" if better else "worse than" if worse else "not detectably better than"
    tau = f"{num(found.value, 3)} ({num(found.low, 3)} to {num(found.high, 3)})"
    return (
        f"COSMic learned from {work.name}: tau-b {tau} with ratings of images that it has not seen, {beside} the label "
        f"alone ({num(found.alone, 3)})."
    )
