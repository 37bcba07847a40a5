"""Run settings, read from names such as `vlp_t0.7_top_p0.9` and from files."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from data.study import Run, Settings, Study

_EDGE = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"
_JOIN = r"[\s_=:~-]*"
_SEARCH = r"(?:[\s_-](?:search|sampling|decoding))?"
_DECODER = r"(?:decoder=)?"
_COMMA = r"\d+,\d+(?![.,]?\d)"
_NUMBER = rf"(\d+\.\d+|{_COMMA}|\d+|\.\d+)"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(_EDGE + pattern + _END, re.IGNORECASE))
    for name, pattern in (
        ("top_p", rf"(?:top[\s_-]?p|nucleus(?:[\s_-]sampling)?){_JOIN}(?:p{_JOIN})?{_NUMBER}"),
        ("top_p", r"p(?:\s*=\s*)?(0?\.\d+|1\.0)"),
        ("top_k", rf"(?:top[\s_-]?k){_JOIN}(?:k{_JOIN})?(\d+)"),
        ("top_k", r"k\s*=\s*(\d+)"),
        ("temperature", rf"(?:temperature|temp|tau|τ){_JOIN}{_NUMBER}"),
        ("temperature", rf"t\s*[=:]\s*{_NUMBER}"),
        # After a bare t the number needs a decimal point or a leading zero, or is 1 or 2: T5 is a model.
        ("temperature", rf"t[\s_-]?(\d+\.\d+|{_COMMA}|\.\d+|0\d+|[12])"),
        ("seed", rf"seed{_JOIN}(\d+)"),
        ("seed", r"s=(\d+)"),
        ("decoder", rf"{_DECODER}((?:diverse[\s_-]?)?beam)(?:[\s_-]?search)?(?:\s?\((?=\d)|[\s_=-]?)(\d+)?"),
        (
            "decoder",
            rf"{_DECODER}(greedy|sampling|nucleus|top[\s_-]?[kp]|contrastive|typical|argmax){_SEARCH}",
        ),
    )
)
_LAST_SEED = re.compile(r"[_-]s(\d{1,18})$", re.IGNORECASE)
"""A seed marked by a single letter, which counts only at the end of a name and after another setting: `vlp_t0.7_s2`."""
_NUMBERED = re.compile(r"^(.*[^\W_])[\s_.-]+r?s(\d{1,3})$", re.IGNORECASE | re.DOTALL)
"""A name that ends in, for example, "-s2" or "-rs2": a seed only if several runs count from 0 or 1, since ViT-S16 is a
size.
"""
_RETRIEVAL = re.compile(r"^(.*[^\W_])[\s_.-]+retrieval$", re.IGNORECASE | re.DOTALL)
"""A name that ends in `retrieval`: a separate model unless the study has other runs of the model named before it."""
_OF_A_LIST = re.compile(r"\d\.\d+,\d|\d,\d*\.\d")
"""A comma beside a decimal point, which separates numbers: `T=0.5,2`."""
_PERHAPS_OF_A_LIST = re.compile(r"(?<![\d.,])([1-9]\d*),(?=\d+(?![.,]?\d))")
_SEPARATORS = " _@,;|/+&~=-"
UNNAMED = "model"
_COCO_NAME = re.compile(r"^captions_(?:val|test|train)[^_]*_(.+)_results$")
_PAIR = re.compile(r"""\((?P<q>['"])([^'"]+)(?P=q), (?:np\.float64\()?(\d+\.\d+)\)?\)""")
"""A model and a temperature in Python's notation of a pair, which pandas uses as a column name: `('vlp', 0.7)`."""
_OF_A_HUB = re.compile(
    r"^[A-Za-z0-9][\w.-]*/(?=(?=[\w.-]*[\d-])[\w.-]+$)"
    r"|^[A-Za-z0-9][A-Za-z0-9.-]*__(?=[A-Za-z](?=\S*-)(?=\S*\d|\S*-\S*-|(?<=[A-Z]))(?:(?!__)[\w.-])+$)"
)
"""The organisation in a model's name on a hub, such as "Salesforce/blip2-opt-2.7b"; files may have "__" for "/"."""
_BESIDE_A_HUB = re.compile(r"^[A-Za-z0-9][A-Za-z0-9.-]*(?:/|__)(?=[A-Za-z](?:(?!__)[\w.-])*$)")
"""The same in a name that shows it only beside names that match `_OF_A_HUB`, such as "vikhyatk/moondream2"."""
_EXPECTED = {
    "temperature": "a number from 0 up",
    "top_p": "a number above 0 and up to 1",
    "top_k": "a whole number from 1 up",
    "decoder": "a name",
    "seed": "a whole number from 0 up",
}


@lru_cache(maxsize=1_000)
def parse_name(name: str) -> tuple[str, Settings]:
    """Return the model and the settings in the name of a run or file; settings that it does not state are None.

    If no model name remains, the model is the decoder's name, so that `sampling@T=0.1` and `sampling@T=0.5` are one
    model; if there is no decoder either, it is `UNNAMED`, or the whole name if it states no setting. Recent results are
    cached, since each row of a table, and each figure, parses its name.
    """
    rest = _PAIR.sub(r"\2 T=\3", _COCO_NAME.sub(r"\1", name[:500]))
    found: dict[str, Any] = {}
    for field_name, pattern in _PATTERNS:
        match = None if field_name in found else pattern.search(rest)
        value = _value(field_name, match) if match else None
        if match and value is not None:
            found[field_name] = value
            if match.group(0).lower().startswith("nucleus"):
                found["decoder"] = "nucleus"
            rest = f"{rest[: match.start()]}\0{rest[match.end() :]}"
    last = _LAST_SEED.search(rest)
    if last and "seed" not in found and rest[: last.start()].endswith("\0"):
        found["seed"], rest = int(last.group(1)), rest[: last.start()]
    settings = replace(Settings(), **found)
    settings = replace(settings, decoder=settings.decoder or _implied_settings(settings))
    model = re.sub(rf"\.?[{re.escape(_SEPARATORS)}]*\0[{re.escape(_SEPARATORS)}\0]*", "_", rest)
    left = re.sub(r"\(_*\)|\[_*\]", "", re.sub(r"_(?=[)\]])|(?<=[(\[])_", "", model)).strip(_SEPARATORS)
    whole = left.count("(") == left.count(")") and left.count("[") == left.count("]")
    left = left if whole else left.strip(_SEPARATORS + "()[]")
    return left or settings.decoder or (UNNAMED if found else name), settings


def of_lists(names: Collection[str]) -> dict[str, tuple[str, Settings]]:
    """Return the model and settings in names such as `T=1,2`, if other names show that the comma separates two numbers.

    A name such as `T=0.5,2` shows this; without such a name, `T=1,2` means 1.2. `T=0,7` stays 0.7.
    """
    if not any(map(_OF_A_LIST.search, names)):
        return {}
    apart = {name: _PERHAPS_OF_A_LIST.sub(r"\1, ", name) for name in names if not _OF_A_LIST.search(name)}
    return {name: parse_name(new) for name, new in apart.items() if new != name}


def stated(name: str) -> Settings:
    """Return the settings that a name states."""
    return parse_name(name)[1]


def names_settings(name: str) -> bool:
    """Return whether a name states settings and no model."""
    model, settings = parse_name(name)
    return settings != Settings() and model in (UNNAMED, settings.decoder)


def given(settings: Settings) -> dict[str, Any]:
    """Return the known settings by name."""
    return {name: one for name in SETTING_NAMES if (one := getattr(settings, name)) is not None}


def parse_stem(stem: str) -> str:
    """Return the run's name in the stem of a file: `fakecap` for COCO's `captions_val2014_fakecap_results`."""
    parts = stem.split("_")
    of_coco = len(parts) > 3 and parts[0] == "captions" and parts[-1] == "results"
    return "_".join(parts[2:-1]) if of_coco else stem


def without_organisations(names: Sequence[str]) -> list[str]:
    """Return names without the organisation that model hubs write before a slash, and programs before "__" in files.

    If most names clearly come from a hub, the others are read in the same way.
    """
    of_hubs = 2 * sum(bool(_OF_A_HUB.match(name)) for name in names) > len(names)
    return [(_BESIDE_A_HUB if of_hubs else _OF_A_HUB).sub("", name) for name in names]


def without_seed(name: str) -> str:
    """Return the name of a run without its seed: "model T=0.5" for "model T=0.5 (seed 3)"."""
    for pattern in (pattern for field_name, pattern in _PATTERNS if field_name == "seed"):
        if match := pattern.search(name):
            before, after = name[: match.start()], name[match.end() :]
            bracketed = before.rstrip().endswith(("(", "[")) and after.lstrip().startswith((")", "]"))
            if bracketed:
                before, after = before.rstrip()[:-1], after.lstrip()[1:]
            joint = "" if not before.strip(_SEPARATORS) or not after.strip(_SEPARATORS) else before[-1:]
            return f"{before.rstrip(_SEPARATORS)}{joint}{after.strip(_SEPARATORS)}"
    return name if stated(name).seed is None else _LAST_SEED.sub("", name)


def numbered_seeds(names: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Return, by name, the common part and the seed of names that differ only in "-s0", "-s1", .. or "-s1", "-s2", ..

    Names with gaps between the numbers, or numbered otherwise, are left out.
    """
    found: dict[str, dict[int, str]] = {}
    for name in names:
        if match := _NUMBERED.match(name):
            found.setdefault(match[1], {})[int(match[2])] = name
    counted = {common: of for common, of in found.items() if len(of) > 1 and _counts_up(sorted(of))}
    return {name: (common, number) for common, of in counted.items() for number, name in of.items()}


def _counts_up(numbers: Sequence[int]) -> bool:
    return numbers[0] <= 1 and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))


def retrieving(models: Iterable[str]) -> dict[str, str]:
    """Return, for each of the models that is a setting of another, that other model: "clip" for "clip_retrieval"."""
    known = set(models)
    found = {name: match[1] for name in known if (match := _RETRIEVAL.match(name))}
    return {name: model for name, model in found.items() if model in known}


def without_number(name: str) -> str:
    """Return a name of numbered runs without "-s2" at its end, or without its seed as `without_seed` finds it."""
    match = _NUMBERED.match(name)
    return match[1] if match else without_seed(name)


def _value(name: str, match: re.Match[str]) -> Any:
    if name == "decoder":
        word = re.sub(r"[\s-]", "_", match.group(1).lower())
        word = {"topk": "top_k", "topp": "nucleus", "top_p": "nucleus", "diversebeam": "diverse_beam"}.get(word, word)
        return word + (match.group(2) or "") if "beam" in word else word
    digits = match.group(1).replace(",", ".")
    if name in ("top_k", "seed"):
        return valid(name, int(digits)) if len(digits) < 19 else None
    # `t07` is 0.7 in names that cannot contain a dot.
    return valid(name, float(f"0.{digits[1:]}" if re.fullmatch(r"0\d+", digits) else digits))


def _implied_settings(settings: Settings) -> str | None:
    if settings.top_p is not None and settings.top_k is not None:
        return "sampling"
    if settings.top_p is not None and settings.top_p < 1:
        return "nucleus"
    return "top_k" if settings.top_k is not None else None


def valid(name: str, value: Any) -> Any:
    """Return the value of a settings field converted to its type, or None if it is invalid (see `expected`)."""
    if name == "decoder":
        return value.strip() if isinstance(value, str) and value.strip() and value.isprintable() else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**63:
        return None
    if name in ("top_k", "seed"):
        return int(value) if value == int(value) and value >= (name == "top_k") else None
    number = float(value)
    if not math.isfinite(number) or number < 0 or (name == "top_p" and not 0 < number <= 1):
        return None
    return number


def expected(name: str) -> str:
    """Describe the valid values of a settings field."""
    return _EXPECTED[name]


SETTING_NAMES = tuple(f.name for f in fields(Settings))


def describe(settings: Settings) -> str:
    """Return the known settings as text, `temperature 0.7, top_p 0.9`; empty if none is known."""
    return ", ".join(f"{name} {value}" for name, value in given(settings).items())


def regroup(study: Study, settings: Mapping[str, str]) -> Study:
    """Return the study with the settings that runs replicate taken from `settings`; other runs replicate nothing."""
    return replace(study, runs=tuple(replace(run, setting=settings.get(run.name)) for run in study.runs))


def relabel(study: Study, labels: Mapping[str, tuple[str, Settings]]) -> Study:
    """Return the study with the model and settings of some runs corrected, by run name."""

    def corrected(run: Run) -> Run:
        model, settings = labels.get(run.name, (run.model, run.settings))
        return replace(run, model=model, settings=settings)

    return replace(study, runs=tuple(corrected(run) for run in study.runs))
