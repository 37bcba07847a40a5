"""Captions, tokens, frequencies and similarities of two texts, computed in a slow but obvious way."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np

from metrics.distances.base import Distance
from metrics.distances.bertscore import BertScoreDistance
from metrics.distances.embeddings import BertDistance
from metrics.distances.meteor import MeteorDistance
from metrics.distances.rouge_score import RougeLsumDistance, RougeNDistance
from metrics.distances.sentences import SentenceDistance
from metrics.distances.words import BleuDistance, BowDistance, CiderDDistance, RougeLDistance
from metrics.text.encoder import Encoder, model_folder
from metrics.text.meteor import statistics
from metrics.text.tokens import tokenize
from tests.second_route import slow

Similarity = Callable[[str, str], float]


def sides(study, run):
    return [(run.candidates[item.id], item.references) for item in study.items]


@cache
def tokens_of(text, tokenizer="ptb"):
    return tuple(tokenize([text], tokenizer)[0])


@cache
def embedding(text, encoder):
    return np.asarray(Encoder(encoder).encode([text])[0], dtype=float)


@cache
def meteor_statistics(hypothesis, reference, tokenizer):
    """Return the jar's answer for one pair: counts of words, of matches by each matcher, and of chunks."""
    pair = (" ".join(tokens_of(hypothesis, tokenizer)), " ".join(tokens_of(reference, tokenizer)))
    return np.asarray(statistics([pair], route="jar")[0], dtype=float)


def meteor_score(row):
    """METEOR by Denkowski and Lavie 2014, equations 1 to 4, with the parameters of `-l en`."""
    alpha, beta, gamma, delta = 0.85, 0.2, 0.6, 0.75
    sides = []
    for side in (0, 1):
        content, function = row[side] - row[2 + side], row[2 + side]
        below = delta * content + (1 - delta) * function
        above = 0.0
        for matcher, weight in enumerate((1.0, 0.6, 0.8, 0.6)):
            of = row[4 + 4 * matcher :]
            above += weight * (delta * of[side] + (1 - delta) * of[2 + side])
        sides.append(above / below if below else 0.0)
    precision, recall = sides
    if not precision or not recall:
        return 0.0
    mean = 1 / ((1 - alpha) / precision + alpha / recall)
    fragmentation = row[20] / ((row[21] + row[22]) / 2)
    return max(0.0, mean * (1 - gamma * fragmentation**beta))


def longest_common_subsequence(first, second):
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def rouge_sides(hypothesis, reference, tokenizer):
    one, two = tokens_of(hypothesis, tokenizer), tokens_of(reference, tokenizer)
    common = longest_common_subsequence(one, two)
    return common / len(one), common / len(two)


def rouge_f(precision, recall):
    """F of ROUGE-L by Lin 2004, equation 4, with beta 1.2."""
    return 2.44 * precision * recall / (recall + 1.44 * precision) if precision * recall else 0.0


def harmonic_mean(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def letters(text, stemmer):
    """Split a text into runs of a to z and 0 to 9, as rouge-score does.

    With `stemmer`, words of four or more letters are stemmed.
    """
    from nltk.stem.porter import PorterStemmer

    words = "".join(c if c in "abcdefghijklmnopqrstuvwxyz0123456789" else " " for c in text.lower()).split()
    return [PorterStemmer().stem(word) if stemmer and len(word) > 3 else word for word in words]


def rouge_n(space, hypothesis, reference):
    """F1 of ROUGE-N by Lin 2004, section 2, for one pair."""
    one, two = (slow.grams(tuple(letters(text, space.stemmer)), space.n) for text in (hypothesis, reference))
    hits = sum((one & two).values())
    return harmonic_mean(hits / max(1, sum(one.values())), hits / max(1, sum(two.values())))


def parted(text):
    """Return the sentences of a text.

    Each ends at a line break, or at a word that ends in a full stop, "!" or "?", with at most one closing quote or
    bracket.
    """
    found = []
    for line in text.splitlines():
        found.append([])
        for word in line.split():
            found[-1].append(word)
            if word[-1] in ".!?" or (word[-1] in "\"')]" and word[-2:-1] in (".", "!", "?")):
                found.append([])
    return [" ".join(words) for words in found if words]


def subsequence(first, second):
    """Return the positions in `first` of a longest common subsequence, found from the ends.

    In a tie, the last word of `first` is dropped.
    """
    if not first or not second:
        return set()
    if first[-1] == second[-1]:
        return subsequence(first[:-1], second[:-1]) | {len(first) - 1}
    ways = (first, second[:-1]), (first[:-1], second)
    lengths = [longest_common_subsequence(*way) for way in ways]
    return subsequence(*ways[0 if lengths[0] > lengths[1] else 1])


def rouge_lsum(space, hypothesis, reference):
    """F1 of ROUGE-Lsum by Lin 2004, section 3.2, for one pair.

    A word counts at most as often as it occurs in the hypothesis.
    """
    own, people = ([letters(one, space.stemmer) for one in parted(text)] for text in (hypothesis, reference))
    hits = Counter()
    for said in people:
        hits.update(said[k] for k in set().union(*(subsequence(said, one) for one in own)))
    words, others = (Counter(word for said in side for word in said) for side in (own, people))
    shared = (hits & words).total()
    return harmonic_mean(shared / max(1, words.total()), shared / max(1, others.total()))


def sentence_match(space, alike, hypothesis, reference):
    """Match each sentence with the most similar one in the other text; return precision, recall or F1, as
    `space.part` says.
    """
    own, people = parted(hypothesis), parted(reference)
    if not own or not people:
        return 0.0
    precision = sum(max(max(0.0, alike(said, other)) for other in people) for said in own) / len(own)
    recall = sum(max(max(0.0, alike(said, other)) for said in own) for other in people) / len(people)
    f1 = harmonic_mean(precision, recall)
    return {"precision": precision, "recall": recall, "f1": f1}[space.part]


def sources(learns, study, run):
    """Return the texts in which words are counted, for each item."""
    return [[*i.references, *(run.candidates[i.id] if learns == "texts" else ())] for i in study.items]


def cider_d(space, study, run) -> Similarity:
    """CIDEr-D by Vedantam et al. 2015, section 5: return a function of a pair, with its clipping and length penalty."""
    documents = sources(space.learns, study, run)
    tokenizer = space.tokenizer

    @cache
    def frequency(gram):
        return sum(
            any(gram in slow.grams(tokens_of(text, tokenizer), len(gram)) for text in texts) for texts in documents
        )

    @cache
    def weights(text, n):
        return {
            gram: count * (math.log(len(documents)) - math.log(max(1, frequency(gram))))
            for gram, count in slow.grams(tokens_of(text, tokenizer), n).items()
        }

    def of(hypothesis, reference):
        lengths = [sum(slow.grams(tokens_of(text, tokenizer), 2).values()) for text in (hypothesis, reference)]
        penalty = math.exp(-((lengths[0] - lengths[1]) ** 2) / (2 * 6.0**2))
        total = 0.0
        for n in range(1, 5):
            one, two = weights(hypothesis, n), weights(reference, n)
            norms = math.sqrt(sum(w * w for w in one.values())) * math.sqrt(sum(w * w for w in two.values()))
            shared = sum(min(weight, two[gram]) * two[gram] for gram, weight in one.items() if gram in two)
            total += penalty * shared / norms if norms else 0.0
        return 10 * total / 4

    return of


@cache
def plain_transformer(folder):
    from transformers import AutoModel, AutoTokenizer

    return AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()


@cache
def token_states(text, folder, layer):
    """Return the token ids and the states of one text, which is encoded alone, with all layers."""
    import torch

    tokenizer, model = plain_transformer(folder)
    with torch.no_grad():
        coded = tokenizer([text.strip()], return_tensors="pt", truncation=True)
        states = model(**coded, output_hidden_states=True).hidden_states[layer][0]
    return coded["input_ids"][0].tolist(), states.double().numpy()


def bertscore(space, study, run) -> Similarity:
    """BERTScore by Zhang et al. 2020, section 3: return a function of a pair, which matches tokens greedily."""
    folder = str(model_folder(space.encoder))
    ids_of = cache(lambda text: token_states(text, folder, space.layer)[0])
    special = set(plain_transformer(folder)[0].all_special_ids)
    documents = [text for texts in sources(space.learns, study, run) for text in texts]

    @cache
    def weight(token):
        if space.weight == "equal":
            return 0.0 if token in special else 1.0
        return math.log((len(documents) + 1) / (sum(token in ids_of(text) for text in documents) + 1))

    @cache
    def covered(text, other):
        ids, states = token_states(text, folder, space.layer)
        others = token_states(other, folder, space.layer)[1]
        best = [max(cosine(state, another) for another in others) for state in states]
        return sum(weight(token) * value for token, value in zip(ids, best)) / sum(weight(token) for token in ids)

    def of(hypothesis, reference):
        precision, recall = covered(hypothesis, reference), covered(reference, hypothesis)
        f1 = 2 * precision * recall / (precision + recall)
        return {"precision": precision, "recall": recall, "f1": f1}[space.part]

    if not space.rescaled:
        return of
    baseline = space.prepare(study.only(runs=[run.name])).baseline
    return lambda hypothesis, reference: (of(hypothesis, reference) - baseline) / (1 - baseline)


def bag(space, study, run):
    """Return a function that counts the 5,000 most frequent words in a text, as in Chan et al., B.1."""
    every = Counter(
        word
        for texts in sources(space.learns, study, run)
        for text in texts
        for word in tokens_of(text, space.tokenizer)
    )
    known = [word for word, _ in sorted(every.items(), key=lambda pair: (-pair[1], pair[0]))][:5000]

    def of(text):
        counts = Counter(tokens_of(text, space.tokenizer))
        return np.array([counts[word] for word in known], dtype=float)

    return of


def cosine(first, second):
    norms = math.sqrt(float(first @ first)) * math.sqrt(float(second @ second))
    return float(first @ second) / norms if norms else 0.0


def vectors(space: Distance, study, run):
    """Return a function that returns the vector of a text, either a bag of words or an embedding."""
    if isinstance(space, BertDistance):
        return lambda text: embedding(text, space.encoder)
    return bag(space, study, run)


def similarity(space: Distance, study, run) -> Similarity:
    """Return a function that gives the similarity of a hypothesis and a reference from which `space` computes their
    distance.
    """
    if isinstance(space, CiderDDistance):
        return cider_d(space, study, run)
    if isinstance(space, BowDistance | BertDistance):
        vector = cache(vectors(space, study, run))
        return lambda h, r: cosine(vector(h), vector(r))
    if isinstance(space, BertScoreDistance):
        return bertscore(space, study, run)
    if isinstance(space, MeteorDistance):
        return lambda h, r: meteor_score(meteor_statistics(h, r, space.tokenizer))
    if isinstance(space, RougeLDistance):
        return lambda h, r: rouge_f(*rouge_sides(h, r, space.tokenizer))
    if isinstance(space, RougeNDistance):
        return lambda h, r: rouge_n(space, h, r)
    if isinstance(space, RougeLsumDistance):
        return lambda h, r: rouge_lsum(space, h, r)
    if isinstance(space, SentenceDistance):
        alike = similarity(space.of, study, run)
        return lambda h, r: sentence_match(space, alike, h, r)
    assert isinstance(space, BleuDistance)
    return lambda h, r: slow.sentence_bleu(
        tokens_of(h, space.tokenizer), [tokens_of(r, space.tokenizer)], space.n, "none"
    )


def distances(space: Distance, study, run, texts):
    """Return (N, N) the maximum minus the similarity; 0 for equal texts or, if words are compared, for equal tokens."""
    alike = similarity(space, study, run)
    same = (
        (lambda t: t)
        if isinstance(space, BertDistance | BertScoreDistance)
        else (lambda t: tokens_of(t, space.tokenizer))
    )
    return np.array(
        [[0.0 if same(h) == same(r) else max(space.maximum - alike(h, r), 0.0) for r in texts] for h in texts]
    )
