"""Test that columns of tables without any other meaning become metadata of the items, or cause a finding."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.formats.columns.metadata import MOST_COLUMNS
from data.load import Loaded, load_study
from metrics.analysis.slices.groups import slices

SHEET = b"""id,caption,video_id,split,n,code,mood,url
1,a dog,v1,test,3,007,sad,http://x/1?a=b
1,a dog runs,v1,test,3,007,glad,http://x/1?a=b
2,a cat,v1,test,4.5,008,x,
3,a cat sits,v2,test,,009,x,http://x/3
"""


def columns(loaded: Loaded, code: str) -> str:
    return next((one.problem.partition(": ")[2] for one in loaded.findings if one.code == code), "")


def metadata(loaded: Loaded) -> list[dict[str, Any]]:
    assert loaded.study is not None
    return [dict(item.metadata) for item in loaded.study.items]


def parquet(**of: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(of), out)
    return out.getvalue()


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_columns_that_are_the_same_within_an_item_are_its_metadata(mark: str) -> None:
    loaded = load_study([("x.csv", SHEET.replace(b",", mark.encode()))])
    assert metadata(loaded) == [
        {"video_id": "v1", "split": "test", "n": 3.0, "code": "007", "url": "http://x/1?a=b"},
        {"video_id": "v1", "split": "test", "n": 4.5, "code": "008"},
        {"video_id": "v2", "split": "test", "code": "009", "url": "http://x/3"},
    ]
    assert columns(loaded, "metadata_columns") == "video_id, split, n, code, url."
    assert columns(loaded, "ignored_columns") == "mood."


def test_a_parquet_file_gives_numbers_and_no_lists() -> None:
    said = parquet(id=["1", "2"], caption=["a dog", "b"], scene=[3, 3], box=[[1, 2], [3]], none=[None, None])
    loaded = load_study([("x.parquet", said)])
    assert metadata(loaded) == [{"scene": 3}, {"scene": 3}]
    assert columns(loaded, "ignored_columns") == "box, none."


def test_a_column_of_a_table_is_a_field_of_clusters_and_of_slices() -> None:
    rows = [f"{k},a dog {k},a person {k},v{k // 2},{k % 3}" for k in range(40)]
    loaded = load_study([("x.csv", "\n".join(["id,candidate,reference,video_id,rooms", *rows]).encode())])
    assert loaded.study is not None
    assert loaded.study.unit is not None
    assert int(loaded.study.unit.max()) == 19
    found = slices(loaded.study, range(40), 5, [float("nan")] * 40, with_words=False)  # type: ignore[arg-type]
    assert [one.key for one in found] == ["field:rooms:0", "field:rooms:1", "field:rooms:2"]


def test_the_bytes_of_a_picture_are_no_metadata() -> None:
    """Inspect stores the pictures of its messages in each sample; a picture may be shorter than a long text."""
    picture = {"5f": "data:image/png;base64,iVBORw0K"}
    rows = [{"id": k, "output": f"a dog {k}", "domain": "near", "attachments": picture} for k in (1, 2)]
    content = "\n".join(map(json.dumps, rows)).encode()
    loaded = load_study([("log.jsonl", content)])
    assert metadata(loaded) == [{"domain": "near"}] * 2
    assert columns(loaded, "ignored_columns") == "attachments.5f."


def test_columns_that_differ_between_tables_tell_of_captions() -> None:
    one, other = (f"id,caption,speed,scene\n1,a {n},{n},s\n2,b {n},7,s\n".encode() for n in (1, 2))
    loaded = load_study([("one.csv", one), ("other.csv", other)])
    assert metadata(loaded) == [{"scene": "s"}, {"scene": "s"}]
    assert columns(loaded, "differing_columns") == "speed."


def test_misspelt_long_and_very_many_columns_are_named_and_not_used() -> None:
    names = [f"extra {k}" for k in range(MOST_COLUMNS + 20)]
    rows = [f"{k},a dog,?,{'x' * 1_001},{','.join('1' for _ in names)}" for k in range(2)]
    loaded = load_study([("x.csv", "\n".join([f"id,caption,refrence,story,{','.join(names)}", *rows]).encode())])
    assert all(len(of) == MOST_COLUMNS - 1 for of in metadata(loaded))
    assert columns(loaded, "misspelt_columns") == "refrence."
    assert columns(loaded, "ignored_columns").startswith("story, extra 49, extra 50")
    assert "(22 in all)" in columns(loaded, "ignored_columns")


def test_an_article_is_kept_whole_and_the_bytes_of_a_picture_are_not() -> None:
    article, picture = "The council met on Monday. " * 200, "iVBORw0KGgo" * 400
    records = [{"id": k, "article": f"{k}: {article}", "thumb": picture, "summary": f"it met {k}"} for k in range(3)]
    loaded = load_study([("x.json", json.dumps(records).encode())])
    assert [of["article"] for of in metadata(loaded)] == [f"{k}: {article}".strip() for k in range(3)]
    assert columns(loaded, "ignored_columns") == "thumb."


def test_scores_that_are_no_column_with_a_role_are_read_from_a_file_of_their_own() -> None:
    """The finding about columns without a role proposes a file of scores, with columns id, run, and one for each
    metric.
    """
    captions = b"id,run,caption\n" + b"".join(b"i%d,a,a red dog number %d\n" % (k, k) for k in range(4))
    own = b"id,run,my_score\n" + b"".join(b"i%d,a,0.%d\n" % (k, k) for k in range(4))
    loaded = load_study([("captions.csv", captions), ("scores.csv", own)])
    assert loaded.study is not None
    assert [one.name for one in loaded.study.scores] == ["my_score"]


@pytest.mark.parametrize("known", [True, False])
def test_findings_of_a_wide_file_are_short_and_begin_with_what_was_read(known: bool) -> None:
    """Not counting the map that it proposes, a finding has at most three lines of 120 characters."""
    others = [f"a rather long name of a column, number {k}" for k in range(30)]
    rows = [
        {
            "id": k,
            ("caption" if known else "line"): f"a dog runs along {k}",
            ("reference" if known else "row"): f"two dogs {k}",
        }
        | {name: f"{k % 2} or {n}" for n, name in enumerate(others)}
        for k in range(4)
    ]
    found = [one for one in load_study(("m.json", json.dumps(rows).encode())).findings if one.file == "m.json"]
    assert next(one.code for one in found if one.severity == ("note" if known else "error")) == (
        "fields_mapped" if known else "no_columns"
    )
    for one in found:
        assert len(f"{one.problem} {one.repair.partition('--map id=')[0]}") <= 360, one.code
