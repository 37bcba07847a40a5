"""Check and repair runs against one another: item sets, numbers of captions, leaked references."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container
from itertools import islice
from math import gcd
from pathlib import PurePath

import numpy as np

from data.checks.copied_references import References
from data.fields.keys import is_of_data_set
from data.finding_kinds.merge_kinds import MAX_RUNS
from data.findings import SHOWN, Log, TrustedText, clip, named
from data.matching.merge import Pool, PoolRun
from data.matching.near_names import same_items
from data.records import Label
from data.run_settings import parse_name
from data.study import Settings

SEED = 0
_WORD, _NUMBERED = re.compile(r"\w+"), re.compile(r" \(\d+\)$")


def check(pool: Pool, fixes: Container[str], log: Log) -> list[str]:
    """Return the ids of the items that the study keeps, in order; remove unusable runs from the pool.

    With more than MAX_RUNS runs, report this and return [].
    """
    if len(pool.runs) > MAX_RUNS:
        first = TrustedText(", ".join(clip(name) for name in islice(pool.runs, SHOWN)) + ", …")
        log.add(
            "too_many_runs",
            "; ".join(sorted({run.file for run in pool.runs.values()})[:SHOWN]),
            n=len(pool.runs),
            names=first,
        )
        return []
    known = _known(pool, log)
    if not known:
        return []
    _orphans(pool, set(known), log)
    known = _several_references(pool, known, fixes, log)
    _restrict_runs(pool, set(known), log)
    if not pool.runs:
        log.add("no_predictions")
        return known
    _join_alike(pool, fixes, log)
    if not pool.items[known[0]].references:
        _join_separate(pool, fixes, log)
    kept = _common(pool, known, fixes, log)
    for run in pool.runs.values():
        _repeats(run, kept, fixes, log)
    _leaks(pool, kept, fixes, log)
    _counts(pool, kept, fixes, log)
    return kept


def _known(pool: Pool, log: Log) -> list[str]:
    """Return the ids of the items with references or, if there are no references, of the items with candidates.

    Items without either, and a study without references, are reported.
    """
    known = [id for id, item in pool.items.items() if item.references]
    described = {id for run in pool.runs.values() for id, texts in run.candidates.items() if texts}
    for id, item in pool.items.items():
        if not item.references and id not in described:
            log.add("empty_record", item.file, item.where, id)
    if known:
        return known
    files = {item.file for item in pool.items.values()} | {run.file for run in pool.runs.values()}
    counts = {run.file: max(map(len, run.candidates.values()), default=0) for run in pool.runs.values()}
    most = max(counts, key=lambda file: counts[file], default="")
    hint = (
        f" If {clip(most)} holds them, give it as references."
        if counts.get(most, 0) > 1 or is_of_data_set(most) or _has_unknown_author(pool)
        else ""
    )
    log.add("no_references" if described else "no_items", "; ".join(sorted(files)[:3]), hint=hint)
    return [id for id in pool.items if id in described]


def _has_unknown_author(pool: Pool) -> bool:
    """Return whether there is only one run, and nothing stated about it shows that a model wrote its captions."""
    labels = [run.label for run in pool.runs.values()]
    return len(labels) == 1 and not labels[0].stated and labels[0].settings == Settings()


def _orphans(pool: Pool, known: set[str], log: Log) -> None:
    for run in pool.runs.values():
        meant = _meant(run, known)
        for id in run.candidates:
            if id not in known:
                log.add("predictions_without_references", run.file, run.where[id], id, hint=meant, run=run.name)


def _meant(run: PoolRun, known: set[str]) -> str:
    """Return a hint that unknown ids of a run may mean items that the run does not describe, or ""."""
    wrong = [id for id in run.candidates if id not in known]
    if not wrong:
        return ""
    # An id may lack its second part, such as a language.
    parts = {one.rpartition("_")[0]: one for one in sorted(known, reverse=True)}
    if all(id in parts for id in wrong[:SHOWN]):
        return TrustedText(f" The references have {clip(parts[wrong[0]])} in place of {clip(wrong[0])}.")
    return same_items(wrong, known - run.candidates.keys(), len(run.candidates) - len(wrong))


def _restrict_runs(pool: Pool, known: set[str], log: Log) -> None:
    """Restrict every run to the items that stay, and remove runs that become empty, with a finding."""
    for name, run in list(pool.runs.items()):
        run.candidates = {id: texts for id, texts in run.candidates.items() if id in known and texts}
        if not run.candidates:
            log.add("run_empty", run.file, run=name)
            del pool.runs[name]


def _several_references(pool: Pool, known: list[str], fixes: Container[str], log: Log) -> list[str]:
    if not pool.items[known[0]].references:
        return known
    several = [id for id in known if len(pool.items[id].references) > 1]
    fix = "drop_few_references" if several else None
    for id in known if len(several) < len(known) else ():
        if len(pool.items[id].references) < 2:
            log.add("few_references", pool.items[id].file, pool.items[id].where, id, fix=fix)
    return several if several and "drop_few_references" in fixes else known


def _join_alike(pool: Pool, fixes: Container[str], log: Log) -> None:
    """Report runs whose names differ only in case, punctuation and number format.

    If the repair is chosen, such runs are joined if no two of them describe the same item.
    """
    groups: dict[tuple[str, str, Settings], list[PoolRun]] = {}
    for run in sorted(pool.runs.values(), key=lambda run: -len(run.candidates)):
        # A name may state more than the model and the settings: the prompt, or the model's size.
        names = (_folded(run.label.model), _folded(parse_name(run.name)[0]))
        groups.setdefault((*names, run.label.settings), []).append(run)
    several = [runs for runs in groups.values() if runs[1:]]
    alike = {runs[0].name: runs[1:] for runs in several if _apart(runs)}
    _say_alike("runs_alike", alike, log)
    # A run that was numbered because its name was taken has its own finding.
    own = [[run for run in runs if not _NUMBERED.search(run.name)] for runs in several if runs[0].name not in alike]
    _say_alike("runs_alike_beside", {runs[0].name: runs[1:] for runs in own if runs[1:]}, log)
    if alike and "join_alike_runs" in fixes:
        for name, of in alike.items():
            _take_over(pool.runs[name], of)
            pool.joined |= {run.name: name for run in of}
        pool.runs = {name: run for name, run in pool.runs.items() if name not in pool.joined}


def _folded(name: str) -> str:
    return "".join(_WORD.findall(name.lower())).replace("_", "")


def _say_alike(code: str, alike: dict[str, list[PoolRun]], log: Log) -> None:
    if not alike:
        return
    said = (" = ".join(clip(run) for run in (name, *(one.name for one in of))) for name, of in alike.items())
    others = [run for of in alike.values() for run in of]
    id, names = "; ".join(run.name for run in others[:SHOWN]), TrustedText("; ".join(said))
    log.add(code, others[0].file, id=id, count=len(others), names=names)


def _apart(runs: list[PoolRun]) -> bool:
    return len(set().union(*(run.candidates for run in runs))) == sum(len(run.candidates) for run in runs)


def _take_over(run: PoolRun, others: list[PoolRun]) -> None:
    for other in others:
        for field in (
            "candidates",
            "where",
            "human",
            "logprobs",
            "oracle_logprobs",
            "reference_logprobs",
            "places",
            "written",
            "coherence",
        ):
            getattr(run, field).update(getattr(other, field))


def _join_separate(pool: Pool, fixes: Container[str], log: Log) -> None:
    """Report runs of which no two describe the same item.

    If the repair is chosen, join them into one run, and name the original run in each item's metadata.
    """
    times = Counter(id for run in pool.runs.values() for id in run.candidates)
    if len(pool.runs) < 2 or max(times.values()) > 1:
        return
    runs = list(pool.runs.values())
    files = list(dict.fromkeys(run.file for run in runs))
    name = PurePath(files[0]).name.partition(".")[0] if len(files) == 1 else "all runs"
    told = TrustedText(_describe_runs([run.name for run in runs]))
    log.add("runs_joined", "; ".join(files[:SHOWN]), runs=told, name=name)
    if "join_runs" not in fixes:
        return
    joined = PoolRun(name, files[0], Label(name, Settings(), frozenset(), name))
    for run in runs:
        for id in run.candidates:
            pool.items[id].metadata.setdefault("run", run.name)
    _take_over(joined, runs)
    pool.runs, pool.joined = {name: joined}, {run.name: name for run in runs}


def _common(pool: Pool, known: list[str], fixes: Container[str], log: Log) -> list[str]:
    times = Counter(id for run in pool.runs.values() for id in run.candidates)
    described = [id for id in known if id in times]
    if len(described) < len(known):
        left = len(known) - len(described)
        log.add("references_without_predictions", count=left, n=left, total=len(known))
    total = len(described)
    common = [id for id in described if times[id] == len(pool.runs)]
    if len(common) == total:
        return common
    for run in pool.runs.values():
        _report_missing(run, described, times, log)
    widest = _widest(pool)
    items = [id for id in described if id in pool.runs[widest[0]].candidates]
    told = TrustedText(
        f"the {len(widest)} runs that describe" if widest[1:] else f"run {clip(widest[0])}, which describes"
    )
    code, n = "item_sets_differ" if common else "no_common_items", len(common)
    log.add(code, count=total - n, n=n, total=total, runs=len(pool.runs), widest=told, items=len(items))
    if "widest_runs" in fixes:
        pool.runs = {name: run for name, run in pool.runs.items() if name in widest}
        return items
    pool.lacking = {name: total - len(run.candidates) for name, run in pool.runs.items() if len(run.candidates) < total}
    return common


def _report_missing(run: PoolRun, described: list[str], times: Counter[str], log: Log) -> None:
    """Report how many items a run lacks, and the first few of them, since one finding per item could be too many."""
    n, total = len(described) - len(run.candidates), len(described)
    first = list(islice((id for id in described if id not in run.candidates), SHOWN + 1))
    own = [id for id in run.candidates if times[id] == 1]
    meant = same_items(first, own, len(run.candidates) - len(own))
    for place, id in enumerate(first):
        count = 1 if place else n - len(first) + 1
        log.add("run_lacks_items", run.file, id=id, count=count, hint=meant, run=run.name, n=n, total=total)


def _widest(pool: Pool) -> list[str]:
    """Return the runs that describe the same items as the (first) run with the most items."""
    best = max(pool.runs.values(), key=lambda run: len(run.candidates)).candidates.keys()
    return [name for name, run in pool.runs.items() if run.candidates.keys() == best]


def _repeats(run: PoolRun, kept: list[str], fixes: Container[str], log: Log) -> None:
    """Report items whose captions are all repeated equally often, as when a sampler pads the last batch.

    If `read_once` is chosen, the repeats are removed. Items with the fewest captions are left alone.
    """
    least = min((len(run.candidates[id]) for id in kept), default=0)
    for id in kept:
        texts = run.candidates[id]
        if len(texts) <= least or len(set(texts)) == len(texts):
            continue
        counts = Counter(texts)
        times = gcd(*counts.values(), len(texts) // least if len(texts) % least == 0 else 1)
        if times > 1:
            log.add("repeated_records", run.file, run.where[id], id, len(texts) - len(texts) // times, run=run.name)
            if "read_once" in fixes:
                run.keep_candidates(id, _first_of_each(texts, {text: n // times for text, n in counts.items()}))


def _first_of_each(texts: list[str], times: dict[str, int]) -> list[int]:
    places = []
    for place, text in enumerate(texts):
        if times[text] > 0:
            times[text] -= 1
            places.append(place)
    return places


def _leaks(pool: Pool, kept: list[str], fixes: Container[str], log: Log) -> None:
    references = References([tuple(pool.items[id].references) for id in kept])
    by_chance: dict[str, list[str]] = {}
    for name, run in list(pool.runs.items()):
        captions = [tuple(run.candidates[id]) for id in kept]
        how, places = references.copied(captions)
        if not how:
            same = [id for id, found in zip(kept, references.equal(captions)) if any(found)]
            by_chance |= {name: same} if same else {}
            continue
        share = round(100 * len(places) / len(kept))
        for id in map(kept.__getitem__, places):
            log.add("leak", run.file, run.where[id], id, run=name, share=share, how=TrustedText(how))
        if "drop_leaking_runs" in fixes:
            del pool.runs[name]
    _report_coincidences(pool, by_chance, log)


def _report_coincidences(pool: Pool, same: dict[str, list[str]], log: Log) -> None:
    """Add one finding for all runs in which some captions equal references, which may happen by chance."""
    files = list(dict.fromkeys(pool.runs[name].file for name in same))
    told = "; ".join(files[:SHOWN]) + ("; …" if len(files) > SHOWN else "")
    runs = TrustedText(_describe_runs(list(same)))
    for name, ids in same.items():
        for id in ids:
            log.add("coincidence", told, pool.runs[name].where[id], id, runs=runs)


def _describe_runs(names: list[str]) -> str:
    if len(names) == 1:
        return f"run {clip(names[0])}"
    return f"{len(names):,} runs ({named(names)})"


def _counts(pool: Pool, kept: list[str], fixes: Container[str], log: Log) -> None:
    if not kept or not pool.runs:
        return
    spans = {name: _span(run, kept) for name, run in pool.runs.items()}
    for name, (low, _) in spans.items():
        run = pool.runs[name]
        if low < 2:
            log.add("few_candidates", run.file, id=name)
    if len(set(spans.values()) | {(low, low) for low, _ in spans.values()}) == 1:
        return
    several = [run for name, run in pool.runs.items() if spans[name][1] > 1]
    least = {id: min(len(run.candidates[id]) for run in several) for id in kept}
    mendable = any(len(run.candidates[id]) > least[id] for run in several for id in kept)
    log.add("unequal_counts", counts=TrustedText(_describe_spans(spans)), fix="equal_counts" if mendable else None)
    if len(several) < len(pool.runs):
        log.add("one_or_several", one=len(pool.runs) - len(several), several=len(several))
    if "one_each" in fixes:
        least, several = dict.fromkeys(kept, 1), list(pool.runs.values())
    if "one_each" in fixes or "equal_counts" in fixes:
        for run in several:
            _subsample(run, least)


def _span(run: PoolRun, kept: list[str]) -> tuple[int, int]:
    counts = [len(run.candidates[id]) for id in kept]
    return min(counts), max(counts)


def _describe_spans(spans: dict[str, tuple[int, int]]) -> str:
    groups: dict[tuple[int, int], list[str]] = {}
    for name, span in spans.items():
        groups.setdefault(span, []).append(name)
    told = []
    for (low, high), names in sorted(groups.items(), reverse=True)[:6]:
        who = f"run {names[0][:60]}" if len(names) == 1 else f"{len(names)} runs"
        told.append(f"{low if low == high else f'{low} to {high}'} ({who})")
    return ", ".join(told)


def _subsample(run: PoolRun, sizes: dict[str, int]) -> None:
    """Keep `sizes[id]` random candidates of each item in their original order, seeded by run and item."""
    for id, size in sizes.items():
        n = len(run.candidates[id])
        if n <= size:
            continue
        words = hashlib.sha256(f"{run.name}\0{id}".encode("utf-8", "replace")).digest()
        rng = np.random.default_rng([SEED, int.from_bytes(words[:8], "big")])
        keep = sorted(rng.choice(n, size, replace=False).tolist())
        run.keep_candidates(id, keep)
