"""Test repairs of texts that are no captions, or contain more: thoughts, templates, JSON, refusals, missing spaces."""

from __future__ import annotations

import pytest

from data.check import repair
from data.checks.not_captions import is_caption, parted_by
from data.convert import to_jsonl_bytes
from data.load import load_study
from tests.data.test_repairs import captions, item, loaded


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>A dog? Yes.</think>\n\na dog runs", "a dog runs"),
        ("A dog? Yes.\n</think>\na dog runs", "a dog runs"),
        ("<thinking>Hm.</thinking> <think>Again.</think> a dog runs", "a dog runs"),
        ("<THINK>" + "a long thought " * 300 + "</THINK>a dog runs", "a dog runs"),
        ("[THINK]hm[/THINK]a dog runs", "a dog runs"),
        ("<think>it never ends", ""),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>a dog", "a dog"),
        ("<|begin_of_thought|>Hm.<|end_of_thought|> a dog", "a dog"),
        ("<reasoning>Hm.</reasoning> a dog <scratchpad>x</scratchpad>", "a dog"),
        ("<seed:think>Hm.</seed:think>a dog", "a dog"),
        ("a dog runs </think>", "a dog runs"),
        ("a dog <think>and what else", "a dog"),
        ("people think <3 of it", "people think <3 of it"),
    ],
)
def test_drop_thoughts(text: str, said: str) -> None:
    """Thoughts are dropped before long texts are cut."""
    before = loaded(item("1", {"m": [text, "b"]}))
    assert " ".join(captions(before, "m")[0].split()) == " ".join(text.split())
    assert ("thoughts" in {finding.code for finding in before.findings}) == (text != said)
    assert captions(repair(before, ["drop_thoughts"]), "m") == (said, "b")
    assert captions(repair(before, ["drop_thoughts", "cut_long"]), "m") == (said, "b")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<start> a dog runs over the <unk> sand <end>", "a dog runs over the sand"),
        ("a dog runs .<n>two cups stand .", "a dog runs . two cups stand ."),
        ("a dog runs .<q>two cups stand .", "a dog runs . two cups stand ."),
        ("a dog runs.<br/>Two cups stand.", "a dog runs. Two cups stand."),
        ("<s>a dog</s>", "a dog"),
        ("<p>a dog</p>", "a dog"),
        ("a dog<|im_end|>", "a dog"),
        ("a dog<|endoftext|><|endoftext|>", "a dog"),
        ("startseq a dog endseq", "a dog"),
        ("[CLS] a dog [SEP]", "a dog"),
        ("<|start_header_id|>assistant<|end_header_id|>\n\na dog<|eot_id|>", "a dog"),
        ("<|im_start|>user\nDescribe.<|im_end|>\n<|im_start|>assistant\na dog<|im_end|>", "a dog"),
        ("<s>[INST] Describe. [/INST] a dog</s>", "a dog"),
        ("a dog [/INST]", "a dog"),
        ("### Instruction: Describe.\n### Response: a dog", "a dog"),
        ("USER: Describe. ASSISTANT: a dog", "a dog"),
        ("a dog<|im_end|>\n<|im_start|>user\nMore", "a dog More"),
        ("<｜begin▁of▁sentence｜>a dog<end_of_utterance><pad><image_soft_token>", "a dog"),
        ("<|header_start|>assistant<|header_end|>\n\na dog<|eot|>", "a dog"),
        ("<|start_of_role|>assistant<|end_of_role|>a dog<|end_of_text|>", "a dog"),
        ("<｜begin▁of▁sentence｜><｜User｜>Describe.<｜Assistant｜>a dog<｜end▁of▁sentence｜>", "a dog"),
        ("<|endoftext|><|user|>\nDescribe.\n<|assistant|>\na dog<|endoftext|>", "a dog"),
        ("[gMASK]<sop><|user|>\nDescribe.<|assistant|>\na dog", "a dog"),
        ("User:<image>Describe.<end_of_utterance>\nAssistant: a dog", "a dog"),
        ("[IMG][IMG_BREAK][IMG_END]a dog", "a dog"),
        ("a user: somebody who says assistant", "a user: somebody who says assistant"),
        ("a <PERSON> walks a <dog>", "a <PERSON> walks a <dog>"),
        ("a sign [sic] says <3 and 2 < 3", "a sign [sic] says <3 and 2 < 3"),
    ],
)
def test_drop_tokens(text: str, plain: str) -> None:
    before = loaded(item("1", {"m": [text, "b"]}))
    assert captions(before, "m")[0].split() == text.split()
    assert ("special_tokens" in {finding.code for finding in before.findings}) == (text != plain)
    assert captions(repair(before, ["drop_tokens"]), "m") == (plain, "b")


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('```json\n{"caption": "a dog", "score": 1}\n```', "a dog"),
        ("{'caption': 'a dog', 'mood': 'calm'}", "a dog"),
        ('{"x": "a dog"}', "a dog"),
        ('{"caption": ""}', ""),
        ('{"caption": "", "id": "3"}', ""),
        ('{"caption": "a dog", "obj', "a dog"),
        ('{"x": "a dog", "y": "a cat"}', '{"x": "a dog", "y": "a cat"}'),
        ("```\na dog\n```", "a dog"),
        ("**a dog** runs", "a dog runs"),
        ('a sign: "stop" {sic} *** 2 ** 3 ** 4', None),
        ("# shoots the ball", None),
        ("Tom &amp; Jerry don&#39;t run", "Tom & Jerry don't run"),
        ("a caf&eacute; &amp;#39;open&amp;#39; at 5 &copy now", "a café 'open' at 5 &copy now"),
        ("Thinking: a dog. Therefore, the final answer is: a dog runs", "a dog runs"),
        ("AT&T; a dog & a cat", None),
        ("Sure! Here is a caption: a dog runs", "a dog runs"),
        ('Sure! Here is a caption for the image:\n\n"A dog runs."', "A dog runs."),
        ("Certainly!\n\nA dog: it runs", "A dog: it runs"),
        ("Here's a short caption:\nA dog.\n\nLet me know if you want more!", "A dog."),
        ("Here is a dog: it runs", None),
        ("Thinking: I see a dog. It runs. Final answer: a dog runs", "a dog runs"),
        ("**Reasoning:** a dog.\n**Answer:** a dog runs", "a dog runs"),
        ("Step 1: it is a dog.\nFinal answer: a dog: it runs", "a dog: it runs"),
        ("Thinking: a dog", None),
        ("Here is a caption: ", None),
        ("Here is a caption: a dog runs. Would you like me to shorten it?", "a dog runs."),
        ("A dog runs.\n\nI hope this helps!", "A dog runs."),
        ("Bien sûr ! Voici une légende : un chien", "un chien"),
        ("好的，这是图片的描述：一只狗", "一只狗"),
        ("Hier ist die Bildunterschrift:\n\nEin Hund", "Ein Hund"),
        ("Voici un chien : il court", None),
        ("Question: What is it? Answer: a dog runs", "a dog runs"),
        ("# Image caption\n\na dog runs", "a dog runs"),
        ("The answer is \\boxed{a dog runs}.", "a dog runs"),
        ('"a dog runs"', "a dog runs"),
        ("Bildunterschrift: ein Hund", "ein Hund"),
        ("- a dog runs", "a dog runs"),
        ("“a dog runs.”", "a dog runs."),
        ('"stop" says a sign, and "go"', None),
    ],
)
def test_unwrap(text: str, bare: str | None) -> None:
    before = loaded(item("1", {"m": [text, "b"]}))
    assert ("wrapped" in {finding.code for finding in before.findings}) == (bare is not None)
    assert captions(repair(before, ["unwrap"]), "m") == (text if bare is None else bare, "b")


@pytest.mark.parametrize(
    "text", ["**In short:**\n\n* Two litres\n* A map", "Sure! I hope this helps!", "```py\nx = 1\n```"]
)
def test_responses_keep_line_breaks_markdown_and_talk(text: str) -> None:
    """Without captions by people, such texts are responses, which are split into words at any white space."""
    of = {"id": "1", "prompt": "Pack my bag", "candidates": {"m": [text, "b"]}}
    alone, beside = loaded(of), loaded(of | {"references": ["a"]})
    assert captions(alone, "m") == (text, "b")
    assert not {"wrapped", "line_breaks"} & {one.code for one in alone.findings}
    assert "wrapped" in {one.code for one in beside.findings}
    assert "\n" not in captions(beside, "m")[0]


@pytest.mark.parametrize(
    ("text", "tokenizer"),
    [
        ("一只狗在湿沙滩上跑", "zh"),
        ("砂浜を走る犬", "char"),
        ("หมาวิ่งบนหาดทราย", "char"),
        ("a dog runs", "ptb"),
    ],
)
def test_character_tokens(text: str, tokenizer: str) -> None:
    """The study's file states the tokenizer, and the repair can be undone after the file is read again."""
    before = loaded(item("1", {"m": [text, text]}) | {"references": [text]})
    assert before.study is not None
    assert before.study.tokenizer == "ptb"
    after = repair(before, ["character_tokens"]).study
    assert after is not None
    assert after.tokenizer == tokenizer
    again = load_study([("again.jsonl", to_jsonl_bytes(after))])
    assert again.study is not None
    assert (again.study.tokenizer, again.study.digest) == (tokenizer, after.digest)
    assert (after.digest == before.study.digest) == (tokenizer == "ptb")
    undone = repair(again, [], ["character_tokens"]).study
    assert undone is not None
    assert undone.tokenizer == "ptb"


def test_drop_non_captions() -> None:
    """If an item has another caption, only the message is dropped; the same holds for references."""
    before = loaded(item("7", {"m": ["a dog", "7", "N/A", "Error: 429"]}) | {"references": ["one dog", "null"]})
    after = repair(before, ["drop_non_captions"])
    assert captions(after, "m", "7") == ("a dog",)
    assert after.study is not None
    assert after.study.items[0].references == ("one dog",)


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["a dog runs; the dog has run", "a cat sits; the cat has sat", "a cow eats; the cow has eaten"], ";"),
        (["1. a dog 2. a cat", "1. two dogs\n2. two cats", "(1) one dog (2) one cat"], "1. 2."),
        (
            ["Caption 1: a dog Caption 2: a cat", "Caption 1: one Caption 2: two", "**Option 1:** x **Option 2:** y"],
            "1. 2.",
        ),
        (["a dog runs | the dog has run"] * 3, "|"),
        (["a dog runs | the dog has run"] * 2, ""),
        (["a dog; brown", "a cat; red", "a cow; white"], ""),
        (["a dog runs; the dog has run", "a cat sits", "a cow eats"], ""),
        (["bus no. 1. A man", "at 2. it rains", "there are 1. 5 dogs"], ""),
    ],
)
def test_lists_within_captions_are_told_by_their_mark(texts: list[str], mark: str) -> None:
    assert parted_by(texts) == mark


def test_talk_around_a_list_is_left_out_with_it() -> None:
    """The finding mentions the talk; if the split is undone, the texts stay whole."""
    said = [f"Here are two options:\n\n* a {one} runs here\n* the {one} has run\n\nI hope this helps!" for one in "xyz"]
    said = [text.replace("x", "xylophone").replace("y ", "yak ").replace("z", "zebra") for text in said]
    before = loaded(*(item(str(k), {"m": [text]}) for k, text in enumerate(said)))
    assert captions(before, "m", "2") == ("a zebra runs here", "the zebra has run")
    assert any("words of an assistant" in finding.problem for finding in before.findings)
    assert "two options" in captions(repair(before, [], ["split_captions"]), "m", "2")[0]


def test_prompt_repeated_before_captions() -> None:
    """References or thoughts that begin alike are not taken for a prompt."""
    asked = "Describe this image. Be brief: "
    known = [item(str(k), {"m": [f"{asked}a dog number {k}"]}) for k in range(5)]
    before = loaded(*known)
    assert "prompt_repeated" in {finding.code for finding in before.findings}
    assert captions(repair(before, ["unwrap"]), "m", "3") == ("a dog number 3",)
    alike = loaded(*(one | {"references": one["candidates"]["m"]} for one in known))
    assert "prompt_repeated" not in {finding.code for finding in alike.findings}
    thought = loaded(*(item(str(k), {"m": [f"I see a dog here. </think>a dog number {k}"]}) for k in range(5)))
    assert "prompt_repeated" not in {finding.code for finding in thought.findings}


REFUSALS = (
    "Ich kann dieses Bild leider nicht beschreiben.",
    "Je ne peux pas décrire cette image.",
    "No puedo ver la imagen.",
    "Non posso descrivere questa immagine.",
    "Não consigo ver a imagem.",
    "Het spijt me, ik kan dat niet.",
    "Jag är ledsen, men jag kan inte hjälpa till.",
    "Przepraszam, nie mogę w tym pomóc.",
    "Я не могу описать это изображение.",
    "Λυπάμαι, δεν μπορώ να βοηθήσω.",
    "Üzgünüm, bu konuda yardımcı olamam.",
    "Xin lỗi, tôi không thể giúp việc đó.",
    "Maaf, saya tidak dapat membantu.",
    "無法識別圖片",
    "この画像を説明することはできません。",
    "이 이미지를 설명할 수 없습니다.",
    "عذرًا، لا أستطيع المساعدة في ذلك.",
    "क्षमा करें, मैं सहायता नहीं कर सकता।",
    "מצטער, אינני יכול לעזור.",
    "API call failed",
    "The model did not return a caption.",
    "data/1.jpg",
    "无",
    "\u200b\u200b",
)
CAPTIONS = (
    "Unable to fly, a bird walks",
    "No response from the cat on the couch",
    "Je suis Charlie, says a sign",
    "Ein Hund kann leider nicht schwimmen",
    "申し訳なさそうな犬がいる",
    "无人机在天空飞行",
    "a dog at http://example.org/1.jpg",
    "🐶",
)


@pytest.mark.parametrize("text", [*REFUSALS, *CAPTIONS])
def test_refusals_in_many_languages_are_no_captions(text: str) -> None:
    assert is_caption(text, "1.jpg") == (text in CAPTIONS)


THINGS = ("xylophone", "yak", "zebra")


def test_a_mark_may_stand_at_both_ends() -> None:
    told = [f"| a big {one} runs here | the small {one} runs here |" for one in THINGS]
    found = loaded(*(item(str(k), {"m": [text]}) for k, text in enumerate(told)))
    assert captions(found, "m", "2") == ("a big zebra runs here", "the small zebra runs here")


@pytest.mark.parametrize("mark", ["</s>", " </s> ", "<br>", "\\n", "[SEP]", " | ", "; ", ", ", ". "])
def test_texts_of_several_captions_are_split_or_reported(mark: str) -> None:
    """Full stops and commas occur within single captions, too, so texts with only these stay whole."""
    told = [mark.join(f"{word} {one} runs here" for word in ("a big", "the small", "this old")) for one in THINGS]
    found = loaded(*(item(str(k), {"m": [text]}) for k, text in enumerate(told)))
    codes = {finding.code for finding in found.findings} & {"captions_split", "several_in_one", "special_tokens"}
    whole = mark in (", ", ". ")
    assert codes == {"several_in_one" if whole else "captions_split"}
    assert len(captions(found, "m", "2")) == (1 if whole else 3)


@pytest.mark.parametrize(
    "text",
    [
        "A {} is seen. The grass below looks green. Clouds drift past, and it rains.",
        "A brown {0} stands on the beach. The brown {0} is wearing a blue hat.",
    ],
)
def test_sentences_of_one_text_are_not_reported(text: str) -> None:
    told = [text.format(one) for one in THINGS]
    found = loaded(*(item(str(k), {"m": [text]}) for k, text in enumerate(told)))
    assert not {finding.code for finding in found.findings} & {"captions_split", "several_in_one"}
