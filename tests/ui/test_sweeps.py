"""Test the Sweeps page in every state, without a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from data.load import load_study
from data.study import Item, Run, Settings, Study
from figures.images.titles import title
from figures.style.run_names import short_names
from metrics.analysis import human_line
from metrics.analysis.sweeps import settings_of
from metrics.analysis.sweeps_defaults import varies, varying
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, part, score
from ui.frame.look import esc
from ui.views import sweeps, sweeps_images

CHOSEN = {"distribution": "ms_jaccard_2", "quality": "rouge_l", "diversity": "distinct_2"}
NAMES = list(CHOSEN.values())
REALDATA = Path(__file__).resolve().parents[3] / "shared" / "realdata"


def sweep_study(models: int = 2, temperatures: tuple[float, ...] = (0.5, 1.0, 1.5), items: int = 6) -> Study:
    places = [(f"model {m}", t) for m in range(models) for t in temperatures]
    made = random_study(items=items, references=4, candidates=4, runs=len(places) + 1)
    runs = [replace(r, name=f"{m} T={t:g}", model=m, settings=Settings(t)) for r, (m, t) in zip(made.runs, places)]
    greedy = replace(made.runs[-1], name="greedy one", model="model 0", settings=Settings(decoder="greedy"))
    return replace(made, runs=(*runs, greedy))


def ready(study: Study, names: list[str] = NAMES) -> scoring.Results:
    _, diversity, references = human_line.human_requirements(study, [METRICS[name] for name in names])
    if references is not None:
        score(references, [metric.name for metric in diversity])
    return score(study, [*names, *(f"consensus_{n}" for n in names if f"consensus_{n}" in METRICS)])


def words(at: AppTest) -> str:
    labels = " ".join(tab.label for tab in at.tabs)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", f"{markup(at)} {labels}"))


def table(at: AppTest, *columns: str):
    before = str(chosen(at)["part"])
    for name in (None, "tables", "rest"):
        shown = at if name is None else part(at, name)
        found = next((frame.value for frame in shown.dataframe if set(columns) <= set(frame.value.columns)), None)
        if found is not None:
            break
    if name is not None:
        part(at, before)
    assert found is not None
    return found


def test_a_number_on_screen_is_the_table_s():
    study = sweep_study()
    rows = scores(study, ready(study)).set_index(["run", "metric"])
    at = page("sweeps", study, **CHOSEN)
    assert not at.exception
    shown = table(at, "T", "Runs").set_index(["Runs", "Metric"])
    for run in study.runs:
        for name in NAMES:
            row = rows.loc[(run.name, name)]
            seen = shown.loc[(short_names(study.runs)[run.name], METRICS[name].label)]
            assert (seen["Value"], seen["n"]) == (row["value"], row["n"])
            np.testing.assert_equal([seen["95 % from"], seen["95 % to"]], [row["ci_low"], row["ci_high"]])
    rest = table(at, "Run", "Decoder")
    assert rest["Run"].tolist() == ["greedy one"]
    assert "Not on the axis: 1 setting" in words(at)
    best = max(study.runs[:-1], key=lambda run: rows.loc[(run.name, "ms_jaccard_2"), "value"])
    assert f"{best.model} at T {best.settings.temperature:g} has the highest" in words(at)
    assert METRICS["rouge_l"].signature in markup(at)


def test_the_point_looked_into_and_its_next_setting():
    study = sweep_study()
    results = ready(study)
    at = page("sweeps", study, point="model 1 T=1", point_by="rouge_l", **CHOSEN)
    assert not at.exception
    assert "ROUGE-L: model 1 · T 1.0 against model 1 · T 1.5" in words(at)
    gaps = np.abs(results["model 1 T=1", "rouge_l"].items - results["model 1 T=1.5", "rouge_l"].items)
    most = study.items[int(np.argmax(gaps))]
    first = at.selectbox(key="differing_select")
    assert first.value == most.id
    assert title(study, most) in first.options[0], "named by a caption"
    for text in study.run("model 1 T=1").candidates[most.id][: sweeps_images.FEW]:
        assert esc(text) in markup(at)
    at.selectbox(key="point_select").set_value("model 0 T=1.5").run()
    assert dict(at.query_params)["point"] == "model 0 T=1.5"
    assert "model 0 · T 1.5 against model 0 · T 1.0" in words(at), "at the hottest the next is the colder one"
    at.selectbox(key="point_by_select").set_value("distinct_2").run()
    assert dict(at.query_params)["point_by"] == "distinct_2"
    again = page("sweeps", study, **{k: v for k, v in dict(at.query_params).items() if k != "study"})
    assert markup(again) == markup(at)


def test_the_default_point_stays_out_of_the_address():
    study = sweep_study()
    ready(study)
    at = page("sweeps", study, **CHOSEN)
    assert "point" not in dict(at.query_params)
    assert at.selectbox(key="point_select").value == ""
    best = re.search(r"(?:Lowest|Highest): (model \d) at T ([\d.]+)", words(at))
    assert best
    assert f"MS-Jaccard-2: {best[1]} · T {best[2]} against" in words(at)
    at.selectbox(key="point_select").set_value("model 0 T=0.5").run()
    assert dict(at.query_params)["point"] == "model 0 T=0.5"
    at.selectbox(key="point_select").set_value("").run()
    assert "point" not in dict(at.query_params)


def test_along_decoders():
    study = sweep_study()
    nucleus = replace(study.runs[1], name="top p", settings=Settings(1.0, top_p=0.9))
    study = replace(study, runs=(*study.runs, nucleus))
    ready(study)
    at = page("sweeps", study, along="decoder", **CHOSEN)
    assert not at.exception
    assert at.selectbox(key="at_select").value == "1"
    assert "has the highest" in words(at)
    assert "Looked into" not in words(at)
    at.selectbox(key="at_select").set_value("all").run()
    assert not at.exception
    assert "may be its best" not in words(at)
    assert at.selectbox(key="point_select").options == [
        "The best one",
        "greedy one",
        "top p",
        "model 0 · T 0.5",
        "model 0 · T 1.0",
        "model 0 · T 1.5",
        "model 1 · T 0.5",
        "model 1 · T 1.0",
        "model 1 · T 1.5",
    ]


def test_a_logarithmic_axis_lists_zero():
    study = sweep_study(models=1, temperatures=(0.0, 0.5, 1.0))
    ready(study)
    linear = page("sweeps", study, **CHOSEN)
    assert table(linear, "Run", "Decoder")["Run"].tolist() == ["greedy one"]
    log = page("sweeps", study, axis="log", **CHOSEN)
    assert not log.exception
    assert table(log, "Run", "Decoder")["Run"].tolist() == ["model 0\u00a0·\u00a0T\u00a00.0", "greedy one"]
    assert "T 0.0 has no place on a logarithmic axis" in words(part(log, "rest"))


def test_a_part_that_is_gone_gives_way_without_a_message():
    study = sweep_study()
    ready(study)
    at = page("sweeps", study, part="rest", **CHOSEN)
    at.query_params["along"] = "decoder"
    at.run().run()
    assert not at.exception
    assert "Not on the axis" not in words(at)
    assert "There is no" not in words(at)
    assert chosen(at)["part"] in ("images", ["images"], "tables", ["tables"])


def test_models_can_be_chosen():
    study = sweep_study()
    ready(study)
    at = page("sweeps", study, models="model 1", **CHOSEN)
    assert set(table(at, "T", "Runs")["Model"]) == {"model 1"}
    assert "Not on the axis" not in words(at)
    assert re.search(r"the second is higher on \d of \d \(not tested\)\.", words(at))


def test_seeds_are_one_point():
    study = sweep_study(models=1)
    twin = replace(
        study.runs[1],
        name="other seed",
        settings=Settings(1.0, seed=2),
        candidates={i.id: study.runs[2].candidates[i.id] for i in study.items},
    )
    study = replace(study, runs=(*study.runs, twin))
    results = ready(study)
    at = page("sweeps", study, **CHOSEN)
    mean = "Runs == 'model 0\u00a0·\u00a0T\u00a01.0, other seed' and Metric == 'ROUGE-L'"
    row = table(at, "T", "Runs").query(mean).iloc[0]
    both = [results[name, "rouge_l"].corpus for name in ("model 0 T=1", "other seed")]
    assert row["Value"] == pytest.approx(sum(both) / 2, abs=1e-12)
    assert "Runs that differ only in their seeds are averaged" in words(at)


def test_of_high_panels_the_first_three_are_in_sight():
    made = random_study(items=4, runs=sweeps.LOW + 1)
    runs = tuple(replace(run, model="one", settings=Settings(decoder=run.name)) for run in made.runs)
    study = replace(made, runs=runs)
    names = ["ms_jaccard_2", "rouge_l", "bleu_2", "distinct_2"]
    score(study, names)
    asked = {"distribution": names[:1], "quality": names[1:3], "diversity": names[3:]}
    at = page("sweeps", study, **asked)
    assert not at.exception
    assert chosen(at)["along"] == "decoder"
    assert len(at.get("plotly_chart")) == sweeps.FIRST
    assert "1 more: distinct\\-2" in [fold.label for fold in at.expander]
    few = page("sweeps", replace(study, runs=runs[: sweeps.LOW]), **asked)
    assert len(few.get("plotly_chart")) == len(names)


def test_no_temperature_at_all_begins_with_decoders():
    study = sweep_study()
    bare = tuple(replace(run, settings=replace(run.settings, temperature=None)) for run in study.runs)
    study = replace(study, runs=bare)
    ready(study)
    at = page("sweeps", study, **CHOSEN)
    assert not at.exception
    assert chosen(at)["along"] == "decoder"
    assert "has the highest" in words(at)
    at = page("sweeps", study, along="temperature", **CHOSEN)
    assert not at.exception
    assert "No run has a temperature" in words(at)
    assert "Not on the axis" in words(at)


def test_one_temperature_of_each_model_begins_with_decoders_and_says_what_there_is():
    study = sweep_study(temperatures=(0.5,))
    ready(study)
    at = page("sweeps", study, **CHOSEN)
    assert not at.exception
    assert chosen(at)["along"] == "decoder", "six charts of one dot said nothing"
    at = page("sweeps", study, along="temperature", **CHOSEN)
    assert not at.exception
    assert "No model has two temperatures" in words(at)
    assert re.search(r"There is only .* at T 0.5 and .* at T 0.5: compare decoders above", words(at))
    assert not at.get("plotly_chart")


def test_of_many_models_those_with_several_settings_come_first() -> None:
    several, lone = sweep_study(models=2), sweep_study(models=9, temperatures=(0.5,))
    settings = settings_of((*several.runs, *lone.runs[2:]))
    assert varying(settings) == ("model 0", "model 1"), "lines of one dot only fill the chart"
    assert varying(settings_of((*several.runs, *lone.runs[2:5]))) == (), "few models fit"
    assert varying(settings_of(lone.runs[:9])) == varying(settings_of(several.runs)) == ()


def test_one_run_one_candidate_one_reference():
    study = sweep_study(models=1, temperatures=(1.0,))
    alone = replace(study, runs=study.runs[:1])
    ready(alone)
    at = page("sweeps", alone, along="temperature", **CHOSEN)
    assert not at.exception
    assert "Every model has one setting" in words(at)
    hot = [replace(item, metadata={"temperature": k / 10}) for k, item in enumerate(alone.items)]
    at = page("sweeps", replace(alone, items=tuple(hot)), along="temperature", **CHOSEN)
    assert "temperature belongs to each item" in words(at)
    assert "Every model has one setting" not in words(at), "Slices compares the temperatures"
    models = replace(study, runs=tuple(replace(run, model=run.name) for run in sweep_study().runs))
    assert not varies(settings_of(models.runs)), "the Leaderboard compares them"
    assert varies(settings_of([Run(name, name, Settings(decoder=name), {}) for name in ("greedy", "beam")]))
    assert "differ most" not in words(at)
    lone = Study(
        "lone",
        tuple(Item(i.id, i.references[:1]) for i in study.items),
        tuple(replace(r, candidates={k: c[:1] for k, c in r.candidates.items()}) for r in sweep_study().runs),
    )
    ready(lone)
    at = page("sweeps", lone, distribution="trm_bow", quality="rouge_l", diversity="self_bleu_2")
    assert not at.exception


def test_references_alone_and_nothing_chosen():
    study = sweep_study()
    at = page("sweeps", replace(study, runs=()))
    assert not at.exception
    assert "Nothing to look at" in words(at)
    ready(study)
    at = page("sweeps", study, **CHOSEN)
    for family in CHOSEN:
        at.pills(key=f"{family}_pills").set_value([])
    at.run()
    assert not at.exception
    assert "Nothing chosen" in words(at)


def test_a_metric_of_whole_runs_has_no_images():
    study = sweep_study()
    ready(study, ["vocabulary", "rouge_l"])
    at = page("sweeps", study, quality="rouge_l", diversity="vocabulary", distribution="ms_jaccard_2")
    assert "vocabulary" not in at.selectbox(key="point_by_select").options
    assert not at.exception


def test_a_failed_metric_is_said(monkeypatch):
    study = sweep_study()
    broken = type(METRICS["distinct_2"])
    monkeypatch.setattr(broken, "stats", lambda *_: (_ for _ in ()).throw(RuntimeError("no luck")))
    results = ready(study)
    assert results["greedy one", "distinct_2"].error
    at = page("sweeps", study, **CHOSEN)
    assert not at.exception
    assert "has the highest" in words(at)


def test_thirty_runs():
    study = sweep_study(models=10, items=3)
    ready(study)
    at = page("sweeps", study, **CHOSEN)
    assert not at.exception
    assert len(table(at, "T", "Runs")) == 3 * 31
    for model in range(10):
        assert f"model {model}" in words(at)


def test_what_the_study_does_not_have_is_said():
    study = sweep_study()
    ready(study)
    at = page("sweeps", study, point="lost", axis="cubic", **CHOSEN)
    assert not at.exception
    assert "There is no point named lost" in words(at)
    assert "There is no axis named cubic" in words(at)
    assert "point" not in dict(at.query_params)
    at.run()
    assert "There is no" not in words(at)


@pytest.mark.skipif(not REALDATA.is_dir(), reason="no real data beside the checkout (../shared/realdata)")
def test_the_sweep_of_real_references():
    study = load_study(REALDATA / "GENERATED_coco_ngram_tempsweep_200.jsonl").study
    assert study is not None
    study = study.only(items=[item.id for item in study.items[:20]])
    ready(study)
    at = page("sweeps", study, **CHOSEN)
    assert not at.exception
    assert sorted(table(at, "Run", "Decoder")["Run"]) == ["greedy", "retrieval"]
    frame = table(at, "T", "Runs")
    lines = frame[frame["T"].notna()].groupby(["Model", "Decoder"])["T"].nunique().to_dict()
    assert lines == {("sampling", "sampling"): 9, ("nucleus", "nucleus 0.9"): 3, ("top_k", "top-k 10"): 3}
    along = page("sweeps", study, along="decoder", **CHOSEN)
    assert not along.exception
    assert along.selectbox(key="at_select").value == "1"
    assert "greedy" in along.selectbox(key="point_select").options
    assert isinstance(study.run("greedy"), Run)
