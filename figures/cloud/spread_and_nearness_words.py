"""Sentences that compare the runs of a study with people in the caption cloud: verdict, map titles, footer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from data.study import Run, Study
from figures.notes.seeds import short_settings
from figures.style.escaping import Strong
from figures.style.numbers import count, num, p_phrase, percent
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun, names_in_a_row, not_drawn
from metrics.analysis.cloud.captions import Points, draws
from metrics.analysis.cloud.spread_and_nearness import BAND, Manner, Standings, most_repeated
from metrics.analysis.feasibility import has_references, runs_with_sets
from metrics.analysis.replicates.grouping import Replicates, replicated, replicates
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA

DOING: Mapping[Manner, tuple[str, str]] = {
    "strays": ("is farther from people", "are farther from people"),
    "middle": ("keeps to the middle", "keep to the middle"),
    "repeats": ("repeats itself", "repeat themselves"),
}
"""Verbs, singular and plural, for runs whose captions lie where people's do not."""
_THAN_PEOPLE: Mapping[Manner, str] = {
    "strays": "are farther from people's captions than people are from each other",
    "middle": "keep to the middle, nearer to people's captions than people are to each other",
    "repeats": "repeat themselves, and do not lie where people's captions do",
}
"""Descriptions of several runs whose captions all relate to people's in the same way."""
REPEATED = 0.5
"""The verdict mentions a caption that a run repeats on at least this share of its images."""
EQUAL = 0.05
"""If every run's spread is within this of people's, the chart has a row for each run: in a plane, all would be at
1.0.
"""
SAME_LEVEL = 0.005
"""Runs whose expected shares differ by less than this are described as having the same expected share."""


def verdict(study: Study, found: Standings, within: Floats | None = None) -> tuple[str, ...]:
    """Return which runs' captions lie where people's do and which do not, in the embedding space rather than on the
    map.

    Every reported difference has passed the test of nearness over all runs simultaneously. Without captions by people,
    the verdict names the runs whose captions of an item vary most and least, by `within` (1 + runs,) of the layout.
    """
    if not study.runs:
        return ("There are no runs, only people's captions.",)
    names = [short_names(study.runs)[run.name] for run in study.runs]
    if not has_references(study) and within is not None and np.isfinite(within[1:]).any():
        return (*_varied(study, names, within[1:]), *_repeated(study, names))
    if not found.known:
        of_people = "two captions by people and one by a run" if has_references(study) else "captions by people"
        return (f"No {item_noun(study)} has {of_people}, so there is nothing to compare. ", *_repeated(study, names))
    differ, alike, undecided = (found.of(which) for which in found.found[:3])
    among = [k for k in alike if found.manner[k] == "among"]
    as_near = [k for k in alike if found.manner[k] != "among"]
    said: list[str] = []
    settings = replicates(study.runs)
    settings = settings if replicated(settings) else ()
    if among:
        varied = " and are about as varied" if found.within and np.isfinite(found.spread[among]).all() else ""
        who = Strong(names_in_a_row(_called(study, settings, among, names), 2))
        said += ["The captions of ", who, f" lie where people's do{varied}, as far as can be told. "]
    if settings and len(differ) > 1:
        said += _settings_differing(study, settings, found, differ)
    else:
        said += _differing(found, differ, names, len(among))
    if as_near and not differ:
        near = names_in_a_row(_called(study, settings, as_near, names), 2)
        said += [_as_near(found, as_near, near)]
    if undecided:
        few = names_in_a_row(_called(study, settings, undecided, names), 2)
        said += [f"There are too few captions by {few} to tell where they lie. "]
    single = _single(study, settings, names)
    return (*said, *_repeated(study, single), *_farthest(found, differ, single))


def among(found: Standings) -> list[int]:
    """Return the positions of the runs whose captions lie where people's do."""
    return [k for k in found.of(found.found[1]) if found.manner[k] == "among"]


def _varied(study: Study, names: Sequence[str], within: Floats) -> tuple[str, ...]:
    most, least = int(np.nanargmax(within)), int(np.nanargmin(within))
    captions, noun, apart = "Captions of one ", item_noun(study), f"{num(within[most])} apart on average"
    if most == least:
        return (captions, noun, " by ", Strong(names[most]), f" lie {apart}. ")
    varied = (captions, noun, " vary most in ", Strong(names[most]), f", {apart}, and least in ")
    return (*varied, Strong(names[least]), f", {num(within[least])} apart. ")


def _differing(found: Standings, differ: Sequence[int], names: Sequence[str], among: int) -> list[str]:
    if not differ:
        return []
    if len(differ) == 1:
        return [Strong(names[differ[0]]), f" {DOING[found.manner[differ[0]]][0]}. "]
    times = Counter(found.manner[k] for k in differ).most_common()
    doing = names_in_a_row([f"{n} {DOING[manner][n > 1]}" for manner, n in times])
    whole = len(found.spread)
    if among and times[0][1] == whole - among:
        return [f"{f'The {whole - among}' if whole - among > 2 else 'Both'} other runs {DOING[times[0][0]][1]}. "]
    if among:
        return [f"Of the other runs, {doing}. "]
    if len(times) == 1:
        who = f"{len(differ)} of {whole}" if len(differ) < whole else "Both" if whole == 2 else f"All {whole}"
        return [f"{who} runs {_THAN_PEOPLE[times[0][0]]}. "]
    start = f"None of {whole} runs lies" if len(differ) == whole else f"{len(differ)} of {whole} runs do not lie"
    return [f"{start} where people's captions do: {doing}. "]


def _called(study: Study, settings: Sequence[Replicates], runs: Sequence[int], names: Sequence[str]) -> list[str]:
    if not settings:
        return [names[k] for k in runs]
    chosen, short = {study.runs[k].name for k in runs}, short_settings(study, settings)
    said = []
    for of in settings:
        own = chosen.intersection(of.runs)
        part = f" ({len(own)} of {len(of.runs)} seeds)" if len(own) < len(of.runs) else ""
        said += [f"{short[of.name]}{part}"] if own else []
    return said


def _single(study: Study, settings: Sequence[Replicates], names: Sequence[str]) -> list[str]:
    short = short_settings(study, settings)
    of = {run: short[one.name] for one in settings if len(one.runs) > 1 for run in one.runs}
    return [f"One seed of {of[run.name]}" if run.name in of else name for run, name in zip(study.runs, names)]


def _settings_differing(
    study: Study, settings: Sequence[Replicates], found: Standings, differ: Sequence[int]
) -> list[str]:
    """Return sentences on how settings differ from people with every seed, and how many do so with some seeds only."""
    manner = {study.runs[k].name: found.manner[k] for k in differ}
    does = [{manner.get(name) for name in of.runs} for of in settings]
    times = Counter(next(iter(every)) for every in does if len(every) == 1 and None not in every).most_common()
    some = sum(any(every) for every in does) - sum(n for _, n in times)
    if not times:
        return [f"With some seeds, the captions of {some} of {len(settings)} settings do not lie where people's do. "]
    if times[0][0] is not None and times[0][1] == len(settings) > 1:
        return [f"All {len(settings)} settings {DOING[times[0][0]][1]} with every seed. "]
    each = [f"{n} {DOING[of][n > 1]}" for of, n in times if of is not None]
    each[0] = each[0].replace(" ", f" of {len(settings)} settings ", 1)
    also = f"; {some} differ{'s' if some == 1 else ''} from people with some seeds" if some else ""
    return [f"{names_in_a_row(each)} with every seed{also}. "]


def _as_near(found: Standings, runs: Sequence[int], who: str) -> str:
    spread = found.spread[list(runs)]
    low, high = (percent(float(end)) for end in (spread.min(), spread.max()))
    said = f"{low} to {high}" if low != high else low
    near = "No difference in nearness to people's captions is detected for"
    return f"{near} {who}, whose captions are {said} as varied. "


def _farthest(found: Standings, differ: Sequence[int], names: Sequence[str]) -> list[str]:
    if not differ:
        return []
    run, p = differ[0], p_phrase(float(found.found.p[found.found.differ[0]]))
    near, level = percent(float(found.reach[run])), percent(float(found.level[run]))
    whose = "of people's captions, where people's own would be nearest to"
    return [f"Captions by {names[run]} are nearest to {near} {whose} {level} ({p}). "]


def _repeated(study: Study, names: Sequence[str]) -> list[str]:
    found = [(times, len(run.candidates), k) for k, run in enumerate(study.runs) for times in [most_repeated(run)[1]]]
    often = [one for one in found if one[0] >= max(5, REPEATED * one[1])]
    if not often:
        return []
    times, of, k = max(often, key=lambda one: one[0] / one[1])
    whole = "all" if times == of else f"{times:,} of"
    return [Strong(names[k]), f" gives one caption for {whole} {of:,} {item_noun(study)}s. "]


def doing(found: Standings, run: int) -> str:
    """Return the title of a run's map: its tested result, else its spread or "too few to tell", else ""."""
    manner = found.manner[run]
    if manner in DOING:
        return DOING[manner][0]
    if manner == "among":
        return "among people"
    if manner in ("less", "more"):
        return f"{percent(float(found.spread[run]))} as varied"
    return "too few to tell" if run in found.known else ""


def drawn(found: Standings) -> tuple[int, ...]:
    """Return the positions of the runs that have both a spread and a nearness."""
    return tuple(k for k in found.known if np.isfinite(found.spread[k]))


def equally_varied(found: Standings) -> bool:
    """Return whether all runs have about people's spread over items, for example if hardly any caption occurs twice."""
    return not found.within and bool(np.allclose(found.spread[list(drawn(found))], 1.0, rtol=0.0, atol=EQUAL))


def title(found: Standings) -> str:
    """Return the title of the figure of all runs."""
    return "Near people?" if equally_varied(found) else "Near people, and as varied?"


def common_level(found: Standings) -> float | None:
    """Return the mean expected share of the runs that can be drawn if theirs are nearly equal, else None."""
    level = found.level[list(drawn(found))]
    return float(level.mean()) if len(level) and np.ptp(level) < SAME_LEVEL else None


def spread_of(study: Study, found: Standings) -> str:
    """Return a definition of the spread of a run."""
    if found.within:
        return f"spread of a run's captions of one {item_noun(study)}"
    return f"different captions, one per {item_noun(study)}"


def reading(study: Study, found: Standings, lines: bool, hollow: bool) -> str:
    """Return one line on how to read the figure, which has `lines` of temperatures and `hollow` marks beside them."""
    joined = f" Lines: temperature{'; hollow: other decoders' if hollow else ''}." if lines else ""
    one = item_noun(study)
    some = "Few runs have" if runs_with_sets(study) else "No run has"
    if equally_varied(found):
        alike = f"{some} two captions per {one}; over {one}s, all are about as varied as people."
        return f"Right: nearest to more of people's captions. {alike}"
    over = "" if found.within else f" {some} two captions per {one}: spread over {one}s."
    return f"Up: nearest to more of people's captions.{joined}{over}"


def facts(study: Study, of: Points, found: Standings) -> tuple[list[str], list[str]]:
    """Return the text below the figure, and the details that unfold there."""
    noun, names = item_noun(study), short_names(study.runs)
    n = len(np.unique(of.item))
    single = f"no two captions of {article(noun)}"
    left = [
        (names[run.name], "nothing to compare with" if k not in found.known else single)
        for k, run in enumerate(study.runs)
        if k not in found.known or not np.isfinite(found.spread[k])
    ]
    how = (
        f"Up: the share of people's captions whose nearest other caption of the same {noun}, among people's and the "
        "run's, is the run's; people's own level: the share expected if people had written the run's. Tested against "
        f"{draws(len(study.runs)):,} random choices of which captions of {article(noun)} are the run's; two-sided, "
        f"corrected for all runs (Holm). At p ≤ {ALPHA}, a run is farther from people (nearest to fewer of their "
        f"captions), repeats itself (nearest to fewer, with a spread below {1 - BAND:g}) or keeps to the middle "
        f"(nearest to more). Among people: no difference is detected, and the spread is within {BAND:g} of 1."
    )
    spread = (
        f"Right: mean cosine distance between two captions of one {noun}, people's = 1."
        if found.within
        else f"Right: expected share of different captions, with one drawn for each {noun}, people's = 1."
    )
    described = [f"n = {count(n, noun)}, {count(len(of), 'caption')}", "spread is described, nearness tested"]
    return [*described, *filter(None, [not_drawn(left)])], [f"{how} {spread}"]


def hover(run: Run, found: Standings, k: int, name: str) -> list[str]:
    """Return the hover text of a run's mark, in lines."""
    near, level = percent(float(found.reach[k])), percent(float(found.level[k]))
    told = doing(found, k)
    return [
        name,
        f"nearest to {near} of people's captions (people: {level})",
        f"{num(float(found.spread[k]), 2)} times as varied as people",
        *([told] if told else []),
    ]


def alt(found: Standings) -> str:
    """Return the text alternative of the figure."""
    drawn = int(np.isfinite(found.spread[list(found.known)]).sum())
    return f"{count(drawn, 'run')} by spread and by nearness to people's captions. The table lists them."
