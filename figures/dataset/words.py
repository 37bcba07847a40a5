"""Sentences of the Data page: what can be compared, and the number of findings in the files."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from data.check import Finding
from data.finding_kinds.catalogue import DEFAULTS
from data.ratings.human_ratings import ratings_of
from data.study import Study
from figures.style.numbers import count
from figures.style.wording import n_items
from metrics.analysis.feasibility import runs_with_sets

MENDS = {
    "match_ids": "Match these ids",
    "drop_same_files": "Read it once",
    "fill_down": "Fill the cells in",
    "people_as_references": "Use as people's captions",
    "join_sentences": "Join the sentences",
    "join_lines": "Join the lines",
    "drop_thoughts": "Leave out the thoughts",
    "drop_tokens": "Leave out the tokens",
    "unwrap": "Take the captions out",
    "drop_non_captions": "Leave them out",
    "character_tokens": "Split into characters",
    "cut_long": "Cut them",
    "drop_empty_references": "Leave them out",
    "merge_duplicates": "Keep all captions",
    "read_once": "Read them once",
    "widest_runs": "Keep the widest runs",
    "split_captions": "Split them",
    "join_alike_runs": "Make them one run",
    "join_runs": "Make them one run",
    "drop_empty_candidates": "Leave them out",
    "drop_few_references": "Leave them out",
    "fix_mojibake": "Decode them again",
    "trim_captions": "Remove the spaces",
    "equal_counts": "Draw equal numbers",
    "one_each": "Draw one of each",
    "cluster_duplicates": "Take them as clusters",
    "cluster_same_pictures": "Take them as clusters",
    "cluster_near_duplicates": "Take them as clusters",
    "drop_leaking_runs": "Leave these runs out",
}
"""The button label of each repair."""


ALSO_MENDED_BY = {"unequal_counts": "one_each"}
"""The second repair, if any, that also fixes a kind of finding."""


def repaired(finding: Finding, applied: Collection[str]) -> bool:
    """Return whether somebody applied a repair of this finding.

    Automatic repairs on loading do not count, because nobody has confirmed them: the finding still needs attention.
    """
    fixes = {finding.fix, ALSO_MENDED_BY.get(finding.code)} - {None}
    return any(fix in applied and fix not in DEFAULTS for fix in fixes)


def comparable(
    study: Study, findings: Sequence[Finding], applied: Collection[str] = (), read: int = 0
) -> tuple[str, str]:
    """Return what the study compares, and what in its files still needs attention after the repairs `applied`.

    `read` is the largest number of runs in a file; the study may have joined some of them.
    """
    findings = [one for one in findings if not repaired(one, applied)]
    images, runs = n_items(study), count(len(study.runs), "run")
    if read > len(study.runs) and any(one.code == "runs_joined" for one in findings):
        runs += f", joined from {read:,}"
    if study.preferences and not study.items:
        pairs = count(len(study.preferences), "judged pair")
        return f"{pairs} without captions of every run.", " Arena ranks the runs by them."
    if not study.runs:
        return (
            f"{images} with captions by people, but no runs yet.",
            " Drop files of generated captions together with them.",
        )
    models = len({run.model for run in study.runs})
    rated = max((len(ratings.value) for ratings in ratings_of(study)), default=0)
    people = f", with {rated:,} ratings by people" if rated else ""
    copies = sum(one.count for one in findings if one.code == "same_file_twice" and one.fix in applied)
    left = f"; {count(copies, 'file')} left out as {'a copy' if copies == 1 else 'copies'}" if copies else ""
    said = f"{images} and {runs} of {count(models, 'model')} can be compared{people}{left}."
    kinds = [(sum(one.severity == kind for one in findings), kind) for kind in ("error", "warning")]
    found = [count(n, kind) for n, kind in kinds if n]
    if not any(item.references for item in study.items):
        rest = f"; {' and '.join(found)} below may change the results." if found else "."
        if len(study.runs) == 1:
            return f"{images} and {runs}: nothing to compare with.", f" {_of_one_run(study)}{rest}"
        return said, f" There are no captions by people to compare them with{rest}"
    if not found:
        return said, " Nothing in the files needs attention."
    return said, f" {' and '.join(found)} below may change the results."


def _of_one_run(study: Study) -> str:
    able = ["diversity"] if runs_with_sets(study) else []
    able += ["agreement of metrics with ratings"] if ratings_of(study) else []
    if not able:
        return "Add captions by people, or a second run"
    return f"Its {' and '.join(able)} can be measured"


def found(findings: Sequence[Finding], applied: Collection[str] = ()) -> str:
    """Return the number of findings of each severity, and of repaired ones."""
    left = [one for one in findings if not repaired(one, applied)]
    kinds = [(sum(one.severity == kind for one in left), kind) for kind in ("error", "warning", "note")]
    said = [count(n, kind) for n, kind in kinds if n]
    said += [f"{len(findings) - len(left):,} repaired"] if len(left) < len(findings) else []
    return f"{', '.join(said)}. Your files are never changed."
