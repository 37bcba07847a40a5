"""Results of promptfoo that consist only of a table, with a column for each prompt and provider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from data.fields.names import ASKED, words

_FAILED = "\n---\n"
"""The separator between the reason why an answer failed its tests and the answer."""
_REQUEST_FAILED = 2
"""The `failureReason` of a cell without an answer; it is 1 for an answer that failed its tests."""


def as_records(value: Any) -> Any:
    """Return one record per answer in a table of results, in the form of newer promptfoo results.

    The table is the value, its `table`, or the `table` of its `results`. Other values are returned unchanged, as are
    results that already have such records beside their table, except that answers get the settings of their provider.
    """
    inner = value.get("results") if isinstance(value, dict) else None
    settings = _settings(value)
    for holder in (inner, value):
        if isinstance(holder, dict) and _is_table(table := holder.get("table", holder)):
            listed = inner.get("results") if isinstance(inner, dict) else inner
            made = list(_records(table))
            return _with_settings(value, settings) if isinstance(listed, list) and listed else _stated(made, settings)
    return _with_settings(value, settings) if settings and inner is not None else value


def _settings(value: Any) -> dict[str, dict[str, Any]]:
    """Return the settings of each provider in the configuration of promptfoo's results, by its label or else its id."""
    config = value.get("config") if isinstance(value, dict) else None
    listed = config.get("providers") if isinstance(config, dict) else None
    stated = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    stated = [{"id": next(iter(one)), **next(iter(one.values()))} if _is_by_id(one) else one for one in stated]
    named = [(one.get("label") or one.get("id"), one.get("config")) for one in stated]
    return {name: told for name, told in named if isinstance(name, str) and isinstance(told, dict)}


def _is_by_id(one: dict[str, Any]) -> bool:
    """Return whether a provider is written as an object with its id as the only key and its facts below."""
    return len(one) == 1 and isinstance(next(iter(one.values())), dict)


def _with_settings(value: dict[str, Any], settings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return results with the settings of each answer's provider; the list of answers may be nested once more."""
    inner = value["results"] if settings else None
    if isinstance(inner, list):
        return {**value, "results": _stated(inner, settings)}
    if isinstance(inner, dict) and isinstance(inner.get("results"), list):
        return {**value, "results": {**inner, "results": _stated(inner["results"], settings)}}
    return value


def prompts(header: Sequence[str]) -> list[str]:
    """Return the header of a CSV file with each prompt's label in place of the object that describes the prompt.

    If columns of scores have the same names after each prompt, the prompt's provider is added to these names.
    """
    shown = [_told_in(name) if name.startswith("{") else name for name in header]
    run = ""
    for k, name in enumerate(shown):
        if match := ASKED.match(name):
            run = match[1]
        elif run and header.count(name) > 1 and {"score", "scores", "metric"} & {*words(name)}:
            shown[k] = f"{name} ({run})"
    return shown


def _told_in(name: str) -> str:
    try:
        prompt = orjson.loads(name)
    except orjson.JSONDecodeError:
        return name
    shown = prompt.get("display") if isinstance(prompt, dict) and "raw" in prompt else None
    return shown if isinstance(shown, str) and shown else name


def _stated(rows: list[Any], settings: dict[str, dict[str, Any]]) -> list[Any]:
    """Return answers with the settings of their provider, unless the answers state settings themselves."""
    made = []
    for row in rows:
        by = row.get("provider") if isinstance(row, dict) else None
        by = {"id": by} if isinstance(by, str) else by
        names = [by.get("label"), by.get("id")] if isinstance(by, dict) and "config" not in by else []
        told = next((settings[name] for name in names if isinstance(name, str) and name in settings), None)
        made.append({**row, "provider": {**by, "config": told}} if isinstance(by, dict) and told is not None else row)
    return made


def _is_table(table: Any) -> bool:
    """Return whether a value has prompts and names of variables in its head, and as many cells in each row."""
    head, body = (table.get(key) for key in ("head", "body")) if isinstance(table, dict) else (None, None)
    if not isinstance(head, dict) or not isinstance(body, list) or not body:
        return False
    return all(_alike(head.get("prompts"), row, "outputs") and _alike(head.get("vars"), row, "vars") for row in body)


def _alike(named: Any, row: Any, key: str) -> bool:
    listed = row.get(key) if isinstance(row, dict) else None
    return isinstance(named, list) and isinstance(listed, list) and len(listed) == len(named)


def _records(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    told = [_told(prompt) for prompt in table["head"]["prompts"]]
    for row in table["body"]:
        variables = dict(zip(map(str, table["head"]["vars"]), row["vars"]))
        for (provider, label), output in zip(told, row["outputs"]):
            cell = output if isinstance(output, dict) else {"text": output}
            by = cell.get("provider")
            run = provider or (by if isinstance(by, str) else "")
            about = {"provider": {"id": run}} if run else {}
            yield {**about, "prompt": {"label": label}, "vars": variables, **_answer(cell)}


def _answer(cell: dict[str, Any]) -> dict[str, Any]:
    """Return the answer in a cell, without the reason why it failed its tests, or the error of a failed request."""
    text, error = cell.get("text"), cell.get("error")
    if cell.get("pass") is False and isinstance(text, str) and _FAILED in text:
        text = text.partition(_FAILED)[2]
    if isinstance(text, str) and text and (cell.get("failureReason") == _REQUEST_FAILED or text == error):
        return {"response": {"output": None}, "error": text}
    return {"response": {"output": text}}


def _told(prompt: Any) -> tuple[str, str]:
    if isinstance(prompt, dict):
        shown = next((prompt[key] for key in ("display", "label", "raw") if isinstance(prompt.get(key), str)), "")
        provider = prompt.get("provider")
        if isinstance(provider, str) and provider:
            return provider, next((prompt[key] for key in ("label", "raw") if isinstance(prompt.get(key), str)), shown)
    else:
        shown = str(prompt)
    named = ASKED.match(shown)
    return (named[1], shown[named.end() :]) if named else ("", shown)
