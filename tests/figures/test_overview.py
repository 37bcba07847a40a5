"""Test the Overview's sentences, chart and HTML: words agree with numbers, and uploaded text is never markup."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from data.study import Run, Settings
from figures.export.paper import Ground
from figures.overview import chart, html, names, second_order, triangle_steps, words
from figures.overview.tables import twin
from figures.style.text_width import in_two, text_width
from metrics.analysis import overview as facts
from metrics.analysis.numbers import Numbers
from metrics.analysis.overview import Overview
from metrics.analysis.overview_image import CaptionSet, CountedCaption, RunShares, Steps, Triangle
from metrics.registry import METRICS
from tests.figures.seen import CIDER, TEST, TRM, order, said, seen, study

HOSTILE = "<script>window.hacked = 1</script> $5 **b** :red[x]"


def test_the_order_turns_around_and_one_run_is_like_people() -> None:
    found = seen([1, 2, 3], [3, 2, 1], [1e-4, 1e-4, 0.99], alike=(2,))
    assert said(found) == (
        "Peaked is first of 3 runs by CIDEr-D, but farthest from people. "
        f"All but Oracle differ detectably from people ({TEST}, p ≤ 0.0001)."
    )
    assert words.CHANGES[found.change] == "The order tends to reverse"
    assert words.legend(found) == "no difference detected (p > 0.05)"


def test_the_order_stays_and_everybody_can_be_told_from_people() -> None:
    found = seen([1, 2, 3], [1, 2, 3], [0.0031, 1e-4, 1e-4])
    assert said(found) == (
        "Peaked is first of 3 runs by CIDEr-D and by distance to people. "
        f"All 3 runs differ from people ({TEST}, p ≤ 0.0031)."
    )
    assert words.CHANGES[found.change] == "The order stays"
    assert words.legend(found) == ""


def test_the_order_changes_below_the_first_and_p_is_never_guessed() -> None:
    found = seen([1, 2, 3], [1, 3, 2])
    assert said(found) == "Peaked is first of 3 runs by CIDEr-D and by distance to people."
    assert words.CHANGES[found.change] == "The order changes below first place"


def test_a_first_place_that_intervals_do_not_support_is_shared() -> None:
    found = seen([1, 2, 3], [3, 2, 1], tied=(1, 2))
    assert said(found) == (
        "Peaked is first of 3 runs by CIDEr-D (tied with all others on 1 image), but farthest from people."
    )
    some = seen([1, 2, 3, 4], [4, 3, 2, 1], tied=(1, 2))
    assert "(tied with two others), but" in said(some)
    many = seen([*range(1, 11)], [*range(10, 0, -1)], tied=(1, 2, 3, 4, 5))
    assert "Peaked is first of 10 runs by CIDEr-D (five others may be as good; four are clearly behind)" in said(many)
    spread = replace(found, other=order(TRM, [3, 2, 1], spans=[(2, 3), (1, 3), (1, 2)]))
    assert said(spread).endswith("but among the last two by distance to people.")
    wide = replace(found, other=order(TRM, [2, 3, 1], spans=[(1, 3), (1, 3), (1, 3)]))
    assert said(wide).endswith("by CIDEr-D (tied with all others on 1 image).")
    some = replace(found, other=order(TRM, [2, 3, 1], spans=[(1, 2), (1, 3), (1, 3)]))
    assert said(some).endswith("but 2nd (1 to 2) by distance to people.")


def test_many_alike_are_counted_and_few_are_named() -> None:
    two = seen([1, 2, 3, 4], [4, 3, 2, 1], [1e-4, 1e-4, 0.0738, 0.3], alike=(2, 3))
    assert said(two).endswith(f"All but Oracle and run 3 differ detectably from people ({TEST}, p ≤ 0.0001).")
    three = seen([1, 2, 3, 4], [4, 3, 2, 1], [1e-4, 0.2, 0.5, 0.3], alike=(1, 2, 3))
    assert said(three).endswith(
        f"but farthest from people. Only it differs detectably from people ({TEST}, p ≤ 0.0001)."
    )
    every = seen([1, 2], [2, 1], [0.2, 0.5], alike=(0, 1))
    assert said(every).endswith(f"No difference from people is detected ({TEST}, p = 0.20 and 0.50).")
    tested = seen([1, 2, 3, 4], [0, 3, 2, 1], [np.nan, 0.2, 0.5, 0.3], alike=(1, 2, 3))
    assert said(tested).endswith(
        f"No difference from people is detected for any tested run ({TEST}, smallest p = 0.20)."
    )
    some = seen([1, 2, 3, 4], [0, 2, 1, 3], [np.nan, 1e-4, 1e-4, 1e-4])
    assert said(some).endswith(f"has no distance to people. All 3 tested runs differ from people ({TEST}, p ≤ 0.0001).")
    of = some.study
    alone = replace(of, runs=(replace(of.runs[0], candidates={"i": ("A dog.",)}), *of.runs[1:]))
    assert "but with one caption per image, it has no distance to people." in said(replace(some, study=alone))


def test_a_headline_names_a_run_once() -> None:
    """A run was once named three times: as faulty, as first, and as the run that differs."""
    found = seen([1, 2, 3], [3, 2, 1], [1e-4, 0.2, 0.5], alike=(1, 2))
    first, *rest = words._named_once(
        found, ("Peaked gives one caption to all 40 images.", *words._said(found, True)[0])
    )
    assert first.startswith("Peaked gives")
    assert [sentence[:12] for sentence in rest] == ["It is first ", "Only it diff"]
    second = seen([1, 2, 3], [3, 2, 1], [0.2, 1e-4, 0.5], alike=(0, 2))
    assert " Only Loose differs" in said(second)
    twins = "Peaked and Loose have the same captions.", "Peaked is first of 3 runs."
    assert words._named_once(found, twins) == twins


def few(right: list[int], p: list[float] | None = None, alike: tuple[int, ...] = ()) -> Overview:
    """Make an Overview in which only runs with a rank on the right have several captions."""
    found = seen(list(range(1, len(right) + 1)), right, p, alike)
    runs = tuple(
        run if rank else replace(run, candidates={"i": ("A dog.",)}) for run, rank in zip(found.study.runs, right)
    )
    return replace(found, study=replace(found.study, runs=runs))


def test_one_or_two_distances_make_no_order_and_that_is_said() -> None:
    nan = np.nan
    two = few([0, 0, 2, 1], [nan, nan, 1e-4, 2e-4])
    assert said(two) == (
        "Peaked is first of 4 runs by CIDEr-D. Only run 3 and Oracle have several captions for each image, and so a "
        f"distance to people; both differ from people ({TEST})."
    )
    assert words.change(two) == "2 of 4 runs with TRM: too few for an order"
    one = few([0, 0, 1], [nan, nan, 0.4], alike=(2,))
    assert said(one).endswith(
        "Only Oracle has several captions for each image, and so a distance to people; no difference "
        f"from people is detected for it ({TEST})."
    )
    assert said(few([0, 0, 2, 1], [nan, nan, 1e-4, 0.4], alike=(3,))).endswith("and so a distance to people.")
    other_reason = seen([1, 2, 3], [0, 2, 1])
    assert said(other_reason).endswith("Only Oracle and Loose have a distance to people.")
    assert words.standing(two, 0) == "1st by CIDEr-D, no TRM"
    assert words.standing(two, 3) == "4th by CIDEr-D, TRM 1.000"
    assert "1st by TRM" in words.standing(few([0, 3, 2, 1]), 3), "three make an order"
    assert not any("tau" in rule for rule in words.rules(two))
    assert any("tau" in rule for rule in words.rules(few([0, 3, 2, 1])))


def test_the_captions_are_of_the_first_runs_and_of_those_whose_bars_are_drawn() -> None:
    """The first run by quality has no distance, so the bars are of two other runs."""
    two = few([0, 0, 2, 1])
    assert two.shown == (0, 3)
    assert set(two.taught) == {2, 3}
    assert two.told == (0, 3, 2), "no bar without its captions"
    assert (
        words.other_bars(two, two.taught).replace("\u00a0", " ")
        == " Peaked has no TRM, so the bars are of run 3 and Oracle."
    )
    order = seen([1, 2, 3], [3, 2, 1])
    assert order.told == order.shown == order.taught
    assert words.other_bars(order, order.taught) == ""


def test_two_runs_with_both_values_are_an_order() -> None:
    assert not seen([1, 2], [2, 1]).too_few
    assert seen([1, 2], [0, 1]).too_few
    assert said(seen([1, 2], [2, 1])) == "Peaked is first of 2 runs by CIDEr-D, but farthest from people."


def test_of_too_few_the_chart_has_values_and_neither_ranks_nor_lines_of_others() -> None:
    figure = chart.bump(few([0, 0, 2, 1]), Ground("light"))
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.hovertemplate]
    assert {(trace.name, trace.y[0], trace.y[-1]) for trace in lines} == {("Oracle", 2, 2), ("run 3", 3, 3)}
    right = {note.text for note in figure.layout.annotations if note.x == 1}
    assert right == {"1.000", "2.000"}
    assert figure.layout.margin.r < figure.layout.margin.l


def test_runs_without_a_rank_on_the_right_keep_their_order_from_the_left() -> None:
    one = seen([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    quality = replace(one.quality, rank=np.array([1, 2, 3, 5, 4]))
    unknown = replace(one, quality=quality, other=replace(one.other, rank=np.array([1, 2, 3, 0, 0])))
    lines = [t for t in chart.bump(unknown, Ground("light")).data if t.mode == "lines" and t.hovertemplate]
    assert [line.y[0] - line.y[-1] for line in lines][:5] == [0] * 5


def test_what_is_being_computed_is_said_and_the_bar_alone_says_how_long_it_takes() -> None:
    ready = seen([1, 2, 3], [3, 2, 1])
    waits = replace(ready, other=replace(ready.other, waiting=True))
    assert said(waits) == said(waits, computing=False) == "Peaked is first of 3 runs by CIDEr-D."
    said_below = [words.deck(waits, (), computing)[1] for computing in (True, False)]
    assert said_below == [f"Distance to people is {when}." for when in ("being computed", "not computed yet")]
    both = replace(waits, quality=replace(ready.quality, waiting=True))
    assert said(both) == "CIDEr-D and distance to people are being computed."
    first = replace(ready, quality=replace(ready.quality, waiting=True))
    assert said(first) == "Distance to people is ready; CIDEr-D is being computed."


def test_one_caption_one_run_and_no_value() -> None:
    alone = study(3)
    sides = order(CIDER, [1, 2, 3]), order(METRICS["meteor"], [1, 2, 3])
    found = Overview(alone, *sides, second_order.unmeasured(alone.only(runs=())), None, 1.0)
    assert said(found) == (
        "Peaked is first of 3 runs by CIDEr-D. With one caption for each image, distance to people cannot be measured."
    )
    assert said(seen([1], [1], [0.3], alike=(0,))) == (
        f"Peaked is the only run, so there is no order. No difference from people is detected ({TEST}, p = 0.30)."
    )
    assert said(seen([1, 2], [0, 0])) == "No run has a value of TRM METEOR: has 1 caption an image."


@pytest.mark.parametrize("tied", [(), (1, 2, 3)])
@pytest.mark.parametrize("alike", [(), (3,), (2, 3), (1, 2, 3)])
def test_a_headline_has_two_sentences_and_35_words(tied: tuple[int, ...], alike: tuple[int, ...]) -> None:
    p = [0.5 if k in alike else 1e-4 for k in range(4)]
    for right in ([4, 3, 2, 1], [1, 2, 3, 4], [2, 1, 4, 3], [0, 1, 2, 3]):
        sentences = words.headline(seen([1, 2, 3, 4], right, p, alike, tied=tied))
        assert len(sentences) == 2
        assert len(" ".join(sentences).replace("\u00a0", " ").split()) <= 35


def test_the_chart_has_the_drawn_sizes_and_marks() -> None:
    found = seen([1, 2, 3], [3, 2, 1], [1e-4, 1e-4, 0.99], alike=(2,))
    figure = chart.bump(found, Ground("light"))
    assert figure.layout.height == round(2 * 12 + 22.6 * 2 + 15 * 3)
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.hovertemplate]
    assert {len(trace.x) for trace in lines} == {41}
    ends = {trace.name: (trace.y[0], trace.y[-1]) for trace in lines}
    assert ends == {"Peaked": (0, 2), "Loose": (1, 1), "Oracle": (2, 0)}
    ring = [t.marker.color for t in figure.data if t.mode == "markers" and t.name == "Oracle"]
    assert ring[0] != "#FFFFFF", "filled on the side of quality"
    assert ring[1] == "#FFFFFF", "hollow where no difference from people is detected"
    assert "rank 1<br>TRM METEOR 3.000 (2.900 to 3.100), rank 3" in {t.name: t.hovertemplate for t in lines}["Peaked"]
    texts = [note.text for note in figure.layout.annotations]
    assert sorted(text.split("<br>")[0] for text in texts) == sorted(["1", "2", "3", "Peaked", "Loose", "Oracle"] * 2)
    assert [re.sub("<[^>]*>", "", text.split("<br>")[1]) for text in texts if text.startswith("Peaked")] == [
        words.with_interval(found.quality, 0, 2),
        "3.00 (2.90 to 3.10)",
    ]


def test_ranks_to_come_are_dots_and_missing_ones_a_dash() -> None:
    found = seen([1, 2, 3, 4], [0, 2, 1, 3])
    assert "–" in [note.text for note in chart.bump(found, Ground("dark")).layout.annotations]
    waits = replace(found, other=replace(found.other, waiting=True))
    figure = chart.bump(waits, Ground("light"))
    assert [note.text for note in figure.layout.annotations].count("…") == 4
    assert not [trace for trace in figure.data if trace.mode == "lines"]
    assert figure.layout.shapes[1].line.dash == "dot"


def test_names_fit_beside_the_chart() -> None:
    runs = [Run(f"Oracle T={t}", "Oracle", Settings(temperature=t), {}) for t in (0.3, 1.0)]
    runs += [Run("Oracle top_p=0.8", "Oracle", Settings(), {}), Run("alone", "other", Settings(), {})]
    plain = [label.replace("\u00a0", " ") for label in names.run_labels(runs)]
    assert plain == ["Oracle · T 0.3", "Oracle · T 1.0", "Oracle · top-p 0.8", "alone"]
    long = [Run(f"{k:03d}-blip2-opt-2.7b-coco-finetuned-{k:03d}", f"m{k}", Settings(), {}) for k in range(30)]
    found = names.run_labels(long)
    assert len(set(found)) == 30
    assert all(text_width(label) <= names.ROOM and "…" in label for label in found)
    assert len(names.sentence_name("word " * 60)) <= names.LONGEST


def test_long_names_of_few_runs_take_two_lines_and_are_whole() -> None:
    given = ["captioner-with-a-long-name-v1", "captioner-with-a-long-name-v2", "short"]
    found = replace(seen([1, 2, 3], [3, 2, 1]), study=study(3, given))
    labels = {note.text for note in chart.bump(found, Ground("light")).layout.annotations}
    labels = {label.partition("<br><span")[0].partition(": <span")[0] for label in labels}
    assert {label.replace("<br>", "") for label in labels} >= set(given)
    for label in labels:
        assert all(text_width(line, chart.SMALL) <= names.BOTH_SIDES for line in label.split("<br>"))
    given = ["Otter-Vision-Large-7B-Instructor T=0.2", "Otter-Vision-Large-7B-Instructor T=1.0", "short"]
    drawn = chart.bump(replace(found, study=study(3, given)), Ground("light"))
    free = {1: drawn.layout.margin.r, -1: drawn.layout.margin.l}
    assert sum(free.values()) <= 320, "on a phone, the lines between both sides have 40 px"
    below = [note for note in drawn.layout.annotations if "<br><span" in note.text]
    assert len(below) == 6, "values that would not fit behind a name stand below it"
    for note in below:
        *lines, value = note.text.split("<br>")
        sizes = [chart.SMALL] * len(lines) + [chart.VALUE_SIZE]
        lines.append(value.partition(">")[2].partition("<")[0])
        room = free[1 if note.xanchor == "left" else -1] - abs(note.xshift)
        assert all(text_width(line, size) <= room for line, size in zip(lines, sizes))
    few_of_them = replace(few([0, 0, 1]), study=replace(few([0, 0, 1]).study, name="s"))
    assert chart.bump(few_of_them, Ground("light")).layout.margin.l == chart.MARGIN
    assert in_two("short", 100) == ("short",)
    assert in_two("transformer · nucleus\u00a00.9", 100) == ("transformer", "nucleus\u00a00.9")
    endless = in_two("x" * 200, 100)
    assert len(endless) == 2
    assert all("…" in line and text_width(line) <= 100 for line in endless)


def test_hostile_texts_stay_text() -> None:
    hostile = study(1, [HOSTILE])
    sets = CaptionSet(0, (CountedCaption(HOSTILE, 2, "C"), CountedCaption(" ")), 3)
    drawn = Triangle((HOSTILE, "b"), HOSTILE, 0.8, (0.7, 0.6), 2)
    shares = RunShares(0, np.full((2, 3), 1 / 3), 0.0, 9, True)
    steps = Steps(TRM, 0, drawn, (shares,))
    found = replace(seen([1], [1]), study=hostile)
    page = (
        html.headline(words.headline(found))
        + html.caption_set(found, sets, "light")
        + triangle_steps.steps_html(hostile, steps, "dark")
        + html.shares_html(hostile, steps, found, "light", "picture")
    )
    assert "<script" not in page
    assert page.count("&lt;script") >= 6
    assert "too few captions for a verdict" in page
    assert "(empty)" in page
    assert "2 times" in page
    labels = chart.bump(replace(found, study=hostile), Ground("light")).to_json()
    assert "<script" not in labels


def test_triangles_are_drawn_to_scale() -> None:
    for inside, left, right in ((0.85, 0.69, 0.71), (0.2, 0.9, 0.95), (1.0, 0.3, 0.9)):
        a, b, c = (np.array(p) for p in triangle_steps.places(Triangle(("a", "b"), "c", inside, (left, right), 2)))
        assert np.linalg.norm(c - a) / np.linalg.norm(b - a) == pytest.approx(left / inside)
        assert np.linalg.norm(c - b) / np.linalg.norm(b - a) == pytest.approx(right / inside)
        assert min(a[0], b[0], c[0]) >= 0
        assert max(a[0], b[0], c[0]) <= triangle_steps.WIDE


def test_bars_have_the_shares_and_colours_that_can_be_read() -> None:
    shares = RunShares(0, np.array([[0.12, 0.28, 0.6], [1, 0, 0]]), 1.867, 900, False)
    steps = Steps(TRM, 0, Triangle(("a", "b"), "c", 0.8, (0.7, 0.6), 2), (shares,))
    for mode in ("light", "dark"):
        page = html.shares_html(study(1), steps, seen([1], [1]), mode, "picture")  # type: ignore[arg-type]
        assert re.findall(r"flex:([\d.]+)", page) == ["0.1200", "0.2800", "0.6000", "1.0000"]
        assert "All 900 triangles of this picture" in page
        for ground, text in re.findall(r"background:(#\w+);color:(#\w+)", page):
            assert contrast(ground, text) >= 4.5, (mode, ground, text)


def test_a_share_below_a_tenth_has_its_width_and_its_number_on_hover_alone() -> None:
    shares = RunShares(0, np.array([[0.004, 0.099, 0.897], [0.1, 0.9, 0.0]]), 1.0, 900, False)
    steps = Steps(TRM, 0, Triangle(("a", "b"), "c", 0.8, (0.7, 0.6), 2), (shares,))  # type: ignore[arg-type]
    page = html.shares_html(study(1), steps, seen([1], [1]), "light", "picture")
    parts = re.findall(
        r'<i class="tl-ov-k\d" title="([^"]*)" style="flex:([\d.]+) [^"]*?(;padding:0)?">([^<]*)</i>', page
    )
    assert parts == [
        ("shortest 0 %", "0.0040", ";padding:0", ""),
        ("middle 10 %", "0.0990", ";padding:0", ""),
        ("longest 90 %", "0.8970", "", "90 %"),
        ("shortest 10 %", "0.1000", "", "10 %"),
        ("middle 90 %", "0.9000", "", "90 %"),
    ], "nothing is drawn wider than its share, and a share of nothing not at all"
    assert 'aria-label="shortest 10 %, middle 90 %, longest 0 %"' in page


def test_the_only_run_with_a_value_has_no_rank() -> None:
    assert words.place(order(TRM, [0, 1, 0]), 1) == "the only one with TRM"
    assert words.place(order(TRM, [0, 1, 2]), 1) == "1st by TRM"
    assert words.place(order(CIDER, [1]), 0) == "the only one with CIDEr-D"


def test_the_demo_says_what_it_is_made_of() -> None:
    assert words.demo(study(3)) == "Three made-up models, 1 scene; Oracle writes as people do."
    assert html.demo_line(study(3)).startswith('<p class="tl-ov-demo"><b>This is a demo.</b> Three')


def contrast(one: str, other: str) -> float:
    light = []
    for colour in (one, other):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        light.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(light) + 0.05) / (min(light) + 0.05)


def test_the_table_has_the_numbers_in_order_of_quality() -> None:
    table = twin(seen([3, 1, 0], [1, 2, 3], [0.5, 1e-4, 0.2], alike=(0, 2)))
    assert table["Run"].tolist() == ["Loose", "Peaked", "Oracle"]
    assert [table[f"Rank by CIDEr-D {end}"].tolist()[:2] for end in ("from", "to")] == [[1, 3], [1, 3]]
    assert table["Corrected p"].tolist() == [1e-4, 0.5, 0.2]


def test_reasons_stand_where_a_rank_would() -> None:
    found = seen([1, 2], [0, 1])
    assert words.value_line(found.other, 0) == "TRM METEOR: has 1 caption an image"
    assert words.place(found.other, 0) == "no TRM"
    assert words.place(found.quality, 1) == "2nd by CIDEr-D"
    assert facts.order(study(2), Numbers({}), CIDER).reasons == ("not computed yet",) * 2


def test_names_with_hyphens_stay_on_a_line_where_a_phone_has_room() -> None:
    page = html.headline(("Zhou-et-al-2017 may tie with m-RNN\u00a0·\u00a0beam10.",))
    assert '<span class="tl-unbroken">Zhou-et-al-2017</span>' in page
    assert '<span class="tl-unbroken">m-RNN</span>\u00a0·\u00a0beam10' in page
    assert "<span" not in html.headline(("twelveletter-twelveletter is first.",))
    assert "<b>" not in html.headline(("a-<b>-c",))


def test_what_stands_behind_a_name_is_said_by_an_example() -> None:
    """Once, no text on the page said that the number after a name is a temperature."""
    plain = seen([1, 2], [2, 1])
    assert words.reading(plain) == "1 is best; ranges: 95 %"
    hot = tuple(
        replace(run, name=f"{run.model}@{heat}", settings=Settings(temperature=heat))
        for run, heat in zip(plain.study.runs, (0.3, 1.0))
    )
    found = replace(plain, study=replace(plain.study, runs=hot))
    assert words.reading(found).replace("\u00a0", " ") == "1 is best; ranges: 95 %. T 0.3: temperature 0.3"


def test_runs_that_cannot_be_judged_are_neither_said_to_differ_nor_counted_as_others() -> None:
    some = seen([1, 2, 3], [3, 2, 1], [1e-4, 0.2, 0.3], alike=(2,))
    assert some.people is not None
    undecided = replace(some, people=replace(some.people, differ=(0,), undecided=(1,)))
    assert said(undecided).endswith(
        f" It differs from people ({TEST}, p ≤ 0.0001); no difference is detected for Oracle."
    )
