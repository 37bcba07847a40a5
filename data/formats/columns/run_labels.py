"""Labels of the runs of a file: their model and settings, stated by the file or inferred from the run's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from data.fields.keys import likely_field
from data.fields.names import whose
from data.findings import TrustedText, clip
from data.formats.columns.run_columns import with_temperatures
from data.records import LONGEST_ID, Label, Source, as_id, kind
from data.run_settings import SETTING_NAMES, describe, expected, of_lists, parse_name, parse_stem, valid
from data.study import Settings


def label_runs(source: Source, names: Iterable[str], told: Mapping[str, Any] | None = None) -> dict[str, Label]:
    """Return the label of every run: as stated in the file or, with a finding, as inferred from the run's name."""
    named = list(names)
    lists = of_lists({*named, *source.reading.stems})
    heated = with_temperatures([name for name in named if whose(name) != "people"])
    lists |= {name: parse_name(full) for name, full in heated.items()}
    told = {**(told or {})}
    for name in heated.keys() & told.keys():  # a column of models may have such names, too
        if isinstance(of := told[name], dict):
            told[name] = {key: value for key, value in of.items() if (key, value) != ("model", name)}
    labels = {name: _label(source, name, told.get(name), lists.get(name) or parse_name(name)) for name in named}
    return _with_settings_of_file(source, labels, told)


def _with_settings_of_file(source: Source, labels: dict[str, Label], told: Mapping[str, Any]) -> dict[str, Label]:
    """Add to the labels those settings in the file's name that no name or field of its runs states; report them."""
    said = {key for of in told.values() if isinstance(of, dict) for key in of}
    known = {key for one in labels.values() for key in SETTING_NAMES if getattr(one.settings, key) is not None}
    of_file = parse_name(parse_stem(source.stem))[1]
    left = {key: getattr(of_file, key) for key in SETTING_NAMES if key not in said | known}
    left = {key: value for key, value in left.items() if value is not None}
    if not left or source.reading.run:
        return labels
    for name in labels:
        source.log.add("settings_from_name", source.name, id=f"{clip(name)}: {describe(Settings(**left))}")
    return {name: replace(one, settings=replace(one.settings, **left)) for name, one in labels.items()}


def _label(source: Source, name: str, told: Any, parsed: tuple[str, Settings]) -> Label:
    model, settings = parsed
    if told is not None and not isinstance(told, dict):
        source.log.add("ignored_field", source.name, id=name, field="runs", why=f"it is {kind(told)}, not an object")
    told = told if isinstance(told, dict) else {}
    values = {key: getattr(settings, key) for key in SETTING_NAMES}
    for key in set(SETTING_NAMES) & set(told):
        values[key] = None if told[key] is None else valid(key, told[key])
        if told[key] is not None and values[key] is None:
            found, wanted = kind(told[key]), expected(key)
            source.log.add("bad_settings", source.name, id=name, run=name, field=key, found=found, expected=wanted)
    _unknown_settings(source, name, told)
    implied = {"decoder"} if told.keys() & {"top_p", "top_k"} else set()
    read = Settings(**{key: getattr(settings, key) for key in SETTING_NAMES if key not in told.keys() | implied})
    if describe(read):
        source.log.add("settings_from_name", source.name, id=f"{clip(name)}: {describe(read)}")
    named = told.get("model")
    named = as_id(named[:LONGEST_ID]) if isinstance(named, str) else None
    said = frozenset([*(key for key in SETTING_NAMES if told.get(key) is not None), *(["model"] if named else [])])
    setting = told.get("setting")
    setting = as_id(setting[:200]) if isinstance(setting, str) else None
    written, where = source.written.get(name, name), source.named.get(name, "")
    return Label(named or model, Settings(**values), said, written, setting, where)


def _unknown_settings(source: Source, run: str, told: Mapping[str, Any]) -> None:
    known = (*SETTING_NAMES, "model", "setting")
    for key in list(told)[:20]:
        if key not in known and (near := likely_field(key, known)) is not None:
            source.log.add("misspelt_setting", source.name, id=run, field=key, meant=near)
        elif key not in known:
            source.log.add("unknown_setting", source.name, id=run, field=key, known=TrustedText(", ".join(known)))
