"""The part of the Judge page that asks this server's judge: what is sent where, the plan, and a button."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from data.adding import with_asked
from data.study import Study
from figures.report import commands
from figures.style.numbers import count
from figures.style.wording import item_noun
from metrics.analysis.feasibility import has_references
from metrics.progress import Unable
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.jobs import judge_job, progress
from ui.jobs.jobs import ArtifactView, jobs
from ui.jobs.judge_job import Asking
from ui.jobs.queue import Job
from ui.session import address, state, study_values
from ui.widgets import image_picker

_ASKED, _SAID, _PLAN = "_judge_asked", "_judge_said", "_judge_plan"
QUESTIONS = {
    "clair": "CLAIR, 0 to 100",
    "rating": "Rating, 0 to 5",
    "facts": "Facts",
    "pairwise": "Pairs",
    "alike": "Similarity",
}
"""The kinds of question, in words; docs/judges.md describes each."""
TIMES = ("1", "2", "3", "5")
TEMPERATURES = ("0", "0.3", "0.7", "1")
FREE = "For servers without JSON mode (response_format); more answers are then unreadable."
ABOUT = (
    "CLAIR and rating score each caption given its references. Facts lists facts of references and captions and checks "
    "each list in the other. Pairs compares captions of two runs in both orders. Similarity compares any two captions "
    "of an item."
)


GIVES = (
    "A judge is a language model that reads what people wrote and scores each caption. Its scores become metrics on "
    "the Leaderboard, and this page shows whether to trust them: whether they repeat, and what sways them."
)


ALONE = (
    "A judge is a language model that reads what people wrote and scores each caption, and nobody wrote about the "
    "{}s of this study. Without that it can only compare a run's captions with one another, and no metric uses such "
    "answers alone. Add captions by people, and this page says how many calls their scores take."
)


def offer(study: Study) -> bool:
    """Show the form to ask this server's judge, the job that is asking or, without a judge, how to ask one.

    Return whether this replaces the message that no judge was asked.
    """
    if not study.runs:
        return False
    try:
        endpoint, most = judge_job.judge(), judge_job.limit()
    except Unable as why:
        st.error(plain(f"No judge can be asked: {why}."))
        return True
    if endpoint is None:
        return not study.answers and _elsewhere(study)
    if not _asked():
        if study.answers:
            with st.expander("Ask the judge", key="judge_ask_panel"):
                _form(study, endpoint, most)
        else:
            look.empty("No judge was asked about this study", GIVES)
            _form(study, endpoint, most)
    for sentence in study_values.get(_SAID) or ():
        look.note(sentence)
    return True


def _elsewhere(study: Study) -> bool:
    """Show what a judge would provide, the number of calls and the command, or that references are missing.

    Return False, and show nothing, if there is nothing to ask. This server, which names no judge, asks nothing.
    """
    if not has_references(study):
        with look.empty("A judge needs captions by people", ALONE.format(item_noun(study))):
            image_picker.data_link()
        return True
    made = _planned(study, ("clair",), judge_job.Endpoint("", ""), 1)
    if not made.wanted:
        return False
    look.empty("No judge was asked about this study", GIVES)
    _size(made)
    given = commands.saved(study, study is state.demo().study)
    of = "" if given.setup_lines else "for the study as Data saves it; "
    look.figure_title("See the cost, then ask", f"{of}sends nothing: without --plan, asks and writes answers.jsonl")
    st.code("\n".join([*given.setup_lines, commands.ask(given)]), language=None, wrap_lines=True)
    image_picker.page_link("dataset", "Then add answers.jsonl: Data →", "folder_open")
    return True


def _size(made: judge_job.Plan, *prices: float | None) -> None:
    kept = f"{made.kept:,} more are answered already" if made.kept else f"for {count(made.wanted, 'answer')}"
    sent, received = (f"{of:,}" for of in (round(made.tokens_in, -2), made.tokens_out))
    stats = [
        look.Stat("Calls", f"{made.calls:,}", kept),
        look.Stat("Tokens sent, about", sent, f"received: {received} at most"),
    ]
    if any(price is not None for price in prices):
        stats.append(
            look.Stat("Cost, at most about", f"{made.cost(*(price or 0.0 for price in prices)):,.2f}", "at your prices")
        )
    look.stats(*stats)


def collect() -> None:
    """Add newly arrived answers to the study, whichever page is open, and rerun the page with them."""
    if _ASKED not in st.session_state:
        return
    kept: tuple[Asking, Job] | None = study_values.get(_ASKED)
    if kept is not None and kept[0].answers is not None:
        _take(kept[0])
        st.rerun()


def _asked() -> bool:
    kept: tuple[Asking, Job] | None = study_values.get(_ASKED)
    if kept is None:
        return False
    work, first = kept
    job = jobs().watch(work.outputs, state.session(), None) or first
    progress.show(ArtifactView(None, job))
    if running := job.state_for(state.session()) in ("waiting", "running"):
        study_values.drop(_PLAN)
    return running


def _take(work: Asking) -> None:
    study_values.drop(_ASKED, _PLAN)
    answers = work.answers or ()
    if state.update(partial(with_asked, answers=answers)):
        said = [f"{line}." for line in judge_job.summary(answers)]
        left = judge_job.plan(work.study, work.asks, work.endpoint, work.cache, work.repeats).calls
        again = [f"{count(left, 'call')} had no answer: press Ask to send only these again."] if left else []
        study_values.keep(_SAID, [*said, *again])
    else:
        study_values.keep(_SAID, ["The server has no room for these answers now; they are cached, so ask again later."])


def _settings(endpoint: judge_job.Endpoint) -> tuple[judge_job.Endpoint, int]:
    repeats = address.segments("Repeats", "times", TIMES, "1")
    warmth = address.segments("Temperature", "judge_temperature", TEMPERATURES, "0")
    free = address.toggle("Free text", "free_text", FREE)
    return replace(endpoint, temperature=float(warmth), json=not free), int(repeats)


def _planned(
    study: Study, asks: tuple[judge_job.Ask, ...], endpoint: judge_job.Endpoint, repeats: int
) -> judge_job.Plan:
    """The plan, computed once for the same questions until some are sent."""
    wanted = (study.digest, asks, endpoint, repeats)
    kept: tuple[object, judge_job.Plan] | None = study_values.get(_PLAN)
    if kept is None or kept[0] != wanted:
        with progress.during("Counting the questions"):
            kept = wanted, judge_job.plan(study, asks, endpoint, jobs().cache, repeats)
        study_values.keep(_PLAN, kept)
    return kept[1]


def _form(study: Study, endpoint: judge_job.Endpoint, most: int) -> None:
    """Show what can be asked and the plan; only the button sends anything."""
    with image_picker.row():
        chosen = address.pills(
            "Questions", "asks", judge_job.ASKS, ("clair",), format_func=QUESTIONS.__getitem__, help=ABOUT
        )
        with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
            endpoint, repeats = _settings(endpoint)
            prices = [
                st.number_input(f"Price per million tokens {way}", 0.0, value=None, step=0.01, key=f"judge_price_{way}")
                for way in ("sent", "received")
            ]
    asks = tuple(one for one in judge_job.ASKS if one in chosen)
    made = _planned(study, asks, endpoint, repeats)
    if asks and made.wanted:
        _size(made, *prices)
    why = ""
    if not asks:
        why = "Choose at least one kind of question."
    elif not made.wanted:
        why = "There is nothing to ask: a judge needs captions of runs, and references."
    elif made.calls > most:
        why = f"That is more than the {most:,} calls that this server allows: ask less, hide runs, or use a slice."
    look.note(why or f"Captions and references leave this machine for {endpoint.shown} once Ask is pressed.")
    if asks:
        look.figure_footer([], [judge_job.in_words(made, endpoint, *prices)])
    st.button(
        f"Ask {endpoint.model}: {count(made.calls, 'call')}" if asks else "Ask",
        key="judge_ask",
        icon=":material/send:",
        type="primary",
        disabled=bool(why),
        help=f"At most {most:,} calls",
        on_click=errors.callback(_start),
        args=(Asking(study, asks, endpoint, jobs().cache, repeats),),
    )


def _start(work: Asking) -> None:
    study_values.drop(_SAID)
    job = jobs().watch(work.outputs, state.session(), lambda left: work)
    study_values.keep(_ASKED, (work, job))
