"""Pairs of captions on the Judgments page: how often metrics and people prefer the same one, and where they do not."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.study import Study
from figures.judgments import footer
from figures.judgments import pair_words as words
from figures.judgments.html import RatedCaption, rated_captions
from figures.judgments.pairs import pair_ranking
from figures.judgments.words import UNCORRECTED
from figures.style.numbers import P_VALUE, num, percent
from figures.style.run_names import short_names
from figures.style.wording import of_items
from metrics.analysis.judgments import preferences
from metrics.analysis.judgments.points import Values
from metrics.analysis.judgments.preferences import Miss, PairAgreement
from metrics.base import Metric
from ui.frame import look
from ui.session import address
from ui.widgets import figure, image_picker, show

_SHOWN = 4


def show_pairs(
    study: Study, chosen: Sequence[Metric], metrics: Sequence[Metric], results: Values, alone: bool, waiting: bool
) -> None:
    """Show the figure of pairs with the main metric's misses, and the verdict if nothing else is on the page (`alone`).

    There is no verdict while metrics are `waiting` for numbers. `metrics` may lack some of the `chosen` ones.
    """
    ready = [m for m in preferences.suited(metrics) if any(key[1] == m.name for key in results)]
    if not ready:
        return
    criterion = _criterion(study)
    found = preferences.pair_agreement(study, results, ready, criterion)
    if not found.n:
        look.note("People tie every pair by this criterion, so no metric can be right or wrong.")
        return
    if alone and not waiting:
        look.verdict(*words.verdict(found, ready))
    left_out = footer.left_out(chosen, metrics, ready, "a single caption")
    _figure(study, found, ready, results, left_out)


def _criterion(study: Study) -> str:
    known = preferences.criteria(study)
    if len(known) < 2:
        return known[0]
    with image_picker.row():
        return address.select("People compared", "compared_by", known, known[0])


def _figure(study: Study, found: PairAgreement, ready: Sequence[Metric], results: Values, left_out: str) -> None:
    rows, titles = words.rows(found, ready), words.titles(found)
    main = _main(ready, [row.key for row in rows])

    def both() -> None:
        for key, narrow, taken in (("wide", False, _take), ("narrow", True, _take_narrow)):
            with st.container(key=f"tl-{key}-pairwise"):
                drawn = pair_ranking(rows, titles, main.name, look.mode(), narrow)
                show.plot(drawn, f"judgments_pairs_{key}", words.alt(rows), taken)

    figure.figure(
        "judgments_pairs",
        "Which of two captions people prefer",
        "further right agrees more",
        draw=lambda on: pair_ranking(rows, titles, on.on_screen(main.name), on.mode, bool(on.width and on.width < 500)),
        body=both,
        alt=words.alt(rows),
        twin=figure.Twin(words.table(found, ready), {"formats": {f"p {UNCORRECTED}": P_VALUE}}),
        foot=figure.Foot(
            [*words.facts(study, found), *filter(None, [left_out])],
            of_items(study, [words.HOW]),
            [metric.signature for metric in ready],
        ),
        metrics=ready,
        name=f"pairs that people compared, {found.criterion}",
    )
    _misses(study, main, results, found.criterion)


def _main(metrics: Sequence[Metric], order: Sequence[str]) -> Metric:
    by = {metric.name: metric for metric in metrics}
    return by.get(address.value("main")) or by[order[0]]


def _misses(study: Study, metric: Metric, results: Values, criterion: str) -> None:
    found = preferences.misses(study, results, metric, criterion, _SHOWN)
    if not found:
        return
    short = short_names(study.runs)
    with st.grid(2, min_column_width=380, gap=("medium", "small")) as two:
        for title, side in (("People prefer", 0), (f"{metric.label} prefers", 1)):
            with two.cell():
                look.block(rated_captions(title, [_caption(study, metric, one, side, short) for one in found]))


def _caption(study: Study, metric: Metric, one: Miss, side: int, short: dict[str, str]) -> RatedCaption:
    run, place = (one.preferred, one.other)[side]
    item = study.items[one.item]
    share = one.share if side == 0 else 1 - one.share
    said = f"{percent(share)} of votes, {metric.label} {num(one.values[side], 2)}"
    kind = f" · {one.category}" if one.category else ""
    return RatedCaption(study.runs[run].candidates[item.id][place], said, f"{short[study.runs[run].name]}{kind}")


def _take() -> None:
    show.store_picked("judgments_pairs_wide", "main")


def _take_narrow() -> None:
    show.store_picked("judgments_pairs_narrow", "main")
