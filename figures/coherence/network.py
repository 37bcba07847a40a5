"""Sentences about the network of COSMic and its training."""

from __future__ import annotations

from figures.style.numbers import count, num
from metrics.analysis.cosmic_training import Agreement, Training
from metrics.learned.cosmic_file import About

FILE = "cosmic.safetensors"
ABOUT = (
    "COSMic (Inan et al. 2021) reads coherence labels: a network learned from ratings by people. Without a network it "
    "learns from this study's own ratings, if it has 50 rated images."
)
FILES = (
    "A network that `train cosmic --save` wrote, of at most 128 MB; or ratings as RaCCoon's table, JSON or a rated "
    "study, of at most 64 MB: a network without images is trained on them."
)
AUGMENTED = "Captions of other images with the same label, rated 0, until the labels' mean ratings are level (COSMic+)."


def about(found: About) -> list[tuple[str, str]]:
    """Return the facts of a network."""
    learned = f"{count(found.captions, 'caption')} of {count(found.pictures, 'image')}"
    reads = [", ".join(found.labels) or "no labels", *(["image features"] if found.images else [])]
    return [("Learned from", learned), ("Reads", "; ".join(reads))]


def ratings(work: Training) -> str:
    """Return what a file of ratings holds."""
    return f"{work.name}: {count(len(work.rated), 'rated caption')} of {count(work.images, 'image')}."


def agreement(work: Training, found: Agreement) -> str:
    """Return how well a network agrees with ratings of images that it has not seen."""
    better = found.difference_low > 0
    worse = found.difference_high < 0
    beside = "better than" if better else "worse than" if worse else "no better than"
    tau = f"{num(found.value, 3)} ({num(found.low, 3)} to {num(found.high, 3)})"
    return (
        f"COSMic learned from {work.name}: tau-b {tau} with ratings of images that it has not seen, {beside} the label "
        f"alone ({num(found.alone, 3)})."
    )
