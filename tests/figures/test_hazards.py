"""Test that degenerate runs are marked in rows, the footer and, if they lead, the verdict; and that dashes have
reasons.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Study
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.html import board_html
from figures.leaderboard.latex import board_latex
from figures.leaderboard.rows import of_runs as board_of
from figures.notes.hazards import read_in_part, warning
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study

BLEU = METRICS["bleu_1"]
SAID = "gives one caption to all 8 items"


@pytest.fixture(scope="module")
def study() -> Study:
    made = random_study(items=8, runs=3, candidates=2)
    constant = replace(made.runs[1], candidates={item.id: ("A dog sits on the old wall.",) * 2 for item in made.items})
    return replace(made, runs=(made.runs[0], constant, made.runs[2]))


def test_a_constant_run_is_marked_wherever_it_is_ranked(study: Study) -> None:
    numbers = Numbers(scoring.score(study, [BLEU], Options(resamples=50), Cache(None)))
    choice = LeaderboardChoice((BLEU,), BLEU, study.runs, None)
    board = board_of(of_runs(study, numbers, choice))
    assert {row.name: row.anomaly for row in board.rows} == {"run 0": (), "run 1": (SAID,), "run 2": ()}
    assert f'title="check: it {SAID}"' in board_html(board, "light")
    assert f"Marked “check”: run 1 {SAID}." in leaderboard_words.footer(of_runs(study, numbers, choice), board)
    facts = leaderboard_words.facts(study, board)
    assert f"check: run 1 {SAID}" in facts
    assert "– no value, for the reasons under" in facts, "BLEU-1 pools captions, so people have none"
    assert "No value (–). " in leaderboard_words.footer(of_runs(study, numbers, choice), board)
    assert f"run 1 {SAID}" in board_latex(of_runs(study, numbers, choice), board)


def test_the_verdict_warns_of_the_run_that_it_names(study: Study) -> None:
    numbers = Numbers(scoring.score(study, [BLEU], Options(resamples=50), Cache(None)))
    for runs in (study.runs, study.runs[1:2], study.runs[:1]):
        choice = LeaderboardChoice((BLEU,), BLEU, runs, None)
        parts = [str(part) for part in leaderboard_words.verdict(of_runs(study, numbers, choice))]
        assert (f"Look at its captions before you believe this: it {SAID}." in "".join(parts)) == (parts[0] == "run 1")


def test_without_a_better_side_the_verdict_names_the_extreme_with_its_interval(study: Study) -> None:
    own = METRICS["self_bleu_4"]
    numbers = Numbers(scoring.score(study, [own], Options(resamples=50), Cache(None)))
    for runs in (study.runs, study.runs[:1]):
        said = "".join(leaderboard_words.verdict(of_runs(study, numbers, LeaderboardChoice((own,), None, runs, None))))
        found = {run.name: numbers.results[run.name, own.name] for run in runs}
        best = min(found, key=lambda name: found[name].corpus)
        assert said.startswith(best)
        assert f"{found[best].corpus:.3f}" in said
        if len(runs) > 1:
            assert "is the most diverse by Self-BLEU-4, " in said
            assert said.endswith("This does not say which run is better.")
        else:
            assert said.endswith("With one run, there is nothing to compare it with.")


def test_without_a_ranking_rows_follow_the_first_metric_and_dashes_come_last(study: Study) -> None:
    own, other = METRICS["self_bleu_4"], METRICS["distinct_2"]
    short = replace(
        study.runs[0], name="short", candidates={k: said[:1] for k, said in study.runs[0].candidates.items()}
    )
    mixed = replace(study, runs=(short, *study.runs))
    numbers = Numbers(scoring.score(mixed, [own, other], Options(resamples=50), Cache(None)))
    for first, second, sign in ((own, other, 1), (other, own, -1)):
        found = of_runs(mixed, numbers, LeaderboardChoice((first, second), None, mixed.runs, None))
        names = [row.name for row in board_of(found).rows]
        values = [sign * numbers.results[name, first.name].corpus for name in names[:-1]]
        assert values == sorted(values), "the most diverse first"
        assert names[-1] == "short", "it has no value"
        assert {(row.rank_low, row.rank_high) for row in board_of(found).rows} == {(None, None)}, "and none has a rank"


def test_a_short_reason_for_a_dash_stands_below_the_board(study: Study) -> None:
    own = METRICS["self_bleu_4"]
    short = replace(
        study.runs[0], name="short", candidates={k: said[:1] for k, said in study.runs[0].candidates.items()}
    )
    mixed = replace(study, runs=(*study.runs, short))
    numbers = Numbers(scoring.score(mixed, [own], Options(resamples=50), Cache(None)))
    choice = LeaderboardChoice((own,), None, mixed.runs, None)
    told = leaderboard_words.dash_words(board_of(of_runs(mixed, numbers, choice)))
    assert any(one.startswith("– short: ") and "has 1" in one for one in told), told


def test_runs_left_out_for_one_reason_stand_together_whatever_their_own_values(study: Study) -> None:
    own = METRICS["corpus_self_bleu_4"]
    lone = [
        replace(run, name=f"lone {run.name}", candidates={k: said[:1] for k, said in run.candidates.items()})
        for run in study.runs
    ]
    mixed = replace(study, runs=(*study.runs[:2], *lone))
    numbers = Numbers(scoring.score(mixed, [own], Options(resamples=50), Cache(None)))
    told = leaderboard_words.dash_words(
        board_of(of_runs(mixed, numbers, LeaderboardChoice((own,), None, mixed.runs, None)))
    )
    assert [one.count("not compared: ") for one in told] == [1, 0], told
    assert told[0].startswith("– run 0 and run 1: ")
    assert "Its own value" not in told[0]


def test_the_words_call_items_what_they_are(study: Study) -> None:
    pictured = replace(study, items=tuple(replace(item, image="x.png") for item in study.items))
    assert warning(pictured, "run 1").endswith("it gives one caption to all 8 images.")
    assert warning(pictured, "run 0") == ""


def test_texts_beyond_an_encoder_stand_in_the_footer_by_metric_and_run(study: Study) -> None:
    long = "A small brown dog walks by the sea and looks at a boat. " * 20
    few, many = (
        replace(run, candidates=run.candidates | {item.id: (long, long) for item in study.items[:count]})
        for run, count in zip(study.runs, (1, 2))
    )
    cut = replace(study, runs=(few, many, study.runs[2]))
    metrics = (METRICS["trm_bert"], BLEU, METRICS["mmd_bert"])
    read = "longer than the 256 tokens that MiniLM reads"
    said = "TRM MiniLM and MMD² MiniLM, for run 0"
    assert read_in_part(cut, metrics, cut.runs) == [f"{said} and, with other numbers, for run 1: {read}: 2 captions."]
    assert read_in_part(cut, metrics, (many,)) == [f"TRM MiniLM and MMD² MiniLM, for run 1: {read}: 4 captions."]
    assert read_in_part(study, metrics, study.runs) == []
    choice = LeaderboardChoice((BLEU, metrics[0]), BLEU, cut.runs, None)
    numbers = Numbers(scoring.score(cut, [BLEU], Options(resamples=50), Cache(None)))
    found = of_runs(cut, numbers, choice)
    assert f"{read}: 2 captions." in leaderboard_words.footer(found, board_of(found))
