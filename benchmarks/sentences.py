"""`python -m benchmarks.sentences [WORD ...]`: print every sentence of the reports on 38 small studies.

The studies are made from the demo's grammar: runs that are people's own captions (nulls), runs with a known fault
(effects), and studies that are hardly usable (degenerate). A reader who knows the truth about each can check what its
report says. If WORDs are given, only the studies whose names contain one are used.
"""

import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

from cli.report import report
from data.convert import to_jsonl_bytes
from data.study import Captions, Settings, Study
from tests.prove.worlds import world
from tools.demo.grammar import Distribution
from tools.demo.models import TRUTH, distribution

METRICS = "cider_d,rouge_l,bleu_4,trm_cider_d,distinct_2,self_cider"
WITHOUT = "cloud,critique,unique_correct,images,methods"
NAMES = ("alder", "birch", "cedar", "dogwood", "elm", "fir")
HEATS = (0.3, 0.5, 0.7, 1.0, 1.3, 1.6)
PEAKED, LOOSE = [distribution("Peaked", heat) for heat in HEATS], distribution("Loose", 1.6)
Sources = Sequence[Distribution]


def people(items: int, runs: int = 2, captions: int = 5, references: int = 5, of: Sources = ()) -> Study:
    """Return a study whose runs are captions by people or, if `of` is given, are drawn from these distributions."""
    samplers = {NAMES[k]: (source, captions) for k, source in enumerate(of or [TRUTH] * runs)}
    return world(items, samplers, items + captions, references, fixed=items > 8)


def says(study: Study, said: Mapping[str, Captions], run: int = -1) -> Study:
    """Return the study with other captions for one run."""
    runs = list(study.runs)
    runs[run] = replace(runs[run], candidates=said)
    return replace(study, runs=tuple(runs))


def changed(study: Study, say: Callable[[Captions, Captions], Captions], last: int = 1) -> Study:
    """Return the study with its last runs changed.

    `say` turns a run's captions of an image and of the next image into new captions of the first.
    """
    ids = [item.id for item in study.items]
    for k in range(-last, 0):
        own = study.runs[k].candidates
        study = says(study, {a: say(own[a], own[b]) for a, b in zip(ids, ids[1:] + ids[:1])}, k)
    return study


def decoded(study: Study, models: Sequence[str], heats: Sequence[float], seeds: int = 1) -> Study:
    """Return the study with its runs attributed to these models, at each temperature and with each seed."""
    how = [(m, Settings(heat, decoder="sample", seed=k)) for m in models for heat in heats for k in range(seeds)]
    runs = (replace(run, model=model, settings=own) for run, (model, own) in zip(study.runs, how))
    return replace(study, runs=tuple(runs))


def half_missing(study: Study) -> Study:
    """Return the study whose last run has only half of the images: those for which all captions together are
    shortest.
    """
    said = {i.id: [*i.references, *(t for run in study.runs for t in run.candidates[i.id])] for i in study.items}
    kept = sorted(study.items, key=lambda item: len("".join(said[item.id])))[: len(study.items) // 2]
    return says(study, {item.id: study.runs[-1].candidates[item.id] for item in kept})


def empty(study: Study) -> Study:
    """Return the study whose last run has empty captions except for the first eight images."""
    said = study.runs[-1].candidates.items()
    return says(study, {id: texts if k < 8 else ("",) * len(texts) for k, (id, texts) in enumerate(said)})


def twice(study: Study) -> Study:
    """Return the study with each image repeated under another id."""
    items = (*study.items, *(replace(item, id=f"{item.id}'") for item in study.items))
    for k, run in enumerate(study.runs):
        study = says(study, {f"{id}{end}": said for end in ("", "'") for id, said in run.candidates.items()}, k)
    return replace(study, items=items)


STUDIES: dict[str, Callable[[], Study]] = {
    "null: 6 images": lambda: people(6),
    "null: 12 images, 3 runs": lambda: people(12, 3),
    "null: 20 images": lambda: people(20),
    "null: 40 images, 6 runs": lambda: people(40, 6),
    "null: 60 images, 3 runs": lambda: people(60, 3),
    "null: 60 images, 3 runs, 1 caption": lambda: people(60, 3, 1),
    "null: 20 images, 1 caption": lambda: people(20, 2, 1),
    "null: 40 images, 2 captions": lambda: people(40, 2, 2),
    "null: 24 images, 3 captions, 4 seeds": lambda: decoded(people(24, 4, 3), ["oak"], [1.0], 4),
    "null: 40 images, temperatures": lambda: decoded(people(40, 6), ["oak"], HEATS),
    "null: 30 images, temperatures of 2 models": lambda: decoded(people(30, 6), ["pine", "oak"], HEATS[::2]),
    "null: 20 images, seeds of 2 models": lambda: decoded(people(20, 6), ["pine", "oak"], [1.0], 3),
    "null: 20 images, 10 captions, 10 references": lambda: people(20, 2, 10, 10),
    "null: 40 images, 2 references": lambda: people(40, 2, 5, 2),
    "effect: one wrong in five": lambda: changed(people(40), lambda a, b: a[:4] + b[:1]),
    "effect: one wrong in five, 4 runs of 5": lambda: changed(people(20, 5), lambda a, b: a[:4] + b[:1], 4),
    "effect: half wrong": lambda: changed(people(40, 2, 4), lambda a, b: a[:2] + b[:2]),
    "effect: one caption for all": lambda: changed(people(40), lambda a, b: a[:1] * 5),
    "effect: two of five repeated": lambda: changed(people(40), lambda a, b: a[:3] + a[:2]),
    "effect: too varied": lambda: people(40, of=[TRUTH, LOOSE]),
    "effect: shorter": lambda: changed(people(40), lambda a, b: tuple(" ".join(t.split()[:5]) for t in a)),
    "effect: longer": lambda: changed(people(40), lambda a, b: tuple(f"{t} It is nice to see." for t in a)),
    "effect: copied references": lambda: says(of := people(40), {item.id: item.references for item in of.items}),
    "effect: a run lacks the harder half": lambda: half_missing(people(60)),
    "effect: the ids of another image": lambda: changed(people(40), lambda a, b: b),
    "effect: cold, people, loose": lambda: people(60, of=[PEAKED[0], TRUTH, LOOSE]),
    "effect: temperatures": lambda: decoded(people(40, of=PEAKED), ["oak"], HEATS),
    "degenerate: 1 image": lambda: people(1),
    "degenerate: 2 images": lambda: people(2),
    "degenerate: 7 images": lambda: people(7, 3),
    "degenerate: 1 run": lambda: people(40, 1),
    "degenerate: 1 reference": lambda: people(40, references=1),
    "degenerate: no references": lambda: people(40, references=0),
    "degenerate: 1 caption, 1 reference": lambda: people(40, 2, 1, 1),
    "degenerate: empty captions": lambda: empty(people(40)),
    "degenerate: equal runs": lambda: says(of := people(40), of.runs[0].candidates),
    "degenerate: each image twice": lambda: twice(people(24)),
    "degenerate: videos": lambda: replace(
        of := people(60),
        items=tuple(replace(item, metadata={"video": f"v{k // 3}"}) for k, item in enumerate(of.items)),
    ),
}


def sentences(page: str) -> list[str]:
    """Return the distinct text blocks of a report, without scripts, styles, pictures, tables, code or signatures."""
    page = re.sub(r"(?s)<(script|style|svg|table|pre|nav)\b.*?</\1>|<code>[^<]*\|[^<]*</code>", "", page)
    page = page.replace("</a><span>", ": ").replace('<div class="tl-verdict">', "\n\u2192 ")
    page = re.sub(r"</?(p|div|li|summary|details|h[1-6]|section|header|title|figure|small)\b[^>]*>", "\n", page)
    lines = [" ".join(unescape(re.sub(r"<[^>]+>", "", line)).split()) for line in page.split("\n")]
    return list(dict.fromkeys(filter(None, lines)))


def said_of(study: Study) -> str:
    """Return the sentences of the study's report, read from a file that states no clusters of images."""
    head, *items = map(json.loads, to_jsonl_bytes(study).splitlines())
    rows = [head, *({**item, "cluster": None} for item in items)]
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "study.jsonl", Path(folder) / "report.html"
        file.write_text("\n".join(map(json.dumps, rows)))
        report(files=[file], out=out, metrics=METRICS, without=WITHOUT)
        return "\n".join(sentences(out.read_text()))


if __name__ == "__main__":
    for name, make in STUDIES.items():
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            print(f"\n==== {name}\n{said_of(make())}", flush=True)
