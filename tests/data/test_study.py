"""Test that properties of a study are computed once per study, and that a notebook shows only the study's size."""

from dataclasses import replace

from data.study import Study, of_study
from metrics.analysis.feasibility import runs_with_sets
from metrics.analysis.human_line import references_as_run, run_sizes
from tests.studies import study


def test_a_fact_of_a_study_is_worked_out_once():
    asked: list[str] = []

    @of_study
    def fact(of: Study) -> int | None:
        asked.append(of.name)
        return None if of.name == "none" else len(of.items)

    one, other, none = study(4), study(7), replace(study(4), name="none")
    assert [fact(one), fact(one), fact(other), fact(none), fact(none)] == [4, 4, 7, None, None]
    assert asked == [one.name, other.name, "none"]


def test_facts_of_one_name_in_two_modules_are_two():
    def fact(of: Study) -> str:
        return "first"

    def namesake(of: Study) -> str:
        return "second"

    namesake.__qualname__, namesake.__module__ = fact.__qualname__, "elsewhere"
    one = study(4)
    assert [of_study(fact)(one), of_study(namesake)(one)] == ["first", "second"]


def test_facts_do_not_outlive_a_change_of_the_study():
    whole = study(5, candidates=3, runs=2)
    assert runs_with_sets(whole) == tuple(run.name for run in whole.runs)
    assert references_as_run(whole) is references_as_run(whole)
    first = whole.runs[0]
    short = replace(first, candidates={k: v[:1] for k, v in first.candidates.items()})
    less = replace(whole, runs=(short, *whole.runs[1:]))
    assert runs_with_sets(less) == (whole.runs[1].name,)
    assert run_sizes(less) == {first.name: (1, 1), whole.runs[1].name: (3, 3)}
    fewer = whole.only(items=["image 0", "image 3"])
    assert set(references_as_run(fewer).runs[0].candidates) == {"image 0", "image 3"}


def test_a_notebook_shows_the_size_of_a_study_not_its_captions():
    assert repr(study(4, runs=2)) == "<Study 'random captions', items: 4, runs: 2 (run 0, run 1)>"
    assert repr(study(4, runs=6)).endswith("runs: 6 (run 0, run 1, run 2, run 3, ..)>")
