"""Views of a study in a notebook, and the app beside it: `show` and `open_app`."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import urllib.request
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from data.bundle.writing import pack
from data.study import DataError, Study
from metrics.analysis.artifacts import Artifact
from metrics.cache.disk import Cache, default_directory
from metrics.child_processes import wrapped
from metrics.engine.tasks import Options
from metrics.progress import Hooks

if TYPE_CHECKING:
    from figures.report.request import Request
    from metrics.base import Metric
    from metrics.cache.entry import Arrays
    from metrics.engine.scoring import Results

HEIGHT = 720
"""Height of a view in pixels; longer content scrolls."""
START_SECONDS = 60.0


@dataclass(frozen=True)
class View:
    """A page of the report, displayed by a notebook in a separate frame, which is light or dark like the reader's
    system.
    """

    html: str
    verdict: str

    def _repr_html_(self) -> str:
        source = escape(self.html, quote=True)
        return f'<iframe srcdoc="{source}" style="width:100%;height:{HEIGHT}px;border:0" title="Trilens"></iframe>'

    def __repr__(self) -> str:
        return self.verdict


def show(
    study: Study,
    view: str = "overview",
    metrics: str | Sequence[str] | None = None,
    jobs: int = 2,
    images: Sequence[str] = (),
) -> View:
    """Return a view of a study as in the report, such as "overview", "leaderboard", "paired" or "words".

    `metrics` are names or sets; by default those shown on the pages, or "trm_bow" for "triangles". `images` are the ids
    of the images, or other items, that the views "images" and "triangles" show; by default a few for which the runs
    differ most. Missing scores are computed. Raises ValueError for an unknown view, metric or id, or if the study lacks
    the data for a view.
    """
    from figures.report import html
    from figures.report.images import triangles
    from figures.report.pages import PAGES

    pages = {**PAGES, "triangles": ("Triangles", triangles)}
    view = view.replace("-", "_")  # as commands write it
    if view not in pages:
        raise ValueError(f"there is no view {view!r}; there are {', '.join(pages)}")
    title, make = pages[view]
    if metrics is None and view == "triangles":
        metrics = ("trm_bow",)
    page = make(_request(study, view, _metrics(study, metrics), jobs, images))
    if isinstance(page, html.LeftOut):
        raise ValueError(f"{title}: {page.why}")
    verdict = "".join(page.verdict)
    return View(html.document(html.Front(study.name, verdict or study.name, ()), [page]), verdict)


def _request(study: Study, view: str, metrics: tuple[Metric, ...], jobs: int, ids: Sequence[str]) -> Request:
    from figures.report.images import chosen_images, first_images
    from figures.report.request import Request
    from metrics.analysis.numbers import score_with_people
    from metrics.analysis.overview import stand_ins
    from metrics.engine import scoring
    from metrics.engine.workers import Workers
    from metrics.registry import with_frequencies

    cache, options = Cache(default_directory()), Options(p_values=True)
    beside = stand_ins(study, metrics, with_frequencies(None, study.tokenizer).metrics) if view == "overview" else ()

    def score(of: Study, wanted: tuple[Metric, ...]) -> Results:
        return scoring.score(of, wanted, options, cache, workers=Workers(jobs=jobs))

    def make(work: Artifact, doing: str) -> Arrays:
        return work.compute(cache, Hooks())

    numbers = score_with_people(study, metrics + beside, score)
    images = () if view == "triangles" else first_images(study, numbers, metrics)
    images = chosen_images(ids, study) or images
    return Request(study, numbers, metrics, (view,), date.today().isoformat(), images, cache=cache, make=make)


def _metrics(study: Study, named: str | Sequence[str] | None) -> tuple[Metric, ...]:
    from metrics.analysis.feasibility import defaults
    from metrics.parameters import split
    from metrics.registry import resolve

    names = list(defaults(study)) if named is None else split(named) if isinstance(named, str) else list(named)
    return resolve(names, study=study)


class App:
    """The app as a process that ends with the notebook's process, or when `stop` is called."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], folder: tempfile.TemporaryDirectory[str]) -> None:
        self.url, self._process, self._folder = url, process, folder

    def stop(self) -> None:
        """Stop the app."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def __repr__(self) -> str:
        return f"Trilens at {self.url}; .stop() ends it"


def open_app(study: Study, port: int | None = None, browser: bool = True) -> App:
    """Start the app on a study, on `port` or the first free one, and open it in the browser if `browser` is set.

    Raises DataError if the app does not answer within START_SECONDS.
    """
    from cli.serve import command, environment, free_port

    folder = tempfile.TemporaryDirectory(prefix="trilens-")
    file = Path(folder.name) / "study.zip"
    file.write_bytes(pack(study, {}, b"", {}))
    chosen = free_port("localhost", port)
    started = wrapped(command("localhost", chosen, no_browser=True))
    env = {**os.environ, **environment([file], [])}
    process = subprocess.Popen(
        started, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    app = App(f"http://localhost:{chosen}", process, folder)
    _wait(app, process)
    if browser:
        webbrowser.open(app.url)
    return app


def _wait(app: App, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{app.url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    app.stop()
    raise DataError(f"the app did not start at {app.url} within {START_SECONDS:.0f} seconds")
