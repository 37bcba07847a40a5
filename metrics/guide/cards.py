"""Plain sentences on what each metric measures, shown wherever it is named, and how distances are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from metrics.base import Metric
from metrics.distances.base import Distance
from metrics.distances.bertscore import BertScoreDistance
from metrics.distances.embeddings import BertDistance
from metrics.distances.meteor import MeteorDistance
from metrics.distances.words import BleuDistance, BowDistance, CiderDDistance, RougeLDistance
from metrics.guide.documentation import summary
from metrics.learned.cosmic_metric import Cosmic
from metrics.learned.critique_metric import Critique
from metrics.suite.chair import ChairI, ChairS
from metrics.suite.clipscore import ClipScore, RefClipScore
from metrics.suite.consensus import Consensus, ConsensusBleu
from metrics.suite.corpus import CorpusBleu, CorpusMsJaccard, CorpusSelfBleu, Vocabulary, Zipf
from metrics.suite.corpus_embeddings import CorpusFrechet, Mauve
from metrics.suite.distribution import Frechet, Mmd, MsJaccard, Trm
from metrics.suite.diversity import CaptionLength, Distinct, DistinctMean, SelfBleu, SelfCider, UniqueCaptions, Vendi
from metrics.suite.fbd import Fbd
from metrics.suite.fense import Fense
from metrics.suite.novelty import NovelCaptions
from metrics.suite.oracle import Bhattacharyya, Entropy, Nll, OracleNll
from metrics.suite.perplexity import Perplexity
from metrics.suite.quality import Bert, BertScore, Bleu, CiderD, Meteor, RougeL
from metrics.suite.repetition import CompressionRatio, NgramEntropy, SelfRepetition
from metrics.suite.rouge import RougeLsum, RougeN
from metrics.suite.sacre import Chrf, SacreBleu
from metrics.suite.scene import SceneF
from metrics.suite.sentence_match import SentenceMatch
from metrics.suite.spice import Spice
from metrics.suite.spider import Spider

CARDS: dict[type[Metric], str] = {
    Bleu: "How many of a caption's {phrases} people used too for that image; captions that are too short lose points.",
    RougeL: "How many words a caption shares, in the same order, with what people wrote.",
    Meteor: "How well a caption's words line up with the closest caption by a person; synonyms and paraphrases count.",
    CiderD: "How much a caption says what people agree on for that image; telling words count more than common ones.",
    Bert: "How close in meaning a caption is to the closest caption by a person, whatever its words.",
    BertScore: "How well each word of a caption is matched by a word of similar meaning in a caption by a person.",
    CorpusBleu: "Whether captions read like anything that people wrote, whichever image it was about.",
    Trm: "Whether the run's captions and people's mix as if one source wrote both, by {of} distances between three "
    "captions at a time.",
    Mmd: "How far the run's captions as a group are from people's, repeats and gaps included.",
    Frechet: "How far the centre and the spread of the run's captions are from those of people's, image by image.",
    CorpusFrechet: "How far the centre and the spread of all the run's captions are from those of all people's.",
    Fbd: "How far all the run's captions are, in centre and spread, from all of people's, by a model that you name.",
    Mauve: "How much all the run's captions and all of people's overlap in meaning; 1 is full overlap.",
    MsJaccard: "Whether the run uses words and phrases of up to {n} words as often as people do for the same image.",
    CorpusMsJaccard: "Whether the run uses words and phrases of up to {n} words as often as people do over all images.",
    SelfBleu: "How much the run's captions of one image repeat each other.",
    CorpusSelfBleu: "How much the run repeats itself from caption to caption, over all images.",
    Distinct: "What share of the {phrases} in the run's captions of an image are not repeats.",
    DistinctMean: "What share of the words and phrases in the run's captions of an image are not repeats.",
    UniqueCaptions: "What share of the run's captions of an image differ from all the others.",
    Vocabulary: "How many different words the run uses in all its captions.",
    CaptionLength: "How many words a caption has on average.",
    Zipf: "How much of the text is made of a few common words; higher means that few words do most of the work.",
    NgramEntropy: "How many different {phrases} the run uses, and how evenly it uses them.",
    SelfRepetition: "How often {phrases} come back in other captions of the run.",
    CompressionRatio: "How much smaller the run's captions become when compressed; repetition compresses well.",
    SelfCider: "How many different things the run's captions of one image say, and how evenly.",
    Vendi: "How many captions of an image are truly different; near repeats count in part.",
    Consensus: "What people score by {of}, each caption by a person against those of the others.",
    ConsensusBleu: "What people score by BLEU, each caption by a person against those of the others.",
    Nll: "How unlikely the model finds what people wrote; lower means likelier.",
    Entropy: "How open the model leaves what comes next, by its own stated probabilities.",
    OracleNll: "How unlikely the known source of people's captions finds the run's captions; lower means likelier.",
    Bhattacharyya: "How far the model's probabilities are from those of the known source of people's captions.",
    Critique: "How likely a network trained on this study is to take a caption for a person's.",
    Cosmic: "What rating people would give a caption, as expected by a network trained on ratings.",
    Perplexity: "How surprised a language model is by the run's captions; fluent English surprises it less.",
    NovelCaptions: "What share of the captions is not copied word for word from the training data.",
    ClipScore: "How well a caption fits the picture, whatever people wrote.",
    RefClipScore: "How well a caption fits both the picture and the closest caption by a person.",
    SceneF: "Whether a caption names the things, properties and relations that people name, by rules of grammar.",
    Spice: "Whether a caption names the things, properties and relations that people name, by a full parser.",
    Spider: "Whether a caption names the things and uses the distinctive words that people do; the words weigh more.",
    ChairI: "What share of the objects named in captions are not in the picture.",
    ChairS: "What share of captions name an object that is not in the picture.",
    Fense: "How near a caption is in meaning to people's; one that is not fluent keeps a tenth of its score.",
    SacreBleu: "How many of a caption's words and phrases people also used for that image, as for translations.",
    Chrf: "How many short sequences of letters a caption shares with the closest caption by a person.",
    RougeN: "What share of {counted} a caption and the closest caption by a person have in common.",
    RougeLsum: "How many words the sentences of a text share, in order, with those of the closest text by a person.",
    SentenceMatch: "How well the sentences of a text and those of the closest text by a person match, by {sentences}.",
}

BUILT_IN = (
    MeteorDistance,
    CiderDDistance,
    BertDistance,
    BertScoreDistance,
    BleuDistance,
    RougeLDistance,
    BowDistance,
)
"""Distances whose computation from a similarity is stated beside their names."""


def as_distance(space: Distance) -> str:
    """Return how a distance of BUILT_IN is computed from a similarity, such as "1 − METEOR"; "" for any other."""
    if type(space) not in BUILT_IN:
        return ""
    what = {BertDistance: f"{space.label} similarity", BowDistance: f"{space.label} similarity"}.get(
        type(space), space.label
    )
    return f"{space.maximum:g} − {what}"


def card(*metrics: Metric) -> str:
    """Return one plain sentence on what a metric, or several metrics of one kind, measure.

    For a metric that is not in CARDS, such as an imported one, it is the metric's own description.
    """
    text = CARDS.get(type(metrics[0]))
    if text is None:
        return summary(metrics[0])
    return text.format(**{name: part(metrics) for name, part in _PARTS.items() if f"{{{name}}}" in text})


def _either(said: Sequence[str]) -> str:
    different = list(dict.fromkeys(said))
    return " or ".join([", ".join(different[:-1]), different[-1]] if len(different) > 1 else different)


def _phrases(metrics: Sequence[Any]) -> str:
    """Return what the metrics count, such as "phrases of 2 or 3 words"; BLEU also counts shorter phrases."""
    numbers = [metric.n for metric in metrics]
    if max(numbers) == 1 or isinstance(metrics[0], Bleu):
        return _counted(max(numbers))
    return _phrases_of(numbers)


def _phrases_of(numbers: Sequence[int]) -> str:
    """Return "words", "phrases of 2, 3 or 4 words" or both, joined by "or", for these numbers of words."""
    if max(numbers) == 1:
        return "words"
    return f"{'words or ' if 1 in numbers else ''}phrases of {_either([str(n) for n in numbers if n > 1])} words"


def _counted(most: int) -> str:
    return "words" if most == 1 else f"words and phrases of up to {most} words"


_PARTS: dict[str, Callable[[Sequence[Any]], str]] = {
    "n": lambda metrics: _either([str(metric.n) for metric in metrics]),
    "of": lambda metrics: _either(
        [str((metric.space if isinstance(metric, Trm) else metric.of).label) for metric in metrics]
    ),
    "sentences": lambda metrics: _either([metric.space.of.label for metric in metrics]),
    "phrases": _phrases,
    "counted": lambda metrics: _phrases_of([metric.space.n for metric in metrics]),
}
