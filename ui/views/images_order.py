"""The order of the images, and which of them are listed: by a metric, by words in captions, by marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from data.study import Item, Run, Study
from figures.style.numbers import count
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from metrics.analysis import images_defaults
from metrics.analysis.feasibility import why_impossible
from metrics.analysis.item_order import disagreement, in_order
from metrics.analysis.numbers import Numbers
from metrics.base import Metric
from metrics.engine.scoring import Results
from metrics.mathematics.arrays import Floats
from metrics.suite.ratings import rating_metrics
from ui.frame import look
from ui.jobs import study_metrics
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.widgets import image_marks, image_picker, metric_picker

QUICK = ("cider_d", "trm_bow", "distinct_2")
ORDERS = {
    "spread": "Where these runs differ most",
    "file": "As in the file",
    "metric": "One metric",
    "difference": "Difference of two runs",
    "disagreement": "Disagreement of two metrics",
}
ENDS = {"low": "Lowest first", "high": "Highest first"}


@dataclass(frozen=True)
class ImagesChoice:
    """The filter of the images, and their order: a kind from ORDERS, its metrics and runs, and the direction."""

    kind: str
    metrics: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    descending: bool = False
    marked: str = image_marks.EVERY

    @property
    def metric(self) -> str:
        """The label of the first metric of the order; "" if there is none."""
        return next((offered(state.study())[name].label for name in self.metrics), "")


@dataclass(frozen=True)
class Order:
    """The images in display order: `positions` among the study's items, `values` of all items, and their name.

    The order is not `complete` while numbers on which it depends are missing.
    """

    positions: tuple[int, ...]
    values: Floats | None = None
    name: str = ""
    complete: bool = True


def computed() -> dict[str, Metric]:
    """Return the metrics with one value per image, except those that describe only the references."""
    return {name: by for name, by in study_metrics.metrics().items() if by.of_items and by.family != "references"}


def offered(study: Study) -> dict[str, Metric]:
    """Return people's ratings, then the metrics with one value per image."""
    return {**rating_metrics(study), **metric_picker.able(study, computed(), "measures", "by", "less")}


def known(study: Study, metrics: Sequence[Metric]) -> Results:
    """Return the results of these metrics that exist; nothing is started."""
    return jobs().view(study, metrics, state.session(), start=False).results


def telling_runs(
    study: Study, shown: Sequence[Metric], choose: Callable[..., list[Run]] = images_defaults.telling_runs
) -> tuple[list[Run], Metric | None, bool]:
    """Return the runs that `choose` finds, the main metric, and whether all its results exist already.

    By default these are the best run, its best rival and the worst.

    Without ratings, the main metric is the ranking metric if its results exist, else the first of `shown`.
    """

    def there(metric: Metric) -> bool:
        return all((run.name, metric.name) in known(study, [metric]) for run in study.runs)

    main = images_defaults.main_metric(study, offered(study), shown, there)
    first = choose(study, Numbers(known(study, [main] if main else [])), main)
    return first, main, main is not None and there(main)


def choose_order(study: Study, runs: Sequence[Run], main: Metric | None) -> ImagesChoice:
    """Show the controls for the order of the images; return the choice.

    By default, images on which the runs differ most by the `main` metric come first; this may change as numbers arrive.
    """
    default = "spread" if main is not None and len(runs) > 1 else "file"
    kind = address.select("Order", "order", list(ORDERS), default, format_func=ORDERS.__getitem__)
    if kind == "file" or not runs or (kind == "spread" and main is None):
        return ImagesChoice("file")
    names, called = [run.name for run in runs], short_names(study.runs)
    able = offered(study)
    for name, options in (("by", able), ("of", names), ("against", names)):
        address.follow(name, options)
    if kind == "spread" and main is not None:
        by = [metric_picker.select("Metric", "by", able, main.name, keep=False)]
        return ImagesChoice(kind, tuple(by), tuple(names), True)
    quality, distance = _order_metrics(study)
    by = [metric_picker.select("Metric", "by", able, quality)]
    if kind == "disagreement":
        by.append(metric_picker.select("minus", "less", able, distance))
    of = [address.select("Run", "of", names, names[0], format_func=called.__getitem__)]
    if kind == "difference":
        of.append(address.select("minus run", "against", names, names[-1], format_func=called.__getitem__))
    end = address.select("From", "from", list(ENDS), "low", format_func=ENDS.__getitem__)
    return ImagesChoice(kind, tuple(by), tuple(of), end == "high")


def _order_metrics(study: Study) -> tuple[str, str]:
    every = offered(study)
    able = [name for name, metric in every.items() if why_impossible(study, metric) is None] or list(every)
    quality, distance = (name if name in able else able[0] for name in QUICK[:2])
    return quality, distance


def ordered(study: Study, results: Results, choice: ImagesChoice) -> Order:
    """Return all images in the chosen order; in file order while numbers are missing."""
    kind, by, of = choice.kind, choice.metrics, choice.runs
    everything = tuple(range(len(study.items)))
    needed = [(run, metric) for metric in by for run in of]
    if kind == "file" or any(key not in results or not len(results[key].items) for key in needed):
        return Order(everything, complete=all(key in results for key in needed))
    columns = [results[key].items for key in needed]
    metrics, called = [offered(study)[name] for name in by], short_names(study.runs)
    of = tuple(called[name] for name in of)
    if kind == "spread":
        values, name = images_defaults.spread([results[key] for key in needed]), f"{metrics[0].label}, gap"
    elif kind == "metric":
        values, name = columns[0], f"{metrics[0].label}, {of[0]}"
    elif kind == "difference":
        values, name = columns[0] - columns[1], f"{metrics[0].label}, {of[0]} less {of[1]}"
    else:
        values = disagreement(columns[0], columns[1], _up(metrics[0]), _up(metrics[1]))
        name = f"{metrics[0].label} less {metrics[1].label} in rank, {of[0]}"
    return Order(tuple(in_order(values, choice.descending).tolist()), values, name)


def matching(study: Study, runs: Sequence[Run], words: str) -> set[int]:
    """Return the positions of images with a caption, reference or id that contains `words`, ignoring case."""
    wanted = words.casefold()

    def texts(item: Item) -> list[str]:
        said = [caption for run in runs for caption in run.candidates.get(item.id, ())]
        return [item.id, *item.references, *said]

    return {k for k, item in enumerate(study.items) if any(wanted in text.casefold() for text in texts(item))}


def search(study: Study, runs: Sequence[Run], order: Order) -> tuple[Order, str]:
    """Show a search field; return the order without the images that do not match, and the words searched for."""
    words = image_picker.search_words()
    if not words:
        return order, ""
    found = matching(study, runs, words)
    if not found:
        return replace(order, positions=()), words
    return replace(order, positions=tuple(k for k in order.positions if k in found)), words


def only_marked(study: Study, order: Order, choice: ImagesChoice) -> Order:
    """Return the order, restricted to images with a star or a note if the reader chose this."""
    return replace(order, positions=image_marks.marked(study, order.positions, choice.marked))


def show_none(study: Study, choice: ImagesChoice, words: str) -> None:
    """Show a message that no image is listed, and why."""
    none = f"in none of {count(len(study.items), item_noun(study))}"
    if choice.marked == image_marks.EVERY:
        look.empty("No caption has these words", f"“{words}” is {none}.")
        return
    what = "a star" if choice.marked == image_marks.STARRED else "a note"
    why = f"“{words}” is in none that has {what}." if words else f"Give {what} to one first, or show all under Options."
    look.empty(f"No {item_noun(study)} has {what}" if not words else "No caption has these words", why)


def _up(metric: Metric) -> bool:
    """Whether higher values are shown as more: higher diversity is not better, but it is more."""
    return metric.higher_is_better or not metric.has_better_side
