"""Every metric, every distance, and the named sets of metrics."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from data.study import Study
from metrics.aliases import ALIASES, own_name
from metrics.base import Metric
from metrics.distances.base import Distance
from metrics.distances.bertscore import BertScoreDistance
from metrics.distances.chrf import ChrfDistance
from metrics.distances.embeddings import BertDistance
from metrics.distances.meteor import MeteorDistance
from metrics.distances.rouge_score import RougeNDistance
from metrics.distances.sentences import SentenceDistance
from metrics.distances.words import BleuDistance, BowDistance, CiderDDistance, RougeLDistance
from metrics.learned.cosmic_file import unusable
from metrics.learned.cosmic_metric import Cosmic, bound
from metrics.learned.critique_metric import Critique
from metrics.logprobs import unstated
from metrics.parameters import parse_instance, plain_name, with_fields
from metrics.suite.chair import ChairI, ChairS
from metrics.suite.clipscore import ClipScore, RefClipScore
from metrics.suite.consensus import Consensus, ConsensusBleu
from metrics.suite.corpus import CorpusBleu, CorpusMsJaccard, CorpusSelfBleu, Vocabulary, Zipf
from metrics.suite.corpus_embeddings import CorpusFrechet, Mauve
from metrics.suite.distribution import Frechet, Mmd, MsJaccard, Trm
from metrics.suite.diversity import CaptionLength, Distinct, DistinctMean, SelfBleu, SelfCider, UniqueCaptions, Vendi
from metrics.suite.fbd import Fbd
from metrics.suite.fense import Fense
from metrics.suite.imported_distances import distance_metrics
from metrics.suite.imported_scores import score_metrics
from metrics.suite.imported_vectors import vector_metrics
from metrics.suite.novelty import NovelCaptions
from metrics.suite.oracle import Bhattacharyya, Entropy, Nll, OracleNll
from metrics.suite.perplexity import Perplexity
from metrics.suite.quality import Bert, BertScore, Bleu, CiderD, Meteor, RougeL
from metrics.suite.ratings import PREFIX, RATINGS, RatedByPeople, rating_metrics
from metrics.suite.repetition import CompressionRatio, NgramEntropy, SelfRepetition
from metrics.suite.rouge import RougeLsum, RougeN
from metrics.suite.sacre import Chrf, SacreBleu
from metrics.suite.scene import SceneF
from metrics.suite.sentence_match import SentenceMatch
from metrics.suite.spice import Spice
from metrics.suite.spider import Spider
from metrics.text.cider import DocumentFrequencies

DISTANCES: dict[str, Distance] = {
    space.label: space
    for space in (
        MeteorDistance(),
        CiderDDistance(),
        BertDistance(),
        BertScoreDistance(),
        BleuDistance(),
        RougeLDistance(),
        BowDistance(),
    )
}
"""Every distance by its label. Each has a triangle-rank metric, and is offered wherever a distance can be chosen."""

_ALL: tuple[Metric, ...] = (
    Bleu(1),
    Bleu(2),
    Bleu(3),
    Bleu(4),
    RougeL(),
    Meteor(MeteorDistance()),
    CiderD(),
    Bert(),
    BertScore(),
    CorpusBleu(n=2),
    CorpusBleu(n=3),
    CorpusBleu(n=4),
    CorpusBleu(n=5),
    *(Trm(space.of_all_alike) for space in DISTANCES.values()),
    Mmd(BertDistance()),
    Mmd(BowDistance()),
    Frechet(BertDistance()),
    CorpusFrechet(),
    Mauve(),
    MsJaccard(2),
    MsJaccard(3),
    MsJaccard(4),
    MsJaccard(5),
    CorpusMsJaccard(n=2),
    CorpusMsJaccard(n=3),
    CorpusMsJaccard(n=4),
    CorpusMsJaccard(n=5),
    SelfBleu(n=2),
    SelfBleu(n=3),
    SelfBleu(n=4),
    SelfBleu(n=5),
    CorpusSelfBleu(n=2),
    CorpusSelfBleu(n=3),
    CorpusSelfBleu(n=4),
    CorpusSelfBleu(n=5),
    Distinct(n=1),
    Distinct(n=2),
    DistinctMean(),
    UniqueCaptions(),
    Vocabulary(),
    CaptionLength(),
    Zipf(),
    NgramEntropy(),
    SelfRepetition(),
    CompressionRatio(),
    SelfCider(),
    Vendi(),
    Consensus(Meteor(MeteorDistance())),
    Consensus(CiderD()),
    Consensus(RougeL()),
    Consensus(Bert()),
    Consensus(BertScore()),
    Consensus(Bleu(1)),
    Consensus(Bleu(2)),
    Consensus(Bleu(3)),
    Consensus(Bleu(4)),
    ConsensusBleu(),
    Nll(),
    Entropy(),
    OracleNll(),
    Bhattacharyya(),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}

_NAMED = (
    *(Critique(), Cosmic(), Perplexity(), NovelCaptions(), ClipScore(), RefClipScore()),
    *(SceneF(), Consensus(SceneF()), Spice(), Spider(), Fbd()),
    *(ChairI(), ChairS(), Fense(), Consensus(Fense())),
    *(RougeN(), RougeN(RougeNDistance(n=2)), RougeLsum()),
    *(SacreBleu(), Chrf(), Chrf(ChrfDistance(words=2))),
    *(SentenceMatch(SentenceDistance(space)) for space in DISTANCES.values()),
)
LEARNED: dict[str, Metric] = {metric.name: metric for metric in _NAMED}
"""Metrics that must be requested by name and are in no set.

They train a network, need a file, a model or a parser, or compute another metric by the rules of another program.
"""

TRMS: dict[str, Trm] = {metric.space.label: metric for metric in _ALL if isinstance(metric, Trm)}
"""The triangle-rank metric of every distance, by the distance's label."""

SETS: dict[str, tuple[str, ...]] = {
    "fast": tuple(METRICS),
    "full": tuple(METRICS),
    "paper": (
        "bleu_1",
        "bleu_2",
        "bleu_3",
        "bleu_4",
        "rouge_l",
        "meteor",
        "cider_d",
        "bert",
        "trm_meteor",
        "trm_cider_d",
        "trm_bert",
        "mmd_bert",
        "frechet_bert",
        "corpus_frechet_bert",
        "mauve_bert",
        "corpus_ms_jaccard_2",
        "corpus_ms_jaccard_3",
        "corpus_ms_jaccard_4",
        "corpus_ms_jaccard_5",
        "corpus_self_bleu_2",
        "corpus_self_bleu_3",
        "corpus_self_bleu_4",
        "corpus_self_bleu_5",
        "consensus_meteor",
        "consensus_cider_d",
        "consensus_bleu",
        "consensus_bleu_4",
        "consensus_rouge_l",
    ),
}


IMPORTED = "imported"
"""Name of the set of all imported metrics of a study."""


@dataclass(frozen=True)
class Registry:
    """Every metric by name, and every triangle-rank metric by its distance's label, for given document frequencies."""

    metrics: Mapping[str, Metric]
    trms: Mapping[str, Trm]
    idf: DocumentFrequencies | None = None
    tokenizer: str = "ptb"


OWN = Registry(METRICS, TRMS)
"""The registry in which every CIDEr-D counts document frequencies in the study itself."""


def with_frequencies(idf: DocumentFrequencies | None, tokenizer: str = "ptb") -> Registry:
    """Return the registry in which CIDEr-D uses these document frequencies, and word metrics this tokenizer."""
    if idf is None and tokenizer == "ptb":
        return OWN
    found = {n: metric if (new := given_to(metric, idf, tokenizer)) == metric else new for n, metric in METRICS.items()}
    return Registry(found, {m.space.label: m for m in found.values() if isinstance(m, Trm)}, idf, tokenizer)


def imported_metrics(study: Study) -> dict[str, Metric]:
    """Return the imported metrics of a study by name; no name coincides with that of another metric or set."""
    taken = {*METRICS, *LEARNED, *SETS, IMPORTED}
    scores = score_metrics(study, taken)
    known = {**scores, **vector_metrics(study, {*taken, *scores})}
    return {**known, **distance_metrics(study, {*taken, *known})}


def with_imported(registry: Registry, study: Study) -> Registry:
    """Return the registry extended by the imported metrics of a study."""
    own = imported_metrics(study)
    trms = {metric.space.label: metric for metric in own.values() if isinstance(metric, Trm)}
    return replace(registry, metrics={**registry.metrics, **own}, trms={**registry.trms, **trms}) if own else registry


def given_to(value: Any, idf: DocumentFrequencies | None, tokenizer: str = "ptb") -> Any:
    """Return a metric or distance with these frequencies and this tokenizer as far as it uses them."""
    changes = {**({} if idf is None else {"idf": idf}), **({} if tokenizer == "ptb" else {"tokenizer": tokenizer})}
    return with_parameters(value, changes) if changes else value


def frequencies_of(value: Any) -> DocumentFrequencies | None:
    """Return the document frequencies supplied to a metric or distance; None if it uses none or counts its own."""
    for field in fields(value):
        part = getattr(value, field.name)
        if isinstance(part, DocumentFrequencies):
            return part
        if is_dataclass(part) and (found := frequencies_of(part)) is not None:
            return found
    return None


def resolve(
    names: Iterable[str],
    tokenizer: str | None = None,
    encoder: str | None = None,
    idf: DocumentFrequencies | None = None,
    study: Study | None = None,
    cosmic: Path | str | None = None,
) -> tuple[Metric, ...]:
    """Return the metrics with these names or in these sets, without duplicates, in registry order.

    All use this encoder, these frequencies and this tokenizer, by default that of the study. `cosmic` names the file of
    a trained COSMic network; without it, COSMic learns from the study's own ratings. Imported metrics come last and
    belong to every set but `paper`; `imported` names them all. A name in `ALIASES` stands for the metric that it maps
    to. `ratings` names a study's ratings by people, which are in no other set. Without a study, imported metrics and
    ratings do not exist. A set omits metrics of log-probabilities that the study lacks. A name may set parameters,
    `mmd_bert(bandwidth=1)`: that instance follows the plain metric. Raises ValueError if a name cannot be used; the
    message lists the nearest known names for each unknown name.
    """
    tokenizer = tokenizer or ("ptb" if study is None else study.tokenizer)
    changes = {"tokenizer": tokenizer, **({"encoder": encoder} if encoder else {}), **({"idf": idf} if idf else {})}
    if cosmic:
        if (why := unusable(str(cosmic))) is not None:
            raise ValueError(why)
        changes["weights"] = str(cosmic)
    known = METRICS | LEARNED
    every = [with_parameters(metric, changes) for metric in known.values()]
    own = imported_metrics(study) if study else {}
    sets = _sets_with(own, without=unstated_metrics(study) if study else ())
    rated: Mapping[str, Metric] = rating_metrics(study) if study else {}
    if RATINGS not in own:
        sets, own = {**sets, RATINGS: tuple(rated)}, {**own, **rated}
    wanted: dict[str, Metric] = {}
    unknown: list[str] = []
    for name in names:
        if study is None and name.startswith(PREFIX):
            continue
        if study is not None and not rated and name == RATINGS and name not in own:
            raise ValueError("ratings: no two runs of this study have ratings by people")
        name = name if plain_name(name) in own else own_name(name)
        plain = plain_name(name)
        if (plain not in known and plain not in own and name not in sets) or (plain != name and plain in own):
            unknown.append(_unknown(name if plain in own else plain, own))
        elif plain != name:
            instance = parse_instance(with_parameters(known[plain], changes), name, every)
            wanted[instance.name] = instance
        else:
            wanted |= {
                one: own[one] if one in own else with_parameters(known[one], changes) for one in sets.get(name, (name,))
            }
    if unknown:
        raise ValueError("\n".join(dict.fromkeys(unknown)))
    return in_order(bound(one, study) if study and isinstance(one, Cosmic) else one for one in wanted.values())


def unstated_metrics(study: Study) -> frozenset[str]:
    """Return the names of the metrics that need log-probabilities which the files of a study do not state."""
    return frozenset(name for name, metric in METRICS.items() if unstated(study, metric.needs))


def _sets_with(own: Iterable[str], without: Container[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return a study's named sets with these imported metrics, except metrics for which its files lack data."""
    names = tuple(own)
    kept = {name: tuple(one for one in members if one not in without) for name, members in SETS.items()}
    found = {name: members if name == "paper" else (*members, *names) for name, members in kept.items()}
    return {**found, **({IMPORTED: names} if names else {})}


def in_order(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """Return metrics in registry order, each before its instances with other parameters; unknown metrics are last.

    People's ratings come first.
    """
    place = {name: k for k, name in enumerate(METRICS)}

    def key(metric: Metric) -> tuple[bool, int, bool]:
        rated = isinstance(metric, RatedByPeople)
        return not rated, place.get(plain_name(metric.name), len(place)), metric.name not in place

    return tuple(sorted(metrics, key=key))


def with_parameters(value: Any, changes: Mapping[str, Any]) -> Any:
    """Return the same metric or distance with these fields changed, except those that were set explicitly for it."""
    explicit: frozenset[str] = getattr(value, "explicit_parameters", frozenset())
    return with_fields(value, {name: new for name, new in changes.items() if name not in explicit})


def register(*metrics: Metric) -> None:
    """Add metrics to the registry and to their sets. Raises ValueError for a name that is taken."""
    for metric in metrics:
        if metric.name in METRICS or metric.name in LEARNED or metric.name in SETS:
            raise ValueError(f"there is a metric or set named {metric.name} already")
        METRICS[metric.name] = metric
        if isinstance(metric, Trm):
            TRMS[metric.space.label] = metric
            DISTANCES[metric.space.label] = metric.space
    _fill_sets()


def unregister(*names: str) -> None:
    """Remove metrics from the registry."""
    for name in names:
        if isinstance(metric := METRICS.pop(name), Trm):
            TRMS.pop(metric.space.label)
            DISTANCES.pop(metric.space.label)
    _fill_sets()


def _fill_sets() -> None:
    SETS["fast"] = SETS["full"] = tuple(METRICS)


def _unknown(name: str, own: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [*METRICS, *LEARNED, *SETS, *ALIASES, *own], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`trilens list` shows all"
    if name.endswith("vectors"):
        hint = "those of word vectors need a file of them: --vectors FILE, or TRILENS_VECTORS"
    return f"there is no metric or set named {name!r}; {hint}"
