"""Sentences, rows and tables about critiques."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data.study import Study
from figures.critique.chart import Losses, Mark, Row
from figures.images.words import roles
from figures.style.escaping import Strong, short
from figures.style.numbers import count, defined, num, signed
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, n_items, names_in_a_row
from metrics.analysis.critique.critics import (
    GAP,
    PEOPLE,
    PERFORMANCE,
    RUN,
    Critic,
    above_people,
    below_people,
)
from metrics.analysis.critique.mistakes import Scored
from metrics.analysis.critique.stored import Design
from metrics.analysis.critique.words import WordUse
from metrics.bootstrap import LEAST
from metrics.learned.critique_result import PROBES

ALL = "one for all runs"
LEARNS = {"all": "those of a run", "equal": "those of a run", "random_captions": "captions of other images"}
"""The captions that a critique learns to distinguish from people's."""
CONTEXTS = {
    "reference": "a caption by a person",
    "image": "the image",
    "both": "a caption by a person and the image",
    "none": "nothing",
}
NETWORKS = {"mlp": "hidden layer", "bilinear": "bilinear", "linear": "linear"}
READERS = {"sentence": "sentence embeddings", "lstm": "LSTM over words"}
NEAR = 0.1
"""Artificial captions pass for people's if their mean score is less than this much below people's."""
FEW = 100
"""With fewer items, a verdict without significant results gives their number."""
HOW = (
    "A critique is a network that learns to distinguish captions by people from those of a run (Cui et al. 2018). Each "
    "half of a study is scored by the critique trained on the other half; a score is the mean over repeats, and over "
    "people's captions as context.",
    "With augmentation, a third of the captions that it learns to reject are the run's, a third are samples of a "
    "trigram model of the run, and a third are captions of other images and captions with some words shuffled or "
    "replaced by random ones; with “other captions only”, all are captions of other images, and none are a run's. "
    "Images of one cluster are in one half. Intervals: 95 % bootstrap over "
    "images, or whole clusters; a run is significantly below people by a paired t-test over images, "
    "corrected for the number of runs (Holm). Where the critique learned from the run, the standard error is that of "
    "half of the images, also for the interval: each half has judged the other, and both judgments are much alike.",
)


HOW_WORDS = (
    "Words in lower case, without punctuation, that occur five times or more. Labels: the words whose rates differ "
    "most, by the log-likelihood ratio G (Dunning 1993)."
)
HOW_LEARNING = (
    "Cross entropy per epoch, the mean over both halves and all repeats; 0.69 is chance. Dotted: training captions. "
    "Line: every tenth set of captions, held out; training stops 5 epochs after the lowest loss on these."
)


def made(name: str, noun: str) -> str:
    """Return the name of a score in words, such as "captions of other images" or "people minus the run"."""
    return {
        RUN: "the run's captions",
        PEOPLE: "people's captions",
        "random_caption": f"captions of other {noun}s",
        "word_permutation": "shuffled words",
        "random_words": "random words",
        "language_model": "a trigram model's samples",
        GAP: "people minus the run",
        PERFORMANCE: "probability of the right answer",
    }[name]


def untrained(study: Study, negatives: str, n: int, first: Sequence[str], metric: str) -> str:
    """Return what `n` critiques learn, and which runs to begin with, if not with all.

    `first` are the names of the runs to begin with, empty for all; `metric` is the label of the metric that chose them,
    "" if none did.
    """
    chosen = f", {roles(study, len(first))} by {metric}" if metric and len(first) > 1 else ""
    begin = f"Begin with {names_in_a_row(first)}{chosen}. " if first else ""
    return (
        "A critique learns from this study to distinguish captions by people from "
        f"{LEARNS[negatives]}; a run whose captions it takes for people's passes. {begin}"
        f"{count(n, 'critique')} {'is' if n == 1 else 'are'} trained twice, once on each half of the "
        f"{item_noun(study)}s, on this machine; other pages can be used meanwhile."
    )


READING = "Each run's score minus people's, by its own critique. Left of the line: less like people."


def ordered(critics: Sequence[Critic]) -> list[Critic]:
    """Return the critiques by how far their run scores above people, the highest first.

    Each run has a critique of its own, under which people have another score, so only these differences can be
    compared.
    """
    return sorted(critics, key=lambda one: -above if defined(above := _above(one)) else np.inf)


def _above(one: Critic) -> float:
    """The score of the run minus people's under the same critique."""
    return -one.scores[GAP].value


def verdict(study: Study, critics: Sequence[Critic], augmented: bool) -> list[str]:
    """Return the verdict: which runs differ from people, as far as this is tested.

    If training was not `augmented` and artificial captions pass for people's, the verdict names these after the first
    sentence.
    """
    known = [one for one in ordered(critics) if defined(_above(one))]
    if not known:
        return ["No run has a score: there are too few captions."]
    best, noun = known[0], item_noun(study)
    said = _alone(best, study, noun) if len(known) == 1 else _several(known, study, noun)
    if augmented or not (fooled := _passing(best)):
        return said
    values = " and ".join(f"{made(kind, noun)} {num(best.scores[kind].value, 2)}" for kind in fooled[:2])
    too = " too" if best.scores[RUN].value > best.scores[PEOPLE].value - NEAR else ""
    return [*said[:2], f"Without augmentation, {values} pass for people's{too}."]


def _alone(one: Critic, study: Study, noun: str) -> list[str]:
    gap, name = one.scores[GAP], short(short_names(study.runs)[one.run], 24)
    scores = f": captions score {num(one.scores[RUN].value, 2)}, people's {num(one.scores[PEOPLE].value, 2)}. "
    if not defined(gap.p_value):
        return [Strong(name), scores, f"Whether they differ from people's cannot be tested{_too_few(gap.n, noun)}."]
    sides = [side for side, found in (("below", below_people), ("above", above_people)) if found([one])[0]]
    tested = f"The run scores significantly {sides[0]} people." if sides else _undetected(gap.n, noun)
    return [Strong(name), scores, tested]


def _several(known: Sequence[Critic], study: Study, noun: str) -> list[str]:
    """How many runs are significantly below or above people, and for which ones no difference is detected."""
    some = "" if len(known) == len(study.runs) else " with a critique"
    tested, most = [one for one in known if defined(one.scores[GAP].p_value)], max(one.scores[GAP].n for one in known)
    if not tested:
        return [f"Whether runs differ from people cannot be tested{_too_few(most, noun)}. "]
    below, above = below_people(tested), above_people(tested)
    if not any((*below, *above)):
        return [_undetected(most, noun, f" for any of {count(len(tested), 'run')}{some}"), " "]
    (n, where), *rest = [(side.count(True), at) for side, at in ((below, "below"), (above, "above")) if any(side)]
    of = f"{n} of {count(len(tested), 'run')}" if n < len(tested) else "Both runs" if n == 2 else f"All {n:,} runs"
    also = f", {rest[0][0]} above" if rest else ""
    said = [Strong(of), f"{some} {'scores' if n == 1 else 'score'} significantly {where} people{also}. "]
    named = short_names(study.runs)
    alike = [short(named[one.run], 24, named.values()) for one, *far in zip(tested, below, above) if not any(far)]
    return [*said, f"No difference from people is detected for {names_in_a_row(alike, 3)}."] if alike else said


def _too_few(n: int, noun: str) -> str:
    return f": {count(n, noun)} {'is' if n == 1 else 'are'} too few" if n < LEAST else ""


def _undetected(n: int, noun: str, whose: str = "") -> str:
    few = f"; with {count(n, noun)}, this test has little power" if n < FEW else ""
    return f"No difference from people is detected{whose}{few}."


def _passing(one: Critic) -> list[str]:
    people = one.scores[PEOPLE].value
    found = [name for name in PROBES if one.scores[name].value > people - NEAR]
    return sorted(found, key=lambda name: -one.scores[name].value)


def rows(study: Study, critics: Sequence[Critic]) -> list[Row]:
    """Return a row for each run: its score minus people's, an open mark unless the difference is significant."""
    styles, names, shown = styles_of(study), short_names(study.runs), ordered(critics)
    found = []
    for one, below, above in zip(shown, below_people(shown), above_people(shown)):
        style, gap = styles[study.run(one.run).model], one.scores[GAP]
        told = f"{num(one.scores[RUN].value, 2)}, people's {num(one.scores[PEOPLE].value, 2)}; minus people's"
        mark = Mark(told, -gap.value, -gap.high, -gap.low, style.symbol, style, not (below or above))
        found.append(Row(one.run, names[one.run], (mark,), signed(_above(one), 2)))
    return found


def mark(one: Critic, name: str, noun: str, symbol: str) -> Mark:
    """Return the mark of one kind of captions."""
    return Mark(made(name, noun), *one.scores[name][:3], symbol)


def compared(study: Study, one: Critic, other: Critic | None) -> list[Row]:
    """Return a row for each kind of captions: its score by `one`, trained with augmentation if there is an `other`,
    and, as an open mark, by this other critique, trained without.
    """
    noun, name = item_noun(study), short_names(study.runs)[one.run]
    kinds = (PEOPLE, RUN, *PROBES)
    labels = {RUN: name, PEOPLE: "people", **{kind: made(kind, noun) for kind in PROBES}}
    sides = [(one, "P", False)]
    if other is not None:
        sides = [(other, "without augmentation", True), (one, "with augmentation", False)]

    def marks(kind: str) -> tuple[Mark, ...]:
        return tuple(Mark(called, *of.scores[kind][:3], "circle", None, hollow) for of, called, hollow in sides)

    return [Row(kind, labels[kind], marks(kind)) for kind in kinds]


def by_setting(study: Study, run: str, found: Sequence[tuple[Design, Critic]]) -> list[Row]:
    """Return a row for each context and network: the scores of people and of the run."""
    style = styles_of(study)[study.run(run).model]
    noun, name = item_noun(study), short_names(study.runs)[run]
    return [
        Row(
            setting(design),
            setting(design),
            (mark(one, PEOPLE, noun, "circle"), Mark(name, *one.scores[RUN][:3], style.symbol, style)),
        )
        for design, one in found
    ]


def setting(design: Design) -> str:
    """Return the context and the network in words."""
    return f"beside {CONTEXTS[design.metric.context]}, {NETWORKS[design.metric.combination]}"


def losses(study: Study, critics: Sequence[Critic]) -> list[Losses]:
    """Return the mean losses by epoch of each critique; a critique shared by all runs appears once."""
    styles, names = styles_of(study), short_names(study.runs)
    if critics and critics[0].one_for_all:
        return [_losses(critics[0], ALL, None)]
    return [_losses(one, names[one.run], styles[study.run(one.run).model]) for one in critics]


def _losses(one: Critic, label: str, style: object) -> Losses:
    """The mean losses over folds and repeats, up to the last epoch that at least half of them reached."""
    flat = one.losses.reshape(-1, *one.losses.shape[2:])
    enough = np.isfinite(flat[:, :, 0]).mean(axis=0) >= 0.5
    known = flat[:, enough]
    learned = tuple(np.nanmean(known[..., 0], axis=0).tolist())
    held = tuple(np.nanmean(known[..., 1], axis=0).tolist()) if np.isfinite(known[..., 1]).all(axis=0).any() else ()
    return Losses(label, style, learned, held)  # type: ignore[arg-type]


def facts(study: Study, critics: Sequence[Critic]) -> list[str]:
    """Return the footer of the figure: n, the meaning of the bars, and the largest spread of repeats, if known."""
    n = max((score.n for one in critics for score in one.scores.values()), default=0)
    said = [f"n = {n_items(study, n)}", "bars: 95 % interval", "filled: p ≤ 0.05, corrected for all runs"]
    spreads = [one.scores[RUN].spread for one in critics if defined(one.scores[RUN].spread)]
    return [*said, f"spread of repeats at most {num(max(spreads), 3)}"] if spreads else said


def table(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table of the critiques with its columns named in words."""
    noun = item_noun(study)
    shown = frame.assign(captions=frame.captions.map(lambda name: made(name, noun))).drop(columns="critique")
    return shown.rename(
        columns={
            "run": "Run",
            "captions": "Captions",
            "value": "P(person)",
            "low": "95 % from",
            "high": "95 % to",
            "spread": "Spread of repeats",
            "p_value": "p",
            "epochs": "Epochs",
            "held_out_loss": "Loss on held-out captions",
        }
    )


def loss_table(every: Sequence[Losses]) -> pd.DataFrame:
    """Return a row for each critique and epoch."""
    rows = [
        (one.label, epoch + 1, one.learned[epoch], one.held[epoch] if one.held else np.nan)
        for one in every
        for epoch in range(len(one.learned))
    ]
    return pd.DataFrame(rows, columns=["Critique", "Epoch", "Loss on training captions", "Loss on held-out captions"])


def row_table(every: Sequence[Row]) -> pd.DataFrame:
    """Return a row for each mark."""
    rows = [(row.label, one.name, one.value, one.low, one.high) for row in every for one in row.marks]
    return pd.DataFrame(rows, columns=["Captions", "Of", "P(person)", "95 % from", "95 % to"])


def word_table(use: WordUse) -> pd.DataFrame:
    """Return all words, sorted by how much their frequencies differ, largest difference first."""
    people, own = use.per_thousand()
    gap = use.surprise()
    columns = {"Word": use.words, "People, per 1,000": people, "Run, per 1,000": own, "G": gap}
    return pd.DataFrame(columns).sort_values("G", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def word_facts(use: WordUse) -> list[str]:
    """Return the number of different words, and how many words each side has in all."""
    return [f"{count(len(use.words), 'word')}", f"people: {use.totals[0]:,} in all", f"run: {use.totals[1]:,}"]


def alt_words(use: WordUse, run: str) -> str:
    """Return the words that differ most, as a sentence."""
    gap = use.surprise()
    most = np.argsort(-gap, kind="stable")[:3], np.argsort(gap, kind="stable")[:3]
    more, less = (", ".join(use.words[k] for k in order) for order in most)
    return f"Words that {run} uses more often than people: {more}; less often: {less}"


def loss_facts(every: Sequence[Losses], chosen: str) -> list[str]:
    """Return the chosen critique's number of epochs and, if captions were held out, its lowest loss on these."""
    one = next(one for one in every if one.label == chosen)
    said = [f"{chosen}: {count(len(one.learned), 'epoch')}"]
    return [*said, f"lowest held-out loss {num(min(one.held), 3)}"] if one.held else [*said, "nothing held out"]


def alt_losses(every: Sequence[Losses], chosen: str) -> str:
    """Return the text alternative of the figure."""
    return f"Loss by epoch of {count(len(every), 'critique')}; {', '.join(loss_facts(every, chosen))}"


def mistake_table(study: Study, sides: Sequence[Sequence[Scored]]) -> pd.DataFrame:
    """Return a row for each caption in the lists `sides`, with its author and its score."""
    rows = [(study.items[one.item].id, one.author or "people", one.text, one.score) for side in sides for one in side]
    return pd.DataFrame(rows, columns=["Item", "By", "Caption", "P(person)"])


def alt(study: Study, critics: Sequence[Critic]) -> str:
    """Return the text alternative of the figure."""
    names = short_names(study.runs)
    told = ordered(critics)[:3]
    said = [
        f"{names[one.run]} {num(one.scores[RUN].value, 2)}, people {num(one.scores[PEOPLE].value, 2)}" for one in told
    ]
    return f"P(a person wrote it) of {count(len(critics), 'run')}: {'; '.join(said)}"
