"""Test what an address contains, and which choices a reader takes along from page to page."""

from __future__ import annotations

from dataclasses import replace

from data.slices import encode
from metrics.analysis.feasibility import defaults, first_runs
from tests.studies import study as random_study
from tests.ui.shown import AppTest, chosen, markup, page, score

STUDY = random_study(items=6)
BOW = {"distance": "bag of words"}


def query(at: AppTest) -> dict[str, list[str]]:
    found = {name: at.query_params[name] for name in at.query_params if name != "study"}
    return {name: [of] if isinstance(of, str) else list(of) for name, of in found.items()}


def other(at: AppTest, file: str) -> AppTest:
    for name in query(at):
        del at.query_params[name]
    at.switch_page(f"pages/{file}.py")
    return at.run()


def test_a_view_of_defaults_has_an_empty_address() -> None:
    for file in ("images", "leaderboard", "central", "cloud", "robustness", "references", "dataset", "methods"):
        at = page(file, STUDY)
        at.run()
        assert query(at) == {}, file


def test_a_choice_is_there_until_it_is_the_default_again() -> None:
    at = page("central", STUDY, **BOW)
    at.selectbox(key="scope_select").set_value("image").run()
    assert query(at)["scope"] == ["image"]
    at.selectbox(key="scope_select").set_value("study").run()
    assert "scope" not in query(at)


def test_the_image_follows_and_the_rest_stays_behind() -> None:
    at = page("images", STUDY, **BOW, order="file")
    at.button(key="image_Right").click().run()
    assert query(at)["image"] == [STUDY.items[1].id]
    other(at, "central")
    assert set(query(at)) <= {"distance"}, "the study has no image"
    at.selectbox(key="scope_select").set_value("image").run()
    assert set(query(at)) <= {"image", "distance", "scope"}
    assert query(at)["image"] == [STUDY.items[1].id]
    other(at, "images")
    assert chosen(at)["image"] == STUDY.items[1].id
    assert query(at)["image"] == [STUDY.items[1].id]


def test_an_image_outside_a_slice_is_there_again_once_the_slice_is_left() -> None:
    at = page("images", STUDY, **BOW, order="file")
    at.button(key="image_Right").click().run()
    at.run()  # as the browser, which then has what the app wrote
    inside = [STUDY.items[k].id for k in (3, 4)]
    at.query_params["slice"], at.query_params["slice_items"] = "two", encode(STUDY, inside)
    at.run()
    assert at.selectbox(key="image_select").value == 0, "the first of the slice, whose study is these two"
    assert "image" not in query(at), "nothing was chosen in the slice"
    at.button(key="slice_leave").click().run()
    assert query(at)["image"] == [STUDY.items[1].id]


def test_an_image_of_a_link_that_the_slice_of_the_link_lacks_is_told_and_restored() -> None:
    inside, outside = [STUDY.items[k].id for k in (3, 4)], STUDY.items[1].id
    sliced = {"slice": "two", "slice_items": encode(STUDY, inside)}
    for file in ("images", "triangles"):
        at = page(file, STUDY, **BOW, **sliced, image=outside)
        assert not at.exception
        assert f"There is no image named <b>{outside}</b> in this slice" in markup(at), file
        assert "image" not in query(at), file
        at.button(key="slice_leave").click().run()
        assert query(at)["image"] == [outside], file


def test_what_another_page_shows_by_default_is_in_the_address_of_a_page_that_would_show_something_else() -> None:
    """Without the default in it, a copied link would open another view."""
    score(STUDY, ["trm_bow"])
    at = page("triangles", STUDY, run="run 1", **BOW)
    image = chosen(at)["image"]
    assert image != STUDY.items[0].id, "else this could not fail"
    assert query(at)["image"] == [image], "it follows from the numbers that are there"
    other(at, "central")
    at.selectbox(key="scope_select").set_value("image").run()
    assert query(at)["image"] == [image]
    assert markup(page("central", STUDY, **query(at))) == markup(at)


def test_a_link_is_left_with_what_its_page_chose() -> None:
    at = page("central", STUDY, **BOW, scope="image", image=STUDY.items[3].id, neighbours="5", nonsense="1")
    assert query(at) == {"image": [STUDY.items[3].id], "scope": ["image"]}


def test_a_browser_that_sends_an_older_address_undoes_no_choice() -> None:
    """If two clicks follow quickly, the second is sent before the address after the first has arrived."""
    at = page("central", STUDY, **BOW, image=STUDY.items[0].id)
    before = dict(at.query_params)
    at.button(key="image_Right").click().run()
    assert query(at)["image"] == [STUDY.items[1].id]
    for name in list(at.query_params):
        del at.query_params[name]
    for name, values in before.items():
        at.query_params[name] = values
    at.selectbox(key="distance_select").set_value("ROUGE-L").run()
    assert query(at)["image"] == [STUDY.items[1].id]
    assert query(at)["distance"] == ["ROUGE-L"]


def test_the_metric_and_the_two_runs_follow_under_the_names_of_each_page() -> None:
    """A metric that ranks the Leaderboard also orders images on Paired and Images, and vice versa."""
    shown = {"distribution": ["trm_bow"], "quality": ["rouge_l", "bleu_2"], "diversity": ["distinct_1"]}
    score(STUDY, ["trm_bow", "rouge_l", "bleu_2", "distinct_1"])
    at = page("leaderboard", STUDY, rank="bleu_2", **shown)
    other(at, "paired")
    assert chosen(at)["main"] == "bleu_2"
    assert query(at)["main"] == ["bleu_2"], "a copied link opens the same view"
    at.selectbox(key="a_select").set_value("run 1").run()
    at.selectbox(key="b_select").set_value("run 0").run()
    at.selectbox(key="main_select").set_value("rouge_l").run()
    other(at, "images")
    at.selectbox(key="order_select").set_value("difference").run()
    assert [chosen(at)[name] for name in ("by", "of", "against")] == ["rouge_l", "run 1", "run 0"]
    other(at, "leaderboard")
    assert chosen(at)["rank"] == "rouge_l"


def test_the_metric_follows_to_the_side_of_the_frontier_and_of_the_overview_that_can_show_it() -> None:
    """A quality metric goes to one side, a diversity metric or a distance to the other; other metrics change
    nothing.
    """
    shown = {
        "distribution": ["trm_bow", "trm_rouge_l"],
        "quality": ["rouge_l", "bleu_2", "cider_d"],
        "diversity": ["distinct_1"],
    }
    score(STUDY, [name for of in shown.values() for name in of])
    at = page("leaderboard", STUDY, rank="bleu_2", **shown)
    other(at, "frontier")
    first = chosen(at)
    assert first["quality-metric"] == "bleu_2"
    assert query(at)["quality-metric"] == ["bleu_2"], "a copied link opens the same view"
    other(at, "overview")
    assert chosen(at)["by_quality"] == "bleu_2"
    nearest = chosen(at)["by_people"]
    other(at, "leaderboard")
    at.selectbox(key="rank_select").set_value("trm_rouge_l").run()
    other(at, "overview")
    assert [chosen(at)[side] for side in ("by_quality", "by_people")] == ["bleu_2", "trm_rouge_l"]
    assert nearest != "trm_rouge_l", "else this could not fail"
    other(at, "frontier")
    assert [chosen(at)[side] for side in ("quality-metric", "diversity-metric")] == [
        "bleu_2",
        first["diversity-metric"],
    ]
    at.selectbox(key="quality-metric_select").set_value("rouge_l").run()
    at.selectbox(key="diversity-metric_select").set_value("distinct_1").run()
    other(at, "leaderboard")
    assert chosen(at)["rank"] == "rouge_l", "the second metric of a page leads no other"
    other(at, "images")
    at.selectbox(key="order_select").set_value("difference").run()
    at.selectbox(key="by_select").set_value("distinct_2").run()
    other(at, "frontier")
    assert [chosen(at)[side] for side in ("quality-metric", "diversity-metric")] == ["rouge_l", "distinct_2"]


def test_what_a_page_shows_by_default_does_not_depend_on_the_pages_before() -> None:
    """Judgments begins with every quick metric and the Leaderboard with a few, whichever page comes first."""
    files = ("leaderboard", "judgments", "paired", "slices")
    score(STUDY, defaults(STUDY))
    alone = {file: chosen(page(file, STUDY)) for file in files}
    assert alone["leaderboard"]["quality"] != alone["judgments"]["quality"], "else this could not fail"
    for first in files:
        at = page(first, STUDY)
        for file in (*files, first):
            now = chosen(other(at, file))
            assert {name: now[name] for name in alone[file]} == alone[file], (first, file)
            assert query(at) == {}, "nobody chose anything"


def test_metrics_that_the_reader_chose_follow_to_every_page() -> None:
    at = page("judgments", STUDY)
    at.pills(key="quality_pills").set_value(["rouge_l", "bleu_2"]).run()
    other(at, "leaderboard")
    assert list(chosen(at)["quality"]) == ["bleu_2", "rouge_l"]


def test_a_link_says_more_than_what_was_chosen_before() -> None:
    shown = {"distribution": ["trm_bow"], "quality": ["rouge_l", "bleu_2"], "diversity": ["distinct_1"]}
    at = page("leaderboard", STUDY, rank="bleu_2", **shown)
    for name in query(at):
        del at.query_params[name]
    at.query_params["main"] = "rouge_l"
    at.switch_page("pages/paired.py")
    assert chosen(at.run())["main"] == "rouge_l"


def test_a_metric_that_a_page_cannot_show_is_there_again_on_the_next_one() -> None:
    study = random_study(items=12, references=4, candidates=3, seed=3)
    score(study, ["trm_bow", "rouge_l", "cider_d"])
    at = page("slices", study, scored_by="trm_bow")
    assert chosen(at)["scored_by"] == "trm_bow"
    other(at, "references")
    assert at.selectbox(key="scored_by_select").value == "meteor", "people alone have no TRM"
    assert "scored_by" not in query(at), "nothing was chosen on this page"
    other(at, "slices")
    assert at.selectbox(key="scored_by_select").value == "trm_bow"
    assert query(at)["scored_by"] == ["trm_bow"]
    at.selectbox(key="scored_by_select").set_value("rouge_l").run()
    other(at, "references")
    assert at.selectbox(key="scored_by_select").value == "rouge_l"


def test_the_run_that_triangles_begins_with_is_chosen_on_no_other_page() -> None:
    """Triangles begins with a run whose captions vary; its link names that run, and other pages keep their defaults."""
    alone = chosen(page("words", STUDY))["run"]
    few = replace(STUDY.runs[0], candidates={id: of[:1] for id, of in STUDY.runs[0].candidates.items()})
    study = replace(STUDY, runs=(few, *STUDY.runs[1:]))
    at = page("triangles", study)
    begun = chosen(at)["run"]
    assert begun != alone, "else this could not fail"
    assert query(at)["run"] == [begun], "a link of the view has to say it"
    assert chosen(other(at, "words"))["run"] == alone


def test_pages_that_show_some_runs_begin_with_the_same_ones() -> None:
    """Pages of several runs begin with the same run of each model, and a page of one run with the first of these."""
    runs = [run.name for run in first_runs(STUDY)]
    found = {"words": chosen(page("words", STUDY))}
    found["cloud"] = chosen(page("cloud", STUDY, view="all"))
    found["central"] = chosen(page("central", STUDY, scope="image"))
    assert list(found["central"]["beside"]) == list(found["cloud"]["drawn"]) == runs
    assert found["words"]["run"] == runs[0]
