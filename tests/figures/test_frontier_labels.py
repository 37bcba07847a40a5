"""Test the positions of the frontier's labels on screen, and the names in its key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Settings
from figures.frontier.chart import frontier_figure
from figures.style.line_styles import run_marks
from figures.style.run_names import short_names
from metrics.analysis.frontier import frontier
from metrics.analysis.numbers import Numbers
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study


def shown_names(figure) -> list[str]:
    return [note.text for note in figure.layout.annotations] + [t.name for t in figure.data if t.showlegend]


@pytest.mark.parametrize("cramped", [False, True])
def test_on_screen_every_path_has_its_name_and_only_a_name_has_a_line(cramped: bool) -> None:
    """One of two equal paths has no room for its name beside a point; the number of the chosen point is outside its
    ring.
    """
    study = random_study(items=6, references=3, candidates=3, runs=4)
    runs = tuple(
        replace(run, name=f"model {k % 2} T={k // 2}", model=f"model {k % 2}", settings=Settings(float(k // 2)))
        for k, run in enumerate((*study.runs[:2], *study.runs[:2]))
    )
    study, metrics = replace(study, runs=runs), (METRICS["rouge_l"], METRICS["self_bleu_2"])
    view = frontier(study, Numbers(scoring.score(study, metrics, Options(p_values=False), Cache(None))), *metrics, runs)
    figure = frontier_figure(view, run_marks(runs), "light", chosen=0, cramped=cramped)
    assert {note.text for note in figure.layout.annotations if note.showarrow} <= {"model 0", "model 1"}
    assert {"model 0", "model 1"} <= {note.text for note in figure.layout.annotations}
    ringed = next(note for note in figure.layout.annotations if note.text == "0.0")
    assert abs(ringed.xshift) > 12 + 4 or abs(ringed.yshift) > 12 + 4


def test_a_key_names_no_marks_that_look_alike() -> None:
    """The 13 single runs of one model share a mark, and there is no room for all of their names."""
    study = random_study(items=6, references=3, candidates=3, runs=3)
    first, *path = study.runs
    path = [replace(run, name=f"a T={k}", model="a", settings=Settings(float(k))) for k, run in enumerate(path)]
    long = [f"method of decoding {k}" for k in range(13)]
    lone = [replace(first, name=f"a {name}", model="a", settings=Settings(decoder=name)) for name in long]
    runs = (*path, *lone)
    study, metrics = replace(study, runs=runs), (METRICS["rouge_l"], METRICS["self_bleu_2"])
    view = frontier(study, Numbers(scoring.score(study, metrics, Options(p_values=False), Cache(None))), *metrics, runs)
    figure = frontier_figure(view, run_marks(runs), "light", cramped=True)
    named = [name for name in shown_names(figure) if "decoding" in name]
    assert 0 < len(named) < len(lone)
    keys = [(trace.marker.color, trace.marker.symbol) for trace in figure.data if trace.showlegend]
    assert len(set(keys)) == len(keys)


def test_of_many_models_only_the_front_and_the_chosen_run_are_named_and_only_the_chosen_run_has_a_cross() -> None:
    """Crosses of all 35 runs of a study once hid the marks, and a long name with its hub was cut off."""
    study = random_study(items=8, references=3, candidates=2, runs=20)
    runs = tuple(
        replace(run, name=f"a-hub/a-model-with-a-long-name-{k}B-Instruct", model=f"model {k}", settings=Settings())
        for k, run in enumerate(study.runs)
    )
    study, metrics = replace(study, runs=runs), (METRICS["rouge_l"], METRICS["self_bleu_2"])
    view = frontier(study, Numbers(scoring.score(study, metrics, Options(p_values=False), Cache(None))), *metrics, runs)
    chosen = next(k for k in range(20) if not view.front[k])
    figure = frontier_figure(view, run_marks(runs), "light", chosen=chosen)
    short = short_names(runs)
    named, ends = {name for name in shown_names(figure) if name != "People"}, [view.order[0], view.order[-1], chosen]
    assert {short[runs[k].name] for k in ends} <= named <= {short[runs[k].name] for k in [*view.order, chosen]}
    crossed = {int(runs_of[0].split()[0].split("-")[-2][:-1]) for runs_of in _crossed(figure)}
    assert crossed == {chosen}, "of more than eight runs, only the chosen one's can be read"


def _crossed(figure) -> list[list[str]]:
    marks = [trace for trace in figure.data if trace.customdata is not None]
    some = [trace for trace in marks if trace.error_x.visible is not False]
    return [list(one) for trace in some for one, size in zip(trace.customdata, trace.error_x.array) if size]
