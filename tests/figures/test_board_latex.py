"""Test the LaTeX table of the leaderboard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Study
from figures.export.latex import escape
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.html import board_html
from figures.leaderboard.latex import board_latex, differing
from figures.leaderboard.rows import of_runs as board_of
from figures.style.numbers import p_text
from metrics.analysis import run_differences
from metrics.analysis.human_line import human_requirements
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers, of_results
from metrics.analysis.paired import Sides, sign_flips
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.permutation.pvalues import ALPHA, holm
from metrics.registry import METRICS
from tests.equal_runs import pool, studies
from tests.studies import study as random_study

CHOSEN = tuple(METRICS[name] for name in ("rouge_l", "cider_d", "distinct_2"))


@pytest.fixture(scope="module")
def study() -> Study:
    made = random_study(items=8, references=4, candidates=4, runs=4)
    copied = {item.id: item.references for item in made.items}
    return replace(made, runs=(*made.runs[:-1], replace(made.runs[-1], candidates=copied)))


@pytest.fixture(scope="module")
def numbers(study: Study) -> Numbers:
    return Numbers(scoring.score(study, list(CHOSEN)))


def chosen(study: Study, baseline: str | None = None) -> LeaderboardChoice:
    return LeaderboardChoice(CHOSEN, CHOSEN[0], study.runs, baseline)


def cells(text: str) -> dict[str, list[str]]:
    rows = [line.split(" \\\\")[0].split(" & ") for line in text.splitlines() if " & " in line]
    return {row[0].strip(): row for row in rows if row[0].strip()}


def flipped(a: np.ndarray, b: np.ndarray) -> float:
    gaps = (a - b)[a != b]
    observed = abs(gaps.sum())
    signs = np.array(np.meshgrid(*[[1, -1]] * len(gaps))).reshape(len(gaps), -1).T
    return float(np.mean([abs((row * gaps).sum()) >= observed - 1e-9 for row in signs]))


def test_daggers_are_the_tests_against_the_baseline_after_holm(study: Study, numbers: Numbers) -> None:
    base = study.runs[0]
    board = board_of(of_runs(study, numbers, chosen(study, base.name)))
    found = differing(of_runs(study, numbers, chosen(study, base.name)), board)
    assert found is not None
    assert (found.against, found.tests) == (base.name, 3)
    metric = CHOSEN[0]
    items = {run.name: numbers.results[run.name, metric.name].items for run in study.runs}
    others = [run.name for run in study.runs[1:]]
    firm = dict(zip(others, holm([flipped(items[name], items[base.name]) for name in others]) <= 0.05))
    order = [row.name for row in board.rows]
    assert found.rows[metric.name] == [bool(firm.get(name, False)) for name in order] + [False]
    assert sum(firm.values()) == 1
    assert len(found.rows[metric.name]) == len(board.rows) + 1


def test_the_best_is_what_runs_are_set_against_without_a_baseline(study: Study, numbers: Numbers) -> None:
    board = board_of(of_runs(study, numbers, chosen(study)))
    found = differing(of_runs(study, numbers, chosen(study)), board)
    assert found is not None
    assert found.against == board.rows[0].name
    one = LeaderboardChoice(CHOSEN, CHOSEN[0], study.runs[:1], None)
    assert differing(of_runs(study, numbers, one), board_of(of_runs(study, numbers, one))) is None


def test_the_table_has_best_second_intervals_and_people_apart(study: Study, numbers: Numbers) -> None:
    text = board_latex(
        of_runs(study, numbers, chosen(study)),
        board_of(of_runs(study, numbers, chosen(study))),
        "tab:leaderboard",
    )
    assert "\\label{tab:leaderboard}" in text
    rows = cells(text)
    values = {run.name: numbers.results[run.name, "cider_d"].corpus for run in study.runs}
    best, second = sorted(values, key=values.__getitem__, reverse=True)[:2]
    head = [cell.replace(" $\\uparrow$", "") for cell in rows["Run"]]
    place = head.index("CIDEr-D")
    assert rows[best.replace("_", "\\_")][place].startswith(f"\\textbf{{{values[best]:.3f}}}")
    assert rows[second.replace("_", "\\_")][place].startswith(f"\\underline{{{values[second]:.3f}}}")
    result = numbers.results[best, "cider_d"]
    assert f"[{result.low:.3f}, {result.high:.3f}]" in text
    diversity = [row[head.index(CHOSEN[2].label)] for name, row in rows.items() if name != "Run"]
    assert not any("textbf" in cell or "underline" in cell for cell in diversity)
    assert text.index("\nPeople") > text.rindex("\\midrule")
    assert (
        "the first of the ranking, so corrected for all pairs of runs of a column: t of the bootstrap error, Holm"
        in text
    )
    base = board_latex(
        of_runs(study, numbers, chosen(study, "run 1")),
        board_of(of_runs(study, numbers, chosen(study, "run 1"))),
    )
    assert "Holm over the 3 comparisons of a column" in base


def test_people_never_compete(study: Study, numbers: Numbers) -> None:
    shown = board_of(of_runs(study, numbers, chosen(study)))
    assert shown.people is not None
    text = board_latex(
        of_runs(study, numbers, chosen(study)),
        replace(
            shown,
            people=replace(
                shown.people, cells={**shown.people.cells, "cider_d": replace(shown.people.cell("cider_d"), value=9.9)}
            ),
        ),
    )
    assert text.count("\\midrule") == 2
    (human,) = (row for name, row in cells(text).items() if name.startswith("People"))
    assert any(cell.startswith("9.900") for cell in human)
    assert not any("textbf" in cell or "underline" in cell for cell in human)


def test_names_are_data(study: Study, numbers: Numbers) -> None:
    name = "\\input{x} \ud800 $5 & 1 %"
    runs = (replace(study.runs[0], name=name), *study.runs[1:])
    renamed = replace(study, name="50 % \ud800", runs=runs)
    results = {
        (name if run == study.runs[0].name else run, metric): result
        for (run, metric), result in numbers.results.items()
    }
    choice = LeaderboardChoice(CHOSEN, CHOSEN[0], runs, name)
    text = board_latex(
        of_runs(renamed, Numbers(results), choice),
        board_of(of_runs(renamed, Numbers(results), choice)),
    )
    assert "\\input" not in text
    assert "\\caption{50 \\% \ufffd: 8 items." in text
    assert text.count("\\textbackslash{}input\\{x\\} \ufffd \\$5 \\& 1 \\%") == 2
    assert text.encode()


def test_people_and_no_difference_are_two_rows_and_only_people_have_an_interval() -> None:
    """People's own value is not the value expected without a difference, so a model near the latter has not beaten
    people.
    """
    study = random_study(items=8, references=4, candidates=4, runs=3)
    metrics = tuple(METRICS[name] for name in ("trm_bow", "cider_d"))
    agreement, *_ = human_requirements(study, metrics)
    found = scoring.score(study, [*metrics, *agreement], Options(p_values=True, draws=99))
    numbers, choice = of_results(found, {}), LeaderboardChoice(metrics, metrics[0], study.runs, None)
    shown = board_of(of_runs(study, numbers, choice))
    assert [row.name for row in shown.apart] == ["People", "No difference"]
    twin = shown.frame().set_index("Run")
    null = np.mean([found[run.name, "trm_bow"].null_mean.mean() for run in study.runs])
    agreed = found["references", "consensus_cider_d"]
    trm, cider = (metric.label for metric in metrics)
    assert np.isnan(twin.loc["People", trm])
    assert np.isnan(twin.loc["No difference", cider])
    assert twin.loc["No difference", trm] == pytest.approx(null)
    assert twin.loc["No difference", [f"{trm} 95 % from", f"{trm} 95 % to"]].isna().all()
    people = twin.loc["People", [cider, f"{cider} 95 % from", f"{cider} 95 % to"]]
    assert people.tolist() == [agreed.corpus, agreed.low, agreed.high]
    text = board_latex(of_runs(study, numbers, choice), shown)
    after = text[text.index("\nNo difference") :]
    assert f"{null:.3f}" in after
    assert "[" not in after, "no brackets, which are bootstrap intervals"
    assert "No difference: the mean if runs wrote as people do; it has no interval." in text
    said = leaderboard_words.footer(of_runs(study, numbers, choice), shown)
    assert f"People, not ranked: {cider}: each caption by a person against those by the others." in said
    assert f"No difference, not ranked: {trm}: expected if runs wrote as people do" in said
    html = board_html(shown, "light")
    assert html.count('<tr class="pin') == 2
    assert "the runs&#x27; own: " in html


def test_a_baseline_that_the_data_chose_is_judged_with_all_pairs() -> None:
    """Among equal runs, tests against the best run mark too many runs, even after Holm's correction of these tests."""
    wrong, repeats, runs = np.zeros(2), 60, 12
    metric = METRICS["rouge_l"]
    study = random_study(items=24, runs=runs)
    for results in studies([pool("rouge_l")] * runs, 24, repeats, seed=4):
        numbers = Fresh({(run.name, metric.name): result for run, result in zip(study.runs, results)})
        choice = LeaderboardChoice((metric,), metric, study.runs, None)
        of = of_runs(study, numbers, choice)
        found = differing(of, board_of(of))
        assert found is not None
        best = int(np.argmax([result.corpus for result in results]))
        asked = [Sides(r.totals, results[best].totals, metric.finish) for k, r in enumerate(results) if k != best]
        wrong += [any(found.rows[metric.name]), (holm([t.p_value for t in sign_flips(asked, 499)]) <= ALPHA).any()]
    assert wrong[0] <= 8  # 5 % of 60, and three standard deviations
    assert wrong[1] > wrong[0]


class Fresh(Numbers):
    """Numbers that are not cached, since the cache identifies runs by their captions, which are the same in these
    studies.
    """

    def corpus(self, study, metric, runs, seed=0):
        results = [self.results[run.name, metric.name] for run in runs]
        return run_differences.corpus_values(results), run_differences.resampled(results)


def test_p_is_the_corrected_one_of_the_page_and_the_note_says_so() -> None:
    """The LaTeX table once had uncorrected p without saying so, while the page had p corrected by Holm's method."""
    study = random_study(items=8, references=4, candidates=4, runs=3)
    metrics = (METRICS["trm_bow"], METRICS["cider_d"])
    found = of_results(scoring.score(study, metrics, Options(p_values=True, draws=99)), {})
    for runs, head in ((study.runs, "Corrected p"), (study.runs[:1], "p")):
        choice = LeaderboardChoice(metrics, metrics[0], runs, None)
        shown = board_of(of_runs(study, found, choice))
        text = board_latex(of_runs(study, found, choice), shown)
        rows = cells(text)
        place = [cell.strip() for cell in rows["Run"]].index(head)
        corrected = dict(
            zip([run.name for run in runs], holm([found.results[r.name, "trm_bow"].p_people for r in runs]))
        )
        for name, p in corrected.items():
            assert rows[name][place].strip() == escape(p_text(float(p), shown.rows[0].p_floor if len(runs) == 1 else 0))
        many = len(runs) > 1
        said = f"Corrected p: joint test with {metrics[0].label}, against people, corrected for 3 runs (Holm)."
        assert (said in text) == many
        footer = leaderboard_words.footer(of_runs(study, found, choice), shown)
        assert ("p, corrected for 3 runs (Holm): joint test" in footer) == many
        assert "each run separately" not in footer
