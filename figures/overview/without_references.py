"""The runs of a study without human captions: how long their captions are, and how often captions are repeated.

All text is escaped here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.study import Study
from figures.notes import flags
from figures.notes.hazards import gravest
from figures.overview.html import hue, quote
from figures.overview.names import called
from figures.style.escaping import esc, whole
from figures.style.numbers import count, defined, num, percent
from figures.style.palette import Mode, styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row, of_texts, text_noun
from metrics.analysis.human_line import RunTexts, run_texts

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 12
"""Maximum number of runs that the figure shows; its table has all."""
LONGEST = 120
"""Maximum number of characters of a repeated caption that are visible."""
HOW = (
    "Words are split at spaces. A caption is repeated if the run gives it twice or more, for one {noun} or "
    "for several. The numbers describe these captions; the Leaderboard has intervals and tests."
)


@dataclass(frozen=True)
class Row:
    """A run, by its position in the study: statistics of its captions, and the caption that it gives most often.

    That caption, `often`, occurs `times` times among the run's `total` captions.
    """

    run: int
    texts: RunTexts
    often: str
    times: int
    total: int


def rows(study: Study) -> list[Row]:
    """Return the runs that have captions, sorted by share of repeated captions, then by length, both descending."""
    texts = run_texts(study)
    found = [_row_of(study, k, texts[run.name]) for k, run in enumerate(study.runs) if defined(texts[run.name].words)]
    return sorted(found, key=lambda row: (-row.texts.repeated, -row.texts.words))


def _row_of(study: Study, run: int, texts: RunTexts) -> Row:
    said = Counter(text for item in study.items for text in study.runs[run].candidates.get(item.id, ()))
    return Row(run, texts, *said.most_common(1)[0], said.total())


def headline(study: Study, found: Sequence[Row]) -> tuple[str, ...]:
    """Return, in at most two sentences, how the captions of the runs compare.

    The gravest fault of a run, if any, takes the place of repetition.
    """
    names = {run.name: called(study.runs, run) for run in study.runs}
    said = [names[study.runs[row.run].name] for row in found]
    if not found:
        return (f"No run has captions of these {item_noun(study)}s.",)
    fault = "".join(gravest(study, names))
    return tuple(filter(None, (fault or _repetition(found, said), _length(found))))


def _repetition(found: Sequence[Row], names: Sequence[str]) -> str:
    shares = [percent(row.texts.repeated) for row in found]
    if not found[0].texts.repeated:
        return f"{names[0]} never repeats a caption." if len(found) == 1 else "No run repeats a caption."
    if len(found) == 1:
        return f"{names[0]} repeats {shares[0]} of its captions."
    if shares[0] == shares[-1]:
        return f"Every run repeats {shares[0]} of its captions."
    if shares[0] == shares[1]:
        return f"Runs repeat {shares[-1]} to {shares[0]} of their captions."
    return f"{names[0]} repeats itself most: {shares[0]} of its captions occur more than once."


def _length(found: Sequence[Row]) -> str:
    lengths = [row.texts.words for row in found]
    least, most = min(lengths), max(lengths)
    if len(found) == 1:
        return f"Its captions have {num(least, 1)} words on average."
    if num(least, 1) == num(most, 1):
        return f"All runs have captions of {num(least, 1)} words on average."
    return f"On average, captions have {num(least, 1)} to {num(most, 1)} words."


def better(found: Sequence[Row]) -> str:
    """Return how the rows are sorted, for the title line; "" if all runs repeat captions equally often."""
    return "most repetition first" if found and found[0].texts.repeated > found[-1].texts.repeated else ""


def facts(study: Study, found: Sequence[Row]) -> list[str]:
    """Return n, and which runs are not drawn or need a check, for the line below the figure."""
    shown = [study.runs[row.run] for row in found[:SHOWN]]
    left = [f"{SHOWN} of {len(found):,} runs; the table has all"] if len(found) > SHOWN else []
    known = {row.run for row in found}
    none = [called(study.runs, run) for k, run in enumerate(study.runs) if k not in known]
    without = [f"no captions here: {names_in_a_row(none, 3)}"] if none else []
    return [f"n = {count(len(study.items), item_noun(study))}", *left, *without, *flags.facts(study, shown)]


def html(study: Study, found: Sequence[Row], mode: Mode) -> str:
    """Return a row for each of the first SHOWN runs: name, bars for length and repetition, most repeated caption."""
    longest = max(row.texts.words for row in found) if len(found) > 1 else 0.0
    heads = ("Run", "Words <small>per caption</small>", "Repeated <small>captions</small>", "Given most often")
    head = "".join(f'<th scope="col">{of_texts(text_noun(study), one)}</th>' for one in heads)
    body = "".join(_row(study, row, longest, mode) for row in found[:SHOWN])
    return f'<table class="tl-ov-runs"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _row(study: Study, row: Row, longest: float, mode: Mode) -> str:
    run = study.runs[row.run]
    mark = f'<i class="tl-key dot {styles_of(study)[run.model].symbol}"></i>'
    name = f'<b dir="auto">{esc(short_names(study.runs)[run.name])}</b>{flags.mark(flags.flag(study, run))}'
    cells = (
        _bar(num(row.texts.words, 1), row.texts.words / longest) if longest else num(row.texts.words, 1),
        _bar(percent(row.texts.repeated), row.texts.repeated),
        _often(row),
    )
    said = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr style="{hue(study, row.run, mode)}"><th scope="row">{mark}{name}</th>{said}</tr>'


def _bar(said: str, share: float) -> str:
    return f'<span class="tl-ov-n">{said}</span><span class="tl-ov-b"><i style="width:{100 * share:.1f}%"></i></span>'


def _often(row: Row) -> str:
    if row.times < 2:
        return '<span class="tl-soft">none twice</span>'
    said = row.often if len(row.often) <= LONGEST else f"{row.often[:LONGEST].rstrip()}…"
    many = f"all {row.times:,} times" if row.times == row.total else f"{row.times:,} times"
    return f'{quote(said)}<em class="tl-ov-x">{many}</em>'


def twin(study: Study, found: Sequence[Row]) -> pd.DataFrame:
    """Return a row for each run at full precision."""
    import pandas as pd

    return pd.DataFrame(
        {
            "Run": [whole(study.runs[row.run].name) for row in found],
            "Words per caption": [row.texts.words for row in found],
            "Repeated, %": [100 * row.texts.repeated for row in found],
            "Given most often": [row.often for row in found],
            "Times": [row.times for row in found],
        }
    )
