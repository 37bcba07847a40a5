"""Test that damaged or malicious bundles cause no error on any page: numbers are right, or a sentence says why not."""

from __future__ import annotations

import io
import json
import struct
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.load import load_study
from data.study import Item, Run, Study
from metrics.analysis import artifacts, bundle
from metrics.analysis.cloud.captions import Projection
from metrics.analysis.human_line import human_requirements
from metrics.cache.disk import Cache, text_array
from metrics.cache.entry import SEAL, Arrays, _seal, decode, encode
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS, TRMS
from tests.engine.damage import damaged
from tests.studies import study as random_study
from tests.ui.shown import findings, markup, page
from tests.ui.test_unique_correct import first
from ui.jobs import jobs
from ui.rooms import ENTRIES

BAD = "<script>alert(1)</script> :red[x] **b** $5_a$ `c` [l](http://x)"
NAMES = {"distribution": ["trm_bow"], "quality": ["bleu_4"], "diversity": ["distinct_1"]}
CHOSEN = [METRICS[name] for name in ("trm_bow", "bleu_4", "distinct_1")]
QUERIES: dict[str, dict[str, str | list[str]]] = {
    "leaderboard": {**NAMES, "show": "Difference"},
    "sweeps": {**NAMES},
    "frontier": {"quality-metric": "bleu_4", "diversity-metric": "distinct_1", "single": ["trm_bow"]},
    "paired": {**NAMES},
    "images": {"measures": ["trm_bow", "bleu_4"]},
    "triangles": {"distance": "bag of words"},
    "central": {"distance": "bag of words", "scope": "study"},
    "cloud": {"method": "pca"},
    "unique_correct": {"distance": "bag of words"},
}
PAGES = [entry.file for entry in ENTRIES]
READ = ["dataset", *QUERIES]
"""Pages that show numbers of the bundle, or count them; if all numbers are refused, other pages have nothing to
show.
"""
STUDY = random_study(items=7, references=8, candidates=4, runs=4, seed=41)
pytestmark = pytest.mark.usefixtures("quick_encoder")
Change = Callable[[str, bytes], bytes | None]


@cache
def packed(markup_in_names: bool) -> tuple[bytes, scoring.Results]:
    study, kept = renamed(STUDY) if markup_in_names else STUDY, Cache(None)
    agreement, diversity, people = human_requirements(study, CHOSEN)
    scoring.score(study, agreement, bundle.TESTED, kept)
    if people is not None:
        scoring.score(people, diversity, bundle.TESTED, kept)
    results = scoring.score(study, CHOSEN, bundle.TESTED, kept)
    trm = TRMS["bag of words"]
    artifacts.layout(study, Projection("pca", centred=True), kept).compute(kept, Hooks())
    artifacts.centres(study, trm.space, kept).compute(kept, Hooks())
    artifacts.experiment(study, first(study, "bag of words"), trm, kept).compute(kept, Hooks())
    return bundle.study_bundle(study, kept), results


def names_of(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [name.removesuffix(".npz") for name in archive.namelist() if name.endswith(".npz")]


def changed(content: bytes, change: Change) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            raw = old.read(name)
            if name.endswith(".npz"):
                raw = change(name.removesuffix(".npz"), raw) or raw
            new.writestr(name, raw)
    return out.getvalue()


def of_arrays(change: Callable[[str, dict[str, np.ndarray]], object]) -> Change:
    """Return a change of an entry's arrays, which are sealed again as a forger would."""

    def of(key: str, raw: bytes) -> bytes:
        arrays = dict(decode(key, raw) or {})
        change(key, arrays)
        return encode(key, arrays, compress=True)

    return of


def shorter(key: str, arrays: dict[str, np.ndarray]) -> None:
    arrays.update({n: a[:-1] for n, a in arrays.items() if n not in ("said", artifacts.LABEL) and a.ndim})


def every(value: float) -> Change:
    def change(key: str, arrays: dict[str, np.ndarray]) -> None:
        arrays.update({n: np.full(a.shape, value) for n, a in arrays.items() if a.dtype.kind == "f"})

    return of_arrays(change)


def enormous(key: str, raw: bytes) -> bytes:
    """Return an entry whose arrays have headers for a trillion numbers but contain only one."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw[:-SEAL])) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            array = io.BytesIO()
            np.lib.format.write_array_header_1_0(array, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
            new.writestr(name, old.read(name) if name == f"{artifacts.LABEL}.npy" else array.getvalue() + bytes(8))
    body = out.getvalue()[:-2] + struct.pack("<H", SEAL)
    return body + _seal(key, body)


def swapped(content: bytes) -> Change:
    """Give each entry the arrays of another metric's entry, sealed under its own key."""
    of = {
        scoring.result_key(metric, run, STUDY, options): k
        for k, metric in enumerate(CHOSEN)
        for run in STUDY.runs
        for options in (bundle.TESTED, bundle.VALUES)
    }
    keys = sorted(names_of(content), key=lambda key: of.get(key, -1))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        arrays = {key: decode(key, archive.read(f"{key}.npz")) or {} for key in keys}
    others: dict[str, Arrays] = dict(zip(keys, [arrays[key] for key in (*keys[4:], *keys[:4])]))
    return lambda key, raw: encode(key, others[key], compress=True)


def words(key: str, arrays: dict[str, np.ndarray]) -> None:
    """Put markup into every sentence of an entry: why an item has no value or no test, or why a draw failed.

    The names of its study are markup, too.
    """
    if "said" in arrays:
        told = json.loads(arrays["said"].tobytes())
        told |= {"reasons": {"0": BAD}, "untested": {"0": BAD}}
        arrays["said"] = np.frombuffer(json.dumps(told).encode(), np.uint8)
        for name in ("items", "item_p"):
            if len(arrays.get(name, ())):
                arrays[name] = np.where(np.arange(len(arrays[name])), arrays[name], np.nan)
    if "failed" in arrays:
        arrays |= {"failed": text_array([BAD]), "failures": np.array(1)}


def renamed(study: Study) -> Study:
    ids = {item.id: f"{BAD} {item.id}" for item in study.items}
    items = tuple(Item(ids[i.id], (f"{BAD}.", *i.references[1:]), i.image, {BAD: BAD}) for i in study.items)
    runs = tuple(
        Run(
            f"{BAD} {run.name}",
            f"{BAD} {run.model}",
            run.settings,
            {ids[name]: (BAD, *said[1:]) for name, said in run.candidates.items()},
        )
        for run in study.runs
    )
    return replace(study, name=BAD, items=items, runs=runs)


KINDS: dict[str, Callable[[bytes], Change]] = {
    "damaged": lambda content: lambda key, raw: damaged(raw, Random(key), b"PK"),
    "another shape": lambda content: of_arrays(shorter),
    "nan": lambda content: every(np.nan),
    "inf or false": lambda content: lambda key, raw: every(np.inf if int(key[-1], 16) % 2 else -1.0)(key, raw),
    "of another metric": swapped,
    "enormous": lambda content: enormous,
    "words": lambda content: of_arrays(words),
}


MOST_KEPT = {"nan": 99, "words": 99}
"""The most entries that may be accepted: plausible numbers are, in the session that opened the bundle, with a
notice.
"""


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_of_a_hostile_bundle(kind: str) -> None:
    content, right = packed(kind == "words")
    sent = len(names_of(content))
    content = changed(content, KINDS[kind](content))
    loaded = bundle.checked(load_study([("b.zip", content)]))
    assert loaded.study is not None
    for name in PAGES if kind in MOST_KEPT else READ:
        at = page(name, loaded, **QUERIES.get(name, {}))
        assert not at.exception, name
        assert not [error.value for error in at.error], name
        inert(at)
        if name == "overview":
            assert not any("<script" in chart.proto.spec for chart in at.get("plotly_chart"))
        if name == "dataset":
            told = " ".join(findings(at))
            assert ("in the bundle are damaged" in told) == (len(loaded.numbers) < sent)
            said = any("Not computed here" in caption.value for caption in at.caption)
            assert said == bool(loaded.numbers)
    kept = sum(key.startswith("results/") for key in loaded.numbers)
    assert kept <= MOST_KEPT.get(kind, 0)
    assert computed(loaded.study) == {key: result.corpus for key, result in right.items()}, "nobody else meets them"


def computed(study: Study) -> dict[tuple[str, str], float]:
    view = jobs.jobs().view(study, CHOSEN, "somebody")
    while view.job is not None:
        assert view.job.state != "failed", view.job.error
        time.sleep(0.02)
        view = jobs.jobs().view(study, CHOSEN, "somebody")
    return {key: result.corpus for key, result in view.results.items()}


def inert(at: AppTest) -> None:
    """Fail if any name is live, either as HTML or as Markdown in a text or on a control."""
    assert "<script>alert" not in markup(at)
    for text in live(at):
        assert ":red[x]" not in text, text
        assert "<script>" not in text, text


def live(at: AppTest) -> Iterator[str]:
    for kind in ("markdown", "caption", "error", "warning", "info", "success", "subheader", "title", "header"):
        yield from (str(element.value) for element in getattr(at, kind))
    for kind in (
        "button",
        "download_button",
        "toggle",
        "checkbox",
        "selectbox",
        "multiselect",
        "text_input",
        "slider",
        "button_group",
        "radio",
        "number_input",
        "expandable",
        "popover",
        "page_link",
    ):
        for element in at.get(kind):
            yield str(getattr(element.proto, "label", ""))
            yield str(getattr(element.proto, "help", ""))
