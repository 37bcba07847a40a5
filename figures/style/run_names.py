"""Short names of runs: model and distinguishing settings, such as "Oracle · T 1.0" for a run named "Oracle T=1.0"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from data.run_settings import parse_name, stated, without_organisations, without_seed
from data.study import Run, Settings
from figures.style.escaping import whole
from figures.style.numbers import temperature
from metrics.analysis.sweeps import Decoder, decoder_of

if TYPE_CHECKING:
    import pandas as pd

_HEAT = (
    r"(?:(?:temperature|temp|tau)[\s=:_-]*|t\s*[=:]\s*|t[\s_-]*(?=\d*\.\d|0|[12](?!\d)))"  # T5 is a model
    r"(\d+\.\d+|\d+|\.\d+)(?![A-Za-z0-9.])"
)
_TEMPERATURE = re.compile(rf"^{_HEAT}", re.IGNORECASE)
_NUMBER = re.compile(r"\d+\.?\d*|\.\d+")
_LAST_SEED = re.compile(r"[\s_.-]+s(\d{1,3})$", re.IGNORECASE)
_SEED = re.compile(r"s(\d{1,3})", re.IGNORECASE)
NUCLEUS = "nucleus"
_KINDS = {NUCLEUS: "top-p", "top_p": "top-p", "top_k": "top-k", "": "not stated"}
"""Display names of decoders, by the words used in files."""
_JOINTS = " _@,;|/+&~=-:"
_PARTS = re.compile(rf"[^{re.escape(_JOINTS)}]+|[{re.escape(_JOINTS)}]+")
_LATER_TEMPERATURE = re.compile(rf"[\s@_,;|/+&-]+{_HEAT}", re.IGNORECASE)
_SPACE = "\u00a0"
JOINT = f"{_SPACE}·{_SPACE}"
"""The separator between a model and its setting."""
_SEED_SAID = re.compile(rf"seed{_SPACE}\d+")
COLUMNS = frozenset(
    ("Run", "Runs", "Setting", "Baseline", "Against", "Puts first", "Set", "Said by", "Captions of", "Beaten by")
)
"""Headings of table columns that name runs."""
LONG = 20
"""Maximum length in characters of names that keep the parts that all of them share."""


def short_names(runs: Sequence[Run], models: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the short name of each run by its name: model and setting, without a seed that tells no two runs apart.

    `models` are the names of models in labels, by default `models_in_labels` of these runs. Long names also lose the
    decoder or temperature that all runs state, if they remain distinct. Runs that would get the same name keep their
    own.
    """
    models = models_in_labels(runs) if models is None else models
    seeds = Counter(without_seed(run.name) for run in runs)
    named = [
        replace(run, name=without_seed(run.name)) if len(runs) > 1 and seeds[without_seed(run.name)] == 1 else run
        for run in runs
    ]
    said = [_short(run, models[run.model]) for run in named]
    if max(map(len, said), default=0) > LONG and (shared := _shared_settings(named)):
        fewer = [_short(run, models[run.model], shared) for run in named]
        said = fewer if len(set(map(str.casefold, fewer))) == len(fewer) else said
    taken = Counter(name.casefold() for name in said)
    return {run.name: short if taken[short.casefold()] == 1 else one_line(run.name) for run, short in zip(runs, said)}


def _shared_settings(runs: Sequence[Run]) -> frozenset[str]:
    """Return which of "decoder" and "temperature" all of these runs state in their names, with the same value."""
    stated_ = [stated(run.name) for run in runs]
    same: dict[str, set[object]] = {
        "decoder": {decoder_of(one) for one in stated_},
        "temperature": {one.temperature for one in stated_},
    }
    known = {"decoder": all(one.decoder for one in stated_), "temperature": stated_[0].temperature is not None}
    return frozenset(kind for kind in same if len(runs) > 1 and len(same[kind]) == 1 and known[kind])


def pair_names(names: Mapping[str, str], first: str, second: str) -> tuple[str, str]:
    """Return the short names of two runs that are compared, without a seed that both have."""
    one, other = names[first], names[second]
    (a, _, of_a), (b, _, of_b) = one.rpartition(JOINT), other.rpartition(JOINT)
    return (a, b) if of_a == of_b and a and b and a != b and _SEED_SAID.fullmatch(of_a) else (one, other)


def models_in_labels(runs: Sequence[Run]) -> dict[str, str]:
    """Return the name of each model in the labels of these runs, without the parts that all long names share.

    If a label would be longer than LONG and the names of all other models begin with one model's name, that model's
    name becomes "", such as "ngram" beside "ngram_retrieval". It keeps its name if other models have settings, too,
    because "T 0.7" would not show whose setting it is, or if its runs could not be told from the rest.
    """
    models = list(dict.fromkeys(run.model for run in runs))
    names = dict(zip(models, distinct_parts(models)))
    if len(runs) < 2 or max(len(_short(run, names[run.model])) for run in runs) <= LONG:
        return names
    shared = min(models, key=len)
    if not all(_says_enough(run, shared) for run in runs):
        return names
    return {model: model.removeprefix(shared).strip(_JOINTS) for model in models}


def shared_model(runs: Sequence[Run]) -> str:
    """Return the model that labels of these runs leave out because all names begin with it; "" if there is none."""
    return next((model for model, said in models_in_labels(runs).items() if not said), "")


def _says_enough(run: Run, shared: str) -> bool:
    """Whether a run can be distinguished from the others without `shared`, the beginning of its model's name."""
    if run.model == shared:
        return bool(_short(run, "")) and _short(run, "") != one_line(run.name)
    rest = run.model.removeprefix(shared)
    alone = replace(run.settings, seed=None) == Settings()
    return alone and rest != run.model and rest[0] in _JOINTS and bool(rest.strip(_JOINTS))


def with_short_names(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a table for people, with the short names of runs in its headings and in COLUMNS, which contain only names.

    Data files keep the study's own names, which the command line accepts.
    """
    known = {whole(name): short for name, short in names.items() if name != short}
    if not known:
        return table

    def short(text: object) -> object:
        return _replaced(text, known) if isinstance(text, str) else text

    shown = table.assign(**{head: table[head].map(short) for head in table.columns if head in COLUMNS})
    return shown.rename(columns=lambda head: head if head in COLUMNS else short(head))


def in_sentence(text: str, names: Mapping[str, str]) -> str:
    """Return a sentence with the short names of runs; names of letters only are kept, as they may be ordinary words."""
    known = {name: short for name, short in names.items() if name != short and not name.isalpha()}
    return _replaced(text, known) if known else text


def _replaced(text: str, known: Mapping[str, str]) -> str:
    longest_first = sorted(map(re.escape, known), key=len, reverse=True)
    # A name that ends with a dot and letters is that of a file, and what follows a slash is part of a path.
    return re.sub(rf"(?<![\w/])(?:{'|'.join(longest_first)})(?!\.?\w)", lambda found: known[found.group()], text)


def distinct_parts(names: Sequence[str]) -> list[str]:
    """Return long names without an organisation, and without the first and last parts that they all share.

    Names are unchanged if all are short, or if nothing would be left of one of them. If only numbers would be left,
    they keep the part before them.
    """
    if len(names) < 2 or max(map(len, names)) <= LONG:
        return list(names)
    bare = without_organisations(names)
    names = bare if len(set(map(str.casefold, bare))) == len(names) else names
    parts = [_PARTS.findall(whole(name)) for name in names]
    start = _shared(parts)
    rest = [of[start:] for of in parts]
    end = _shared([of[::-1] for of in rest])
    kept = ["".join(of[: len(of) - end]).strip(_JOINTS) for of in rest]
    if all(part.isdigit() for part in kept) and start >= 2:
        kept = ["".join(of[start - 2 : len(of) - end]).strip(_JOINTS) for of in parts]
    return kept if all(kept) else list(names)


def _shared(names: Sequence[Sequence[str]]) -> int:
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*names)))


def decoder_name(decoder: Decoder, names: Iterable[str] = ()) -> str:
    """Return a decoder in words, such as "top-p 0.9", "beam 5" or "sampling"; "not stated" if the study does not say.

    If one of `names`, those of runs or of their model, contains "nucleus", a nucleus decoder is called that instead of
    "top-p".
    """
    parts = [_KINDS.get(decoder.kind, decoder.kind.replace("_", " "))]
    if decoder.kind == NUCLEUS and any(NUCLEUS in name.casefold() for name in names):
        parts = [NUCLEUS]
    if decoder.kind == NUCLEUS and decoder.top_p is not None:
        parts[0] += f" {decoder.top_p:g}"
    if decoder.top_k is not None:
        parts = [f"top-k {decoder.top_k}"] if decoder.kind == "top_k" else [*parts, f"top-k {decoder.top_k}"]
    if decoder.width is not None:
        parts[0] += f" {decoder.width}"
    return ", ".join(parts)


def _short(run: Run, model: str, shared: Collection[str] = ()) -> str:
    """Return model and setting from a run's name.

    Return only the model if no setting follows, and the whole name if it has no model.

    If only settings follow the model, they are named as on other pages, however the file writes them, without those
    that are `shared` by all runs.
    """
    name = one_line(run.name)
    named, settings = parse_name(name)
    if named == run.model and (settings.decoder == named or name.startswith(named)) and settings != Settings():
        said = _settings(settings, name, () if settings.decoder == named else shared)
        first = said.pop(0) if settings.decoder == named else model
        return JOINT.join(filter(None, (first, *said)))
    rest = name.removeprefix(run.model)
    setting = rest.lstrip(_JOINTS)
    if not setting:
        return model or run.model
    if rest in (name, setting):
        return name
    if (seed := _SEED.fullmatch(setting)) and int(seed[1]) == run.settings.seed:
        return JOINT.join(filter(None, (model, f"seed{_SPACE}{run.settings.seed}")))
    if (last := _LAST_SEED.search(setting)) and int(last[1]) == run.settings.seed:
        seed_said = f"seed{_SPACE}{run.settings.seed}"
        return JOINT.join(filter(None, (model, setting[: last.start()], seed_said)))
    if _NUMBER.fullmatch(setting) and float(setting) == run.settings.temperature:
        return JOINT.join(filter(None, (model, f"T{_SPACE}{temperature(run.settings.temperature)}")))
    said_as_it_is = _TEMPERATURE.sub(_as_temperature, setting)
    later = _LATER_TEMPERATURE.sub(lambda found: f"{_SPACE}{_as_temperature(found)}", said_as_it_is)
    return JOINT.join(filter(None, (model, later)))


def _settings(settings: Settings, name: str, shared: Collection[str]) -> list[str]:
    """Return the settings that a name states, in words, without `shared` ones: "top-p 0.9", "T 0.7", "seed 2"."""
    heat = settings.temperature
    said = [decoder_name(decoder_of(settings), [name])] if settings.decoder and "decoder" not in shared else []
    said += [f"T {temperature(heat)}"] if heat is not None and "temperature" not in shared else []
    said += [f"seed {settings.seed}"] if settings.seed is not None else []
    return [part.replace(" ", _SPACE) for part in said]


def _as_temperature(found: re.Match[str]) -> str:
    """Return a temperature as on all pages, "T 1.0"; beside a top-p, a bare number would be ambiguous."""
    return f"T{_SPACE}{temperature(float(found[1]))}"


def one_line(name: str) -> str:
    """Return a name without line breaks and without blanks at its ends."""
    return " ".join(whole(name).split())
