"""Test the figure and the sentences that compare settings by decoder."""

from __future__ import annotations

from data.study import Run, Settings
from figures.style.palette import model_styles
from figures.style.run_names import JOINT
from figures.sweeps import decoder_words
from figures.sweeps.decoders import decoder_panel, in_key
from metrics.analysis.human_line import Human
from metrics.analysis.sweeps import Decoder, Setting, SweepView, by_decoder, settings_of
from metrics.analysis.sweeps_defaults import decoders_of
from tests.figures.test_sweeps import DISTINCT, ROUGE, SAMPLING, TRM, point, runs_of, trace


def test_the_decoder_panel_has_a_dot_a_setting_in_its_group() -> None:
    runs = [Run("g", "A", Settings(decoder="greedy"), {}), *runs_of("A", "B", temperatures=(0.5, 1.0))]
    groups = [[point(s, float(k + 1)) for s in group] for k, group in enumerate(by_decoder(settings_of(runs)))]
    figure = decoder_panel(ROUGE, groups, Human(1.5, 1.4, 1.6), model_styles(["A", "B"]), "light", selected="g")
    assert list(figure.layout.yaxis.ticktext) == ["greedy", "sampling"]
    dots = [t for t in figure.data if t.name in ("A", "B")]
    assert [list(t.x) for t in dots] == [[1.0], [2.0, 2.0], [2.0, 2.0]]
    assert [[c[0] for c in t.customdata] for t in dots] == [["g"], ["A@0.5", "A@1"], ["B@0.5", "B@1"]]
    y = [value for t in dots for value in t.y]
    assert y == sorted(y)
    assert y[0] == figure.layout.yaxis.tickvals[0]
    assert (trace(figure, "looked into").x[0], trace(figure, "looked into").y[0]) == (1.0, y[0])
    assert 316 - figure.layout.margin.l - figure.layout.margin.r >= 230
    assert not figure.layout.annotations
    assert in_key(groups) == {"A": "A", "B": "B"}


def test_models_that_no_decoder_tells_apart_have_a_row_each() -> None:
    models = {"zero": "", "clip": "", "top_k": "top_k"}
    runs = [Run(m, m, Settings(decoder=d), {}) for m, d in models.items()]
    groups = [[point(s, 1.0) for s in group] for group in by_decoder(settings_of(runs))]
    figure = decoder_panel(ROUGE, groups, Human(), model_styles(list(models)), "light")
    assert list(figure.layout.yaxis.ticktext) == ["top-k", "zero", "clip"]
    assert in_key(groups) == {}
    long = [Run(m, f"a captioner of a long name {m}", Settings(), {}) for m in "ab"]
    groups = [[point(s, 1.0) for s in group] for group in by_decoder(settings_of(long))]
    figure = decoder_panel(ROUGE, groups, Human(), model_styles([run.model for run in long]), "light")
    assert list(figure.layout.yaxis.ticktext) == ["a", "b"]
    named = [Run(m, m, Settings(), {}) for m in ("a captioner", "another captioner")]
    groups = [[point(s, 1.0) for s in group] for group in by_decoder(settings_of(named))]
    figure = decoder_panel(ROUGE, groups, Human(), model_styles([run.model for run in named]), "light")
    assert [a.text for a in figure.layout.annotations] == ["a captioner", "another captioner"]
    assert set(figure.layout.yaxis.ticktext) == {""}


def test_settings_that_differ_in_the_model_alone_have_its_name() -> None:
    long = [Run(m, f"a-very-long-captioner-{m}", Settings(1.0), {}) for m in ("x", "y")]
    points = [point(s, v) for s, v in zip(settings_of(long), (2.0, 1.0))]
    high = SweepView(ROUGE, "highest", (), tuple(points), Human())
    assert "".join(decoder_words.decoder_verdict(high, points)).startswith("x has the highest ROUGE-L, 2.000 (")
    assert decoder_words.decoder_sub(high, points) == "Highest: x, 2.000"


def test_the_best_decoder_and_its_equals() -> None:
    runs = [Run("g", "A", Settings(decoder="greedy"), {}), *runs_of("A", "B", temperatures=(1.0,))]
    points = [point(s, v) for s, v in zip(settings_of(runs), (1.0, 2.0, 2.01))]
    high = SweepView(ROUGE, "highest", (), tuple(points), Human())
    said = "".join(decoder_words.decoder_verdict(high, points))
    assert f"T 1.0. B{JOINT}sampling{JOINT}T 1.0 has the highest ROUGE-L, 2.010 (1.910 to 2.110)" in said
    assert said.endswith("better than both others.")
    assert decoder_words.decoder_sub(high, points) == f"Highest: B{JOINT}sampling{JOINT}T 1.0, 2.010"
    low = SweepView(TRM, "lowest", (), tuple(points), Human())
    assert f"A{JOINT}greedy has the lowest" in "".join(decoder_words.decoder_verdict(low, points))
    assert "only setting" in "".join(decoder_words.decoder_verdict(low, points[:1]))
    assert "No setting shown has a value" in "".join(decoder_words.decoder_verdict(low, []))
    near = SweepView(DISTINCT, "nearest", (), tuple(points), Human(1.9))
    assert decoder_words.decoder_sub(near, points).startswith(f"Nearest to people: A{JOINT}sampling{JOINT}T 1.0")


def test_the_question_is_of_temperatures_only_where_a_model_has_two() -> None:
    warm, hot = (Setting("A", SAMPLING, t, (f"T {t}",)) for t in (0.5, 1.0))
    greedy = Setting("A", Decoder("greedy"), None, ("g",))
    assert "hotter" in decoder_words.question((warm, hot, greedy))
    assert "hotter" not in decoder_words.question((warm, greedy))


def test_the_verdict_begins_with_what_decoders_do_to_a_model() -> None:
    runs = [Run(f"{m} {kind}", m, Settings(decoder=kind), {}) for m in "AB" for kind in ("greedy", "sampling")]
    settings = settings_of(runs)

    def said(*values: float) -> str:
        points = [point(setting, value) for setting, value in zip(settings, values)]
        return "".join(decoder_words.decoder_verdict(SweepView(ROUGE, "highest", (), tuple(points), Human()), points))

    assert said(1.0, 2.0, 1.5, 1.5).startswith(
        "By ROUGE-L, one decoder is significantly worse than another for 1 of 2 models: "
        "A with greedy than with sampling. A"
    )
    assert said(1.0, 2.0, 2.5, 1.5).startswith(
        "By ROUGE-L, one decoder is significantly worse than another for 2 of 2 models: "
        "A with greedy than with sampling and B with sampling than with greedy. B"
    )
    assert said(1.0, 1.0, 1.5, 1.5).startswith(
        "By ROUGE-L, no decoder is significantly better than another for any of the 2 models. B"
    )


def test_runs_that_state_no_decoder_are_named_and_not_drawn() -> None:
    kinds = ("greedy", "sampling", None)
    settings = settings_of([Run(f"A {kind}", "A", Settings(decoder=kind), {}) for kind in kinds])
    groups, left = decoders_of(settings)
    assert [group[0].decoder.kind for group in groups] == ["greedy", "sampling"]
    assert decoder_words.left_out(left) == "Not drawn: A (no decoder stated)."
    assert decoder_words.left_out(()) == ""
    groups, left = decoders_of([one for one in settings if one.decoder.kind != "sampling"])
    assert (len(groups), left) == (2, ()), "a single decoder is compared with what there is"
    other = settings_of([Run("B", "B", Settings(), {})])
    assert decoders_of([*settings, *other])[0][-1] == other, "nothing else shows a model of its own"
