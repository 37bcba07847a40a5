"""Sentences and tables about central captions, for one image or the whole study."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from data.study import Study
from figures.central.chart import MARK, Bar, Spread
from figures.central.standings import Standing
from figures.central.verdict import differ
from figures.export.table import Table
from figures.notes.seeds import short_settings
from figures.style.escaping import Strong
from figures.style.numbers import P_VALUE, count, interval, num, percent
from figures.style.palette import ModelStyle
from figures.style.run_names import short_names
from figures.style.wording import bootstrap, item_noun, n_items, names_in_a_row
from metrics.analysis.central.item import CentreView, Side
from metrics.analysis.central.study import CentralitySummary, PairedDifference, RunDistance
from metrics.analysis.replicates.grouping import replicates
from metrics.bootstrap import LEAST
from metrics.permutation.pvalues import ALPHA
from metrics.text.content_words import ENGLISH, FUNCTION_WORDS


def image_verdict(view: CentreView) -> tuple[str, ...]:
    """Return which references of an item are central, and which words these lack; else why none is central."""
    side, label = view.references, view.space.label
    if side.why:
        return (f"No {label} distances here: {side.why}.",)
    if not side.has_medoids:
        if len(set(side.texts)) == 1:
            return (f"All {len(side.texts)} captions by people are the same.",)
        mean = num(float(side.expected.mean()))
        return (
            f"All {len(side.texts)} captions by people tie by {label}: each is {mean} from the others on average, ",
            "so none is more central. Another distance may separate them.",
        )
    rest = side.expected[~side.central]
    far = interval(float(rest.min()), float(rest.max())) if rest.min() < rest.max() else num(float(rest[0]))
    middle = num(float(side.expected[side.central][0]))
    first = Strong(quoted(side.centres[0]))
    who: tuple[str, ...] = (f"The most central of {len(side.texts)} captions by people, by {label}: ", first)
    if len(side.centres) > 1:
        different = "different " if len(set(side.texts)) < len(side.texts) else ""
        of = f"{len(set(side.texts))} {different}captions by people"
        who = (f"{len(side.centres)} of {of} tie as the most central by {label}, such as ", first)
    return (*who, f", {middle} from the others on average (the others: {far}). {_lost(view)}")


def _lost(view: CentreView) -> str:
    central, others = view.references.lengths
    has, lacks = ("It has", "it lacks") if len(view.references.centres) == 1 else ("They have", "they lack")
    length = f"{has} {_number(central)} {'word' if central == 1 else 'words'}, the others {num(others, 1)} on average"
    if not reads_as_english(view):
        return f"{length}."
    if not view.lost_words:
        return f"{length}, and {lacks} none of their content words."
    words = names_in_a_row([word for word, _ in view.lost_words[:3]])
    lost = len(view.lost_words)
    return f"{length}; {lacks} {lost:,} of their content words{', most often ' if lost > 3 else ': '}{words}."


def quoted(text: str, most: int = 90) -> str:
    """Return a caption in quotation marks for use in a sentence, shortened to at most `most` characters."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= most else line[: most - 1] + '…'}”"


def bars(side: Side) -> list[Bar]:
    """Return the distinct captions of a side, smallest expected distance first."""
    times = Counter(side.texts)
    first = {text: k for k, text in reversed(list(enumerate(side.texts)))}
    order = sorted(first.values(), key=lambda k: (side.expected[k], k))
    return [Bar(side.texts[k], float(side.expected[k]), bool(side.central[k]), times[side.texts[k]]) for k in order]


def spreads(view: CentreView, styles: dict[str, ModelStyle]) -> list[Spread]:
    """Return the sides of an item, references first; `styles` maps the names of runs to their styles."""
    people = Spread("People", view.references.to_centre, view.references.texts)
    return [people, *(Spread(n, side.to_centre, side.texts, styles[n]) for n, side in view.runs.items())]


def ordered(found: CentralitySummary) -> list[RunDistance]:
    """Return the runs by distance from the centre, nearest first and runs without a distance last."""
    return sorted(found.runs, key=lambda of: (np.isnan(of.ratio), of.ratio))


def standings(study: Study, found: CentralitySummary, styles: dict[str, ModelStyle]) -> list[Standing]:
    """Return the runs by the mean ratio of their setting, lowest first; `styles` maps names of models to styles."""
    short, settings = short_names(study.runs), replicates(study.runs)
    called = short_settings(study, settings)
    order = np.argsort([np.mean([found.run(name).ratio for name in of.runs]) for of in settings], kind="stable")
    rows = [(found.run(name), called[settings[k].name]) for k in order for name in settings[k].runs]
    sure, alone = differ(found), np.isfinite([of.ratio for of in found.runs]).sum() < 2
    return [
        Standing(
            *(of.run, short[of.run], styles[study.run(of.run).model], of.ratio, *of.interval, of.n, setting),
            alone or of.run in sure,
        )
        for of, setting in rows
    ]


def captions_table(view: CentreView) -> pd.DataFrame:
    """Return every caption of the item with its numbers, the references first."""
    parts = [_captions("People", view.references), *(_captions(n, side) for n, side in view.runs.items())]
    return pd.concat(parts, ignore_index=True)


def _captions(name: str, side: Side) -> pd.DataFrame:
    central = [MARK if c and side.has_medoids else "" for c in side.central]
    return pd.DataFrame(
        {
            "Said by": [name] * len(side.texts),
            "Central": central,
            "Caption": list(side.texts),
            "Mean distance": side.expected,
            "To people's": side.to_references,
            "To the centre": side.to_centre,
            "Words": side.words.astype(int),
        }
    )


def lost_table(view: CentreView) -> pd.DataFrame:
    """Return the content words that no central caption has."""
    return pd.DataFrame(view.lost_words, columns=["Word", "Captions that say it"])


def runs_table(found: CentralitySummary) -> Table:
    """Return each run's distance from the centre, the nearest run first."""
    corrected = dict(zip((of.run for of in found.runs), found.p_holm))
    rows = (
        {
            "Run": of.run,
            "Of people's own": of.ratio,
            "95 % from": of.interval.low,
            "95 % to": of.interval.high,
            "Corrected p": corrected[of.run],
            "Run to the centre": of.near,
            "People to the centre": of.own,
            "n": of.n,
        }
        for of in ordered(found)
    )
    frame = pd.DataFrame(rows)
    return Table.plain(lambda: frame, frame.columns, "central", {"Corrected p": P_VALUE})


def lengths_table(found: CentralitySummary) -> Table:
    """Return the lengths of central references and of the others."""
    counted = (("Words", found.words), *([("Content words", found.content)] if reads_as_english(found) else []))
    rows = (
        {
            "Length in": name,
            "Central": of.central,
            "Others": of.others,
            "Difference": of.mean,
            "95 % from": of.interval.low,
            "95 % to": of.interval.high,
            "Fewer": of.less,
            "Equal": of.equal,
            "n": of.n,
        }
        for name, of in counted
    )
    frame = pd.DataFrame(rows)
    return Table.plain(lambda: frame, frame.columns, "central lengths")


def items_table(study: Study, found: CentralitySummary, run: str = "") -> Table:
    """Return the items with their central references; with a `run`, also the run's ratios, the nearest item first."""
    of, ratio = found.run(run) if run else None, f"{run}, of people's own"
    extra, centre = "Extra words in the central caption", "People's most central caption"

    def frame() -> pd.DataFrame:
        order = range(len(study.items)) if of is None else gallery(of)
        rows = (
            {
                "Id": study.items[k].id,
                ratio: np.nan if of is None else float(of.items[k]),
                extra: float(found.words.difference[k]),
                centre: "; ".join(centres(study, found, k)),
            }
            for k in order
        )
        return pd.DataFrame(rows)[columns]

    columns = ["Id", *([ratio] if of is not None else []), extra, centre]
    return Table.plain(frame, columns, f"central {item_noun(study)}s")


def gallery(of: RunDistance, farthest: bool = False) -> list[int]:
    """Return positions of items by a run's distance to the centre: nearest (or `farthest`) first, undefined last."""
    values = -of.items if farthest else of.items
    return [int(k) for k in np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")]


def length_words(side: Side) -> str:
    """Return how many more or fewer words central captions have, such as "3.3 more than the others"."""
    central, others = side.lengths
    if round(abs(central - others), 1) == 0:
        return "as many as the others"
    return f"{num(abs(central - others), 1)} {'more' if central > others else 'fewer'} than the others"


def centres(study: Study, found: CentralitySummary, position: int) -> tuple[str, ...]:
    """Return the distinct central references of an item; () if all tie."""
    texts = study.items[position].references
    middle = tuple(dict.fromkeys(t for t, c in zip(texts, found.central[position]) if c))
    return middle if len(middle) < len(set(texts)) else ()


def difference_words(study: Study, of: PairedDifference) -> str:
    """Return the line below a histogram's title, such as "Central 12.7, others 10.3; fewer in 23 % of 48 images; …"."""
    if not of.n:
        return f"No {item_noun(study)} has a caption that is more central than the others."
    less = f"fewer in {percent(of.less)} of {count(of.n, item_noun(study))}"
    dot = "dot: mean, line: 95 %" if np.isfinite(of.interval).all() else "dot: mean"
    return f"Central {num(of.central, 1)}, others {num(of.others, 1)}; {less}; {dot}."


def image_facts(study: Study, view: CentreView) -> list[str]:
    """Return the numbers of items and captions, for the line below the figure of one item."""
    sizes = {len(side.texts) for side in view.runs.values()}
    by_run = f" and {_span(sizes)} by each run" if sizes else ""
    return [f"n = 1 {item_noun(study)}, {count(len(view.references.texts), 'caption')} by people{by_run}"]


def image_how(view: CentreView) -> list[str]:
    """Return how the distances of an item are computed."""
    how = "when they are scored against it" if view.as_reference else "when it is scored against them"
    return [
        f"Mean distance: from a caption to the others of its side, {how}.",
        "The centre: people's caption with the smallest mean distance; "
        "for a caption by a person, the centre of the other people's.",
        content_words_note(view),
    ]


def reads_as_english(found: CentreView | CentralitySummary) -> bool:
    """Return whether content words can be identified: only English has a list of function words."""
    return not found.english < ENGLISH


def content_words_note(found: CentreView | CentralitySummary) -> str:
    """Return a definition of content words, or why they cannot be identified."""
    listed = f"{len(FUNCTION_WORDS)} English function words"
    if reads_as_english(found):
        return f"Content words: all but {listed}."
    return (
        f"Content words are not identified: only {percent(found.english)} of the words are among {listed}, against "
        "about 46 % in English captions, so these captions may be in another language."
    )


def facts(study: Study, found: CentralitySummary) -> list[str]:
    """Return the line below a figure of the whole study: the numbers of items, and the kind of interval."""
    n = max([found.words.n, *(run.n for run in found.runs)], default=0)
    left, tied = len(study.items) - n, n - found.words.n
    return [
        f"n = {n_items(study, n)}",
        *([f"{left:,} left out for lack of a centre"] if left else []),
        *([f"{tied:,} in which all captions by people tie"] if tied else []),
        *(["lines: 95 % bootstrap interval"] if n >= LEAST else []),
        *(["filled: p ≤ 0.05, corrected for all runs"] if np.isfinite(found.p_holm).sum() > 1 else []),
        *(["small marks: seeds"] if len(replicates(study.runs)) < len(study.runs) else []),
    ]


def how(study: Study, found: CentralitySummary, as_reference: bool = False) -> list[str]:
    """Return how the numbers of the whole study are computed."""
    n = max([found.words.n, *(run.n for run in found.runs)], default=0)
    return [
        "Distance to the centre: from a person's caption to the centre of the other people's captions, and from a "
        f"run's caption to the same centres; their ratio is expected to be 1 if a run writes as people "
        f"do.{_judged(study, found)}",
        *(["Captions serve as references: the others are scored against them."] if as_reference else []),
        bootstrap(study, "Lines", n),
        content_words_note(found),
    ]


def _judged(study: Study, found: CentralitySummary) -> str:
    several, one = int(np.isfinite(found.p_holm).sum()), item_noun(study)
    if several < 2:
        return ""
    return (
        f" Significantly: p ≤ {ALPHA}, paired t test, corrected for {several} runs (Holm). For a single run, strongly "
        "skewed differences of mean zero (log-normal) are called significant in 18 % of cases at 6 "
        f"{one}s, 15 % at 10, 13 % at 20 and 10 % at 50, instead of 5 %."
    )


def _span(sizes: set[int]) -> str:
    return f"{min(sizes)}" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"


def _number(value: float) -> str:
    return num(value, 0 if value == round(value) else 1)
