"""Write a study as Trilens JSON Lines, which contain all data about its captions, or in other programs' formats."""

from __future__ import annotations

import io
import math
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from data.checks.clusters import by_itself
from data.run_settings import SETTING_NAMES
from data.study import (
    DataError,
    ImportedDistances,
    ImportedScores,
    ImportedVectors,
    Item,
    Preference,
    Run,
    Study,
    SystemRatings,
)
from data.templates import templates

__all__ = [
    "left_out",
    "scores_to_jsonl_bytes",
    "templates",
    "to_capevalkit",
    "to_coco",
    "to_jsonl_bytes",
    "write_jsonl",
]


def to_jsonl_bytes(study: Study) -> bytes:
    """Return a header line with the runs and their settings, then one line per item.

    A study from `load_study` has the same digest when read back: every setting is written, as null if it is unknown, so
    that no setting is inferred again from the name of a run. Raises DataError for a value that JSON cannot hold, such
    as a text that UTF-8 cannot encode.
    """
    runs = {
        run.name: {
            "model": run.model,
            **{key: getattr(run.settings, key) for key in SETTING_NAMES},
            **({"setting": run.setting} if run.setting else {}),
        }
        for run in study.runs
    }
    head: dict[str, Any] = {"dataset": study.name, "runs": runs}
    if study.synthetic:
        head["synthetic"] = True
    if study.splitting:
        head["tokenizer"] = study.tokenizer
    items = [replace(item, cluster=item.id) for item in study.items] if by_itself(study) else study.items
    try:
        return b"".join(orjson.dumps(row) + b"\n" for row in [head, *(_item(item, study.runs) for item in items)])
    except orjson.JSONEncodeError as error:
        raise DataError(f"study {study.name!r} holds a value that JSON cannot: {error}") from error


def left_out(study: Study, captions_only: bool = False) -> list[str]:
    """Return, in words, the data that JSON Lines of a study or, with `captions_only`, files of captions omit."""
    said = [f"scores by {one.name}" for one in study.scores] + [f"embeddings {one.name}" for one in study.vectors]
    said += [f"distances {one.name}" for one in study.distances]
    there = {
        "preferences between captions": bool(study.preferences),
        "ratings of systems": bool(study.systems),
        "answers of a judge": bool(study.answers),
    }
    if captions_only:
        probabilities = [*(run.logprobs or run.reference_logprobs or run.oracle_logprobs for run in study.runs)]
        there |= {
            "ratings of captions": any(run.human for run in study.runs),
            "log-probabilities": any([*probabilities, *(item.oracle_logprobs for item in study.items)]),
            "coherence labels": any([*(run.coherence for run in study.runs), *(one.coherence for one in study.items)]),
            "metadata": any(item.metadata for item in study.items),
            "clusters": study.unit is not None,
        }
    return said + [name for name, has in there.items() if has]


def to_capevalkit(study: Study) -> dict[str, bytes]:
    """Return capevalkit's files by name: `references.jsonl`, and the predictions of each run.

    Like COCO's programs, capevalkit reads one caption per item, so each position among a run's candidates gets its own
    file.
    """
    files = {"references.jsonl": _lines({"id": item.id, "references": item.references} for item in study.items)}
    images = {item.id: {"image": item.image} if item.image else {} for item in study.items}
    for name, said in _one_each(study, "predictions_{}.jsonl").items():
        files[name] = _lines({"id": id, "caption": text, **images[id]} for id, text in said.items())
    return files


def to_coco(study: Study) -> dict[str, bytes]:
    """Return COCO's files by name: `annotations.json` with images and references, and the results of each run.

    Ids are integers, as COCO's programs expect: the study's ids if all are integers, else numbers from 1, with the
    study's ids in `file_name`.
    """
    known = all(item.id.isdecimal() and str(int(item.id)) == item.id for item in study.items)
    ids = {item.id: int(item.id) if known else place for place, item in enumerate(study.items, 1)}
    images = [{"id": ids[item.id], "file_name": (known and item.image) or item.id} for item in study.items]
    texts = [(ids[item.id], text) for item in study.items for text in item.references]
    notes = [{"id": place, "image_id": id, "caption": text} for place, (id, text) in enumerate(texts, 1)]
    about = {"info": {"description": study.name}, "licenses": [], "type": "captions"}
    files = {"annotations.json": orjson.dumps({**about, "images": images, "annotations": notes})}
    for name, said in _one_each(study, "{}_results.json").items():
        files[name] = orjson.dumps([{"image_id": ids[id], "caption": text} for id, text in said.items()])
    return files


def _one_each(study: Study, pattern: str) -> dict[str, dict[str, str]]:
    """Return the captions of each file by item.

    There is one file per run or, if a run has several candidates per item, one per position among them.
    """
    files: dict[str, dict[str, str]] = {}
    for run in study.runs:
        stem = re.sub(r"[^\w.=@+-]+", "_", run.name).strip("._")[:80] or "run"
        most = max(map(len, run.candidates.values()), default=0)
        for place in range(most):
            named = stem if most == 1 else f"{stem}_sample{place + 1}"
            free = (pattern.format(named if k == 1 else f"{named}-{k}") for k in range(1, len(study.runs) + 2))
            taken = {name.lower() for name in files}
            said = {id: texts[place] for id, texts in run.candidates.items() if len(texts) > place}
            files[next(name for name in free if name.lower() not in taken)] = said
    return files


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def scores_to_jsonl_bytes(scores: Iterable[ImportedScores]) -> bytes:
    """Return a file that reads back as exactly these scores."""
    lines = []
    for one in scores:
        facts: dict[str, object] = {"metric": one.name, "higher_is_better": one.higher_is_better}
        facts |= {name: end for name, end in (("low", one.low), ("high", one.high)) if math.isfinite(end)}
        for run, items in one.values.items():
            for id, values in items.items():
                for place, value in enumerate(values):
                    where = {"item": id} if id else {}
                    candidate = {"candidate_from_0": place} if one.grain == "candidate" else {}
                    if not math.isnan(value):
                        lines.append(orjson.dumps({"run": run, **where, **candidate, **facts, "value": value}))
    return b"\n".join(lines) + b"\n"


def preferences_to_json(preferences: Iterable[Preference]) -> bytes:
    """Return a file that reads back as these preferences."""
    names = ("item", "run_a", "candidate_from_0_a", "run_b", "candidate_from_0_b", "votes_a", "votes_b", "ties")
    decided = (((one.first_votes - one.ties / 2, one.second_votes - one.ties / 2), one) for one in preferences)
    rows = (((one.item, *one.first, *one.second, *votes, one.ties), one) for votes, one in decided)
    of = ({**dict(zip(names, row)), "criterion": one.criterion, "category": one.category} for row, one in rows)
    return orjson.dumps(list(of))


def systems_to_json(ratings: SystemRatings) -> bytes:
    """Return a file that reads back as these ratings of systems."""
    sides = {name: f"{name} ({'lower' if name in ratings.lower else 'higher'})" for name in ratings.metrics}
    rows = [
        {
            "run": system,
            **{f"human:{name}": values[k] for name, values in ratings.criteria.items()},
            **{sides[name]: values[k] for name, values in ratings.metrics.items()},
        }
        for k, system in enumerate(ratings.systems)
    ]
    return orjson.dumps(rows)


def vectors_to_npz(vectors: ImportedVectors) -> bytes:
    """Return a file that reads back as these embeddings."""
    packed = io.BytesIO()
    np.savez_compressed(packed, texts=np.array(vectors.texts), vectors=vectors.rows)
    return packed.getvalue()


def distances_to_npz(distances: ImportedDistances) -> bytes:
    """Return a file that reads back as these distances."""
    packed = io.BytesIO()
    found = {f"{run}/{id}": matrix for run, items in distances.matrices.items() for id, matrix in items.items()}
    np.savez_compressed(packed, **found)  # type: ignore[arg-type]
    return packed.getvalue()


def write_jsonl(study: Study, path: str | Path) -> None:
    """Write the result of `to_jsonl_bytes` to a file atomically. Raises DataError as that function does,
    and OSError.
    """
    path = Path(path)
    content = to_jsonl_bytes(study)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _item(item: Item, runs: tuple[Run, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": item.id, "references": item.references}
    row["candidates"] = {run.name: run.candidates[item.id] for run in runs if item.id in run.candidates}
    optional = {
        "image": item.image,
        "cluster": item.cluster,
        "human": {run.name: run.human[item.id] for run in runs if run.human and item.id in run.human},
        "logprobs": _of_item(item, {run.name: run.logprobs for run in runs}),
        "reference_logprobs": _of_item(item, {run.name: run.reference_logprobs for run in runs}),
        "oracle_logprobs": _of_oracle(item, runs),
        "coherence": _labels(item, runs),
        "metadata": dict(item.metadata),
    }
    return {**row, **{key: value for key, value in optional.items() if value}}


def _of_item(item: Item, values: Mapping[str, Mapping[str, tuple[float, ...]] | None]) -> dict[str, list[float | None]]:
    """Return the log-probabilities of one item by run; minus infinity becomes null, since JSON has no infinity."""
    return {run: _finite(known[item.id]) for run, known in values.items() if known and item.id in known}


def _of_oracle(item: Item, runs: tuple[Run, ...]) -> dict[str, Any]:
    candidates = _of_item(item, {run.name: run.oracle_logprobs for run in runs})
    references = _finite(item.oracle_logprobs or ())
    return {key: value for key, value in (("references", references), ("candidates", candidates)) if value}


def _labels(item: Item, runs: tuple[Run, ...]) -> dict[str, Any]:
    """Return the coherence labels of one item; null for a caption without a label."""
    known = {run.name: run.coherence[item.id] for run in runs if run.coherence and item.id in run.coherence}
    candidates = {name: [label or None for label in labels] for name, labels in known.items()}
    references = [label or None for label in item.coherence or ()]
    return {key: value for key, value in (("references", references), ("candidates", candidates)) if value}


def _finite(values: Iterable[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]
