"""Test that METEOR equals the COCO evaluation, and that odd captions or a crash of its jar affect no other pairs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.progress import Cancelled
from metrics.registry import resolve
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
    """Yield a function that returns corpus and caption values of pycocoevalcap's Meteor, and ends it if it hangs."""
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
    """Return corpus and caption values, from the first of equally good references and from summed statistics."""
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


def check(theirs: Theirs, items: Items) -> tuple[float, list[float]]:
    """Check that our scores equal those of the COCO evaluation; return the latter."""
    corpus, captions = theirs(items)
    own_corpus, own_captions = ours(items)
    np.testing.assert_allclose(own_captions, captions, rtol=0, atol=1e-6)
    assert own_corpus == pytest.approx(corpus, abs=1e-6)
    return corpus, captions


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
    """The engine's corpus value is that of COCO's code, and its value of an item is the mean over the item's
    captions.
    """
    found = [(candidates[:2], references[:5]) for candidates, references in list(sides(realdata(name)))[:40]]
    corpus, captions = check(theirs, [(joined(candidates), joined(references)) for candidates, references in found])
    items = tuple(Item(str(k), tuple(references)) for k, (_, references) in enumerate(found))
    run = Run("real", "real", Settings(), {str(k): tuple(candidates) for k, (candidates, _) in enumerate(found)})
    study = Study("real", items, (run,))
    result = scoring.score(study, resolve(["meteor"]), Options(p_values=False), Cache(None))["real", "meteor"]
    assert result.corpus == pytest.approx(corpus, abs=1e-6)
    ends = np.cumsum([len(candidates) for candidates, _ in found])[:-1]
    np.testing.assert_allclose(result.items, [part.mean() for part in np.split(captions, ends)], atol=1e-6)


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


# This shell replaces the jar, which takes seconds to start and which no known caption ends. It answers the length of
# every line and zeros; it ends at a line with `boom` and at the first with `once`, answers nonsense to `what`, and
# stops at `hangs`.
SHELL = """while read -r line; do case "$line" in
*boom*) exit 3;; *once*) if mkdir "$0" 2>/dev/null; then kill -9 $$; fi; echo 0 %s;; *what*) echo what;;
*hangs*) kill -STOP $$;; *) echo ${#line} %s;; esac; done""" % ((" ".join(["0.0"] * (STATISTICS - 1)),) * 2)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JavaProgram]:
    if not os.path.exists("/bin/sh"):
        pytest.skip("needs a shell")
    monkeypatch.setattr("metrics.text.java.java_path", lambda: "/bin/sh")
    program = JavaProgram(jar.METEOR_JAR, [], lambda path: [])
    once = tmp_path / "once"
    monkeypatch.setattr(program, "_options", ["-c", SHELL, str(once)])
    monkeypatch.setattr(jar, "_program", program)
    yield program
    program.close()


def test_killed_in_the_middle_it_goes_on(shell: JavaProgram) -> None:
    texts = [f"{k}{'x' * (k % 50)}" for k in range(6_000)]
    texts[5_000] = "once"
    reasons: dict[int, str] = {}
    seen: list[tuple[int, int]] = []
    rows = by_jar([(text, "y") for text in texts], reasons, progress=lambda *of: seen.append(of))
    assert shell.starts == 2
    assert reasons == {}
    assert seen[-1] == (6_000, 6_000)
    lengths = [0 if text == "once" else len(f"SCORE ||| y ||| {text}") for text in texts]
    assert rows[:, 0].tolist() == lengths


def test_a_pair_that_ends_the_program_is_isolated(shell: JavaProgram) -> None:
    texts = ["a", "boom", "b", "what", "c", "boom too", "d"]
    reasons: dict[int, str] = {}
    rows = by_jar([(text, "x") for text in texts], reasons)
    assert np.isnan(rows[:, 0]).tolist() == [False, True, False, True, False, True, False]
    assert reasons[1] == "METEOR failed on this pair: the Java program ended with code 3"
    assert reasons[3] == "METEOR answered 'what'"
    assert reasons.keys() == {1, 3, 5}


def test_a_pair_that_takes_for_ever_is_isolated(shell: JavaProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    by_jar([PAIR])  # a program that has to start first is given more time
    monkeypatch.setattr(jar, "SECONDS_PER_BATCH", 1.0)
    reasons: dict[int, str] = {}
    rows = by_jar([("the first", "hangs"), PAIR], reasons)
    assert reasons == {0: "METEOR failed on this pair: no answer within 1 s"}
    assert not np.isnan(rows[1]).any()


@pytest.mark.parametrize("route", ["compiled", "jar"])
def test_it_stops_when_asked(route: Route) -> None:
    with pytest.raises(Cancelled):
        statistics([PAIR], should_stop=lambda: True, route=route)
