"""Test scores from Python: plain captions as input, the table of the command line, and errors that name the place."""

from __future__ import annotations

import ast
import doctest
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import metrics
from data.convert import write_jsonl
from data.load import load_study
from data.study import DataError
from metrics import METRICS, ItemMetric, Undefined, notebook, resolve, score, study
from metrics.base import Metric
from tests.command_line import trilens
from tests.studies import study as random_study

ROOT = Path(__file__).parents[2]
PEOPLE = {"a": ["one dog runs", "the dog runs"], "b": ["a kite", "the red kite"]}


def test_the_examples_run() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = doctest.testmod(notebook)
    assert found.attempted >= 7
    assert found.failed == 0


@pytest.mark.parametrize("level", ["corpus", "item", "candidate"])
def test_the_same_numbers_as_the_command_line(level: Any, tmp_path: Path) -> None:
    of, names = random_study(items=7, runs=2), "trm_bow,mmd_bow(bandwidth=1),bleu_4,distinct_2,consensus_bleu_4"
    write_jsonl(of, tmp_path / "study.jsonl")
    asked = ["--metrics", names, "--tokenizer", "whitespace", "--p-values", "--level", level, "--no-cache"]
    trilens("score", tmp_path / "study.jsonl", *asked, "--out", tmp_path / "s.parquet")
    table = score(
        {item.id: item.references for item in of.items},
        {run.name: run.candidates for run in of.runs},
        ["trm_bow", "mmd_bow(bandwidth=1)", "bleu_4", "distinct_2", "consensus_bleu_4"],
        tokenizer="whitespace",
        p_values=True,
        level=level,
        cache=None,
    )
    wanted = pd.read_parquet(tmp_path / "s.parquet")
    settings = ["dataset", "model", "temperature"]  # only files state these
    assert len(table) == len(wanted) > 3
    pd.testing.assert_frame_equal(
        table.drop(columns=settings), wanted.drop(columns=settings), rtol=0, atol=0, check_dtype=False
    )


def test_one_run_many_runs_lists_and_mappings_are_one_study() -> None:
    said = {"a": ["dogs", "a dog"], "b": ["kites", "one kite"]}
    of = study(PEOPLE, {"candidates": said})
    assert study(PEOPLE, said) == of
    listed = study(list(PEOPLE.values()), list(said.values()))
    assert [item.references for item in listed.items] == [item.references for item in of.items]
    assert [item.id for item in listed.items] == ["1", "2"]
    assert list(listed.runs[0].candidates.values()) == list(of.runs[0].candidates.values())
    assert study({1: ["x", "y"]}, {1: "z"}).runs[0].candidates == {"1": ("z",)}, "a text stands for a list of one"


@pytest.mark.parametrize(
    ("people", "said", "why"),
    [
        (PEOPLE, {"m": {"a": ["x"]}}, "the run 'm' has no candidates for item 'b'; the references have 2 items"),
        (PEOPLE, {"m": {"a": "x", "b": "y", "c": "z"}}, "the run 'm' has candidates for item 'c', for which"),
        (PEOPLE, {"m": {"a": 3, "b": "y"}}, "the run 'm', item 'a': 3 is neither a caption nor a list of captions"),
        (PEOPLE, {"m": {"a": ["x", None], "b": "y"}}, "the run 'm', item 'a'"),
        (PEOPLE, {"m": "a dog"}, "the run 'm': give a mapping of ids to captions, or a list"),
        (PEOPLE, {}, "there are no candidates"),
        ([], ["x"], "the references: there are no items"),
        ("a dog", ["x"], "the references: give a mapping of ids"),
        ([["x", "y"]], {"m": ["a", "b"]}, "the run 'm' has candidates for item '2'"),
        ({1: ["x"], "1": ["y"]}, {"m": ["z"]}, "two ids are the same text"),
    ],
)
def test_what_cannot_be_a_study_is_said_with_its_place(people: Any, said: Any, why: str) -> None:
    with pytest.raises(DataError) as error:
        study(people, said)
    assert why in str(error.value)


def test_a_study_is_scored_as_it_is() -> None:
    people, said = {"1": ["a dog", "the dog"], "2": ["a cat", "one cat"]}, {"a": {"1": ["dog"], "2": ["cat"]}}
    of = study(people, said)
    assert study(of) is of
    pd.testing.assert_frame_equal(
        score(of, metrics=["bleu_1"], cache=None), score(people, said, ["bleu_1"], cache=None)
    )
    with pytest.raises(DataError, match="has its runs"):
        score(of, said, ["bleu_1"])


def test_what_is_found_in_captions_is_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"fewer than two references.*item a"):
        study({"a": ["one"], "b": ["x", "y"]}, {"m": {"a": ["z"], "b": ["w"]}})


@pytest.mark.parametrize("call", [study, lambda people, runs: score(people, runs, ["bleu_1"], cache=None)])
def test_a_warning_names_the_line_that_called(call: Any) -> None:
    with pytest.warns(UserWarning, match="fewer than two references") as told:
        call({"a": ["one dog"]}, {"m": {"a": ["dog", "a dog"]}})
    assert {Path(one.filename) for one in told} == {Path(__file__)}


def test_names_of_metrics_may_be_one_text_as_on_the_command_line() -> None:
    said, settings = {"m": {"a": ["dogs run"], "b": ["a kite", "kites"]}}, {"tokenizer": "whitespace", "cache": None}
    listed = score(PEOPLE, said, ["bleu_1", "mmd_bow(bandwidth=1,biased=true)"], **settings)  # type: ignore[arg-type]
    named = score(PEOPLE, said, "bleu_1, mmd_bow(bandwidth=1,biased=true)", **settings)  # type: ignore[arg-type]
    assert len(listed) == 2
    pd.testing.assert_frame_equal(named, listed)


def test_metrics_that_do_not_exist_are_a_sentence() -> None:
    with pytest.raises(ValueError, match="did you mean bleu_4"):
        score(PEOPLE, PEOPLE, ["bleu_44"], cache=None)


def test_a_metric_may_be_given_as_it_is(tmp_path: Path) -> None:
    said = {"a": ["dogs", "a dog"], "b": ["kites", "one kite"]}
    (metric,) = resolve(["distinct_2"], "whitespace")
    by_name = score(PEOPLE, said, "distinct_2", tokenizer="whitespace", cache=tmp_path)
    pd.testing.assert_frame_equal(score(PEOPLE, said, [metric], cache=tmp_path), by_name)
    assert any(tmp_path.rglob("*.npz"))


def test_the_package_names_what_notebooks_and_plugins_need() -> None:
    assert issubclass(ItemMetric, Metric)
    assert issubclass(Undefined, ValueError)
    assert METRICS["bleu_4"].name == "bleu_4"
    for name in metrics.__all__:
        assert getattr(metrics, name) is not None
    with pytest.raises(AttributeError, match="'nothing'"):
        metrics.nothing  # noqa: B018
    alone = "import sys, metrics.mathematics.arrays; assert 'metrics.registry' not in sys.modules"
    subprocess.run([sys.executable, "-c", alone], cwd=ROOT, check=True)


BY_PEOPLE = {"1.jpg": ["a dog runs", "the dog"], "2.jpg": ["a red kite", "a kite"], "3.jpg": ["two cats", "cats nap"]}
BY_A_RUN = {"1.jpg": ["dogs run"], "2.jpg": ["one kite flies"], "3.jpg": ["cats rest"]}


def tables(of: dict[str, list[str]], field: str) -> dict[str, Any]:
    rows = [{"image_id": id, field: text} for id, texts in reversed(of.items()) for text in texts]
    columns = {"image_id": [row["image_id"] for row in rows], field: [row[field] for row in rows]}
    return {"frame": pd.DataFrame(rows), "records": rows, "columns": columns, "mapping": of}


@pytest.mark.parametrize("kind", ["frame", "records", "columns", "mapping"])
def test_candidates_and_references_may_be_tables(kind: str) -> None:
    plain = study(BY_PEOPLE, {"git": BY_A_RUN})
    for known in tables(BY_PEOPLE, "caption").values():
        given = tables(BY_A_RUN, "prediction")[kind]
        one, named = study(known, given), study(known, {"git": given, "blip": {id: ["a thing"] for id in BY_A_RUN}})
        for made, runs in ((one, ["candidates"]), (named, ["git", "blip"])):
            assert [run.name for run in made.runs] == runs
            assert {item.id: sorted(item.references) for item in made.items} == {
                item.id: sorted(item.references) for item in plain.items
            }
            assert dict(made.runs[0].candidates) == dict(plain.runs[0].candidates)


def test_files_are_read_as_commands_read_them(tmp_path: Path) -> None:
    people, said = tmp_path / "people.json", tmp_path / "small T0.7.jsonl"
    people.write_text(json.dumps({"1": ["a dog runs", "one dog"], "2": ["a red kite", "the kite"]}))
    said.write_text('{"id": 1, "prediction": "dogs"}\n{"id": 2, "prediction": "kites"}\n')
    table = score([str(said), people], metrics=["bleu_1"], tokenizer="whitespace", cache=None)
    assert (table.run.tolist(), table.temperature.tolist(), table.n.tolist()) == (["small T0.7"], [0.7], [2])
    assert study([people, said]).items == load_study([said, people]).study.items  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["log.eval", "rows.jsonlines", "rows"])
def test_a_list_of_files_is_read_whatever_their_endings(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"id": 1, "prediction": "a dog", "reference": "the dog"}\n')
    for given in ([str(tmp_path / name)], str(tmp_path)):
        made = study(given)
        assert [(one.id, one.references) for one in made.items] == [("1", ("the dog",))]


def test_a_single_item_may_have_the_name_of_a_field() -> None:
    (item,) = study({"image": ["a dog", "the dog"]}, {"image": ["one dog"]}).items
    assert (item.id, item.references) == ("image", ("a dog", "the dog"))


@pytest.mark.parametrize(
    ("people", "said", "why"),
    [
        ([{"image_id": 1, "width": 2}], BY_A_RUN, "the references hold no captions"),
        ([{"image_id": f"{k}.jpg", "width": k} for k in (1, 2, 3)], BY_A_RUN, "the references hold no captions"),
        (BY_PEOPLE, [{"image_id": "x.jpg", "caption": "a dog"}], "describes none of the items"),
        (pd.DataFrame(), BY_A_RUN, "give a DataFrame"),
        ("refs.csv", BY_A_RUN, "names of all files as one list"),
        (BY_PEOPLE, {"a": "a.json", "b": "b.json"}, "names of all files as one list"),
        (7, None, "or names of files"),
    ],
)
def test_tables_that_cannot_be_a_study_are_refused(people: Any, said: Any, why: str) -> None:
    with pytest.raises(DataError, match=why):
        study(people, said)


CLIPS = pd.DataFrame(
    {
        "clip": ["a", "b", "c"],
        "hyp": ["a dog runs on sand", "two cups on a table", "a red bike"],
        "r1": ["one dog runs", "cups stand on wood", "a bicycle in red"],
        "r2": ["the dog runs", "two white cups", "the red bike"],
    }
)


def scored(given: Any, **roles: Any) -> pd.DataFrame:
    return score(given, metrics=["bleu_1"], tokenizer="whitespace", cache=None, **roles)


@pytest.mark.parametrize(
    "roles",
    ["id=clip,candidates=hyp,references=r1+r2", {"id": "clip", "candidates": "hyp", "references": ["r1", "r2"]}],
)
def test_a_map_says_which_field_is_what(roles: Any, tmp_path: Path) -> None:
    """The number equals that of the command line, which accepts the same text."""
    CLIPS.to_csv(tmp_path / "notebook.csv", index=False)
    asked = ["--map", "id=clip,candidates=hyp,references=r1+r2", "--metrics", "bleu_1", "--tokenizer", "whitespace"]
    out = tmp_path / "s.csv"
    trilens("score", tmp_path / "notebook.csv", *asked, "--no-cache", "--out", out)
    (wanted,), (found,) = pd.read_csv(out).value, scored(CLIPS, map=roles).value
    assert found == pytest.approx(wanted, abs=1e-9)
    made = study(CLIPS, map=roles)
    assert [(item.id, item.references) for item in made.items][:1] == [("a", ("one dog runs", "the dog runs"))]
    assert dict(made.runs[0].candidates) == {id: (text,) for id, text in zip(CLIPS["clip"], CLIPS.hyp)}


def test_a_warning_names_the_map_that_mends_it() -> None:
    with pytest.warns(UserWarning, match="people wrote them") as told:
        assert scored(CLIPS).value.isna().all()
    (said,) = (str(one.message) for one in told if "people wrote them" in str(one.message))
    of_people, of_runs = map(ast.literal_eval, re.findall(r"map=('[^']*')", said))
    assert [item.references for item in study(CLIPS, map=of_people).items] == [*zip(CLIPS.r1, CLIPS.r2)]
    told = {text for run in study(CLIPS, map=of_runs).runs for of in run.candidates.values() for text in of}
    assert told == {*CLIPS.hyp, *CLIPS.r1, *CLIPS.r2}


def test_tables_by_name_and_files_without_an_ending_are_read_like_files(tmp_path: Path) -> None:
    people = pd.DataFrame({"image": CLIPS["clip"], "caption_1": CLIPS.r1, "caption_2": CLIPS.r2})
    said = pd.DataFrame({"image": CLIPS["clip"], "caption": CLIPS.hyp})
    made = study({"references": people, "blip": said})
    assert [item.references for item in made.items] == [*zip(CLIPS.r1, CLIPS.r2)]
    assert [run.name for run in made.runs] == ["blip"]
    (tmp_path / "clips").write_text(people.assign(prediction=CLIPS.hyp).to_json(orient="records"), encoding="utf-8")
    assert study(str(tmp_path / "clips")).items == made.items


def test_a_caption_that_is_no_text_is_left_out_with_a_warning_as_by_the_command_line(tmp_path: Path) -> None:
    gap = CLIPS.assign(hyp=[CLIPS.hyp[0], float("nan"), CLIPS.hyp[2]])
    roles = "id=clip,candidates=hyp,references=r1+r2"
    with pytest.warns(UserWarning, match="A candidate is NaN, not text"):
        made = study(gap, map=roles)
    gap.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    (tmp_path / "x.jsonl").write_text((tmp_path / "x.jsonl").read_text(encoding="utf-8").replace("null", "NaN"))
    assert [item.id for item in made.items] == ["a", "c"]
    assert "2 items" in trilens("check", tmp_path / "x.jsonl", "--map", roles).stdout


def test_a_map_of_candidates_and_references_in_tables_of_their_own() -> None:
    people, said = CLIPS.rename(columns={"r1": "first", "r2": "second"}), CLIPS[["clip", "hyp"]]
    made = study(people.drop(columns="hyp"), said, map="id=clip,references=first+second")
    assert [item.references for item in made.items] == [*zip(CLIPS.r1, CLIPS.r2)]


@pytest.mark.parametrize(
    ("roles", "why"),
    [
        ("clip", "clip: write ROLE=FIELD, with one of the roles id, candidates"),
        ({"caption": "hyp"}, "caption=hyp: write ROLE=FIELD"),
        ({"candidates": []}, "candidates: write ROLE=FIELD"),
        ("run=hyp+r1", "run=hyp.r1: a caption has one run"),
        ("id=clips,candidates=hyp", "no file with all of the fields called clips, hyp. Choose one of: clip, hyp, r1"),
    ],
)
def test_a_map_that_names_nothing_is_refused(roles: Any, why: str) -> None:
    with pytest.raises(DataError, match=why):
        study(CLIPS, map=roles)


def test_a_study_takes_no_map() -> None:
    with pytest.raises(DataError, match="give no map"):
        study(study(PEOPLE, PEOPLE), map="id=clip")
