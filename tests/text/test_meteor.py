"""METEOR equals the COCO evaluation; neither odd captions nor a crash of its jar affect other pairs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from metrics.progress import Cancelled
from metrics.text.java import JavaProgram
from metrics.text.meteor import STATISTICS, Pair, Route, jar, score, statistics
from metrics.text.tokens import tokenize
from tests.text.helpers import CANDIDATES, REFERENCES, WITH_CANDIDATES, java_on_path, needs_java, realdata, sides

Items = list[tuple[list[str], list[str]]]
Theirs = Callable[[Items], tuple[float, list[float]]]

pytestmark = needs_java
PAIR = ("a man is riding a horse", "the man rode on horses")
SECONDS = 120


@pytest.fixture(scope="module")
def theirs() -> Iterator[Theirs]:
    """Corpus and caption values of pycocoevalcap's Meteor, which can hang: ended after a while."""
    from pycocoevalcap.meteor.meteor import Meteor

    with java_on_path():
        scorer = Meteor()

    def compute(items: Items) -> tuple[float, list[float]]:
        timer = threading.Timer(SECONDS, scorer.meteor_p.kill)
        timer.start()
        pairs = [(candidate, references) for candidates, references in items for candidate in candidates]
        gts = {i: references for i, (_, references) in enumerate(pairs)}
        try:
            return scorer.compute_score(gts, {i: [candidate] for i, (candidate, _) in enumerate(pairs)})
        finally:
            timer.cancel()

    yield compute
    scorer.meteor_p.kill()
    if scorer.lock.locked():  # it keeps its lock after an error, and would wait for it when deleted
        scorer.lock.release()


def ours(items: Items) -> tuple[float, np.ndarray]:
    """Corpus and caption values: the first of the best references, statistics summed."""
    pairs = [
        (candidate, reference)
        for candidates, references in items
        for candidate in candidates
        for reference in references
    ]
    rows, best = statistics(pairs), []
    for candidates, references in items:
        for _ in candidates:
            block, rows = rows[: len(references)], rows[len(references) :]
            best.append(block[score(block).argmax()])
    return float(score(np.sum(best, axis=0))), score(np.array(best))


def check(theirs: Theirs, items: Items) -> None:
    corpus, captions = theirs(items)
    own_corpus, own_captions = ours(items)
    np.testing.assert_allclose(own_captions, captions, rtol=0, atol=1e-6)
    assert own_corpus == pytest.approx(corpus, abs=1e-6)


def by_jar(pairs: list[Pair], reasons: dict[int, str] | None = None, **hooks: Any) -> np.ndarray:
    return statistics(pairs, reasons=reasons, route="jar", **hooks)


def joined(texts: list[str]) -> list[str]:
    return [" ".join(found) for found in tokenize(texts)]


def test_own_captions_equal_the_coco_evaluation(theirs: Theirs) -> None:
    check(theirs, list(zip(CANDIDATES, REFERENCES)))


def test_captions_that_match_in_one_piece_add_no_fragments_to_the_corpus(theirs: Theirs) -> None:
    check(theirs, [(["a red bus"], ["a red bus"]), (["the red bus stops here"], ["a bus that is red stops"])])


def test_of_references_that_tie_the_first_counts_towards_the_corpus(theirs: Theirs) -> None:
    tied = ["dogs run fast", "dogs run very fast and far", "nothing at all of it here"]
    other = (["a red bus on the road"], ["the red bus on a street"])
    check(theirs, [(["a cat sat"], tied), other])
    check(theirs, [(["a cat sat"], tied[::-1]), other])
    assert ours([(["a cat sat"], tied), other])[0] != ours([(["a cat sat"], tied[::-1]), other])[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_CANDIDATES)
def test_real_captions_equal_the_coco_evaluation(name: str, theirs: Theirs) -> None:
    found = list(sides(realdata(name)))[:60]
    check(theirs, [(joined(candidates[:1]), joined(references[:5])) for candidates, references in found])


@pytest.mark.slow
def test_published_value_of_the_coco_demo() -> None:
    items = [(joined(c), joined(r)) for c, r in sides(realdata("coco_fakecap_1000.jsonl"))]
    assert round(ours(items)[0], 3) == 0.195


@pytest.mark.parametrize("route", ["compiled", "jar"])
def test_odd_captions_are_scored_in_their_place(route: Route) -> None:
    texts = [
        "a ||| b",
        "|||",
        "||||| |",
        "line\nbreak\r\u2028\u0085x",
        "\ud800 lone",
        "",
        "  ",
        "\u4e2d\u6587 \U0001f600",
    ]
    texts += ["\x00 \x1c \x7f", "EVAL ||| SCORE", "a|b||c", "\ufeff\u200b", "$1 \\n %s {0}", "a " * 300]
    pairs = [(text, "a man") for text in texts] + [("a man", text) for text in texts] + [PAIR]
    reasons: dict[int, str] = {}
    rows = statistics(pairs, reasons=reasons, route=route)
    assert reasons == {}
    assert rows.shape == (len(pairs), STATISTICS)
    np.testing.assert_array_equal(rows[-1], statistics([PAIR], route=route)[0])
    assert score(statistics([("a ||| b", "a ||| b")], route=route))[0] == 1
    assert score(rows[5:7]).tolist() == [0, 0]


def test_texts_beyond_the_cap_are_refused_with_a_reason() -> None:
    reasons: dict[int, str] = {}
    rows = statistics([PAIR, ("word " * 1_001, "a"), PAIR], reasons=reasons)
    assert reasons == {1: "1,001 words: METEOR is not computed above 1,000"}
    assert np.isnan(rows[1]).all()
    assert np.isnan(score(rows)).tolist() == [False, True, False]


def test_score_has_the_shape_of_its_statistics() -> None:
    rows = statistics([PAIR, PAIR, ("a", "b")])
    assert score(rows.reshape(3, 1, STATISTICS)).shape == (3, 1)
    assert score(rows[0]).shape == ()
    assert score(np.zeros(STATISTICS)) == 0
    np.testing.assert_array_equal(rows[0], rows[1])


def test_nothing_to_score() -> None:
    assert statistics([]).shape == (0, STATISTICS)


def test_killed_in_the_middle_it_goes_on() -> None:
    pairs = [(f"a man number {k} rides a horse", f"the man {k} is riding") for k in range(6_000)]
    expected = by_jar(pairs[-500:])
    first = jar._program.pid
    assert first is not None
    seen: list[int] = []

    def kill_once(done: int, of: int) -> None:
        seen.append(done)
        if len(seen) == 1:
            threading.Timer(0.05, os.kill, (first, signal.SIGKILL)).start()

    reasons: dict[int, str] = {}
    rows = by_jar(pairs, reasons, progress=kill_once)
    assert jar._program.pid not in (None, first)
    assert reasons == {}
    assert not np.isnan(rows).any()
    assert seen[-1] == len(pairs)
    np.testing.assert_array_equal(rows[-500:], expected)


# Answers zeros to every line, but ends at a line that holds `boom` and answers nonsense to `what`: a shell stands for
# the jar, since no caption is known that ends the real one.
SHELL = """while read -r line; do case "$line" in *boom*) exit 3;; *what*) echo what;; *) echo %s;; esac; done""" % (
    "0.0 " * STATISTICS
)


@pytest.mark.skipif(not os.path.exists("/bin/sh"), reason="needs a shell")
def test_a_pair_that_ends_the_program_is_isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics.text.java.java_path", lambda: "/bin/sh")
    program = JavaProgram(jar.METEOR_JAR, [], lambda path: [])
    monkeypatch.setattr(program, "_options", ["-c", SHELL])
    monkeypatch.setattr(jar, "_program", program)
    texts = ["a", "boom", "b", "what", "c", "boom too", "d"]
    reasons: dict[int, str] = {}
    rows = by_jar([(text, "x") for text in texts], reasons)
    program.close()
    assert np.isnan(rows[:, 0]).tolist() == [False, True, False, True, False, True, False]
    assert reasons[1] == "METEOR failed at this pair: the Java program ended, code 3"
    assert reasons[3] == "METEOR answered 'what'"
    assert reasons.keys() == {1, 3, 5}


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no way to make a program hang here")
def test_a_pair_that_takes_for_ever_is_isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    by_jar([PAIR])
    pid = jar._program.pid
    assert pid is not None
    monkeypatch.setattr(jar, "SECONDS_PER_BATCH", 2.0)
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)  # a busy machine takes a moment to stop it
    reasons: dict[int, str] = {}
    started = time.monotonic()
    rows = by_jar([("the first", "hangs"), PAIR], reasons)
    assert time.monotonic() - started < 70
    assert reasons == {0: "METEOR failed at this pair: no answer within 2 s"}
    assert not np.isnan(rows[1]).any()


@pytest.mark.parametrize("route", ["compiled", "jar"])
def test_it_stops_when_asked(route: Route) -> None:
    with pytest.raises(Cancelled):
        statistics([PAIR], should_stop=lambda: True, route=route)
