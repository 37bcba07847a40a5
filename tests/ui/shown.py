"""Show a page for a given study after its script has run; what tests share is only compiled code."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from html import unescape
from pathlib import Path

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from data.check import GivenFile
from data.load import Loaded
from data.study import Study
from metrics.analysis.human_line import human_requirements
from metrics.engine import scoring
from metrics.registry import with_frequencies
from metrics.text.cider import DocumentFrequencies
from ui.jobs import jobs
from ui.rooms import ENTRIES
from ui.session import state, visit

ROOT = Path(__file__).resolve().parents[2]


def score(study: Study, metrics: Iterable[str], idf: DocumentFrequencies | None = None) -> scoring.Results:
    """Store the values of these metrics, for runs and for people, in the pages' cache; return the results of runs."""
    by = with_frequencies(idf).metrics
    chosen, cache = [by[name] for name in metrics], jobs.jobs().cache
    agreement, diversity, people = human_requirements(study, chosen)
    scoring.score(study, agreement, jobs.OPTIONS, cache)
    if people is not None:
        scoring.score(people, diversity, jobs.OPTIONS, cache)
    return scoring.score(study, chosen, jobs.OPTIONS, cache)


def page(
    file: str, study: Study | Loaded, seconds: float = 60, idf: GivenFile | None = None, **query: str | list[str]
) -> AppTest:
    """Open a page by its address, with a study and document frequencies, or with all that was loaded."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=seconds)
    loaded = Loaded(study, (), (), idf=idf) if isinstance(study, Study) else study
    at.query_params["study"] = state.library().add(loaded)
    for name, value in query.items():
        at.query_params[name] = value
    if file != ENTRIES[0].file:  # the first page is the one that opens without a name
        at.switch_page(f"pages/{file}.py")
    return at.run()


def worked(seconds: float = 120) -> None:
    """Wait until all jobs that pages requested have ended; if pages were rerun meanwhile, they would slow the jobs
    down.
    """
    end = time.monotonic() + seconds
    while any(not job.ended for job in list(jobs.jobs()._jobs.values())):
        assert time.monotonic() < end
        time.sleep(0.05)


def unfolded(at: AppTest) -> AppTest:
    """Open all folded parts and Save panels of a page, since their contents are made only then."""
    folds = [fold.key for fold in at.expander if fold.key]
    saves = [block.proto.id for block in at.get("popover") if block.proto.popover.label == "Save"]
    folds += [one.split("-", 2)[-1] for one in saves]
    for key in folds:
        at.session_state[key] = True
    return at.run()


def part(at: AppTest, name: str) -> AppTest:
    at.query_params["part"] = name
    return at.run()


def markup(at: AppTest) -> str:
    """Return the app's own HTML on the page, without cards, full names, and the markup that keeps names unbroken."""
    whole = "\n".join(element.proto.body for element in at.get("html"))
    whole = re.sub(r'<abbr class="tl-run"[^>]*>(.*?)</abbr>', r"\1", whole)
    unnamed = re.sub(r'<i class="tl-term"[^>]*>(.*?)</i>', r"\1", whole)
    return re.sub(r'<span class="tl-unbroken">(.*?)</span>', r"\1", unnamed)


def findings(at: AppTest) -> list[str]:
    lines = re.findall(r'<div class="tl-check tl-(\w+)">.*?<p>(.*?)</p></div>', markup(at), re.DOTALL)
    return [f"{severity}: {unescape(re.sub('<[^>]+>', '', said))}" for severity, said in lines]


def mend(at: AppTest, repair: str, on: bool = True) -> AppTest:
    key = next(one.key for one in at.button if (one.key or "").startswith(f"fix_{repair}_{not on}_"))
    return at.button(key=key).click().run()


def chosen(at: AppTest) -> dict[str, str | list[str]]:
    """Return all choices on the page, including defaults, which the address leaves out."""
    kept = at.session_state._state.filtered_state
    choices = {name[len(visit.PREFIX) :]: of for name, of in kept.items() if name.startswith(visit.PREFIX)}
    return {name: of[0] if len(of) == 1 else list(of) for name, of in choices.items() if of}


def sent(at: AppTest, widget: str, value: str) -> AppTest:
    """Send the value of a select box as a browser does, even if it still shows an earlier version of the page."""
    states = WidgetStates()
    states.widgets.add(id=at.selectbox(key=widget).proto.id, string_value=value)
    return at._run(states)
