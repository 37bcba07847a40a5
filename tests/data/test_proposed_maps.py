"""Test that every `--map` that a finding proposes reads the file if it is copied into a shell."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from cli.file_options import columns_of
from data.load import Loaded, load_study
from data.records import Columns

SAID = ("a dog runs over the sand", "two cups stand on a table", "a woman repairs an old bicycle")
PEOPLE = ("there is a dog on the sand", "cups upon a table", "someone mends an old bicycle")
PROPOSING = ("no_columns", "unsure_fields", "fields_mapped", "references_left", "facts_alone")


def csv(*columns: str, sep: str = ",", cells: int = 1) -> bytes:
    header = sep.join(f'"{one}"' for one in columns)
    rows = [[f"x-{k}", *[f"{text} {n}" for n in range(cells)]] for k, text in enumerate(SAID)]
    return "\n".join([header, *map(sep.join, rows)]).encode()


def records(*columns: str) -> bytes:
    values = [(f"x-{k}", *texts) for k, texts in enumerate(zip(SAID, PEOPLE, SAID))]
    return json.dumps([dict(zip(columns, of)) for of in values]).encode()


def listed(*rows: Any) -> tuple[str, bytes]:
    return "all.json", json.dumps(rows).encode()


def chat(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "Tell"}, {"role": "assistant", "content": text}]


BOTH = list(zip(SAID, PEOPLE))
FILES: dict[str, tuple[str, bytes]] = {
    "a misspelt name": ("all.csv", csv("id", "captoin")),
    "unknown names": ("all.csv", csv("thing", "said")),
    "two columns of unknown names": ("all.csv", csv("thing", "first one", "second one", cells=2)),
    "names with blanks": ("all.csv", csv("image file", "Caption by hand")),
    "a name with a comma": ("all.csv", csv("thing", "said, at last", "said, at first", cells=2)),
    "a name with a plus": ("all.csv", csv("thing", "a+b", "c+d", cells=2)),
    "a name with brackets": listed(*({"id": k, "turn": [{"said": text}]} for k, text in enumerate(SAID))),
    "German": ("all.csv", csv("Bild", "Beschreibung", sep=";")),
    "records": ("all.json", records("doc_id", "filtered_resps", "target")),
    "records with blanks": ("all.json", records("image name", "generated text", "gold text")),
    "no id": listed(*({"predict": one, "label": of} for one, of in BOTH)),
    "no header": ("all.tsv", "\n".join(f"{k}.png\t{one}\t{of}" for k, (one, of) in enumerate(BOTH)).encode()),
    "a column for each run": ("all.csv", csv("id", "reference", "blip 2", "git, large", cells=3)),
    "a temperature named T": listed(
        *(
            {"image": f"{k}.jpg", "model": "git", "T": t, "text": f"{one} at {t}"}
            for k, one in enumerate(SAID)
            for t in (0.2, 0.7)
        )
    ),
    "columns of settings": listed(
        *({"image": f"{k}.jpg", "model": "git", "T=0.2": one, "T=0.7": of} for k, (one, of) in enumerate(BOTH))
    ),
    "columns of pictures": ("all.csv", "\n".join(["run,a.jpg,b.jpg,c.jpg", f"git,{','.join(SAID)}"]).encode()),
    "columns of languages": listed(
        *({"key": f"k{k}", "de": {"caption": [one]}, "en": {"caption": [of]}} for k, (one, of) in enumerate(BOTH))
    ),
    "records in lists of their own": (
        "all.json",
        json.dumps({"annotations": [[{"story": f"s{k}", "text": one}] for k, one in enumerate(SAID)]}).encode(),
    ),
    "chats": listed(*({"id": f"c{k}", "messages": chat(text)} for k, text in enumerate(SAID))),
}


def proposed(loaded: Loaded, *kinds: str) -> list[tuple[str, Columns]]:
    """Return the code of each finding that proposes a map, and the map as a shell would pass it to the command."""
    kinds = kinds or PROPOSING
    told = [(one.code, one.repair.rpartition("--map ")[2]) for one in loaded.findings if one.code in kinds]
    return [
        (code, columns_of(shlex.split(text)[0].removesuffix(".").removesuffix(",candidates=FIELD")))
        for code, text in told
    ]


def content(loaded: Loaded) -> Any:
    assert loaded.study is not None, loaded.findings
    runs = {run.name: dict(run.candidates) for run in loaded.study.runs}
    return [(item.id, item.references) for item in loaded.study.items], runs


@pytest.mark.parametrize("name", FILES)
def test_a_proposed_map_reads_the_file(name: str) -> None:
    loaded = load_study(FILES[name])
    maps = proposed(loaded)
    assert maps or loaded.study is not None, "neither read nor told how to read it"
    for code, columns in maps:
        again = load_study(FILES[name], columns=columns)
        assert not {"no_columns", "unknown_override"} & {one.code for one in again.findings}, columns
        if loaded.study is not None and code == "fields_mapped":
            assert content(again) == content(loaded)
        items, runs = content(again)
        said = {text for run in runs.values() for texts in run.values() for text in texts}
        assert said or any(references for _, references in items), "captions were read"


def test_a_file_taken_as_peoples_is_told_so_in_its_map() -> None:
    rows = [f"{k}.jpg,{text}" for k, both in enumerate(BOTH) for text in both]
    run = {f"{k}.jpg": text for k, text in enumerate(SAID)}
    given = [("captions.txt", "\n".join(["image_name,caption", *rows]).encode()), ("m.json", json.dumps(run).encode())]
    loaded = load_study(given)
    [(code, columns)] = proposed(loaded)
    assert code == "fields_mapped"
    assert columns == Columns(id=("image_name",), references=("caption",))
    assert content(load_study(given, columns=columns)) == content(loaded)
    assert loaded.fields["captions.txt"].roles == {"image_name": "id", "caption": "references"}


def test_runs_that_a_map_made_are_in_the_map_that_is_proposed() -> None:
    rows = [{"id": k, "text1": one, "text2": other, "gt": one} for k, (one, other) in enumerate(BOTH)]
    given = [("x.json", json.dumps(rows).encode())]
    loaded = load_study(given, columns=columns_of("id=id,candidates=text1,candidates=text2,references=gt"))
    [(_, columns)] = proposed(loaded)
    assert set(content(loaded)[1]) == {"text1", "text2"}
    assert content(load_study(given, columns=columns)) == content(loaded)


def test_columns_numbered_by_no_word_for_captions_are_proposed_as_runs() -> None:
    given = ("all.csv", csv("id", "v1", "v2", cells=2))
    [(_, columns)] = proposed(load_study(given))
    assert list(content(load_study(given, columns=columns))[1]) == ["v1", "v2"]


def test_all_runs_of_an_object_with_a_misspelt_name_are_proposed() -> None:
    rows = [
        {"image": k, "refrences": [of], "candiates": {"git": [one], "ofa": [one.upper()]}}
        for k, (one, of) in enumerate(BOTH)
    ]
    given = ("all.json", json.dumps(rows).encode())
    [(_, columns)] = proposed(load_study(given))
    items, runs = content(load_study(given, columns=columns))
    assert [references for _, references in items] == [(of,) for _, of in BOTH]
    assert {name: [*of.values()] for name, of in runs.items()} == {
        name: [(form(one),) for one in SAID] for name, form in (("git", str), ("ofa", str.upper))
    }


@pytest.mark.parametrize("each", [1, 2])
def test_a_map_of_records_does_not_reach_captions_by_id(each: int) -> None:
    rows = [{"id": f"k{k}", "caption": of} for k, of in enumerate(PEOPLE)]
    run = {f"k{k}": text if each == 1 else [text, text.upper()] for k, text in enumerate(SAID)}
    given = [("people.json", json.dumps(rows).encode()), ("git.json", json.dumps(run).encode())]
    items, runs = content(load_study(given, columns=columns_of("id=id,references=caption")))
    assert items == [(f"k{k}", (of,)) for k, of in enumerate(PEOPLE)]
    assert runs == {"git": {f"k{k}": (text, text.upper())[:each] for k, text in enumerate(SAID)}}


def test_a_language_in_the_map_is_the_only_one_that_is_read() -> None:
    rows = [
        {"image/key": str(k), "de": {"caption": [*both]}, "en": {"caption": both[0]}} for k, both in enumerate(BOTH)
    ]
    given = [("x.jsonl", "\n".join(map(json.dumps, rows)).encode())]
    loaded = load_study(given, columns=columns_of("id=image/key,references=de.caption"))
    assert content(loaded) == ([(str(k), both) for k, both in enumerate(BOTH)], {})


TOLD = tuple(f"{text}, and the light of the evening is low" for text in SAID)
THIRD = ("one dog runs on wet sand", "two white cups on this table", "a lady with her old bicycle")
QUESTION: dict[str, tuple[dict[str, tuple[str, ...]], set[str], set[str]]] = {
    "a source by its name": ({"src": PEOPLE, "gpt4": SAID, "llama": THIRD}, {"gpt4", "llama"}, set()),
    "a source by its words": ({"story": TOLD, "one": SAID, "two": THIRD}, {"one", "two"}, set()),
    "a prompt": ({"prompt": PEOPLE, "tuned_out": SAID, "base_out": THIRD}, {"tuned_out", "base_out"}, set()),
    "a name of captions beside another": (
        {"new model": SAID, "rewritten": THIRD, "reference": PEOPLE},
        {"new model", "rewritten"},
        {"reference"},
    ),
    "two names of captions": ({"text": SAID, "summary": THIRD}, {"text", "summary"}, set()),
    "the same name in two objects": ({"a.text": SAID, "b.text": PEOPLE, "c.text": THIRD}, {"a", "b", "c"}, set()),
    "labels beside sentences": ({"prediction": ("x", "y", "x"), "scene": SAID}, {"scene"}, set()),
    "texts of runs or of people": ({"generated text": SAID, "pegasus": THIRD}, {"generated text", "pegasus"}, set()),
}
"""For each field, its texts; then the fields whose texts a proposed map reads as captions and as references."""


@pytest.mark.parametrize("name", QUESTION)
def test_a_proposed_map_reads_all_texts_in_question_and_no_source(name: str) -> None:
    texts, runs, people = QUESTION[name]
    rows = [
        {
            outer: {inner: text} if (inner := path.partition(".")[2]) else text
            for path, text in of
            if (outer := path.partition(".")[0])
        }
        for of in (zip(texts, told) for told in zip(*texts.values()))
    ]
    given = ("all.json", json.dumps([{"id": f"x{k}", **row} for k, row in enumerate(rows)]).encode())
    columns = proposed(load_study(given), *PROPOSING, "texts_alike")[0][1]
    references, said = content(load_study(given, columns=columns))
    expected = {text for path, of in texts.items() if path.partition(".")[0] in runs for text in of}
    assert {text for run in said.values() for told in run.values() for text in told} == expected
    assert {text for _, told in references for text in told} == {text for one in people for text in texts[one]}


UNREADABLE: dict[str, Any] = {
    "no captions": [{"alpha": 1, "beta": 2}],
    "annotations without ids": {"images": [], "annotations": [{"alpha": 1, "text": text} for text in SAID]},
    "annotations in lists": {"images": [], "annotations": [[{"alpha": 1, "text": text}] for text in SAID]},
    "a split without captions": {"images": [{"split": "test", "alpha": [1]}, {"split": "test", "alpha": [2]}]},
    "sentences without a video": {"videos": [], "sentences": [{"alpha": 1, "caption": text} for text in SAID]},
    "clips whose captions are numbers": [{"videoID": "a", "enCap": 5}, {"videoID": "b", "enCap": 6}],
    "items without names": {"items": [{"alpha": "x", "beta": 1}, {"alpha": "y", "beta": 2}], "runs": {}},
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_refusal_names_the_fields_and_a_map(name: str) -> None:
    loaded = load_study(("all.json", json.dumps(UNREADABLE[name]).encode()))
    assert loaded.study is None
    (said,) = (one for one in loaded.findings if one.code in ("no_columns", "no_texts"))
    fields = said.problem.removesuffix(".").rpartition(" are: ")[2].split(", ")
    assert {"alpha", "videoID"} & set(fields)
    assert tuple(fields) == loaded.fields["all.json"].header
    assert "--map " in (said.repair if said.code == "no_columns" else said.problem)


def test_no_map_makes_captions_of_numbers() -> None:
    loaded = load_study(("totals.csv", b"metric,score\nfaithfulness,1.0\nrecall,0.97\n"))
    assert [one.code for one in loaded.errors] == ["no_texts"]


@pytest.mark.parametrize("given", ["id=1,candidates=3,ignore=2", "id=1,candidates=column 3"])
def test_the_columns_of_a_table_without_a_header_are_given_by_number(given: str) -> None:
    rows = [f"k{k},two dogs in the snow {k},a man on a bike {k}\n" for k in range(4)]
    loaded = load_study([("x.csv", "".join(rows).encode())], columns=columns_of(given))
    assert loaded.draft is not None
    assert not [one for one in loaded.errors if one.code == "unknown_override"]
    assert [list(one.candidates.values()) for one in loaded.draft.parts[0].records] == [
        [[f"a man on a bike {k}"]] for k in range(4)
    ]


@pytest.mark.parametrize(
    "given", ["id=1,candidates=4", "id=0,candidates=2", "id=1,candidates=²", "id=1,candidates=2,score=3"]
)
def test_a_number_that_no_column_has_is_refused(given: str) -> None:
    rows = [f"k{k},two dogs in the snow {k},a man on a bike {k}\n" for k in range(4)]
    loaded = load_study([("x.csv", "".join(rows).encode())], columns=columns_of(given))
    assert [one.code for one in loaded.errors] == ["no_columns", "unknown_override"]


def test_a_column_whose_name_is_a_number_is_not_counted() -> None:
    content = b"id,2,1\nk1,a dog,a cat\nk2,two dogs,two cats\n"
    loaded = load_study([("x.csv", content)], columns=columns_of("candidates=1"))
    assert loaded.draft is not None
    assert [list(one.candidates.values()) for one in loaded.draft.parts[0].records] == [[["a cat"]], [["two cats"]]]


def test_a_list_of_pictures_beside_lines_of_captions_is_no_run() -> None:
    files = {
        "images.txt": [f"{k}000268201.jpg" for k in range(4)],
        "references.txt": [f"A person stands by thing {k}." for k in range(4)],
        "model.txt": [f"One is near thing {k}." for k in range(4)],
    }
    loaded = load_study([(name, "\n".join([*lines, ""]).encode()) for name, lines in files.items()])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["model"]
    assert [(one.file, one.code) for one in loaded.errors] == [("images.txt", "no_texts")]
