"""Sentences that compare the runs of a study with people in the caption cloud: verdict, map titles, footer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from data.study import Study
from figures.notes.seeds import short_settings
from figures.style.escaping import Strong
from figures.style.line_styles import line_of, model_names
from figures.style.numbers import count, num, p_phrase, percent
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun, names_in_a_row, not_drawn
from metrics.analysis.cloud.captions import Points, draws
from metrics.analysis.cloud.spread_and_nearness import BAND, Manner, Standings, most_repeated
from metrics.analysis.feasibility import has_references, runs_with_sets
from metrics.analysis.replicates.grouping import replicates
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA

DOING: Mapping[Manner, str] = {
    "farther": "farther than people",
    "nearer": "nearer than people",
    "repeats": "repeats itself",
    "untold": "no difference found",
}
"""Short descriptions of runs by what the test of nearness found."""
_THAN: Mapping[Manner, str] = {"farther": "farther from", "nearer": "nearer to"}
_NAMED = 4
"""The number of differing settings up to which the verdict names all of them, instead of counting those alike."""
_ANOTHER = " people's captions than another person's would be"
REPEATED = 0.5
"""The verdict mentions a caption that a run repeats on at least this share of its images."""
SAME_LEVEL = 0.005
"""Runs whose expected shares differ by less than this are described as having the same expected share."""


def verdict(study: Study, found: Standings, within: Floats | None = None) -> tuple[str, ...]:
    """Return which runs' captions are nearer to people's, or farther, than another person's would be, in the embedding
    space rather than on the map.

    Every reported difference has passed the test of nearness over all runs simultaneously. Without captions by people,
    the verdict names the runs whose captions of an item vary most and least, by `within` (1 + runs,) of the layout.
    """
    if not study.runs:
        return ("There are no runs, only people's captions.",)
    settings = settings_at(study, range(len(study.runs)))
    single = {k: f"One seed of {of.name}" if len(of.runs) > 1 else of.name for of in settings for k in of.runs}
    repeated = _repeated(study, single)
    if not has_references(study) and within is not None and np.isfinite(within[1:]).any():
        return (*_varied(study, within[1:]), *repeated)
    if not found.known:
        of_people = "two captions by people and one by a run" if has_references(study) else "captions by people"
        return (f"No {item_noun(study)} has {of_people}, so there is nothing to compare. ", *repeated)
    differ, untold, undecided = ({*found.of(which)} for which in found.found[:3])
    rest = [of.name for of in settings if not differ.intersection(of.runs) and untold.intersection(of.runs)]
    few = [
        of.name for of in settings if not (differ | untold).intersection(of.runs) and undecided.intersection(of.runs)
    ]
    said = [
        *repeated,
        *(_differing(study, found, settings) if differ else []),
        *_untold(settings, rest, bool(differ) and not few),
    ]
    if few:
        said += [f"There are too few captions by {names_in_a_row(few, 2)} to tell how near to people's they are. "]
    return (*said, *_farthest(found, single))


class Setting(NamedTuple):
    """A setting: its short name, and the positions of its runs, which differ only in a seed, in the study."""

    name: str
    runs: tuple[int, ...]


def settings_at(study: Study, at: Iterable[int]) -> list[Setting]:
    """Return the settings of the runs `at` some positions of the study, in order of the study."""
    place, every = {study.runs[k].name: k for k in at}, replicates(study.runs)
    single, several = short_names(study.runs), short_settings(study, every)
    names = [single[of.runs[0]] if len(of.runs) == 1 else several[of.name] for of in every]
    found = [Setting(name, tuple(place[run] for run in of.runs if run in place)) for name, of in zip(names, every)]
    return [of for of in found if of.runs]


def _varied(study: Study, within: Floats) -> tuple[str, ...]:
    names = [short_names(study.runs)[run.name] for run in study.runs]
    most, least = int(np.nanargmax(within)), int(np.nanargmin(within))
    captions, noun, apart = "Captions of one ", item_noun(study), f"{num(within[most])} apart on average"
    if most == least:
        return (captions, noun, " by ", Strong(names[most]), f" lie {apart}. ")
    varied = (captions, noun, " vary most in ", Strong(names[most]), f", {apart}, and least in ")
    return (*varied, Strong(names[least]), f", {num(within[least])} apart. ")


def _differing(study: Study, found: Standings, settings: Sequence[Setting]) -> list[str]:
    """Return a sentence on the settings that differ from people, those that do so with some seeds only apart.

    Settings that repeat themselves are farther, too.
    """
    groups: dict[tuple[Manner, bool], list[Setting]] = {}
    for of in settings:
        manners: list[Manner] = ["nearer" if found.manner[k] == "nearer" else "farther" for k in _differ(found, of)]
        for manner, n in Counter(manners).items():
            groups.setdefault((manner, n < len(of.runs)), []).append(of)
    many, said, than = sum(map(len, groups.values())) > _NAMED, list[str](), _ANOTHER
    for (manner, some), group in sorted(groups.items(), key=lambda one: (one[0][1], -len(one[1]))):
        who = _who(study, settings, group)
        if many and who != (_all(settings),):
            who = (Strong(f"{len(group)}{'' if said else f' of {len(settings)} {_noun(settings)}'}"),)
        does = f" {'are' if len(group) > 1 else 'is'} {_THAN[manner] if than else manner}{than}"
        said += ["; " if said else "", *who, f"{does}{', with some seeds only' if some else ''}"]
        said += _repeating(study, settings, [of for of in group if _repeats(found, of)], group, many)
        than = ""
    return [*said, ". "]


def _repeating(
    study: Study, settings: Sequence[Setting], those: Sequence[Setting], group: Sequence[Setting], many: bool
) -> list[str]:
    """Return a clause on those settings of a group that repeat themselves; [] if there are none."""
    does = "repeat themselves" if len(those) > 1 else "repeats itself"
    if not those or those == group:
        return [f", and {does}"] if those else []
    return [" (", *((f"{len(those)} of them",) if many else _who(study, settings, those)), f" {does})"]


def _repeats(found: Standings, of: Setting) -> bool:
    return {found.manner[k] for k in _differ(found, of)} == {"repeats"}


def _differ(found: Standings, of: Setting) -> list[int]:
    return [k for k in of.runs if differs(found, k)]


def _who(study: Study, settings: Sequence[Setting], group: Sequence[Setting]) -> tuple[str, ...]:
    models = {of.name: study.runs[of.runs[0]].model for of in settings}
    own = [of for of in settings if models[of.name] == models[group[0].name]]
    if len(group) == len(settings) > 1:
        return (_all(settings),)
    if len(group) > 2 and own == group:
        return (f"The {len(group)} settings of ", Strong(model_names(map(line_of, study.runs))[models[group[0].name]]))
    return (Strong(names_in_a_row([of.name for of in group], 2)),)


def _all(settings: Sequence[Setting]) -> str:
    return f"Both {_noun(settings)}" if len(settings) == 2 else f"All {len(settings)} {_noun(settings)}"


def _noun(settings: Sequence[Setting]) -> str:
    return "settings" if any(len(of.runs) > 1 for of in settings) else "runs"


def _untold(settings: Sequence[Setting], rest: Sequence[str], differ: bool) -> list[str]:
    """Return a sentence on the settings, named in `rest`, for which no difference was found: they may differ still."""
    if not rest:
        return []
    if len(rest) < len(settings):
        others = f"the other {len(rest)}" if differ and len(rest) > 2 else names_in_a_row(rest, 2)
        return [f"For {others}, no difference was found. "]
    if len(rest) == 1:
        return [Strong(rest[0]), f" is not clearly nearer to{_ANOTHER}, or farther. "]
    none = f"Neither of 2 {_noun(settings)}" if len(rest) == 2 else f"None of {len(rest)} {_noun(settings)}"
    return [Strong(none), f" is clearly nearer to{_ANOTHER}, or farther. "]


def _farthest(found: Standings, names: Mapping[int, str]) -> list[str]:
    if not found.found.differ:
        return []
    at = found.found.differ[0]
    run, p = found.known[at], p_phrase(float(found.found.p[at]))
    near, level = percent(float(found.reach[run])), percent(float(found.level[run]))
    whose = "of people's captions, where another person's would be nearest to"
    who = names[run].replace("One seed of ", "one seed of ", 1)
    return [f"Captions by {who} are nearest to {near} {whose} {level} ({p}). "]


def _repeated(study: Study, names: Mapping[int, str]) -> list[str]:
    found = [(times, len(run.candidates), k) for k, run in enumerate(study.runs) for times in [most_repeated(run)[1]]]
    often = [one for one in found if one[0] >= max(5, REPEATED * one[1])]
    if not often:
        return []
    times, of, k = max(often, key=lambda one: one[0] / one[1])
    whole = "all" if times == of else f"{times:,} of"
    return [Strong(names[k]), f" gives one caption for {whole} {of:,} {item_noun(study)}s. "]


def differs(found: Standings, run: int) -> bool:
    """Return whether a difference from people was found for a run."""
    return found.manner[run] not in ("untold", "unknown")


def doing(found: Standings, run: int) -> str:
    """Return the title of a run's map: what the test found, "too few to tell" if it could find nothing, else ""."""
    return DOING.get(found.manner[run], "too few to tell" if run in found.known else "")


def drawn(found: Standings) -> tuple[int, ...]:
    """Return the positions of the runs that have both a spread and a nearness."""
    return tuple(k for k in found.known if np.isfinite(found.spread[k]))


def equally_varied(found: Standings) -> bool:
    """Return whether all runs have about people's share of different captions over items, so that rows are enough."""
    return not found.within and bool(np.allclose(found.spread[list(drawn(found))], 1.0, rtol=0.0, atol=BAND))


def title(found: Standings) -> str:
    """Return the title of the figure of all runs."""
    return "How near to people's captions?" if equally_varied(found) else f"Near people, and as {_varied_as(found)}?"


def _varied_as(found: Standings) -> str:
    return "varied" if found.within else "many different captions"


def common_level(found: Standings) -> float | None:
    """Return the mean expected share of the runs that can be drawn if theirs are nearly equal, else None."""
    level = found.level[list(drawn(found))]
    return float(level.mean()) if len(level) and np.ptp(level) < SAME_LEVEL else None


def spread_of(study: Study, found: Standings) -> str:
    """Return a definition of the spread of a run."""
    if found.within:
        return f"spread of a run's captions of one {item_noun(study)}"
    return f"share of different captions over all {item_noun(study)}s"


def reading(study: Study, found: Standings, lines: bool, hollow: bool) -> str:
    """Return one line on how to read the figure, which has `lines` of temperatures and `hollow` marks beside them."""
    if equally_varied(found):
        seeds = any(len(of.runs) > 1 for of in settings_at(study, drawn(found)))
        return f"Filled: a difference from people was found{'; small marks: seeds' if seeds else ''}."
    joined = f" Lines: temperature{'; hollow: other decoders' if hollow else ''}." if lines else ""
    some = "Few runs have" if runs_with_sets(study) else "No run has"
    over = "" if found.within else f" {some} two captions per {item_noun(study)}."
    return f"Up: nearest to more of people's captions. Rings: on a map.{joined}{over}"


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
        f"Near: the share of people's captions whose nearest other caption of the same {noun}, among people's and the "
        "run's, is the run's; people's own level: the share expected if people had written the run's. Tested against "
        f"{draws(len(study.runs)):,} random choices of which captions of {article(noun)} are the run's; two-sided, "
        f"corrected for all runs (Holm). At p ≤ {ALPHA}, a run is farther than people (nearest to fewer of their "
        f"captions), repeats itself (nearest to fewer, with a spread below {1 - BAND:g}) or nearer (nearest to more)."
    )
    spread = (
        f"Spread: mean cosine distance between two captions of one {noun}, people's = 1."
        if found.within
        else f"Spread: expected share of different captions, with one drawn for each {noun}, people's = 1."
    )
    tested = "p ≤ 0.05, corrected for all runs" if equally_varied(found) else "only nearness is tested"
    described = [f"n = {count(n, noun)}, {count(len(of), 'caption')}", tested]
    return [*described, *filter(None, [not_drawn(left)])], [f"{how} {spread}"]


def hover(found: Standings, of: Setting) -> list[str]:
    """Return the hover text of a setting's mark, in lines: means over its seeds."""
    runs = list(of.runs)
    near, level, spread = (float(values[runs].mean()) for values in (found.reach, found.level, found.spread))
    told = Counter(filter(None, (doing(found, k) for k in runs))).most_common()
    return [
        of.name,
        f"nearest to {percent(near)} of people's captions (people: {percent(level)})",
        f"{num(spread, 2)} times as {_varied_as(found)} as people",
        *(f"{one}{f': {n} of {len(runs)} seeds' if len(runs) > 1 else ''}" for one, n in told),
    ]


def alt(found: Standings) -> str:
    """Return the text alternative of the figure."""
    by = "" if equally_varied(found) else " by spread and"
    return f"{count(len(drawn(found)), 'run')}{by} by nearness to people's captions. The table lists them."
