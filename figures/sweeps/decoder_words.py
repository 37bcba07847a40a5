"""Sentences about settings compared by their decoders, and the names of settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from data.study import Run, Settings
from figures.style.escaping import Strong, capital
from figures.style.numbers import count, defined, interval, num, temperature
from figures.style.run_names import JOINT, decoder_name, models_in_labels
from figures.style.wording import names_in_a_row, no_resamples, not_drawn, of_others, sharing
from figures.sweeps.many_lines import NAMED, resampled
from figures.sweeps.panel_parts import digits_of, with_value_of
from figures.sweeps.words import Parts, foremost, goal_words, no_interval, one_line, over_seeds
from metrics.analysis.sweeps import Decoder, Point, Setting, SweepView, best_of, tied_with
from metrics.analysis.sweeps_defaults import along


def question(settings: Sequence[Setting]) -> str:
    """Return the question for a study with these settings: on temperatures if a model has two, else on decoders."""
    if along(settings) == "temperature":
        return "How does each model behave as sampling gets hotter?"
    return "What does each way of decoding do to a model?"


def decoder_sub(view: SweepView, points: Sequence[Point]) -> str:
    """Return one line below a panel of decoders: the best displayed setting, or how many are best; "" if none is."""
    best = best_of(view, points)
    if best is None:
        return ""
    shared = with_value_of(best, points)
    name = setting_names(points)[best.setting] if len(shared) == 1 else count(len(shared), "setting")
    return one_line(
        f"{capital(goal_words(view).removesuffix(' value'))}: ", name, f", {num(best.value, digits_of(view))}"
    )


def grouped(view: SweepView, groups: Sequence[Sequence[Setting]]) -> list[list[Point]]:
    """Return the points of these groups of settings."""
    known = {point.setting: point for point in view.points}
    return [[known[setting] for setting in group] for group in groups]


def verdict(views: Sequence[SweepView], groups: Sequence[Sequence[Setting]]) -> Parts:
    """Return the verdict on these groups of settings by the main metric that can name a better one, or that none
    can.
    """
    judged = [view for view in views if view.metric.has_better_side]
    if not judged:
        return ("The chosen metrics measure diversity, and more is not better in itself.",)
    view = foremost(judged)
    return decoder_verdict(view, [point for group in grouped(view, groups) for point in group])


def decoder_verdict(view: SweepView, points: Sequence[Point]) -> Parts:
    """Return which displayed settings have the best value of a metric, if any, and whether others may be as good."""
    metric, digits, best = view.metric, digits_of(view), best_of(view, points)
    if best is None:
        return (f"No setting shown has a value of {metric.label} yet.",)
    word = "highest" if metric.higher_is_better else "lowest"
    value = num(best.value, digits)
    if defined(best.low):
        value += f" ({interval(best.low, best.high, digits)})"
    value += over_seeds(best)
    known, names, shared = [p for p in points if defined(p.value)], setting_names(points), with_value_of(best, points)
    others = [point for point in known if point not in shared]
    tied = tied_with(view, best, others)
    rest = "; it is the only setting with a value" if len(shared) == 1 else ""
    if tied and not resampled(best):
        rest = f", but {no_interval(len(others), no_resamples(metric))}"
    elif tied:
        named = names_in_a_row([names[point.setting] for point in tied])
        rest = f", though {named if len(tied) <= NAMED else of_others(len(tied), len(others))} may be as good"
    elif others:
        few = {1: "the other", 2: "both others"}
        rest = f", significantly better than {few.get(len(others), f'all {len(others)} others')}"
    who, has = names[best.setting], f" has the {word} {metric.label}"
    if len(shared) > 1:
        who, has = sharing([names[point.setting] for point in shared], len(known), metric, "setting")
    return (*_matters(view, known), Strong(who), f"{has}, {value}{rest}.")


def _matters(view: SweepView, points: Sequence[Point]) -> Parts:
    """The models with a decoder that is significantly worse than another; () if this cannot be tested."""
    models = {point.setting.model: [p for p in points if p.setting.model == point.setting.model] for point in points}
    models = {model: own for model, own in models.items() if len({point.setting.decoder for point in own}) > 1}
    if not models or not all(resampled(point) for own in models.values() for point in own):
        return ()
    named, by = models_in_labels([_run(point.setting) for point in points]), f"By {view.metric.label}, "
    said: list[str] = []
    for model, own in models.items():
        best = best_of(view, own)
        assert best is not None
        tied = tied_with(view, best, own)
        if worse := [_how(point) for point in own if point is not best and point not in tied]:
            said.append(f"{named[model]} with {names_in_a_row(worse, 2)} than with {_how(best)}")
    if not said:
        for_whom = f"any of the {len(models)} models" if len(models) > 1 else named[next(iter(models))]
        return (by, Strong("no decoder is significantly better than another"), f" for {for_whom}. ")
    of = f" for {len(said)} of {len(models)} models" if len(models) > 1 else ""
    return (by, Strong(f"one decoder is significantly worse than another{of}"), f": {names_in_a_row(said, 2)}. ")


def _how(point: Point) -> str:
    heat = point.setting.temperature
    name = decoder_name(point.setting.decoder, (point.setting.model, *point.setting.runs))
    return name if heat is None else f"{name} at T {temperature(heat)}"


def left_out(settings: Sequence[Setting]) -> str:
    """Return a sentence on the settings that state no decoder; "" if there are none."""
    if not settings:
        return ""
    names = models_in_labels([_run(setting) for setting in settings])
    return f"{not_drawn((names[setting.model], 'no decoder stated') for setting in settings)}."


def setting_names(points: Sequence[Point]) -> dict[Setting, str]:
    """Return a name for each of the settings of these points."""
    settings = list(dict.fromkeys(point.setting for point in points))
    models = {setting.model for setting in settings}
    names = models_in_labels([_run(setting) for setting in settings])
    if len(models) == len(settings) > 1 and len({(s.decoder, s.temperature) for s in settings}) == 1:
        return {setting: names[setting.model] for setting in settings}
    return {point.setting: setting_name(point, names) for point in points}


def _run(setting: Setting) -> Run:
    settings = Settings(setting.temperature, decoder=setting.decoder.kind or None)
    return Run(setting.runs[0], setting.model, settings, {})


def setting_name(point: Point, names: Mapping[str, str] | None = None) -> str:
    """Return a name such as "Oracle, nucleus 0.9, T 1.0" from what is known; `names` maps models to names."""
    setting = point.setting
    model = (names or {}).get(setting.model, setting.model)
    parts = [model] if model and setting.model != setting.decoder.kind else []
    if not parts or setting.decoder != Decoder(""):
        parts.append(decoder_name(setting.decoder, (setting.model, *setting.runs)))
    if setting.temperature is not None:
        parts.append(f"T {temperature(setting.temperature)}")
    return JOINT.join(parts)
