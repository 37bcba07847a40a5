"""Test that the tokenizer equals that of the COCO evaluation for any captions, even after a failure."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.text import tokens
from metrics.text.java import JavaDied, JavaProgram
from metrics.text.tokens import clean, tokenize
from tests.text.helpers import WITH_CANDIDATES, captions, java_on_path, needs_java, realdata

FRAGMENTS = [
    "<",
    "a",
    '"',
    "'",
    "=",
    ">",
    "/",
    "!",
    "?",
    "-",
    "<a",
    "href",
    '="',
    "='",
    "<!--",
    "&lt",
    ";",
    "Co.",
    "B.",
]
FRAGMENTS += ["etc.", "|||", "zqlast1zq", "*NL*", ":-", "("]
FRAGMENTS += [" ", "\u00a0", "\r\n", "\n", "\u2028", "\u0085", "\x0b"]
NASTY = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.text(alphabet=st.characters(min_codepoint=0, max_codepoint=0x10FFFF, categories=None), max_size=6),
        st.lists(
            st.sampled_from(FRAGMENTS),
            max_size=8,
        ).map("".join),
    ),
    max_size=12,
)


def theirs(texts: list[str]) -> list[str]:
    """Return the tokens of separate captions by pycocoevalcap.

    It tokenizes all captions as one text, so an abbreviation at the end of a caption can depend on the capital letter
    that begins the next ("Wii U." / "A dog"). Therefore, two captions without letters are put between them.
    """
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    spaced = {i: [{"caption": clean(text)}, {"caption": ""}, {"caption": "<"}] for i, text in enumerate(texts)}
    with java_on_path():
        return [found[0] for found in PTBTokenizer().tokenize(spaced).values()]


@needs_java
@pytest.mark.parametrize("name", [*WITH_CANDIDATES, "coco_cn_unicode.jsonl"])
def test_equals_the_coco_tokenizer_on_real_captions(name: str) -> None:
    texts = captions(realdata(name))[:8_000]
    assert [" ".join(found) for found in tokenize(texts)] == theirs(texts)


@needs_java
def test_equals_the_coco_tokenizer_on_awkward_captions() -> None:
    texts = [
        "It's in the U.S.",
        "Co.",
        "a.",
        "A (red) [car] {x}",
        "``quoted''",
        "1 1/2 -- ...",
        "",
        " ",
        "don't; can't",
    ]
    texts += [
        "e-mail me @home",
        "\u201cquotes\u201d \u2018single\u2019",
        "caf\u00e9 \U0001f600 \u4e2d\u6587",
        "a\u2028b\rc\x0bd\x85e",
    ]
    assert [" ".join(found) for found in tokenize(texts)] == theirs(texts)


@needs_java
@settings(max_examples=60, deadline=None)
@given(NASTY)
def test_a_caption_has_the_same_tokens_in_any_company(texts: list[str]) -> None:
    tokens._memory.clear()
    together = tokenize(texts)
    assert len(together) == len(texts)
    for text, found in list(zip(texts, together))[:3]:
        tokens._memory.clear()
        assert tokenize([text]) == [found]


@needs_java
def test_a_markup_tag_left_open_does_not_swallow_the_next_captions() -> None:
    texts = ['<a href="x', 'y">z', "<a x='", "a cat"] * 3
    assert tokenize(texts)[3::4] == [("a", "cat")] * 3


def test_white_space_tokens_are_left_alone() -> None:
    assert tokenize(["A Man,  riding\u2028x .", ""], "whitespace") == [("A", "Man,", "riding", "x", "."), ()]


def test_an_unknown_tokenizer_is_refused() -> None:
    with pytest.raises(ValueError, match="one of ptb, whitespace, zh, char, not 'moses'"):
        tokenize(["a"], "moses")  # type: ignore[arg-type]


@needs_java
def test_recovers_when_the_program_is_killed() -> None:
    tokenize(["before the crash"])
    pid, starts = tokens._program.pid, tokens._program.starts
    assert pid is not None
    os.kill(pid, 9)
    assert tokenize(["after the crash, at once"]) == [("after", "the", "crash", "at", "once")]
    assert tokens._program.starts == starts + 1


@needs_java
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no way to make a program hang here")
def test_a_program_that_hangs_is_ended_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenize(["it runs"])
    pid = tokens._program.pid
    assert pid is not None
    monkeypatch.setattr(tokens, "SECONDS_PER_BATCH", 1.0)
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)  # a busy machine takes a moment to stop it
    assert tokenize(["this caption is not in the memory"]) == [("this", "caption", "is", "not", "in", "the", "memory")]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@needs_java
def test_a_program_that_ends_by_itself_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_program", JavaProgram(tokens.PTB_JAR, [], lambda jar: ["-version"]))
    with pytest.raises(JavaDied, match=r"failed twice on 1 texts: the Java program ended with code 0"):
        tokenize(["nor is this one"])


@needs_java
def test_threads_share_one_program() -> None:
    tokenize(["warm"])
    starts, found = tokens._program.starts, {}

    def work(name: int) -> None:
        found[name] = [tokenize([f"thread {name} caption {k}" for k in range(40)]) for _ in range(3)]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tokens._program.starts == starts
    for name in range(4):
        expected = [("thread", str(name), "caption", str(k)) for k in range(40)]
        assert found[name] == [expected] * 3


def test_the_memory_is_bounded_by_characters() -> None:
    tokens._memory.clear()
    tokenize(["a caption", "another one"], "ptb")
    assert tokens._memory.size == len("a caption") + len("another one") + 2
    assert tokens._memory.max_size == tokens.REMEMBERED_CHARACTERS


SCRIPT = """
import os, sys
from metrics.text.tokens import tokenize, _program
tokenize(["a caption"])
child = os.fork()
if child == 0:
    assert _program.pid is None
    assert tokenize(["a child's caption"]) == [("a", "child", "'s", "caption")]
    _program.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert tokenize(["the parent's caption"]) == [("the", "parent", "'s", "caption")]
print(_program.pid, _program.starts)
"""


@needs_java
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_starts_its_own_and_nothing_outlives_the_interpreter() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True)
    pid, starts = map(int, done.stdout.split())
    assert starts == 1
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("the Java program outlived the interpreter")


SACREBLEU = {
    "两只猫，3.5米长的沙发（红色）!": "两 只 猫 ， 3.5 米 长 的 沙 发 （ 红 色 ） !",
    "他用iPhone 12拍照, it's 5-6 m.": "他 用 iPhone 12 拍 照 , it's 5 - 6 m .",
    "  砂浜を走る犬。 カメラ ": "砂 浜 を 走 る 犬 。 カメラ",
    "“好”—他说…「狗」": "“ 好 ” — 他 说 … 「 狗 」",
    "a dog runs, 1,000 m (fast) e.g. U.S.A.": "a dog runs , 1,000 m ( fast ) e . g . U . S . A .",
    "🐶在跑\u3000两个 🏃\u200d♀️": "🐶 在 跑 两 个 🏃 \u200d ♀ ️",
    "ｆｕｌｌ\u3000ｗｉｄｔｈ１２３": "ｆ ｕ ｌ ｌ ｗ ｉ ｄ ｔ ｈ １ ２ ３",
}
"""The tokens of these texts by the tokenizer `zh` of sacreBLEU 2.6."""


def test_chinese_is_split_as_by_sacrebleu() -> None:
    assert [" ".join(found) for found in tokenize(list(SACREBLEU), "zh")] == list(SACREBLEU.values())
    assert tokenize(["\u72ac \u304c\u8d70\u308b", "a b"], "char") == [
        ("\u72ac", "\u304c", "\u8d70", "\u308b"),
        ("a", "b"),
    ]
