"""Captions that a metric reads only partly, because they are too long for its encoder or in an unsupported language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from data.check import Loaded
from data.checks.languages import foreign
from data.findings import Log, TrustedText
from data.study import Item, Run, Study, of_study
from metrics.base import Metric
from metrics.distances.bertscore import BertScoreDistance
from metrics.distances.meteor import MeteorDistance
from metrics.distances.sentences import SentenceDistance
from metrics.suite.quality import Meteor
from metrics.suite.scene import SceneF
from metrics.suite.spice import Spice
from metrics.text.encoder import (
    DEFAULT,
    FILE_PREFIX,
    PLUGIN_PREFIX,
    SURROGATES,
    WINDOWS_PREFIX,
    EncoderMissing,
    encoder_label,
    model_folder,
)
from metrics.text.torch_setup import load_transformers

_ENGLISH = (Meteor, MeteorDistance, SceneF, Spice)
"""Classes that support only English, because of their stems, synonyms and paraphrases, or their grammar."""
_UNLIMITED = 1 << 24
_BYTES = 4
"""Maximum number of bytes per character: a text has at most as many tokens as bytes, plus one at either end."""


def note(study: Study, run: Run, metric: Metric, items: Sequence[Item] | None = None) -> str | None:
    """Return a note on a run's captions and references that a metric does not read in full; None if it reads all.

    These are texts that are too long for its encoder, or in a language that it does not support. Without `items`, all
    items count.
    """
    spaces = [metric, *(one for name in ("space", "of") if (one := getattr(metric, name, None)) is not None)]
    spaces += [one.space for one in spaces[1:] if hasattr(one, "space")]
    of_sentences = [one.of for one in spaces if isinstance(one, SentenceDistance)]  # shorter than whole texts
    said = [_of_language(study, metric, [*spaces, *of_sentences]), _of_length(study, run, metric, spaces, items)]
    return "; ".join(filter(None, said)) or None


def _of_language(study: Study, metric: Metric, spaces: Sequence[Any]) -> str | None:
    encoder = next((one.encoder for one in spaces if isinstance(getattr(one, "encoder", None), str)), "")
    english = any(isinstance(one, _ENGLISH) for one in spaces) or (
        "encoder" in metric.needs and _plain(encoder) == DEFAULT
    )
    return f"made for English, and {why}" if english and (why := foreign(study)) else None


def _of_length(
    study: Study, run: Run, metric: Metric, spaces: Sequence[Any], items: Sequence[Item] | None
) -> str | None:
    reader = next((one for one in spaces if isinstance(getattr(one, "encoder", None), str)), None)
    if reader is None or "encoder" not in metric.needs:
        return None
    tokens, long = _beyond(study, reader.encoder, isinstance(reader, BertScoreDistance))
    if not long:
        return None
    items = study.items if items is None else items
    sides = [("caption", [text for item in items for text in run.candidates.get(item.id, ())])]
    sides += [("reference", [text for item in items for text in item.references])] * metric.reads_references
    counts = [(sum(text in long for text in texts), side) for side, texts in sides]
    said = " and ".join(f"{n:,} {side}{'' if n == 1 else 's'}" for n, side in counts if n)
    plain = _plain(reader.encoder)
    reads = f"{encoder_label(plain)} reads{' at once' if plain != reader.encoder else ''}"
    return f"longer than the {tokens:,} tokens that {reads}: {said}" if said else None


def _plain(encoder: str) -> str:
    return encoder.removeprefix(WINDOWS_PREFIX)


def with_findings(loaded: Loaded) -> Loaded:
    """Return the study with a finding for each run, and for people, if some captions are too long for the encoder.

    Another finding reports captions that are not English, which some metrics require.
    """
    study = loaded.study
    if study is None:
        return loaded
    if why := foreign(study):
        log = Log(loaded.findings)
        made = f" and the encoder {encoder_label(DEFAULT)}"
        log.add("not_english", why=TrustedText(why[0].upper() + why[1:]), encoder=TrustedText(made))
        loaded = replace(loaded, findings=log.findings())
    tokens, long = _beyond(study, DEFAULT, False)
    log = Log(loaded.findings)
    sides = [(run.name, run.candidates.items()) for run in study.runs]
    for run, items in [*sides, ("", [(item.id, item.references) for item in study.items])] if long else []:
        for id, texts in items:
            if n := sum(text in long for text in texts):
                log.add("beyond_encoder", id=id, count=n, run=run, tokens=tokens, encoder=encoder_label(DEFAULT))
    return replace(loaded, findings=log.findings()) if long else loaded


def _beyond(study: Study, encoder: str, states: bool) -> tuple[int, frozenset[str]]:
    """Return how many tokens the encoder reads for embeddings (token states if `states`), and the texts with more."""
    known = _known(study)
    if (encoder, states) not in known:
        tokens = _limit(encoder, states)
        of_runs = (texts for run in study.runs for texts in run.candidates.values())
        texts = {text for side in (of_runs, (item.references for item in study.items)) for of in side for text in of}
        known[encoder, states] = tokens, frozenset(_longer(texts, encoder, tokens))
    return known[encoder, states]


@of_study
def _known(study: Study) -> dict[tuple[str, bool], tuple[int, frozenset[str]]]:
    """Return the study's cache of `_beyond`, by its other arguments."""
    return {}


def _longer(texts: Iterable[str], encoder: str, tokens: int) -> list[str]:
    """Return the texts with more than `tokens` tokens, without tokenizing texts that have too few bytes for that."""
    clean = {text: SURROGATES.sub("\ufffd", text) for text in texts if _BYTES * len(text) + 2 > tokens}
    perhaps = [text for text, read in clean.items() if len(read.encode()) + 2 > tokens]
    if not perhaps:
        return []
    found = _tokenizer(encoder)([clean[text] for text in perhaps], truncation=False, padding=False, verbose=False)
    return [text for text, ids in zip(perhaps, found["input_ids"]) if len(ids) > tokens]


@cache
def _limit(encoder: str, states: bool) -> int:
    """Return the number of tokens that are read, including special tokens; a very large number if there is no limit."""
    if encoder.startswith((FILE_PREFIX, PLUGIN_PREFIX)):
        return _UNLIMITED
    try:
        folder = model_folder(encoder)
    except EncoderMissing:
        return _UNLIMITED
    stated = [_stated(folder, "sentence_bert_config.json", "max_seq_length")] if not states else []
    stated += [_stated(folder, "tokenizer_config.json", "model_max_length")]
    stated += [_stated(folder, "config.json", "max_position_embeddings")]
    return min((int(one) for one in stated if one), default=_UNLIMITED)


def _stated(folder: Path, name: str, key: str) -> float | None:
    files = sorted(folder.rglob(name), key=lambda file: len(file.parts))
    value = json.loads(files[0].read_text(encoding="utf-8")).get(key) if files else None
    return min(value, _UNLIMITED) if isinstance(value, int | float) and value > 0 else None


@cache
def _tokenizer(encoder: str) -> Any:
    load_transformers()
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(model_folder(encoder)))
