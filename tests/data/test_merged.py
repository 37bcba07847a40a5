"""Test that a finding about many places or runs is listed once."""

from __future__ import annotations

from data.check import Finding
from data.findings import Log, merged


def test_a_list_says_once_what_is_said_of_many_files() -> None:
    def given(code: str, file: str, record: str = "", id: str = "", count: int = 1) -> Finding:
        return Finding("note", code, file, record, id, f"{code}.", "", None, count)

    runs = [given("few", f"{k}.json", id=f"run {k}") for k in range(5)]
    whole = [given("old", "a.json"), given("old", "b.json")]
    records = [given("cut", f"{k}.json", f"record {k}", str(k), count=2) for k in range(3)]
    lines = merged([*runs, *whole, *records])
    assert lines[0] == given("few", "5 files", id="run 0; run 1; run 2; …", count=5)
    assert lines[1] == given("old", "a.json; b.json", count=2)
    assert lines[2:] == records, "three places are named one by one"
    assert sum(one.count for one in lines) == sum(one.count for one in (*runs, *whole, *records))
    assert merged(lines) == lines


def test_what_is_said_of_several_runs_names_the_others_once() -> None:
    log = Log()
    for k, run in enumerate(["a 1", "b 2", "c 3", "d 4"]):
        log.add("run_lacks_items", "x.json", run=run, n=2 + k, total=1_000)
        log.add("beyond_encoder", id="1", count=2, run=run, tokens=256, encoder="MiniLM")
    log.add("beyond_encoder", id="1", tokens=256, encoder="MiniLM")
    lines = merged(log.findings())
    assert [one.code for one in lines] == ["run_lacks_items", "beyond_encoder", "beyond_encoder"]
    others = "The same holds, with other numbers, for 3 more runs: b 2, c 3, d 4."
    assert lines[0].problem == f"Run a 1 has no captions for 2 of 1,000 items. {others}"
    assert lines[0].count == 4
    assert "The same holds for 3 more runs: b 2, c 3, d 4." in lines[1].problem
    assert lines[1].count == 8
    assert "by people" in lines[2].problem
    assert "holds" not in lines[2].problem
    short = Log()
    for run in "abc":
        short.add("null_text", "x.json", run=run, text="nan")
    assert [one.problem.count("The same holds for 2 more runs: b, c.") for one in merged(short.findings())] == [1]
    two = Log()
    for run in "ab":
        two.add("run_lacks_items", "x.json", run=run, n=2, total=9)
    said = ["Run a has no captions for 2 of 9 items. The same holds for run b."]
    assert [one.problem for one in merged(two.findings())] == said


def test_what_is_said_of_runs_in_several_files_is_one_line() -> None:
    log = Log()
    for run in "abc":
        log.add("run_lacks_items", f"{run}.json", run=run, n=2, total=9)
        log.add("empty_candidate", f"{run}.json", f"record {run}", run=run)
    lines = merged(log.findings())
    (lacks,) = (one for one in lines if one.code == "run_lacks_items")
    assert (lacks.file, lacks.count) == ("3 files", 3)
    assert lacks.problem.endswith("The same holds for 2 more runs: b, c.")
    places = [(one.file, one.record) for one in lines if one.code == "empty_candidate"]
    assert places == [(f"{run}.json", f"record {run}") for run in "abc"], "captions are found by their file and record"
