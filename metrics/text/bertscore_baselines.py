"""Data that the package bert-score publishes about its models: the layer of each, and files of baselines.

The layers are those of `model2layers` in bert-score 0.3.13 (Zhang et al. 2020, appendix B: the highest correlation with
ratings of translations, WMT16). Models with a decoder, XLNet and XLM are omitted: their states are obtained
differently.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Literal

from data.files.file_cache import read_once, why_unreadable
from data.study import DataError

PUBLISHED = "published"
"""The value of `layer` that means the layer in the table."""
Column = Literal["P", "R", "F"]
_MODELS = {
    0: "amazon/bort",
    1: ("google/bert_uncased_L-2_H-128_A-2 google/bert_uncased_L-2_H-256_A-4 google/bert_uncased_L-2_H-512_A-8"),
    2: "google/bert_uncased_L-2_H-768_A-12",
    3: (
        "google/bert_uncased_L-4_H-128_A-2 google/bert_uncased_L-4_H-256_A-4 "
        "google/bert_uncased_L-4_H-512_A-8 google/bert_uncased_L-4_H-768_A-12"
    ),
    4: (
        "dbmdz/distilbert-base-turkish-cased microsoft/deberta-v3-small "
        "zhiheng-huang/bert-base-uncased-embedding-relative-key"
    ),
    5: (
        "distilbert-base-multilingual-cased distilbert-base-uncased distilroberta-base "
        "google/bert_uncased_L-6_H-128_A-2 google/bert_uncased_L-6_H-256_A-4 "
        "google/bert_uncased_L-6_H-512_A-8 google/bert_uncased_L-6_H-768_A-12"
    ),
    6: "google/bert_uncased_L-8_H-512_A-8",
    7: (
        "allenai/longformer-base-4096 google/bert_uncased_L-8_H-128_A-2 google/bert_uncased_L-8_H-256_A-4 "
        "google/bert_uncased_L-8_H-768_A-12 roberta-base-openai-detector "
        "zhiheng-huang/bert-base-uncased-embedding-relative-key-query"
    ),
    8: (
        "albert-xxlarge-v1 albert-xxlarge-v2 allenai/scibert_scivocab_uncased bert-base-chinese "
        "google/bert_uncased_L-10_H-128_A-2 google/bert_uncased_L-10_H-256_A-4 "
        "google/bert_uncased_L-10_H-768_A-12 google/bigbird-base-trivia-itc microsoft/mpnet-base "
        "princeton-nlp/unsup-simcse-roberta-base SpanBERT/spanbert-base-cased"
    ),
    9: (
        "albert-base-v2 allenai/scibert_scivocab_cased bert-base-cased-finetuned-mrpc "
        "bert-base-multilingual-cased bert-base-uncased google/bert_uncased_L-10_H-512_A-8 "
        "google/bert_uncased_L-12_H-768_A-12 google/electra-base-discriminator google/electra-small-generator "
        "microsoft/deberta-base microsoft/deberta-base-mnli microsoft/deberta-v3-base "
        "nfliu/scibert_basevocab_uncased squeezebert/squeezebert-mnli squeezebert/squeezebert-mnli-headless "
        "squeezebert/squeezebert-uncased vinai/bertweet-base xlm-roberta-base YituTech/conv-bert-medium-small"
    ),
    10: (
        "albert-base-v1 dbmdz/bert-base-turkish-cased google/bert_uncased_L-12_H-128_A-2 "
        "google/bert_uncased_L-12_H-512_A-8 google/bigbird-roberta-base google/electra-base-generator "
        "microsoft/deberta-v2-xlarge microsoft/deberta-v3-xsmall microsoft/mdeberta-v3-base "
        "princeton-nlp/sup-simcse-bert-base-uncased princeton-nlp/sup-simcse-roberta-base "
        "princeton-nlp/unsup-simcse-bert-base-uncased ProsusAI/finbert roberta-base YituTech/conv-bert-base "
        "YituTech/conv-bert-small"
    ),
    11: "google/bert_uncased_L-12_H-256_A-4 google/electra-small-discriminator",
    12: "microsoft/deberta-v3-large",
    13: "albert-xlarge-v2 princeton-nlp/unsup-simcse-roberta-large",
    14: (
        "albert-large-v2 allenai/longformer-large-4096 allenai/longformer-large-4096-finetuned-triviaqa "
        "google/bigbird-roberta-large google/electra-large-discriminator"
    ),
    15: "roberta-large-openai-detector",
    16: "albert-xlarge-v1 microsoft/deberta-large princeton-nlp/sup-simcse-roberta-large",
    17: (
        "albert-large-v1 microsoft/deberta-v2-xlarge-mnli roberta-large SpanBERT/spanbert-large-cased xlm-roberta-large"
    ),
    18: (
        "bert-large-uncased google/electra-large-generator khalidalt/DeBERTa-v3-large-mnli "
        "microsoft/deberta-large-mnli microsoft/deberta-xlarge princeton-nlp/sup-simcse-bert-large-uncased "
        "princeton-nlp/unsup-simcse-bert-large-uncased"
    ),
    19: "roberta-large-mnli zhiheng-huang/bert-large-uncased-whole-word-masking-embedding-relative-key-query",
    21: "microsoft/deberta-v2-xxlarge",
    22: "microsoft/deberta-v2-xxlarge-mnli",
    40: "microsoft/deberta-xlarge-mnli",
}
LAYERS = {name: layer for layer, names in _MODELS.items() for name in names.split()}
"""The published layer by model name."""


def published_layer(encoder: str) -> int:
    """Return the layer that is published for a model, by its name or its folder's name.

    Raises ValueError if there is no such layer, or several.
    """
    found = {layer for name, layer in LAYERS.items() if encoder == name or Path(encoder).name == Path(name).name}
    if len(found) != 1:
        raise ValueError(f"bert-score publishes no layer for {encoder}: name one, as in layer=5")
    return found.pop()


def missing(path: str) -> str | None:
    """Return why a file has no readable baselines, and the remedy; None if it has baselines."""
    return why_unreadable(_rows, path)


def baseline(path: str, layer: int, column: Column) -> float:
    """Return the baseline of a layer; NaN if the file lacks it. Raises DataError if the file cannot be read."""
    return _rows(path).get(layer, {}).get(column, math.nan)


@read_once(16, ". Name a file of baselines, as bert-score has them.")
def _rows(path: Path) -> dict[int, dict[str, float]]:
    """Return the baselines of each layer: columns LAYER, P, R and F, separated by commas or tabs.

    Raises DataError for a file in another form.
    """
    if path.stat().st_size > 1 << 20:
        raise DataError(f"{path.name}: more than 1 MB. Name a file of baselines, as bert-score has them.")
    lines = path.read_text(encoding="utf-8-sig", errors="replace").replace("\t", ",").splitlines()
    found = {}
    for number, row in enumerate(csv.DictReader(lines), start=2):
        try:
            values = {column: float(row[column]) for column in ("P", "R", "F")}
            layer = int(row["LAYER"])
        except (KeyError, TypeError, ValueError):
            raise DataError(f"{path.name}, line {number}: expected numbers under LAYER, P, R and F.") from None
        if not all(-1 <= value < 1 for value in values.values()):
            raise DataError(f"{path.name}, line {number}: a baseline lies from -1 to below 1.")
        found[layer] = values
    if not found:
        raise DataError(f"{path.name}: no baseline. Expected a line LAYER,P,R,F and one for each layer.")
    return found
