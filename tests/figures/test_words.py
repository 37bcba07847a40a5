"""Test sentences shared by several pages: how reliable intervals of few items are, and what items are called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from figures.style import wording
from metrics.base import Metric
from metrics.bootstrap import FEW, LEAST
from metrics.registry import METRICS
from tests.studies import study as random_study


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (1, "1 item is too few for bootstrap intervals, which need 6."),
        (LEAST - 1, "5 items are too few for bootstrap intervals, which need 6."),
        (
            LEAST,
            "Bars: 95 % bootstrap over items. With fewer than 20 items, 93 to 95 % of such "
            "intervals hold the true value, or 83 to 93 % if values are skewed.",
        ),
        (FEW, "Bars: 95 % bootstrap over items."),
    ],
)
def test_how_far_to_trust_intervals_of_few_items_is_said(items: int, said: str) -> None:
    assert wording.bootstrap(random_study(items=1), "Bars", items) == said


def test_what_items_are_called_follows_the_study() -> None:
    items = random_study(items=2)
    images = replace(items, items=(replace(items.items[0], image="a.png"), items.items[1]))
    assert [
        (wording.item_noun(of), wording.item_title(of), wording.article(wording.item_noun(of)))
        for of in (items, images)
    ] == [
        ("item", "Item", "an item"),
        ("image", "Image", "an image"),
    ]


def test_sentences_about_images_speak_of_what_the_study_has() -> None:
    study = random_study(items=2)
    texts = ("An image's share varies; with more images, of every image.", "Draws of imagery stay.")
    assert wording.of_items(study, texts) == ("An item's share varies; with more items, of every item.", texts[1])
    clips = replace(study, items=tuple(replace(item, metadata={"video": item.id}) for item in study.items))
    assert wording.of_items(clips, ("An image, an image, Images.",)) == ("A video, a video, Videos.",)
    images = replace(study, items=(replace(study.items[0], image="a.png"), study.items[1]))
    assert wording.of_items(images, texts) == texts
    of_one = tuple(replace(item, metadata={"video": "a"}, cluster="a") for item in clips.items)
    frames = replace(clips, items=of_one)
    assert wording.item_noun(frames) == "item", "60 frames of 20 videos are no 60 videos"


@pytest.mark.parametrize(
    ("ids", "metadata", "noun"),
    [
        (("COCO_val2014_000000391895.jpg", "2"), {}, "image"),
        (("COCO_train2014_000000128475", "COCO_train2014_000000128476"), {}, "image"),
        (("1", "2"), {"file_name": "a"}, "image"),
        (("jpg", "a.jpg.txt"), {}, "item"),
        (("1", "2"), {"context": "John woke up."}, "context"),
        (("a.png", "2"), {"context": "John woke up."}, "image"),
        (("1", "2"), {"context": "John woke up.", "of all": True}, "item"),
        (("1", "2"), {"note": "x"}, "item"),
    ],
)
def test_ids_and_metadata_say_what_items_are(ids: tuple[str, str], metadata: dict[str, Any], noun: str) -> None:
    study = random_study(items=2)
    own = {} if "of all" in metadata or "context" not in metadata else {"context": "Then she left."}
    told = (metadata, metadata | own)
    items = tuple(replace(item, id=id, metadata=of) for item, id, of in zip(study.items, ids, told))
    assert wording.item_noun(replace(study, items=items)) == noun
    one = replace(study, items=(items[0], replace(items[1], metadata={})))
    assert wording.item_noun(one) == ("item" if noun == "context" else noun), "all must have the field"


def test_texts_for_prompts_are_responses_unless_people_wrote_some_or_the_files_have_the_word() -> None:
    study = random_study(items=2)
    asked = tuple(replace(item, metadata={"prompt": item.id}, references=()) for item in study.items)
    responses = replace(study, items=asked)
    run = replace(study.runs[0], name="caption-v2")
    prompt = replace(asked[0], metadata={"prompt": "Write two Captions."})
    for one, noun in (
        (study, "caption"),
        (responses, "response"),
        (replace(responses, runs=(run,)), "caption"),
        (replace(responses, items=(prompt, asked[1])), "caption"),
    ):
        assert wording.text_noun(one) == noun
    said = "Captions repeat a caption: Caption length, Unique captions and captioning stay."
    assert wording.of_texts("caption", said) == said
    assert wording.of_texts("response", said) == (
        "Responses repeat a response: Caption length, Unique captions and captioning stay."
    )


def test_values_of_a_whole_run_are_named_with_the_reason_why_nothing_is_resampled() -> None:
    one, other, means = METRICS["mauve_bert"], METRICS["zipf"], METRICS["rouge_l"]
    why = "one value of a whole run, not a sum over its parts, so runs cannot be resampled together"
    assert wording.whole_run([means, one]) == f"{one.label} is {why}"
    assert wording.whole_run([one, other]) == f"{one.label} and {other.label} are each {why}"
    assert (wording.whole_run([means]), wording.no_resamples(means), wording.no_resamples(one)) == ("", "", why)


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_more_diverse_is_never_called_better(metric: Metric) -> None:
    said = wording.direction_arrow(metric)
    assert said[0] == ("↑" if metric.higher_is_better else "↓")
    assert ("better" in said) == (metric.family != "diversity") == metric.has_better_side
    if metric.has_better_side:
        assert said[2:].split()[0] == ("higher" if metric.higher_is_better else "lower")


def test_what_diversity_says_more_of_is_named() -> None:
    assert wording.direction_arrow(METRICS["caption_length"]) == "↑ longer"
    assert wording.direction_arrow(METRICS["self_bleu_2"]) == "↓ more diverse"
