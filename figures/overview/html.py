"""The Overview's headline, caption sets and triangle shares as HTML with the app's own classes (`tl-ov-*`).

Callers pass plain text; all text is escaped here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from data.study import Study
from figures.notes import flags
from figures.overview import words
from figures.overview.names import called
from figures.style.escaping import esc
from figures.style.html import HYPHENATED, folded
from figures.style.numbers import count, num
from figures.style.palette import Mode, mixed, styles_of, tone
from figures.style.wording import of_texts, text_noun
from metrics.analysis.overview import Overview
from metrics.analysis.overview_image import CaptionSet, CountedCaption, RunShares, Steps

SHOWN = 3
"""The number of captions in a set that are visible at first; the rest are folded behind "7 more"."""
LONG, BEGIN = 60, 40
"""The number of words above which a text is folded, and of those that stay visible."""
_GREYS: dict[Mode, tuple[str, str, str]] = {
    "light": ("#77726B", "#B1AEA8", "#DDDBD7"),
    "dark": ("#9A958D", "#66625C", "#3C3A36"),
}
_ONE_LINE = 24
"""Maximum length in characters of a hyphenated name that a phone shows on one line of the title."""
_RANKS, _ROOM = ("shortest", "middle", "longest"), 0.1


def headline(sentences: Iterable[str]) -> str:
    """Return the page's title, which is its only verdict; a hyphenated name stays on one line if it fits."""
    said = HYPHENATED.sub(_whole, esc(" ".join(sentences)))
    return f'<h1 class="tl-ov-head">{said}</h1>'


def _whole(found: re.Match[str]) -> str:
    return f'<span class="tl-unbroken">{found[0]}</span>' if len(found[0]) <= _ONE_LINE else found[0]


def demo_line(study: Study) -> str:
    """Return the line stating that the open study is the demo."""
    return f'<p class="tl-ov-demo"><b>This is a demo.</b> {esc(words.demo(study))}</p>'


def deck(begin: str, rest: str) -> str:
    """Return the line below the headline, with its first part in bold; "" if there is no text."""
    if not (begin or rest):
        return ""
    return f'<p class="tl-ov-deck"><b>{esc(begin)}</b> <span>{esc(rest)}</span></p>'


def caption_set(seen: Overview, found: CaptionSet, mode: Mode) -> str:
    """Return the captions of the image by people or by one run, below a heading with the author and a run's ranks."""
    odd = "" if found.run is None else flags.mark(flags.flag(seen.every, seen.seeds(found.run)[0]))
    return _set(seen.study, found, _set_heading(seen, found), odd, mode)


def unranked_set(study: Study, found: CaptionSet, mode: Mode) -> str:
    """Return a run's captions of the image in an unranked study, below its name and its number of distinct captions."""
    assert found.run is not None
    run = study.runs[found.run]
    heading = called(study.runs, run), of_texts(text_noun(study), how_many(found))
    return _set(study, found, heading, flags.mark(flags.flag(study, run)), mode)


def _set(study: Study, found: CaptionSet, heading: tuple[str, str], odd: str, mode: Mode) -> str:
    first, rest = found.said[:SHOWN], found.said[SHOWN:]
    rows = "".join(_caption(said, found.total) for said in first) or '<li class="tl-none">none</li>'
    more = "".join(_caption(said, found.total) for said in rest)
    opens = folded(f"{len(rest):,} more", f"<ul>{more}</ul>") if rest else ""
    title, beside = heading
    head = f'<h3><span dir="auto">{esc(title)}</span>{odd}<small>{esc(beside)}</small></h3>'
    return f'<div class="tl-ov-set" style="{hue(study, found.run, mode)}">{head}<ul>{rows}</ul>{opens}</div>'


def columns(sets: Iterable[str]) -> str:
    """Return caption sets side by side, or below one another on a phone."""
    return f'<div class="tl-ov-three">{"".join(sets)}</div>'


def _set_heading(seen: Overview, found: CaptionSet) -> tuple[str, str]:
    if found.run is None:
        return "People", how_many(found)
    return called(seen.study.runs, seen.study.runs[found.run]), words.standing(seen, found.run)


def how_many(found: CaptionSet) -> str:
    """Return how many captions a set has, and how many differ: "10 captions, 7 different", "… all the same"."""
    if found.total < 2:
        return count(found.total, "caption")
    if len(found.said) == 1:
        return f"{count(found.total, 'caption')}, all the same"
    different = "all" if len(found.said) == found.total else f"{len(found.said)}"
    return f"{count(found.total, 'caption')}, {different} different"


def shares_html(study: Study, found: Steps, seen: Overview, mode: Mode, place: str) -> str:
    """Return how often the inside edge is the shortest, middle and longest among all triangles of the image."""
    many = {shares.triangles for shares in found.shares}
    asked = f"All {many.pop():,} triangles of this {place}" if len(many) == 1 else f"All triangles of this {place}"
    about = (
        "If both sides were alike, each share would be a third on average. "
        "TRM, from 0 (alike) to 2.67, adds up how far the six shares are from a third."
    )
    about += words.other_bars(seen, [shares.run for shares in found.shares]) if seen.study is study else ""
    bars = "".join(_bars(study, shares, found, seen, mode) for shares in found.shares)
    key = "".join(
        f'<span><i style="background:{colour}"></i>{rank}</span>' for rank, colour in zip(_RANKS, _GREYS[mode])
    )
    legend = f'<div class="tl-ov-key"><span>Inside edge:</span>{key}<span><u></u>thirds</span></div>'
    words_ = f"<div><h3>{esc(asked)}</h3><p>{about}</p></div>"
    return (
        f'<div class="tl-ov-all">{words_}<div><div class="tl-ov-bgs">{bars}</div>{legend if bars else ""}</div></div>'
    )


def _bars(study: Study, of: RunShares, found: Steps, seen: Overview, mode: Mode) -> str:
    run, mark = study.runs[of.run], styles_of(study)[study.runs[of.run].model]
    corpus = float(seen.other.values[of.run]) if seen.study is study and seen.other.metric == found.metric else math.nan
    beside = f"TRM {num(of.value)}" + (f" (all {len(study.items):,}: {num(corpus)})" if corpus == corpus else "")
    if of.few:
        beside = f"{beside}: too few captions for a verdict"
    rows = (
        ("Pair by people", _GREYS[mode]),
        (
            "Pair by the run",
            tuple(mixed(mark.mark(mode), tone("paper", mode), 1 - share) for share in (1.0, 0.55, 0.25)),
        ),
    )
    bars = "".join(
        f'<div class="tl-ov-bl">{title}</div>{_bar([float(share) for share in of.shares[k]], colours, mode)}'
        for k, (title, colours) in enumerate(rows)
    )
    name = f'<i class="tl-key dot {mark.symbol}"></i><b dir="auto">{esc(called(study.runs, run))}</b>'
    head = f'<p class="tl-ov-bt">{name} <span>{esc(beside)}</span></p>'
    return f'<div style="{hue(study, of.run, mode)}">{head}{bars}</div>'


def _bar(shares: Sequence[float], colours: Sequence[str], mode: Mode) -> str:
    """Three shares side by side with ticks at each third; a share too narrow for its number shows it on hover."""
    parts = "".join(
        f'<i class="tl-ov-k{k}" title="{rank} {100 * share:.0f} %" style="flex:{share:.4f} 0 0;background:{colour};'
        f'color:{_readable(colour, mode)}{"" if share >= _ROOM else ";padding:0"}">'
        f"{f'{100 * share:.0f} %' if share >= _ROOM else ''}</i>"
        for k, (rank, share, colour) in enumerate(zip(_RANKS, shares, colours))
        if share > 0
    )
    said = ", ".join(f"{rank} {100 * share:.0f} %" for rank, share in zip(_RANKS, shares))
    thirds = '<u style="left:33.333%"></u><u style="left:66.667%"></u>'
    return f'<div class="tl-ov-bar" role="img" aria-label="{said}">{parts}{thirds}</div>'


def _readable(colour: str, mode: Mode) -> str:
    return max((tone("ink", mode), tone("paper", mode)), key=lambda text: abs(_light(text) - _light(colour)))


def _light(colour: str) -> float:
    """Perceived lightness of "#RRGGBB" in 0..1: the cube root of its luminance."""
    linear = [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
    return (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]) ** (1 / 3)


def _caption(said: CountedCaption, total: int) -> str:
    times = ""
    if said.times > 1:
        many = f"all {total:,} times" if said.times == total else f"{said.times:,} times"
        times = f'<em class="tl-ov-x">{many}</em>'
    letter = f'<i class="tl-ov-let">{said.letter}</i>' if said.letter else ""
    return f'<li><span dir="auto">{quote(said.text)}{times}</span>{letter}</li>'


def quote(text: str) -> str:
    """Return a caption verbatim; a long text is folded behind its beginning."""
    said = text.strip()
    if not said:
        return '<q class="tl-none">(empty)</q>'
    whole = f'<q dir="auto">{esc(said)}</q>'
    words_ = list(re.finditer(r"\S+", said))
    if len(words_) <= LONG:
        return whole
    return f'<q dir="auto">{esc(said[: words_[BEGIN - 1].end()])} …</q>{folded(f"all {len(words_):,} words", whole)}'


def hue(study: Study, run: int | None, mode: Mode) -> str:
    """Return the colours of a run's model, or of people, as CSS variables."""
    if run is None:
        return f"--c:{tone('ink', mode)};--ct:{tone('ink', mode)}"
    style = styles_of(study)[study.runs[run].model]
    return f"--c:{style.mark(mode)};--ct:{style.text(mode)}"
