"""Test that the Overview claims an order of runs only if their differences are significant."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from data.study import Settings
from figures.export.paper import Ground
from figures.notes.people import above_chance
from figures.overview import chart, html, names, words
from figures.overview.tables import twin
from metrics.analysis.claims import Excess, PeopleComparison
from metrics.analysis.overview_image import CaptionSet, CountedCaption
from metrics.analysis.run_differences import Ranks
from tests.figures.seen import TEST, TRM, order, said, seen, study


def test_an_order_that_nothing_tests_is_called_that() -> None:
    found = seen([1, 2, 3], [3, 2, 1])
    none = np.zeros(3, dtype=np.int64)
    quality = replace(found.quality, untested=(1, 2), ahead=found.quality.ahead & False)
    bare = replace(found, quality=quality, other=replace(found.other, ranges=Ranks(none, none)))
    assert said(bare) == "Peaked is first of 3 runs by CIDEr-D (order not tested on 1 image)."
    assert words.change(bare) == "The runs in two orders"
    assert said(replace(bare, quality=found.quality)) == "Peaked is first of 3 runs by CIDEr-D."


def test_runs_of_equal_values_share_a_place_in_the_chart() -> None:
    found = seen([1, 2, 3], [1, 2, 3])
    values = np.array([0.063, 0.0, 0.0])
    untested = Ranks(np.zeros(3, dtype=int), np.zeros(3, dtype=int))
    found = replace(found, other=replace(found.other, values=values, ranges=untested))
    texts = [note.text for note in chart.bump(found, Ground("light")).layout.annotations]
    assert (texts.count("1"), texts.count("2"), texts.count("3")) == (2, 3, 1)


def test_runs_that_are_not_told_apart_have_a_range_of_ranks() -> None:
    found = seen([1, 2, 3], [1, 2, 3])
    some = replace(found.other, ranges=Ranks(np.array([1, 1, 3]), np.array([2, 2, 3])))
    tied = replace(found, other=some)
    texts = [note.text for note in chart.bump(tied, Ground("light")).layout.annotations]
    assert (texts.count("1–2"), texts.count("3"), texts.count("1")) == (2, 2, 1)
    assert words.reading(tied) == "1 is best; ranges: 95 %"
    assert words.standing(tied, 1).replace("\u00a0", " ") == "2nd by CIDEr-D, 1st or 2nd by TRM"
    assert "rank 1–2" in words.value_line(some, 1)
    assert twin(tied).filter(like="Rank by TRM").iloc[1].tolist() == [1, 2]


def test_one_that_may_share_the_first_place_is_named() -> None:
    found = seen([1, 2, 3], [3, 2, 1], tied=(2,))
    assert said(found).startswith("Peaked is first of 3 runs by CIDEr-D (tied with Oracle), but")


def test_who_ties_by_one_order_alone_is_said_of_that_order() -> None:
    """A run significantly ahead by CIDEr-D was once called "first by CIDEr-D and by distance (tied with Loose)"."""
    found = seen([1, 2, 3], [1, 2, 3])
    far = replace(found, other=replace(found.other, tied=(1,)))
    begin = "Peaked is first of 3 runs by CIDEr-D"
    assert said(far) == f"{begin}, and by distance to people (tied with Loose)."
    near = replace(found, quality=replace(found.quality, tied=(1,)))
    assert said(near) == f"{begin} (tied with Loose), and by distance to people."
    both = replace(far, quality=near.quality)
    assert said(both) == f"{begin} and by distance to people (tied with Loose)."


def test_a_run_that_is_last_is_not_far_from_people_where_no_difference_is_detected() -> None:
    last = seen([1, 2], [2, 1], [0.4, 0.4], alike=(0, 1))
    assert said(last).startswith("Peaked is first of 2 runs by CIDEr-D, but last by distance to people. No difference")


def test_a_likely_leak_is_said_below_the_chart() -> None:
    found = seen([1, 2], [1, 2], [1e-4, 0.4], alike=(1,))
    assert found.people is not None
    copied = replace(found, people=replace(found.people, joint=True, leaks=(0,)))
    said_below = (
        "Peaked is closer to people's captions than people's are to one another, as copies or very typical captions are"
    )
    assert said_below in words.marks(copied)
    assert said_below not in words.marks(found)


def test_where_nothing_is_decided_the_headline_says_of_how_many_images() -> None:
    """The headline on a study of six images once ranked its runs without any caution."""
    found = seen([1, 2, 3], [3, 2, 1], [1e-4, 1e-4, 1e-4], tied=(1, 2))
    open_ = replace(found, quality=replace(found.quality, ahead=found.quality.ahead & False))
    begin = "On 1 image, no run is clearly ahead by CIDEr-D: Peaked is first of 3"
    assert said(open_) == f"{begin}, but farthest from people. All 3 runs differ from people ({TEST}, p ≤ 0.0001)."
    alone = replace(open_, unmeasured="With one caption for each image, distance to people cannot be measured.")
    assert said(alone).startswith(f"{begin}. With one caption")
    assert len(said(alone).split()) <= 35
    equal = replace(open_, other=order(TRM, [3, 2, 1], spans=[(1, 3)] * 3))
    assert equal.people is not None
    none = PeopleComparison((), (), (0, 1, 2), (), np.array([0.4, 0.5, 0.6]), joint=True)
    assert said(replace(equal, people=none)) == (
        f"{begin}. No difference from people is detected ({TEST}, smallest p = 0.40)."
    )
    tied = replace(open_, other=order(TRM, [1, 2, 3], tied=(1,)), people=none)
    assert max(len(said(one).split()) for one in (replace(equal, people=none), tied)) <= 35
    same = replace(open_, other=order(TRM, [1, 2, 3]))
    assert said(same).startswith(f"{begin}, also by distance to people. ")
    assert said(found).startswith("Peaked is first of 3 runs by CIDEr-D (tied with all others on 1 image"), (
        "a pair is told apart"
    )


def test_where_nearly_every_run_may_be_first_the_one_behind_is_named() -> None:
    """A run that is tied with the first may be clearly behind another, and then it cannot be first."""
    ends = [(1, 10)] * 8 + [(2, 10), (10, 10)]
    begin = "By CIDEr-D, {} of 10 runs may be first, Peaked with the best value; only {} clearly behind."
    some = seen([*range(1, 11)], [*range(10, 0, -1)], tied=tuple(range(1, 9)), spans=[(1, 9)] * 9 + [(10, 10)])
    assert said(some).startswith(begin.format("nine", "run 9 is"))
    ahead = np.zeros((10, 10), dtype=bool)
    ahead[:8, 9] = ahead[1, 8] = True
    narrow = replace(some.quality, ahead=ahead, ranges=Ranks(*np.array(ends).T))
    assert said(replace(some, quality=narrow)).startswith(begin.format("eight", "two are"))
    far = [*[(1, 19)] * 19, (20, 20)]
    ranks = [*range(1, 21)]
    assert 19 in chart.shown_runs(seen(ranks, ranks, spans=far))
    assert 19 not in chart.shown_runs(seen(ranks, ranks, spans=[*[(1, 18)] * 18, (19, 20), (19, 20)]))
    by_people = replace(seen(ranks, ranks), other=order(TRM, ranks, spans=far))
    assert 19 in chart.shown_runs(by_people), "the headline may be about the second order"


def test_the_line_below_the_title_begins_with_what_distance_is() -> None:
    found = seen([1, 2], [2, 1])
    first, rest = words.deck(found, words.headline(found))
    assert first == "Distance to people (TRM): do captions vary as people's do? Lower is better."
    assert rest == "Two people write it two ways; one safe caption can win."


@pytest.mark.parametrize(
    ("saturated", "why"),
    [
        ((), "There is too little data to distinguish any run from people."),
        ((0, 1, 2), "Too many distances are at their maximum to distinguish any run from people."),
        (
            (1,),
            "There is too little data, or too many distances are at their maximum, to distinguish any run from people.",
        ),
    ],
)
def test_why_no_run_can_be_judged_is_the_reason_of_the_test(saturated: tuple[int, ...], why: str) -> None:
    found = seen([1, 2, 3], [3, 2, 1])
    none = PeopleComparison((), (), (), (0, 1, 2), np.array([0.3, 0.4, 0.5]), saturated=saturated)
    assert said(replace(found, people=none)).endswith(f" {why}")
    one = PeopleComparison((2,), (), (), (0, 1), np.array([0.3, 0.4, 0.01]), saturated=(0, 1), joint=True)
    assert said(replace(found, people=one)).endswith(
        f"1 of 3 runs differs from people ({TEST}); too many distances are at their maximum to judge 2 others."
    )


@pytest.mark.parametrize(
    ("right", "title"),
    [
        ([1, 2, 3, 4], "The order stays"),
        ([1, 2, 4, 3], "The order changes below first place"),
        ([4, 3, 2, 1], "The order tends to reverse"),
        ([3, 4, 2, 1], "The order tends to reverse"),
        ([3, 2, 1, 4], "The order changes"),
        ([2, 1, 3, 4], "The order changes"),
    ],
)
def test_the_title_says_how_much_changes(right: list[int], title: str) -> None:
    assert words.change(seen([1, 2, 3, 4], right)) == title


def test_an_order_of_few_exchanges_hardly_changes() -> None:
    """If two neighbours among five runs change places without significance, tau is 0.8, which counts as hardly any
    change.
    """
    found = seen([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], spans=[(1, 1), (2, 2), (3, 3), (4, 5), (4, 5)])
    assert found.tau == pytest.approx(0.8)
    assert words.change(found) == "The order hardly changes"
    assert words.change(seen([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])) == "The order changes below first place"
    assert words.change(replace(found, tau=0.79)) == "No change of order is certain"
    assert words.change(replace(found, tau=1.0)) == "The order stays"


@pytest.mark.parametrize(
    ("counts", "words_of_it"),
    [
        ((10,), "10 captions, all the same"),
        ((4, 1), "5 captions, 2 different"),
        ((1, 1), "2 captions, all different"),
    ],
)
def test_how_many_captions_differ(counts: tuple[int, ...], words_of_it: str) -> None:
    found = CaptionSet(None, tuple(CountedCaption(f"caption {k}", n) for k, n in enumerate(counts)), sum(counts))
    assert html.how_many(found) == words_of_it


def test_a_run_without_a_rank_has_the_mark_of_its_own_test() -> None:
    """A run with a different number of captions and p = .002 was once drawn as if no difference had been detected."""
    nan = float("nan")
    order = seen([1, 2, 3, 4, 5, 6], [1, 2, 3, 0, 0, 0], [0.6, 1e-4, 1e-4, 0.002, 0.7, nan], alike=(0, 4))
    marks = {
        trace.name: trace.marker
        for trace in chart.bump(order, Ground("light")).data
        if trace.mode == "markers" and trace.x[0]
    }
    paper = "#FFFFFF"
    hollow = {name for name, mark in marks.items() if mark.color == paper}
    assert hollow == {"Peaked", "run 4"}, "a ring is what its test says, ranked or not"
    assert [name for name, mark in marks.items() if mark.symbol == "x-thin"] == ["run 5"], "no value and no test"
    assert words.marks(order) == ["○ no difference detected (p > 0.05)", "× no value"]
    assert words.marks(seen([1, 2], [2, 1], [1e-4, 1e-4])) == []


def test_an_excess_below_what_chance_gives_is_not_above_it() -> None:
    ends = (Excess(0.006, -0.081, 0.105), Excess(-0.093, -0.119, -0.065))
    found = PeopleComparison((0, 1), (), (), (), np.array([0.01, 0.01]), joint=True, excess=ends)
    assert above_chance(found, 0) == "0.006 above chance (95 % −0.081 to 0.105)"
    assert above_chance(found, 1) == "0.093 below chance (95 % 0.065 to 0.119)"


RANKS = (
    ([4, 3, 2, 1], None),
    ([1, 2, 3, 4], None),
    ([0, 1, 2, 3], None),
    ([0, 0, 1, 2], None),
    ([2, 1, 4, 3], [(1, 4), (1, 4), (1, 4), (1, 4)]),
    ([3, 1, 4, 2], [(2, 3), (1, 3), (3, 4), (1, 4)]),
    ([3, 1, 4, 2], [(2, 4), (1, 3), (3, 4), (1, 4)]),
)


@pytest.mark.parametrize(("right", "spans"), RANKS)
@pytest.mark.parametrize("undecided", [(), (3,)])
def test_no_headline_is_longer_than_its_most(
    right: list[int], spans: list[tuple[int, int]] | None, undecided: tuple[int, ...]
) -> None:
    """With an undecided order and a range of ranks by the other metric, a headline once had 36 words."""
    of = study(4, ["Peaked · 0.3", "Oracle · greedy", "Oracle · 1.0", "Loose · 1.6"])
    for alike, tied, sure in product([(), (2,), (1, 2), (0, 1, 2)], [(), (1,), (1, 2), (1, 2, 3)], [True, False]):
        p = np.array([0.5 if k in (*alike, *undecided) else 1e-4 for k in range(4)])
        differ = tuple(k for k in range(4) if k not in (*alike, *undecided))
        people = PeopleComparison(differ, (), alike, undecided, p, joint=True)
        found = replace(seen([1, 2, 3, 4], right, tied=tied), study=of, people=people)
        quality = replace(found.quality, ahead=found.quality.ahead & sure)
        told = said(replace(found, quality=quality, other=order(TRM, right, spans=spans)))
        assert len(told.split()) <= words.MOST, told
        assert "joint test" in told or not found.other.rank.all(), told


def test_the_leader_opens_the_title_which_tells_only_a_fault_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    found = seen([1, 2, 3], [1, 2, 3], [1e-4] * 3)
    leader, other = found.study.runs[0].name, found.study.runs[1].name
    monkeypatch.setattr(words, "fault", lambda seen: "A fault was found.")
    monkeypatch.setattr(words, "faulty", lambda study: frozenset([other]))
    said = words.headline(found)
    assert said[0].startswith(leader)
    assert "A fault" not in " ".join(said), "others have theirs below the chart"
    waits = replace(found, other=replace(found.other, waiting=True))
    assert "A fault" not in " ".join(words.headline(waits)), "there is no room for three sentences"
    monkeypatch.setattr(words, "faulty", lambda study: frozenset([leader]))
    assert words.headline(found)[0] == "A fault was found."


def test_of_many_runs_the_best_and_the_emphasised_stand_with_how_many_more() -> None:
    found = seen(list(range(1, 51)), [50 - k for k in range(50)])
    shown = chart.shown_runs(found)
    assert len(shown) == chart.MOST - 1
    assert len(chart.shown_runs(seen(list(range(1, 17)), list(range(1, 17))))) == 16, "all are shown while they fit"
    assert set(found.emphasised) <= set(shown)
    best = {k for k in range(50) if found.quality.rank[k] <= 4 or found.other.rank[k] <= 4}
    assert best <= set(shown)
    few = seen([*range(1, 5), *[0] * 46], [*range(1, 5), *[0] * 46])
    assert chart.shown_runs(few) == (0, 1, 2, 3), "runs without a rank have no row"
    waits = replace(few, other=replace(few.other, waiting=True))
    assert len(chart.shown_runs(waits)) == chart.MOST - 1
    texts = [note.text for note in chart.bump(found, Ground("light")).layout.annotations]
    assert texts.count(f"⋮ {50 - len(shown)} more") == 2


def test_a_long_name_has_its_settings_and_value_in_the_second_line() -> None:
    given = [f"a-long-model-{k} T={t}" for k in "ab" for t in (0.5, 1.0)]
    found = seen([1, 2, 3, 4], [4, 3, 2, 1])
    runs = tuple(
        replace(run, name=name, model=name[:14], settings=Settings(temperature=float(name[-3:])))
        for run, name in zip(found.study.runs, given)
    )
    found = replace(found, study=replace(found.study, runs=runs))
    labels = [note.text for note in chart.bump(found, Ground("light")).layout.annotations]
    first = [label.replace("\u00a0", " ") for label in labels if label.startswith("a-long-model")]
    assert len(first) == 8
    assert all(label.count("<br>") == 1 for label in first)
    assert sum(label.startswith("a-long-model-a<br>T 0.5: <span") for label in first) == 2
    assert words.reading(found).endswith(("temperature 0.5", "temperature 1.0", "its value"))
    joined = "Qwen2-VL-7B-Instruct\u00a0·\u00a0T\u00a00.2"
    assert names.sentence_name(joined) == "Qwen2-VL-7B-Instruct\u00a0· T\u00a00.2", "only behind the dot may it break"
