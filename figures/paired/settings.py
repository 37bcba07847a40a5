"""Two settings by every metric, in units of the typical difference between two seeds: chart, sentences and table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from data.study import Study
from figures.notes.seeds import seed_words
from figures.style.drawing import Drawing
from figures.style.escaping import Strong, short, whole
from figures.style.numbers import count, decimals, defined, interval, num, p_phrase, p_text, signed
from figures.style.palette import Mode, frame, grey, note, plain, tone
from figures.style.text_width import in_two
from figures.style.wording import every_lead, item_noun, labels, lead_means
from metrics.analysis.replicates.setting_differences import SettingDifference
from metrics.analysis.replicates.tables import note as note_of
from metrics.permutation.pvalues import ALPHA

ROW, _NAME, _WIDE = 30, 40, 560
_LEFT: dict[bool, int] = {True: 150, False: 104}
"""Width in px of the names on a wide figure, and on a narrow one, where they take two lines."""


def drawn(found: Sequence[SettingDifference]) -> list[SettingDifference]:
    """Return the differences that can be drawn: those with a known distance between two seeds."""
    return [one for one in found if defined(one.difference) and defined(one.seeds_apart) and one.seeds_apart > 0]


def seeds_figure(found: Sequence[SettingDifference], mode: Mode, width: float | None = None) -> go.Figure:
    """Plot each difference in units of the distance between two seeds; right favours the first setting.

    The shaded band is the distance between two seeds; a filled mark is significant after Holm's correction across the
    metrics.
    """
    shown, figure = drawn(found), Drawing()
    figure.add_vrect(x0=-1, x1=1, fillcolor=grey(0.14), line_width=0, layer="below")
    figure.add_vline(x=0, line={"color": grey(0.8), "width": 1})
    for k, one in enumerate(shown):
        _row(figure, one, -k, mode, wide=_is_wide(width))
    left = _LEFT[_is_wide(width)]
    text = ["<br>".join(map(plain, in_two(one.metric.label, left - 8))) for one in shown]
    figure.update_yaxes(tickvals=[-k for k in range(len(shown))], ticktext=text, showgrid=False, zeroline=False)
    font = {"size": 13 if _is_wide(width) else 11.5, "color": tone("ink", mode)}
    figure.update_yaxes(range=[-len(shown) + 0.4, 0.7], tickfont=font)
    ends = [v for one in shown for v in _scaled(one) if defined(v)]
    low, high = min([*ends, -1.2]), max([*ends, 1.2])
    room = 0.04 * (high - low)
    figure.update_xaxes(
        range=[low - room, high + room], zeroline=False, title_text="times the difference between two seeds"
    )
    columns = _columns(_is_wide(width))
    for head, at in columns.items():
        above = {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "bottom", "xshift": at}
        figure.add_annotation(note(1, 1, head, font={"size": 11.5, "color": tone("muted", mode)}, **above))
    sides = {"l": left, "r": max(columns.values()) + 4}
    return frame(figure, mode, ROW * len(shown) + 84, margin={**sides, "t": 22, "b": 46}, showlegend=False)


def _columns(wide: bool) -> dict[str, int]:
    """The headings of the numbers, and their right ends in px from the right edge of the plot."""
    return {"by how much": 88, "corrected p": 168} if wide else {"p": 58}


def _is_wide(width: float | None) -> bool:
    return width is None or width > _WIDE


def _row(figure: go.Figure, one: SettingDifference, y: float, mode: Mode, *, wide: bool) -> None:
    value, low, high = _scaled(one)
    sure = one.p_holm <= ALPHA
    colour = tone("ink", mode)
    if defined(low) and defined(high):
        line = {"color": colour, "width": 2}
        figure.add_scatter(x=[low, high], y=[y, y], mode="lines", hoverinfo="skip", line=line)
    fill = colour if sure else tone("paper", mode)
    marker = {"size": 11, "color": fill, "line": {"width": 2, "color": colour}}
    hover = f"{hover_words(one)}<extra></extra>"
    figure.add_scatter(x=[value], y=[y], mode="markers", marker=marker, hovertemplate=hover, cliponaxis=False)
    digits = decimals([of.mean for of in one.estimates])
    p = p_text(one.p_holm).replace("&lt;", "<")
    said = (signed(one.difference if one.metric.higher_is_better else -one.difference, digits), p) if wide else (p,)
    for text, at in zip(said, _columns(wide).values(), strict=True):
        font = {"size": 12, "color": tone("ink" if sure else "muted", mode)}
        figure.add_annotation(note(1, y, text, xref="paper", xanchor="right", xshift=at, font=font))


def _scaled(one: SettingDifference) -> tuple[float, float, float]:
    """Difference and interval in units of the distance between two seeds, oriented in favour of the first setting."""
    turn = (1 if one.metric.higher_is_better else -1) / one.seeds_apart
    low, high = sorted((one.low * turn, one.high * turn))
    return one.difference * turn, low, high


def hover_words(one: SettingDifference) -> str:
    """Return the full description of a difference."""
    digits = decimals([of.mean for of in one.estimates])
    sides = [
        f"{plain(side.name, _NAME)} {num(of.mean, digits)}; {seed_words(of, digits)}"
        for side, of in zip((one.first, one.second), one.estimates)
    ]
    ends = f" (95 % {interval(one.low, one.high, digits)})" if defined(one.low) else ""
    said = f"difference {signed(one.difference, digits)}{ends}, two seeds differ by {num(one.seeds_apart, digits)}"
    return "<br>".join([f"<b>{plain(one.metric.label)}</b>", *sides, said, note_of(one)])


def verdict(study: Study, found: Sequence[SettingDifference], names: tuple[str, str]) -> tuple[str, ...]:
    """Return whether the settings differ by more than two seeds do, by the metrics that can say which setting is
    better.
    """
    first, second = (Strong(short(name, _NAME)) for name in names)
    judged = [one for one in found if one.metric.has_better_side and defined(one.p_holm)]
    if not judged:
        whys = sorted({one.reason for one in found if one.reason})
        return (f"There is nothing to compare: {whys[0] if whys else 'no metric says which setting is better'}.",)
    single = [name for name, of in zip((first, second), judged[0].estimates) if of.runs < 2]
    sure = [one for one in judged if one.p_holm <= ALPHA]
    wins = [one for one in sure if one.winner > 0]
    losses = [one for one in sure if one.winner < 0]
    over = "" if single else _over(study, sure or judged)
    if wins and losses:
        by = labels([one.metric for one in wins], 2), labels([one.metric for one in losses], 2)
        head: tuple[str, ...] = (first, f" is better by {by[0]}, ", second, f" by {by[1]}{over}.")
    elif sure:
        ahead, behind = (first, second) if wins else (second, first)
        by_all = labels([one.metric for one in sure], 3)
        head = (ahead, " is significantly better than ", behind, f" by {by_all}{over}.")
    else:
        head = ("No metric shows a significant difference between ", first, " and ", second, f"{over}.")
    if single:
        who = (single[0], " has") if len(single) == 1 else ("Each has",)
        return (*head, " ", *who, " one run, so how much its seeds differ is unknown.")
    return (*head, *_size(judged[0]))


def _over(study: Study, told: Sequence[SettingDifference]) -> str:
    alone = [one.metric for one in told if one.over == "seeds"]
    if len(alone) == len(told):
        return f", over seeds only, for these {item_noun(study)}s"
    return f" ({labels(alone, 2)}: over seeds only)" if alone else ""


def _size(one: SettingDifference) -> tuple[str, ...]:
    if not (defined(one.seeds_apart) and one.seeds_apart > 0):
        return ()
    times = abs(one.difference) / one.seeds_apart
    return (
        f" By {one.metric.label}, the difference is {num(times, 1)} times that of two seeds ({p_phrase(one.p_holm)}).",
    )


def corrected(found: Sequence[SettingDifference]) -> str:
    """Return what p is corrected for: "5 metrics", or "all pairs of 4 settings and 5 metrics" if one setting leads."""
    pairs = f"all pairs of {found[0].among:,} settings and " if found[0].among > 2 else ""
    return f"{pairs}{count(len(found), 'metric')}"


def footer(study: Study, found: Sequence[SettingDifference]) -> str:
    """Return the definition of the difference between two seeds, and how settings are tested."""
    one = item_noun(study)
    return (
        "Difference between two seeds: the standard deviation of the difference between two runs of one setting. "
        f"Settings differ by their means over seeds, with {one}s crossed with runs and seeds nested in settings: the "
        f"variance over {one}s (paired bootstrap) plus what seeds add. p: Student's t with Satterthwaite's degrees of "
        f"freedom, corrected for {corrected(found)} (Holm). A metric without a value per {one} is tested by "
        f"Welch's t over seeds, for these {one}s only."
    )


def table(found: Sequence[SettingDifference]) -> pd.DataFrame:
    """Return all numbers at full precision, a row for each metric."""
    return pd.DataFrame([_record(one) for one in found])


def _record(one: SettingDifference) -> dict[str, object]:
    first, second = one.estimates
    return {
        "Metric": one.metric.label,
        f"{whole(one.first.name)} (A)": first.mean,
        f"{whole(one.second.name)} (B)": second.mean,
        "Difference": one.difference,
        "95 % from": one.low,
        "95 % to": one.high,
        "p": one.p_value,
        "Corrected p": one.p_holm,
        "Between two seeds": one.seeds_apart,
        "Seeds of A": first.runs,
        "Seeds of B": second.runs,
        "Seed's share, A": first.share,
        "Seed's share, B": second.share,
        "n": min(first.n, second.n),
        "Note": note_of(one),
    }


def alt(found: Sequence[SettingDifference]) -> str:
    """Return the text alternative of the chart."""
    said = [f"{one.metric.label} {num(_scaled(one)[0], 1)}" for one in drawn(found)]
    return f"Difference over that between two seeds: {', '.join(said)}." if said else "No difference to draw."


def lead(found: Sequence[SettingDifference]) -> str:
    """Return what it means to be further right in the figure, such as "better" or "better or more varied"."""
    return every_lead(lead_means(one.metric) for one in found)


def resampled(study: Study, found: Sequence[SettingDifference]) -> str:
    """Return what the intervals are over: "images and seeds", or only "images" if a setting has a single run."""
    single = any(of.runs == 1 for one in found for of in one.estimates)
    return f"{item_noun(study)}s" if single else f"{item_noun(study)}s and seeds"


def without_seeds(found: Sequence[SettingDifference]) -> bool:
    """Return whether the figure has nothing to draw, for example because no setting has two seeds with known values."""
    return not drawn(found) or all(np.isnan(one.seeds_apart) for one in found)
