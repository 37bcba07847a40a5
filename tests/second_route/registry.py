"""A slow version of every class of metric, from the formulas of the papers, whose numbers the engine must reproduce.

Each entry of `SLOW` takes (metric, study, run) and returns two results: the values of the items, which are [] for a
metric of whole runs, and the value of the run.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np

from metrics.registry import LEARNED, METRICS
from metrics.suite.consensus import Consensus, ConsensusBleu
from metrics.suite.corpus import CorpusBleu, CorpusMsJaccard, CorpusSelfBleu, Vocabulary, Zipf
from metrics.suite.corpus_embeddings import CorpusFrechet, Mauve
from metrics.suite.distribution import Frechet, Mmd, MsJaccard, Trm
from metrics.suite.diversity import CaptionLength, Distinct, DistinctMean, SelfBleu, SelfCider, UniqueCaptions, Vendi
from metrics.suite.oracle import Bhattacharyya, Entropy, Nll, OracleNll
from metrics.suite.quality import Bert, BertScore, Bleu, CiderD, Meteor, RougeL
from metrics.suite.repetition import CompressionRatio, NgramEntropy, SelfRepetition, order_by_digest
from metrics.suite.rouge import RougeLsum, RougeN
from metrics.suite.sacre import Chrf, SacreBleu
from metrics.suite.sentence_match import SentenceMatch
from tests.second_route import slow
from tests.second_route.sacre import chrf, sacrebleu
from tests.second_route.texts import (
    cosine,
    distances,
    embedding,
    meteor_score,
    meteor_statistics,
    rouge_f,
    rouge_sides,
    sides,
    similarity,
    tokens_of,
    vectors,
)


def said(study, run, tokenizer):
    return [tokens_of(text, tokenizer) for own, _ in sides(study, run) for text in own]


def of_items(value):
    """Make the slow version of a metric whose run value is the mean over items, from `value`, which scores one item."""

    def route(metric, study, run):
        items = [value(metric, study, run, own, people) for own, people in sides(study, run)]
        return items, sum(items) / len(items)

    return route


def bleu(metric, study, run):
    """BLEU by Papineni et al. 2002, smoothed as in the COCO evaluation; the run pools the counts of all candidates."""
    items, rows = [], []
    for own, people in sides(study, run):
        references = [tokens_of(text, metric.tokenizer) for text in people]
        texts = [tokens_of(text, metric.tokenizer) for text in own]
        items.append(np.mean([slow.sentence_bleu(text, references, metric.n, "coco") for text in texts]))
        rows += [slow.bleu_counts(text, references) for text in texts]
    total = np.sum(rows, axis=0)
    shares = [(total[2 * k] + 1e-15) / (total[2 * k + 1] + 1e-9) for k in range(metric.n)]
    brevity = min(1.0, math.exp(1 - (total[9] + 1e-9) / (total[8] + 1e-15)))
    return items, brevity * math.prod(shares) ** (1 / metric.n)


def meteor(metric, study, run):
    """METEOR: each candidate is scored by its best reference, and the run by its summed statistics."""
    items, total = [], 0.0
    for own, people in sides(study, run):
        best = []
        for text in own:
            rows = [meteor_statistics(text, other, metric.space.tokenizer) for other in people]
            best.append(max(rows, key=meteor_score))  # of equally good ones the first, as max has it
        items.append(np.mean([meteor_score(row) for row in best]))
        total = total + sum(best)
    return items, meteor_score(total)


def rouge_l_of(text, others, tokenizer):
    both = [rouge_sides(text, other, tokenizer) for other in others]
    return rouge_f(max(p for p, _ in both), max(r for _, r in both))


def rouge_l(metric, study, run, own, people):
    """ROUGE-L by Lin 2004 with COCO's rule, which combines the best precision with the best recall."""
    return np.mean([rouge_l_of(text, people, metric.space.tokenizer) for text in own])


def mean_of_pairs(metric, study, run, own, people):
    alike = similarity(metric.space, study, run)
    return np.mean([np.mean([alike(text, other) for other in people]) for text in own])


def best_of_pairs(metric, study, run, own, people):
    alike = similarity(metric.space, study, run)
    return np.mean([max(alike(text, other) for other in people) for text in own])


def trm(metric, study, run, own, people):
    """TRM by Chan et al., equation 3."""
    labels = np.arange(len(own) + len(people)) < len(own)
    return slow.triangle_rank(distances(metric.space, study, run, [*own, *people]), labels, metric.ties)


def mmd(metric, study, run, own, people):
    """MMD (Chan et al., 3.3; estimator by Gretton et al., 2012) with a bandwidth from the median distance."""
    vector = vectors(metric.space, study, run)
    points = [vector(text) for text in [*own, *people]]
    far = np.array([[math.dist(a, b) for b in points] for a in points])
    median = np.median([far[i, j] for i in range(len(points)) for j in range(i)])
    kernel = np.exp(-(far**2) / (2 * (metric.bandwidth * median) ** 2))
    return slow.mmd2(kernel, np.arange(len(points)) < len(own), metric.biased)


def gaussians_apart(first, second, squared):
    first, second = np.array(first), np.array(second)
    shift = first.mean(axis=0) - second.mean(axis=0)
    one, two = np.cov(first.T), np.cov(second.T)
    eigenvalues = np.linalg.eigvals(one @ two).real
    eigenvalues = eigenvalues[eigenvalues > 1e-10 * eigenvalues.max()]
    value = shift @ shift + np.trace(one) + np.trace(two) - 2 * np.sqrt(eigenvalues).sum()
    return value if squared else math.sqrt(max(value, 0.0))


def frechet(metric, study, run, own, people):
    """The Frechet distance by Chan et al., A.7."""
    vector = vectors(metric.space, study, run)
    return gaussians_apart([vector(t) for t in own], [vector(t) for t in people], metric.squared)


def run_embeddings(metric, study, run):
    # In alphabetical order within an item: k-means starts from points that it draws by their place.
    every = sides(study, run)
    own = [embedding(text, metric.space.encoder) for texts, _ in every for text in sorted(texts)]
    people = [embedding(text, metric.space.encoder) for _, texts in every for text in sorted(texts)]
    return own, people


def corpus_frechet(metric, study, run):
    """The corpus Frechet distance by Montahaei et al., section 3.2.2."""
    return [], gaussians_apart(*run_embeddings(metric, study, run), metric.squared)


def mauve(metric, study, run):
    """MAUVE (Pillutla et al., 2021): the area under the divergence frontier of histograms over clusters."""
    from sklearn.cluster import KMeans

    own, people = run_embeddings(metric, study, run)
    both = [*people, *own]
    every = sorted({tuple(v) for v in both})
    times = np.array([sum(tuple(v) == one for v in both) for one in every])
    points = np.array([np.array(v) / np.linalg.norm(v) for v in every])
    points = points - (points * times[:, None]).sum(axis=0) / times.sum()
    _, singular, directions = np.linalg.svd(np.repeat(points, times, axis=0), full_matrices=False)
    kept = next(k for k in range(1, len(singular) + 1) if (singular[:k] ** 2).sum() >= 0.9 * (singular**2).sum())
    clusters, areas = max(2, round(min(len(own), len(people)) / 10)), []
    for start in np.random.default_rng(metric.seed).integers(2**31, size=5).tolist():
        means = KMeans(clusters, n_init=1, max_iter=500, random_state=start)
        label = dict(zip(every, means.fit_predict(points @ directions[:kept].T, sample_weight=times)))
        q = [np.mean([label[tuple(v)] == k for v in people]) for k in range(clusters)]
        p = [np.mean([label[tuple(v)] == k for v in own]) for k in range(clusters)]
        curve = [(1.0, 0.0)]
        for weight in np.linspace(1e-6, 1 - 1e-6, 25):
            mixture = [weight * a + (1 - weight) * b for a, b in zip(p, q)]
            curve.append(tuple(math.exp(-5 * divergence(side, mixture)) for side in (q, p)))
        curve.append((0.0, 1.0))
        areas.append(sum((x0 - x1) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(curve)))
    return [], np.mean(areas)


def divergence(p, mixture):
    return sum(a * math.log(a / b) for a, b in zip(p, mixture) if a)


def jaccard_mean(first, second, n):
    """MS-Jaccard by Montahaei et al., section 3.1: the geometric mean over the orders for which some text is long
    enough.
    """
    orders = [value for k in range(1, n + 1) if (value := slow.jaccard(first, second, k)) is not None]
    return math.prod(orders) ** (1 / len(orders))


def ms_jaccard(metric, study, run, own, people):
    first, second = ([tokens_of(text, metric.tokenizer) for text in texts] for texts in (own, people))
    return jaccard_mean(first, second, metric.n)


def corpus_ms_jaccard(metric, study, run):
    people = [tokens_of(text, metric.tokenizer) for _, texts in sides(study, run) for text in texts]
    return [], jaccard_mean(said(study, run, metric.tokenizer), people, metric.n)


def self_bleu(metric, study, run, own, people):
    return slow.self_bleu([tokens_of(text, metric.tokenizer) for text in own], metric.n).mean()


def corpus_bleu(metric, study, run):
    pool = [tokens_of(text, metric.tokenizer) for _, texts in sides(study, run) for text in texts]
    texts = said(study, run, metric.tokenizer)
    return [], np.mean([slow.sentence_bleu(text, pool, metric.n, "epsilon") for text in texts])


def corpus_self_bleu(metric, study, run):
    return [], slow.self_bleu(said(study, run, metric.tokenizer), metric.n).mean()


def distinct(metric, study, run, own, people):
    """Distinct-n by Li et al. 2016, or per word as by Shetty et al. 2017, section 4."""
    grams = sum((slow.grams(tokens_of(text, metric.tokenizer), metric.n) for text in own), Counter())
    words = sum(len(tokens_of(text, metric.tokenizer)) for text in own)
    return len(grams) / (words if metric.over == "words" else sum(grams.values()))


def distinct_mean(metric, study, run, own, people):
    """Tevet and Berant 2021: the mean over the orders for which some candidate is long enough."""
    shares = []
    for n in range(1, metric.n + 1):
        grams = sum((slow.grams(tokens_of(text, metric.tokenizer), n) for text in own), Counter())
        shares += [len(grams) / sum(grams.values())] if grams else []
    return sum(shares) / len(shares)


def unique_captions(metric, study, run, own, people):
    return len({tokens_of(text, metric.tokenizer) for text in own}) / len(own)


def caption_length(metric, study, run, own, people):
    return sum(len(tokens_of(text, metric.tokenizer)) for text in own) / len(own)


def self_cider(metric, study, run, own, people):
    """Self-CIDEr by Wang and Chan 2019: how evenly the roots of the eigenvalues of the CIDEr-D kernel are spread."""
    kernel = 1 - distances(metric.space, study, run, own) / 10
    eigenvalues = np.linalg.eigvalsh((kernel + kernel.T) / 2)
    roots = np.sqrt(np.where(eigenvalues > 1e-13 * eigenvalues.max(), eigenvalues, 0))
    return -math.log(roots.max() / roots.sum(), len(own))


def vendi(metric, study, run, own, people):
    """The Vendi score by Friedman and Dieng 2023: exp of the entropy of the eigenvalues of the kernel divided by n."""
    points = [embedding(text, metric.space.encoder) for text in own]
    eigenvalues = np.linalg.eigvalsh([[cosine(a, b) for b in points] for a in points]) / len(own)
    return math.exp(-sum(value * math.log(value) for value in eigenvalues if value > 1e-15))


def vocabulary(metric, study, run):
    return [], len({word for text in said(study, run, metric.tokenizer) for word in text})


def zipf(metric, study, run):
    """The Zipf coefficient by Holtzman et al. 2020: least squares of log frequency on log rank."""
    counts = sorted(Counter(w for text in said(study, run, metric.tokenizer) for w in text).values(), reverse=True)
    return [], -np.polyfit(np.log(np.arange(1, len(counts) + 1)), np.log(counts), 1)[0]


def ngram_entropy(metric, study, run):
    """N-gram entropy by Zhang et al. 2018: the mean surprise of the n-grams of the run."""
    grams = sum((slow.grams(text, metric.n) for text in said(study, run, metric.tokenizer)), Counter())
    total = sum(grams.values())
    return [], sum(count / total * math.log(total / count) for count in grams.values())


def self_repetition(metric, study, run):
    """Self-repetition by Salkar et al. 2022: every text is compared with every other."""
    texts = [set(slow.grams(text, metric.n)) for text in said(study, run, metric.tokenizer)]
    sums = [sum(gram in texts[j] for gram in own for j in range(len(texts)) if j != i) for i, own in enumerate(texts)]
    return [], sum(math.log(1 + found) for found in sums) / len(texts)


def compression_ratio(metric, study, run):
    """Compression ratio, Shaib et al. 2024: bytes of all texts over those of a raw deflate stream plus gzip's 18."""
    texts = [text for own, _ in sides(study, run) for text in sorted(own)]
    joined = " ".join(texts[row] for row in order_by_digest(texts)).encode()
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    return [], len(joined) / (len(raw.compress(joined) + raw.flush()) + 18)


def consensus(metric, study, run):
    """Zhu et al., table 2: each reference is scored against the others by the slow version of the metric."""
    items = []
    for item in study.items:
        scores = []
        for k, text in enumerate(item.references):
            others = item.references[:k] + item.references[k + 1 :]
            items_without = [replace(i, references=others) if i is item else i for i in study.items]
            counted = replace(study, items=tuple(items_without)) if isinstance(metric.of, CiderD) else study
            scores.append(one_against(metric.of, counted, run, text, others))
        items.append(np.mean(scores))
    return items, np.mean(items)


def one_against(metric, study, run, text, others):
    if isinstance(metric, Bleu):
        tokens = [tokens_of(other, metric.tokenizer) for other in others]
        return slow.sentence_bleu(tokens_of(text, metric.tokenizer), tokens, metric.n, "coco")
    if isinstance(metric, RougeL):
        return rouge_l_of(text, others, metric.space.tokenizer)
    alike = similarity(metric.space, study, run)
    scores = [alike(text, other) for other in others]
    return np.mean(scores) if isinstance(metric, CiderD) else max(scores)


def consensus_bleu(metric, study, run):
    orders = [consensus(Consensus(Bleu(n, metric.tokenizer)), study, run)[0] for n in range(1, 5)]
    items = np.mean(orders, axis=0)
    return list(items), items.mean()


def nll(metric, study, run):
    """NLL by Montahaei et al., section 3.2.3: the mean -ln p of an item's references under the run."""
    items = [-sum(run.reference_logprobs[item.id]) / len(item.references) for item in study.items]
    return items, sum(items) / len(items)


def entropy(metric, study, run):
    items = [-sum(run.logprobs[item.id]) / len(run.candidates[item.id]) for item in study.items]
    return items, sum(items) / len(items)


def oracle_nll(metric, study, run):
    items = [-sum(run.oracle_logprobs[item.id]) / len(run.candidates[item.id]) for item in study.items]
    return items, sum(items) / len(items)


def bhattacharyya(metric, study, run):
    """Montahaei et al., section 3.2.3, from probabilities; for a run, both mean weights are averaged over items."""
    both = []
    for item in study.items:
        own = zip(run.oracle_logprobs[item.id], run.logprobs[item.id], strict=True)
        people = zip(run.reference_logprobs[item.id], item.oracle_logprobs, strict=True)
        both.append([np.mean([math.sqrt(math.exp(q) / math.exp(p)) for q, p in side]) for side in (own, people)])
    items = [-(math.log(a) + math.log(b)) / 2 for a, b in both]
    return items, -(math.log(np.mean([a for a, _ in both])) + math.log(np.mean([b for _, b in both]))) / 2


SLOW = {
    Bleu: bleu,
    RougeL: of_items(rouge_l),
    Meteor: meteor,
    CiderD: of_items(mean_of_pairs),
    Bert: of_items(best_of_pairs),
    BertScore: of_items(best_of_pairs),
    Trm: of_items(trm),
    Mmd: of_items(mmd),
    Frechet: of_items(frechet),
    MsJaccard: of_items(ms_jaccard),
    SelfBleu: of_items(self_bleu),
    Distinct: of_items(distinct),
    DistinctMean: of_items(distinct_mean),
    UniqueCaptions: of_items(unique_captions),
    CaptionLength: of_items(caption_length),
    SelfCider: of_items(self_cider),
    Vendi: of_items(vendi),
    CorpusFrechet: corpus_frechet,
    Mauve: mauve,
    CorpusMsJaccard: corpus_ms_jaccard,
    CorpusBleu: corpus_bleu,
    CorpusSelfBleu: corpus_self_bleu,
    Vocabulary: vocabulary,
    Zipf: zipf,
    NgramEntropy: ngram_entropy,
    SelfRepetition: self_repetition,
    CompressionRatio: compression_ratio,
    Consensus: consensus,
    ConsensusBleu: consensus_bleu,
    Nll: nll,
    Entropy: entropy,
    OracleNll: oracle_nll,
    Bhattacharyya: bhattacharyya,
    RougeN: of_items(best_of_pairs),
    RougeLsum: of_items(best_of_pairs),
    SacreBleu: sacrebleu,
    Chrf: chrf,
    SentenceMatch: of_items(best_of_pairs),
}
"""The slow version of each class; every new class needs one."""

EVERY = METRICS | {name: metric for name, metric in LEARNED.items() if not metric.needs}
"""The metrics that work on made-up captions: those in sets, and learned ones that need nothing else."""
