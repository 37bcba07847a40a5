"""Test that `trilens unique-correct` gives the numbers of its page."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Item, Study
from figures.unique_correct import words as unique_correct_words
from metrics.analysis.unique_correct import experiment
from metrics.analysis.unique_correct.variance_shares import variance_shares
from metrics.cache.disk import Cache
from metrics.registry import TRMS
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=7, references=9, runs=1)
TRM = TRMS["bag of words"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    return tmp_path / "study.jsonl"


run = partial(trilens, "unique-correct")


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_sentence_and_cells_are_those_of_the_experiment(file, tmp_path, ending):
    out = tmp_path / f"cells.{ending}"
    asked = ("--distance", "bow", "--size", 3, "--held", 4, "--repeats", 2, "--seed", 5)
    done = run(file, *asked, "--out", out)
    found = variance_shares(experiment.experiment(STUDY, experiment.Design(3, 4, 2, 5), TRM, Cache(None)), TRM, STUDY)
    assert "".join(unique_correct_words.verdict(found)) in done.stderr
    assert "2 repeats each, seed 5; sets of 3 captions against 4 held-out captions by people" in done.stderr
    assert "(sign flips of the effects of each item, Holm over 4 tests)." in done.stderr
    read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[ending]
    table = read(out)
    for metric, surface in found.both:
        own = table[table.metric == metric.name]
        assert own[["correct", "unique"]].to_numpy().tolist() == found.experiment.cells.tolist()
        digits = 1e-15 if ending == "json" else 0  # JSON has fifteen decimals
        np.testing.assert_allclose(own.value, surface.mean, rtol=0, atol=digits)
        np.testing.assert_allclose(own.standard_error, surface.error, rtol=0, atol=digits)
        assert set(own.signature) == {metric.signature}


def test_the_papers_draw_is_asked_for_by_name_and_labelled(file, tmp_path):
    out = tmp_path / "cells.csv"
    asked = ("--distance", "bow", "--draw", "paper", "--size", 3, "--held", 4, "--repeats", 2)
    done = run(file, *asked, "--out", out)
    found = variance_shares(
        experiment.experiment(STUDY, experiment.Design(3, 4, 2, draw="paper"), TRM, Cache(None)), TRM, STUDY
    )
    assert "".join(unique_correct_words.verdict(found)) in done.stderr
    assert "The paper's draw with other sizes: sets of 3 captions, 4 held out." in done.stderr
    assert "The paper has sets of 10 against 10" in done.stderr
    own = pd.read_csv(out).query("metric == 'trm_bow'")
    assert own[["correct", "pool"]].to_numpy().tolist() == found.experiment.cells.tolist()
    assert own.value.tolist() == found.of_trm.mean.tolist()
    assert set(own.draw) == {"paper"}


def test_people_who_repeat_themselves_keep_their_items_and_are_named(tmp_path):
    """Three of an item's four captions are the same; the paper's draw uses all of them, but the even draw is
    impossible.
    """
    said = [Item(f"image {k}", (f"dog {k}", f"Dog {k}.", f"dog {k}!", f"two cats {k}")) for k in range(3)]
    write_jsonl(Study("repeats", tuple(said), ()), tmp_path / "repeats.jsonl")
    asked = (tmp_path / "repeats.jsonl", "--distance", "bow", "--size", 2, "--held", 2, "--no-cache")
    done = run(*asked, "--draw", "paper", "--out", tmp_path / "cells.csv")
    assert "n = 3 items" in done.stderr
    assert "Left out" not in done.stderr
    # Three of the six pairs of an item are equal.
    assert "of 2 captions by people for one item, 1.50 are different on average (75 %)" in done.stderr
    assert pd.read_csv(tmp_path / "cells.csv").people_different.tolist() == [1.5] * 12
    run(*asked, "--out", tmp_path / "first.csv")
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "cells.csv").read_bytes()
    even = run(*asked, "--draw", "even", expect=2)
    assert "take 4 distinct references; the most here is 2; another --draw may help" in even.output


def test_without_options_it_begins_as_the_page_does(file):
    design = experiment.default_design(experiment.distinct_references(STUDY), TRMS["CIDEr-D"])
    done = run(file)
    assert f"{design.repeats} repeats each, seed 0; sets of {design.size} captions against {design.references}" in (
        done.stderr
    )


def test_a_second_time_nothing_is_computed(file, monkeypatch):
    first = run(file, "--distance", "bow")
    monkeypatch.setattr(experiment, "experiment", lambda *given: pytest.fail("computed again"))
    assert run(file, "--distance", "bow").stdout == first.stdout


def test_cells_with_one_number_are_listed_alone(file, tmp_path):
    asked = (file, "--distance", "bow", "--size", 3, "--held", 3)
    whole, some = tmp_path / "whole.csv", tmp_path / "some.csv"
    for out, more in ((whole, ()), (some, ("--unique", 2))):
        run(*asked, *more, "--out", out)
    table = pd.read_csv(some)
    assert table.correct.tolist() == [*range(4)] * 2
    pd.testing.assert_frame_equal(table, pd.read_csv(whole).query("unique == 2").reset_index(drop=True))


def test_vectors_of_a_file_are_a_distance(file, tmp_path):
    """The cells are recomputed from cosines between the file's vectors."""
    texts = sorted({text for item in STUDY.items for text in item.references})
    vectors = np.random.default_rng(3).normal(size=(len(texts), 6)).astype(np.float32)
    np.savez(tmp_path / "clip.npz", texts=np.array(texts, dtype=str), vectors=vectors)
    asked = ("--distance", "clip", "--size", 2, "--held", 2, "--repeats", 1, "--out", tmp_path / "cells.csv")
    run(file, tmp_path / "clip.npz", *asked)
    unit = dict(zip(texts, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))
    design, pools = experiment.Design(2, 2, 1), experiment.distinct_references(STUDY)
    place = design.cells.tolist().index([2, 2])
    near = []
    for item in range(len(STUDY.items)):
        drawn = experiment.draw(pools, design, item, 0)
        own = [max(float(unit[text] @ unit[held]) for held in drawn.held_out) for text in drawn.candidates]
        near.append(drawn.copies[place] @ np.array(own) / 2)
    table = pd.read_csv(tmp_path / "cells.csv").query("metric == 'clip' and correct == 2 and unique == 2")
    assert table.value.tolist() == pytest.approx([np.mean(near)], abs=1e-6)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--distance", "bleu"], "there is no distance 'bleu'; there are"),
        (["--draw", "chan"], "'chan' is not one of 'even', 'paper'"),
        (["--size", 1], "Input should be greater than or equal to 2"),
        (["--held", 13], "13 is too many captions: choose 2 to 12; another --held may help"),
        (["--size", 12, "--held", 12], "sets of 12 against 12 take 24 distinct references; the most here is 9"),
        (["--size", 5, "--held", 5], "sets of 5 against 5 take 10 distinct references; the most here is 9"),
        (["--size", 3, "--held", 3, "--correct", 1, "--unique", 1], "sets of 3 have no such cell"),
        (["--repeats", 0], "Input should be greater than or equal to 1"),
        (["--out", "cells.xls"], "write to a .csv, .parquet or .json file"),
    ],
)
def test_a_wrong_request_is_said_with_what_is_right(file, more, said):
    done = run(file, *more, expect=2)
    assert said in " ".join(done.output.replace("│", " ").split())
