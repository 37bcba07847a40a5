"""The state of a session: the open study, the session's name, and the part of the view stored in the address."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import cache as once
from pathlib import Path
from threading import Lock

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from data.check import GivenFile
from data.load import Loaded, load_study
from data.marks import Marks, shown
from data.ratings.human_ratings import ratings_of
from data.study import Study
from figures.style.escaping import short
from figures.style.numbers import count
from figures.style.run_names import shared_model
from figures.style.wording import n_items, text_noun
from metrics.analysis.arena.votes import voted_on
from metrics.analysis.bundle import checked
from ui.frame import look
from ui.session import slices
from ui.session.connection import connected
from ui.session.library import MAX_AGE_SECONDS, Library

DEMO = "demo"
GIVEN = "TRILENS_FILES"
"""Environment variable with two JSON lists, files and references, that the server opens for every session (`serve`)."""
_adding = Lock()
_given_tokens: list[str] = []
_TRIES = 100
"""Maximum number of attempts at a change while others change the same study."""
_SESSION, _STUDY, _GONE, _CLOSED = "_session", "_study", "_gone_study", "_closed_study"


@once
def library() -> Library:
    """Return the studies of this server."""
    return Library(alive=connected)


@once
def demo() -> Loaded:
    """Return the demo study, which all sessions share."""
    from data.demo import load

    return Loaded(load(), (), ())


@once
def classic() -> Loaded:
    """Return the classic study, which a session opens as it would its own files."""
    from data.demo.classic import load

    return checked(load())


@once
def given() -> Loaded | None:
    """Return the study of the files passed to `serve`, which all sessions open first, or None."""
    return checked(load_study(*given_files())) if any(given_files()) else None


def given_files() -> tuple[list[Path], list[Path]]:
    """Return the files and the references passed to `serve`."""
    files, references = json.loads(os.environ.get(GIVEN) or "[[], []]")
    return [Path(name) for name in files], [Path(name) for name in references]


def _given_token() -> str:
    """Return the token for a session that has opened no study.

    It is that of the study passed to this server, else of the demo.
    """
    if (study := given()) is None or study.study is None:
        return DEMO
    with _adding:
        known = next((one for one in _given_tokens if library().get(one) is not None), None)
        made = known or library().add(study, session()) or DEMO
        _given_tokens[:] = [made]
    return made


def session() -> str:
    """Return a secret name for this browser session."""
    if _SESSION not in st.session_state:
        context = get_script_run_ctx()
        st.session_state[_SESSION] = f"{context.session_id if context else ''} {secrets.token_urlsafe(16)}"
    return str(st.session_state[_SESSION])


def token() -> str:
    """Return the open study's token, and put it in the address.

    It is the token in the address, else that of the session, else that of the study passed to the server or of the
    demo. If the address or the session names a study that is no longer available (see `gone`), return the demo's token
    and leave the address as it is; pages are then not shown.
    """
    own = str(st.session_state.get(_STUDY) or _given_token())
    wanted = str(st.query_params.get("study") or own)
    if wanted != DEMO and library().get(wanted) is None:
        st.session_state[_GONE] = wanted
        if own == DEMO or library().get(own) is None:
            st.session_state[_STUDY] = wanted
        return DEMO
    st.session_state.pop(_GONE, None)
    _show(wanted)
    return wanted


def named() -> Study:
    """Return the whole study named by the address or else the session, as `token` finds it, but record nothing."""
    wanted = str(st.query_params.get("study") or st.session_state.get(_STUDY) or _given_token())
    return _whole((library().get(wanted) if wanted != DEMO else None) or demo())


def gone() -> str | None:
    """Return the token that the address or the session names if no study on this server has it, else None."""
    token()
    found: str | None = st.session_state.get(_GONE)
    return found


def loaded() -> Loaded:
    """Return the open study with its files and findings."""
    return library().get(token()) or demo()


def study() -> Study:
    """Return the open study as pages show it: the items of the active slice, and the runs that are not hidden."""
    now = loaded()
    slices.bring(_whole(now), now.slices)
    return slices.filtered(shown(_whole(now), now.marks.hidden))


def unsliced_study() -> Study:
    """Return the open study with all of its items, but without hidden runs."""
    now = loaded()
    return shown(_whole(now), now.marks.hidden)


def whole_study() -> Study:
    """Return the open study with all of its items and runs."""
    return _whole(loaded())


def _whole(now: Loaded) -> Study:
    return now.study if now.study is not None else demo().study  # type: ignore[return-value]


def is_demo() -> bool:
    """Return whether the open study is the demo or a slice of it, with or without document frequencies."""
    return whole_study() is demo().study


def open_study(new: Loaded) -> bool:
    """Open an uploaded study; return False if the server has no room for it."""
    made = library().add(new, session())
    if made is not None:
        _show(made)
    return made is not None


def change_study(changed: Loaded, expected: Loaded) -> bool:
    """Replace the open study if it is still the `expected` one; return False if it is not, or if there is no room."""
    return library().replace(token(), changed, expected)


def update(change: Callable[[Loaded], Loaded | None]) -> bool:
    """Change the open study, and retry on the latest version if others changed it in the meantime.

    `change` maps the old study to the new one, or to None if it cannot. Return False in that case, if there is no room,
    or if the study was closed in the meantime.
    """
    here = token()
    for _ in range(_TRIES):
        if token() != here:
            return False
        old = loaded()
        new = change(old)
        if new is None or _give(new, old):
            return new is not None
        if loaded() is old:
            break
    return False


def forget_numbers() -> None:
    """Drop the bundle's numbers from the open study: pages then show numbers computed here."""
    update(lambda old: replace(old, numbers={}))


def give_frequencies(idf: GivenFile | None) -> bool:
    """Set or reset the document frequencies of every CIDEr-D of the open study; return False if `update` fails.

    The frequencies are stored with the study under its link. The demo is shared, so with frequencies it gets a separate
    link.
    """
    return update(lambda old: replace(old, idf=idf))


def give_network(network: GivenFile | None) -> bool:
    """Set or reset the open study's network of COSMic, like `give_frequencies`; return False if `update` fails."""
    return update(lambda old: replace(old, network=network))


def give_images(images: GivenFile | None) -> bool:
    """Set or reset the open study's image features, like `give_frequencies`; return False if `update` fails."""
    return update(lambda old: replace(old, images=images))


def give_word_vectors(vectors: GivenFile | None) -> bool:
    """Set or reset the word vectors of the open study, like `give_frequencies`; return False if `update` fails."""
    return update(lambda old: replace(old, word_vectors=vectors))


def mark(change: Callable[[Marks], Marks]) -> bool:
    """Change what people marked in the open study, like `give_frequencies`; return False if `update` fails."""
    return update(lambda old: replace(old, marks=change(old.marks)))


def _give(new: Loaded, expected: Loaded) -> bool:
    within = slices.active()
    if token() != DEMO:
        done = change_study(new, expected)
    else:
        nothing = not any((new.idf, new.network, new.images, new.word_vectors, new.marks, new.asked))
        done = nothing or open_study(new)
    slices.resume(within)
    return done


def open_demo() -> None:
    """Return to the demo; an uploaded study remains available under its link."""
    _show(DEMO)


def close_study() -> None:
    """Close the open study for everybody; `reopen` undoes it for a while."""
    st.session_state[_CLOSED] = token(), whole_study().name
    library().close(token(), session())
    _show(DEMO)


def closed() -> tuple[str, str] | None:
    """Return the token and name of the study that this session closed last if it can be reopened, else None."""
    found: tuple[str, str] | None = st.session_state.get(_CLOSED)
    return found if found is not None and library().can_reopen(found[0], session()) else None


def reopen() -> None:
    """Reopen the study that this session closed last."""
    found = closed()
    if found is not None and library().reopen(found[0], session()):
        st.session_state.pop(_CLOSED, None)
        _show(found[0])


def study_card() -> look.StudyCard:
    """Return the description of the open study for the sidebar."""
    open_now = study()
    counts = {len(item.references) for item in open_now.items}
    sizes = {len(captions) for run in open_now.runs for captions in run.candidates.values()}
    first = n_items(open_now) + (f" · {_span(counts)} by people" if any(counts) else "")
    each = f"{_span(sizes)} {text_noun(open_now)}{'' if sizes == {1} else 's'} each"
    second = f"{count(len(open_now.runs), 'run')} · {each}" if open_now.runs else "no runs"
    if open_now.preferences and not open_now.items:
        first, second = count(len(open_now.preferences), "judged pair"), count(len(voted_on(open_now).runs), "run")
    rated = max((len(ratings.value) for ratings in ratings_of(open_now)), default=0)
    idf = loaded().idf
    third = () if idf is None else (f"CIDEr-D by {short(idf.name, 60)}",)
    people = (f"{rated:,} ratings by people",) if rated else ()
    model = shared_model(open_now.runs)
    of_model = (f"Model: {short(model, 60)}",) if model else ()
    lines = (first, second, *of_model, *people, *third)
    return look.StudyCard(open_now.name, lines, "Synthetic captions" if open_now.synthetic else "")


def link_words() -> str:
    """Return a description of what a copied link opens, and how long it works."""
    if token() == DEMO:
        return "The address of this view, for others or for later."
    return (
        "The address of this view with your study: whoever has it can open both, until you close the study, the server "
        f"stops, or nobody has opened it for {MAX_AGE_SECONDS / 3600:.0f} hours."
    )


def _show(wanted: str) -> None:
    if st.session_state.get(_STUDY, wanted) != wanted:
        slices.leave()
    st.session_state[_STUDY] = wanted
    library().opened(session(), None if wanted == DEMO else wanted)
    if wanted == DEMO:
        if "study" in st.query_params:
            del st.query_params["study"]
    elif st.query_params.get("study") != wanted:
        st.query_params["study"] = wanted


def _span(counts: set[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low}" if low == high else f"{low} to {high}"
