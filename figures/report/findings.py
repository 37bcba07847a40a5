"""The findings in the files of a study, for a report's first sheet: warnings visible, notes folded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from data.files.blobs import File
from data.findings import Finding, clip, unmarked
from data.load import Loaded
from data.study import Study
from figures.dataset import html, words
from figures.style import html as style_html
from figures.style.numbers import count
from figures.style.wording import item_noun

OPEN = 5
"""Maximum number of errors and warnings that are visible."""
FEW = 0.01
"""The minimum share of a run's captions that a warning about single captions must concern to be in the headline."""
CARE = "Read with care"
LONG = 25
"""Number of words above which the headline shows only the first sentence of a finding."""


def of_report(loaded: Loaded, study: Study) -> tuple[Finding, ...]:
    """Return the unrepaired findings, without those about hidden runs."""
    shown = {run.name for run in study.runs}
    every = loaded.study.runs if loaded.study is not None else ()
    hidden = tuple(f"Run {clip(run.name)} " for run in every if run.name not in shown)
    left = (one for one in loaded.findings if not words.repaired(one, loaded.applied))
    return tuple(one for one in left if not hidden or not one.problem.startswith(hidden))


def nameless(findings: Sequence[Finding], files: Sequence[File]) -> tuple[Finding, ...]:
    """Return the findings without the names of files and records."""
    places = (part for one in findings for part in one.file.split("; "))
    names = sorted({*filter(None, places), *(file.name for file in files)}, key=len, reverse=True)
    named = re.compile("|".join(map(re.escape, names)) or r"(?!)")

    def without(text: str) -> str:
        return named.sub("a file", text)

    return tuple(
        replace(one, file="", record="", problem=without(one.problem), repair=without(one.repair)) for one in findings
    )


def caution(study: Study, findings: Sequence[Finding]) -> str:
    """Return the beginning of the headline: the most serious error or warning, and the number of others.

    "" if there are no errors or warnings, or only ones about a few captions.
    """
    serious = [one for one in findings if one.severity != "note"]
    if not serious:
        return ""
    first = next((one for one in serious if _weighs(study, one)), None)
    if first is None:
        return ""
    of_each = f"{first.count:,} items have" if first.count > 1 else "The item has"
    problem = html.with_noun(
        re.sub(r"^The item has\b", of_each, first.problem), item_noun(study), html.named(study, serious)
    )
    said = problem if len(problem.split()) <= LONG else style_html.sentences(problem)[0]
    start = said[:1].lower() if said[1:2].islower() or said[1:2] == " " else said[:1]
    rest = f" ({count(len(serious) - 1, 'more warning')} below)" if len(serious) > 1 else ""
    return f"{CARE}: {unmarked(start + said[1:].rstrip('.'))}{rest}."


def _weighs(study: Study, finding: Finding) -> bool:
    """Whether a finding may change results: one about single captions must concern a share of at least FEW of them."""
    if finding.severity == "error" or not finding.problem.startswith("A caption "):
        return True
    runs = [run for run in study.runs if run.name == finding.run] or study.runs
    return finding.count >= FEW * sum(len(texts) for run in runs for texts in run.candidates.values())


def block(study: Study, findings: Sequence[Finding]) -> str:
    """Return the findings as lines, in order; "" if there are none."""
    if not findings:
        return ""
    names = html.named(study, findings)
    lines = [html.finding(replace(one, repair=one.remedy), item_noun(study), names) for one in findings]
    serious = sum(one.severity != "note" for one in findings)
    first = min(serious, OPEN)
    rest = "".join(lines[first:])
    more = f"{count(len(lines) - first, 'more finding' if first else 'note')} in the data"
    opens = f"<details><summary>{more}</summary>{rest}</details>" if rest else ""
    return f'<div class="tl-found">{"".join(lines[:first])}{opens}</div>'
