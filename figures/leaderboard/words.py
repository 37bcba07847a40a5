"""Sentences of the leaderboard: the verdict and the notes below the table."""

from __future__ import annotations

from collections.abc import Sequence

from data.study import Run, Study
from figures.leaderboard.board import Board
from figures.leaderboard.rows import APART, column_of, joint_metric, no_gap
from figures.leaderboard.scale import alone, scale
from figures.notes import flags
from figures.notes.hazards import few_texts, hazard_note, read_in_part, tied, ties, unranked, warning
from figures.notes.people import JOINT, compare_with_people, joint_test, joint_words, would_find
from figures.style import wording
from figures.style.escaping import Strong, capital
from figures.style.html import Markup
from figures.style.numbers import DASH, count, defined, interval, num
from figures.style.run_names import short_names
from figures.style.wording import bootstrap, item_noun, labels, n_items, names_in_a_row, sharing, sizes, skewed, so_far
from metrics.analysis import claims, human_line
from metrics.analysis.feasibility import has_references
from metrics.analysis.leaderboard import LeaderboardChoice, RunStanding, S, Standings
from metrics.analysis.run_differences import Verdict
from metrics.bootstrap import LEAST
from metrics.engine.result import PENDING, Result
from metrics.permutation.pvalues import ALPHA


def verdict(found: Standings[RunStanding]) -> tuple[str, ...]:
    """Return which run leads by the ranking metric, how surely, and which runs differ from people or have no value."""
    study, of = found.study, found.ranked
    if of is None:
        short = short_names(study.runs)
        return unranked_verdict(found, [short[run.name] for run in found.choice.runs], "run")
    metric, runs, leads = of.metric, of.runs, of.verdict
    if leads is None:
        return (_nothing(of),)
    best = of.results[leads.best]
    assert best is not None, "a run with a value has a result"
    word = "highest" if metric.higher_is_better else "lowest"
    digits, short = column_of(metric, of.values).digits, short_names(study.runs)
    leader, several = Strong(short[runs[leads.best].name]), ""
    said = num(best.corpus, digits)
    if defined(best.low):
        said += f" ({interval(best.low, best.high, digits)})"
    sofar = so_far(of.waiting)
    if leads.compared == 1:
        alone = f", and is the only run with a value{sofar}: there" if len(runs) > 1 else ". With one run, there"
        what = f" has {metric.label} {said}{alone} is nothing to compare it with."
    else:
        has, behind = f" has the {word} {metric.label}", leads.rest
        if leads.equal:
            first = [short[runs[k].name] for k in (leads.best, *leads.equal)]
            who, has = sharing(first, leads.compared, metric, without=len(runs) - leads.compared)
            leader, several = Strong(who), first[0]
        unknown = [result for k in behind.unknown if (result := of.results[k]) is not None]
        whys = dict.fromkeys(no_gap(study, best, result) for result in unknown)
        flat = ties(best, f"the distances of {leader}") if claims.saturated(best) else ""
        tail = f", {_tail(study, behind, runs, '; '.join(whys), flat, bool(several))}" if behind.compared > 1 else "."
        what = f"{has}{sofar}, {said}{tail}"
    head = (leader, what, warning(study, runs[leads.best].name, several))
    return (*head, _apart_from_people(found), _missing(study, leads.compared, of))


def unranked_verdict(found: Standings[S], names: Sequence[str], one: str) -> tuple[str, ...]:
    """Return which row is extreme by the first metric with values, for boards whose metrics do not say what is better.

    `names` are the names of the rows; `one` is the noun for a row, "run" or "setting".
    """
    of = found.described
    if of is None or of.verdict is None:
        return (f"None of these metrics says which {one} is better, so {one}s are not ranked.",)
    metric, leads = of.metric, of.verdict
    digits, others = column_of(metric, of.values).digits, leads.compared - 1
    low, high = of.ends(leads.best)
    value = num(float(of.values[leads.best]), digits)
    value += f" ({interval(low, high, digits)})" if defined(low) else ""
    who, sofar = Strong(names[leads.best]), so_far(bool(found.numbers.waiting(metric, found.choice.runs)))
    if not others:
        alone = f"With one {one}, there is" if len(names) == 1 else f"No other {one} has a value{sofar}, so there is"
        return (who, f" has {metric.label} {value}. {alone} nothing to compare it with.")
    most = metric.more_means.replace("more ", "the most ") if metric.more_means.startswith("more ") else ""
    end = "highest" if metric.higher_is_better else "lowest"
    has = f" is {most} by {metric.label}" if most else f" has the {end} {metric.label}"
    shared = leads.equal
    if shared:
        first = [names[k] for k in (leads.best, *shared)]
        sharing_it, has = sharing(first, leads.compared, metric, one, len(names) - leads.compared)
        who, leads, others = Strong(sharing_it), leads.rest, leads.rest.compared - 1
    if not others:
        tail = ""
    elif len(leads.unknown) == others:
        tail = "; whether that is significant cannot be tested"
    elif leads.tied:
        as_much = names[leads.tied[0]] if len(leads.tied) == 1 else wording.of_others(len(leads.tied), others)
        tail = f", but {as_much} may be as {metric.more_means.removeprefix('more ')}"
        if not metric.more_means.startswith("more "):
            tail = f", but no difference from {as_much} is detected"
    else:
        valued = " with a value" if len(leads.apart) == others < len(names) - 1 - len(shared) else ""
        tail = f", significantly ahead of {wording.of_others(len(leads.apart), others)}{valued}"
    return (who, f"{has}{sofar}, {value}{tail}. This does not say which {one} is better.")


def _nothing(of: RunStanding) -> str:
    whys = {why for result in of.known if (why := result.why())}
    if not whys:
        return f"{of.metric.label} is not computed yet; the ranking appears with its first numbers."
    return f"No run has a value of {of.metric.label}: {sorted(whys)[0]}. Rank by another metric."


def _tail(
    study: Study, found: Verdict, runs: Sequence[Run], why: str = "", flat: str = "", several: bool = False
) -> str:
    """How surely the first run, or `several` runs with the same value, leads the others."""
    it, its, leader = ("them", "their", "the leaders") if several else ("it", "its", "the leader")
    others, items = found.compared - 1, count(len(study.items), item_noun(study))
    if len(found.unknown) == others:
        what = "difference from the other run has" if others == 1 else "differences from the other runs have"
        return f"but {its} {what} no interval ({why}), so their order is uncertain."
    if not found.tied:
        which = {1: "the other run is", 2: "both other runs are"}.get(others, f"all {others} other runs are")
        if found.unknown:
            is_are = "is" if len(found.apart) == 1 else "are"
            return (
                f"and {len(found.apart)} of {others} other runs {is_are} significantly behind ({items}); the "
                f"rest cannot be compared with {it}: {why}."
            )
        return f"and {which} significantly behind ({items}{', corrected for all pairs' if others > 1 else ''})."
    short = short_names(study.runs)
    names = [short[runs[k].name] for k in found.tied]
    many = f"{'all' if len(names) == others else f'{len(names)} of the'} {others} other runs"
    who = names_in_a_row(names) if len(names) <= 2 else many
    return f"but {who} may be as good: {flat or f'no difference from {leader} is detected over {items}'}."


def _apart_from_people(found: Standings[RunStanding]) -> str:
    of, short = found.by(found.choice.tested), short_names(found.study.runs)
    if of is None or of.people is None:
        return ""
    by = f"by {of.metric.label}" if of is not found.ranked else "by this metric"
    said = compare_with_people(of.metric, [short[run.name] for run in of.runs], of.people, by, so_far(of.waiting))
    return f" {said}" if said else ""


def _alike(shown: Board) -> bool:
    return any(row.cell(column.key).alike for row in shown.rows for column in shown.columns)


def _apart_by_score(shown: Board) -> bool:
    cells = (row.cell(column.key) for row in shown.rows for column in shown.columns)
    return any(cell.not_alike.startswith(APART) for cell in cells)


_OUTLINED = (
    f" Outlined: no difference from people detected (p > {ALPHA}, corrected for all runs by Holm's method). A distance "
    f"is tested by the {JOINT}, a score by swapping captions and against people's own score."
)


def _missing(study: Study, compared: int, of: RunStanding) -> str:
    absent = len(of.runs) - compared - len(of.left_out)
    said = (
        [f" {count(absent, 'run')} without {of.metric.label} {'is' if absent == 1 else 'are'} not ranked."]
        if absent and compared > 1
        else []
    )
    return "".join([*said, *(f" {what}" for what in unranked(study, [of.metric], of.runs))])


def footer(found: Standings[RunStanding], shown: Board) -> str:
    """Return the sample size and the meaning of every mark on the board."""
    study, choice = found.study, found.choice
    words = [f"n = {n_items(study, len(study.items))}, {sizes(study, choice.runs)}."]
    words += [*_partial(found), *_without_interval(study, shown)]
    words += _whiskers(study, choice)
    if choice.baseline is None:
        words.append(f"Bold: best.{_OUTLINED if _alike(shown) else ''}")
        joint = found.by(joint_metric(choice.metrics, choice.ranked))
        if joint is not None and (would := would_find(joint.detectable, joint_test(joint.metric))):
            words.append(f"{capital(would)}.")
    else:
        words.append(_differences_words(found))
    if choice.ranked is not None and choice.ranked.additive and len(choice.runs) > 1:
        words.append(
            "Ranks: from the differences that are significant after correction for all pairs of runs "
            f"(Student's t, Holm, p ≤ {ALPHA})."
            f"{skewed(study)}"
        )
    words += [*unranked(study, choice.metrics, choice.runs), *hazard_note(study, choice.runs)]
    words += without_value(shown)
    words += tied([result for of in found.chosen for result in of.known])
    words += [*few_texts(study, choice.metrics, choice.runs), *read_in_part(study, choice.metrics, choice.runs)]
    if (tested := found.by(choice.tested)) is not None:
        words.append(_p_words(study, tested, choice.harmonic, shown.corrected))
    return " ".join([*words, *_apart_words(found)])


def _whiskers(study: Study, choice: LeaderboardChoice) -> list[str]:
    summed = any(metric.additive for metric in choice.metrics)
    rest = [metric for metric in choice.metrics if not metric.additive and not metric.no_interval]
    said = [bootstrap(study, "Bars", len(study.items), ", with the same draws for every run")] if summed else []
    if rest and len(study.items) >= LEAST:
        said.append(
            f"Bars of {labels(rest)}: 95 % intervals, by leaving out groups of {item_noun(study)}s (jackknife)."
        )
    return said


def _differences_words(found: Standings[RunStanding]) -> str:
    base = short_names(found.study.runs)[str(found.choice.baseline)]
    if found.chosen_on_data(found.choice.baseline):
        of = found.ranked.verdict if found.ranked else None
        leads = "shares the lead" if of and of.equal else "leads the ranking"
        return (
            f"Differences from {base}, which {leads}. As these data chose the baseline, "
            f"intervals and p are corrected for all pairs of runs (filled where corrected p ≤ {ALPHA})."
        )
    return (
        f"Differences from {base}, each with its own 95 % interval; filled where p ≤ {ALPHA} by a test that swaps the "
        "two runs' captions of an image at random, corrected for the runs of a metric (Holm)."
    )


def _p_words(study: Study, of: RunStanding, harmonic: bool, corrected: bool) -> str:
    tested, found = of.metric, of.known
    known = next((result for result in found if defined(result.p_floor)), None)
    if known is None:
        return f"p: permutation tests, {next((why for r in found if r.tested and (why := r.why_no_p())), PENDING)}."
    many = ", for each run separately" if len(of.runs) > 1 else ""
    many = f", corrected for {count(len(found), 'run')} (Holm)" if corrected else many
    if harmonic:
        tail = ", lower tail" if tested.two_sided else ""
        said = f"p{many}: calibrated harmonic mean of the tests of each {item_noun(study)}, {tested.label}{tail}"
        return f"{said}, {_p_n(study, found)}; raw: not calibrated, as papers print it."
    sides = "two-sided " if tested.two_sided else ""
    if known.joint:
        return f"p{many}: {joint_test(tested)}, p ≥ {_floors(found)}, {_p_n(study, found)}. {joint_words(tested)}"
    said = f"p{many}: {sides}permutation test of {tested.label} over all {item_noun(study)}s, {_draws(found)}"
    said += f", p ≥ {_floors(found)}"
    return f"{said}, {_p_n(study, found)}."


def _draws(results: Sequence[Result]) -> str:
    drawn = dict.fromkeys(result.drawn for result in results if defined(result.p_floor))
    return " or ".join(f"{n:,.0f} draws" if n else "all ways counted" for n in drawn)


def _floors(results: Sequence[Result]) -> str:
    found = sorted({f"{r.p_people_floor:.4g}" for r in results if defined(r.p_floor)}, key=float)
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def _p_n(study: Study, results: Sequence[Result]) -> str:
    sizes = sorted({result.p_n for result in results if result.p_n})
    said = f"n = {sizes[0]:,}" + (f" to {sizes[-1]:,}" if len(sizes) > 1 else "")
    why = next((why for result in results for why in result.untested.values()), "")
    return f"{said} (some {item_noun(study)}s have a value but no p: {why})" if why else said


def _partial(found: Standings[RunStanding]) -> list[str]:
    said = []
    for of in found.chosen:
        short = [result.n for result in of.known if 0 < result.n < len(found.study.items)]
        if short:
            said.append(f"{of.metric.label} of {count(len(short), 'run')}: n ≥ {min(short)}.")
    return said


def _without_interval(study: Study, shown: Board) -> list[str]:
    if len(study.items) < LEAST:
        return []
    found: dict[tuple[str, str], list[str]] = {}
    for row in shown.rows:
        for column in shown.columns:
            if why := row.cell(column.key).no_interval:
                found.setdefault((column.label, why), []).append(row.shown)
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (label, why), names in found.items():
        groups.setdefault((why, tuple(names)), []).append(label)
    what = "No interval" if shown.baseline is None else "Differences without an interval"
    said = [f"{names_in_a_row(of)} of {names_in_a_row(names, 3)} ({why})" for (why, names), of in groups.items()]
    return [f"{what}: {'; '.join(said)}."] if said else []


def _apart_words(found: Standings[RunStanding]) -> list[str]:
    if not has_references(found.study):
        return []
    said = []
    for row, of_no_difference in ((human_line.PEOPLE, False), (human_line.NO_DIFFERENCE, True)):
        groups: dict[str, list[str]] = {}
        standings = [of for of in found.chosen if human_line.is_no_difference(of.metric) == of_no_difference]
        for of in standings:
            if about := of.human.about:
                groups.setdefault(about, []).append(of.metric.label)
        if groups:
            explained = "; ".join(f"{', '.join(names)}: {about}" for about, names in groups.items())
            said.append(f"{row}, not ranked: {explained}.")
        elif standings and not any(of.human.reason == PENDING for of in standings):
            said.append(f"{row}: no value at these sizes; the dashes say why." if not of_no_difference else "")
    return [words for words in said if words]


def facts(study: Study, shown: Board) -> list[str]:
    """Return the line below the board: n, the meaning of its bars and marks, and the faults of its runs."""
    said = [f"n = {n_items(study, len(study.items))}"]
    if shown.baseline is not None:
        said += ["bars: 95 % interval of the difference", *_SURE]
    else:
        bars = "small numbers" if all(alone(shown, column) for column in shown.columns) else "bars"
        said.append(f"{bars}: 95 % interval" if len(study.items) < LEAST else f"{bars}: 95 % bootstrap")
        if _alike(shown):
            alike = "no difference from people detected: p &gt; 0.05, corrected"
            apart = ", and score not significantly different from people's" if _apart_by_score(shown) else ""
            said.append(Markup(f'<i class="tl-eq"></i>{alike}{apart}'))
        if shown.people is not None:
            said.append("lines: people, or no difference (dashed)" if shown.no_difference else "line: people")
        if shown.chance is not None:
            said.append("shaded: chance, 95 % of pairings with other references")
        said += [PAST] if _past_no_difference(shown) else []
        said += [f"every {_common(shown)}"] if shown.common_p else []
    checks = {row.shown: row.anomaly for row in shown.rows if row.anomaly}
    return [*said, *flags.facts_of(checks), *break_words(shown), *dash_words(shown)]


def _common(shown: Board) -> str:
    """A clause on the p that all runs share: its value, its metric (unless that ranks the runs) and any correction."""
    whose = "run" if all(defined(row.p_value) for row in shown.rows) else "tested run"
    metric = next((f" by {one.label}" for one in shown.columns if one.key == shown.p_key != shown.ranked), "")
    return f"{whose} against people: {shown.common_p}{metric}{', corrected' if shown.corrected else ''}"


def left_out(shown: Board) -> list[str]:
    """Return a note on the columns that are hidden because no run has a value: their names and the reasons."""
    labels: dict[str, list[str]] = {}
    for column in shown.columns:
        if column.key in shown.empty:
            labels.setdefault(shown.empty[column.key], []).append(column.label)
    return [f"no column for {names_in_a_row(names, 3)}: {why}" for why, names in labels.items()]


def _dashes(shown: Board) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for row in (*(shown.apart if shown.baseline is None else ()), *shown.rows):
        for column in shown.columns:
            cell = row.cell(column.key)
            if not defined(cell.value) and not cell.waiting:
                found.setdefault((row.shown, cell.reason or "undefined"), []).append(column.label)
    return found


def dash_words(shown: Board) -> list[str]:
    """Return the meaning of the dashes: which runs have no value and why, if that is short, and where to find the rest.

    Only the first sentence of a reason is given, because the rest may differ from run to run.
    """
    names: dict[str, list[str]] = {}
    ours = {row.shown for row in shown.rows}
    dashes = dict.fromkeys((row, why.split(". ")[0]) for row, why in _dashes(shown))
    for row, why in dashes:
        if row in ours:
            names.setdefault(why, []).append(row)
    told = {why: of for why, of in names.items() if len(names) <= _REASONS and len(why) <= _REASON}
    rest = any(row not in told.get(why, []) for row, why in dashes)
    said = [f"{DASH} {names_in_a_row(of, 2)}: {why}" for why, of in told.items()]
    return [*said, *([NO_VALUE.replace("no value", "elsewhere") if said else NO_VALUE] if rest else [])]


def without_value(shown: Board) -> list[str]:
    """Return why there are dashes, grouped by row and reason; [] if there are none."""
    said = [f"{row}, {names_in_a_row(labels)}: {why}" for (row, why), labels in _dashes(shown).items()]
    return [f"No value (–). {'; '.join(said)}."] if said else []


def _past_no_difference(shown: Board) -> bool:
    column = next((one for one in shown.columns if one.key == shown.ranked), None)
    if column is None or not column.distance or shown.no_difference is None:
        return False
    expected = shown.no_difference.cell(column.key).value
    return any(row.cell(column.key).value < expected for row in shown.rows)


def break_words(shown: Board) -> list[str]:
    """Return a note on broken scales, if any; narrow pages hide the note unless the ranked column has such a scale."""
    found = [(column.key, scale(shown, column, shown.baseline is not None)) for column in shown.columns]
    broken = {key for key, of in found if of is not None and of.breaks()}
    far = "" if shown.ranked in broken else " far"
    return [Markup(f'<i class="tl-br{far}"></i>broken scale: farther away than drawn')] if broken else []


_REASONS, _REASON = 2, 90
"""Maximum number of reasons for dashes listed below a board, and maximum length of one in characters."""
NO_VALUE = f"{DASH} no value, for the reasons under"
"""What precedes the link to how numbers are computed."""
PAST = "past the dashed line: nearer to people than by chance on average, which is not better than people"
"""The meaning of a run past the line of no difference."""
_SURE = (
    Markup('<i class="tl-bx"></i>p ≤ 0.05, corrected'),
    Markup('<i class="tl-bx o"></i>not significant'),
)
