"""Tables of the sweeps: every point, the optimum of each line, and settings without a temperature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from figures.style.line_styles import Line, Mark
from figures.style.numbers import temperature
from figures.style.run_names import decoder_name
from figures.sweeps.words import goal_words
from metrics.analysis.sweeps import Point, SweepView


def table(views: Sequence[SweepView]) -> pd.DataFrame:
    """Return one row per number: model, decoder, temperature, metric, value, interval, number of items, runs.

    A setting with several seeds also has their standard deviation and their share of the variance of one run.
    """
    found = [(view, point) for view in views for curve in view.curves for point in curve.points]
    found += [(view, point) for view in views for point in view.off_line]
    rows = pd.DataFrame([_row(*one) for one in found], columns=_COLUMNS)
    if any(len(point.setting.runs) > 1 for _, point in found):
        rows["sd of seeds"] = [point.sd for _, point in found]
        rows["Seed share"] = [point.share for _, point in found]
        rows["No share"] = [point.no_share or _ONE_RUN * (len(point.setting.runs) == 1) for _, point in found]
    return rows


_COLUMNS = ["Model", "Decoder", "T", "Metric", "Value", "95 % from", "95 % to", "n", "Runs"]
_ONE_RUN = "one run"


def _row(view: SweepView, point: Point) -> list[object]:
    setting = point.setting
    temperature = np.nan if setting.temperature is None else setting.temperature
    what = [setting.model, decoder_name(setting.decoder, setting.runs), temperature, view.metric.label]
    return [*what, point.value, point.low, point.high, point.n, ", ".join(setting.runs)]


def off_axis(views: Sequence[SweepView]) -> pd.DataFrame:
    """Return one row for each setting that is on no line, with its value by every metric; empty if there is none."""
    if not views or not views[0].off_line:
        return pd.DataFrame()
    rows: list[dict[str, object]] = []
    for k, point in enumerate(views[0].off_line):
        names = {
            "Run": ", ".join(point.setting.runs),
            "Decoder": decoder_name(point.setting.decoder, point.setting.runs),
        }
        rows.append(names | {view.metric.label: view.off_line[k].value for view in views})
    return pd.DataFrame(rows)


def optima(views: Sequence[SweepView], marks: Mapping[Line, Mark]) -> pd.DataFrame:
    """Return every optimum of a line by a metric: its temperature and value, and all temperatures that may be best."""
    rows = []
    for view in views:
        for curve in view.curves:
            if (best := curve.optimum) is not None:
                stops = curve.sweep.settings
                may_be = ", ".join(temperature(stops[k].temperature) for k in best.may_be)
                row = [
                    view.metric.label,
                    marks[curve.sweep.model, curve.sweep.decoder].name,
                    goal_words(view),
                    stops[best.at].temperature,
                    may_be,
                ]
                rows.append([*row, curve.points[best.at].value])
    columns = ["Metric", "Line", "Optimum", "T", "May be best at T", "Value"]
    return pd.DataFrame(rows, columns=columns)
