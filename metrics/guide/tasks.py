"""Metrics to start with, for each kind of text."""

from __future__ import annotations

from typing import NamedTuple


class Task(NamedTuple):
    """A kind of text, described in one sentence, and the metrics usually reported for it, in order."""

    says: str
    metrics: tuple[str, ...]


TASKS: dict[str, Task] = {
    "captions": Task(
        "One or more sentences for each picture or clip: agreement with people, similarity to their captions as a "
        "group, and variety.",
        (
            *("bleu_4", "rouge_l", "meteor", "cider_d", "spice", "scene_f", "bertscore", "clipscore"),
            *("trm_bert", "trm_meteor", "mmd_bert", "self_bleu_4", "distinct_2", "unique_captions"),
        ),
    ),
    "long": Task(
        "Paragraphs and summaries: agreement of words, phrases and sentences, and repetition.",
        (
            *("rouge_1", "rouge_2", "rouge_lsum", "meteor", "chrf", "bertscore", "sentence_match_bert"),
            *("caption_length", "distinct_mean", "self_repetition", "compression_ratio"),
        ),
    ),
    "audio": Task(
        "Captions of sounds, with the scores that audio captioning challenges report.",
        ("meteor", "rouge_l", "cider_d", "spice", "spider", "fense", "trm_bert", "vocabulary"),
    ),
    "dialogue": Task(
        "Answers in a conversation, of which many can be right: agreement, and the variety and fluency that it misses.",
        (
            *("sacrebleu", "rouge_l", "bertscore", "mauve_bert", "trm_bert"),
            *("distinct_1", "distinct_2", "ngram_entropy", "self_bleu_4", "perplexity"),
        ),
    ),
    "unconditional": Task(
        "Texts that belong to no item: quality against all of people's texts at once, variety, and both together.",
        (
            *("corpus_bleu_4", "corpus_self_bleu_4", "corpus_ms_jaccard_4", "mauve_bert", "corpus_frechet_bert", "fbd"),
            *("nll", "oracle_nll", "entropy", "bhattacharyya", "vocabulary", "zipf"),
        ),
    ),
}
"""The tasks by the name that `trilens list --for` accepts."""
