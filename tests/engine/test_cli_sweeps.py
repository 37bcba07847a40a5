"""Test the tables and the verdict of `trilens sweeps`, and its errors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.study import Settings, Study
from tests.command_line import trilens
from tests.studies import study as random_study
from tests.ui.shown import markup, page, part, score

NAMES = "distinct_2", "ms_jaccard_2", "rouge_l"
CHOSEN = {"distribution": "ms_jaccard_2", "quality": "rouge_l", "diversity": "distinct_2"}


def sweep_study() -> Study:
    made = random_study(items=6, references=3, candidates=3, runs=7)
    places = [(m, t) for m in range(2) for t in (0.5, 1.0, 1.5)]
    runs = [
        replace(r, name=f"{m} T={t:g}", model=f"model {m}", settings=Settings(t))
        for r, (m, t) in zip(made.runs, places)
    ]
    greedy = replace(made.runs[-1], name="greedy one", model="model 0", settings=Settings(decoder="greedy"))
    return replace(made, runs=(*runs, greedy))


STUDY = sweep_study()


def called(tmp_path: Path, *arguments: str, study: Study = STUDY, expect: int = 0) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(study))
    return trilens("sweeps", tmp_path / "study.jsonl", "--no-cache", *arguments, expect=expect).output


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))


@pytest.mark.parametrize("setting", ["temperature", "decoder"])
def test_the_tables_and_the_verdict_are_those_of_the_page(tmp_path: Path, setting: str) -> None:
    score(STUDY, NAMES)
    at = page("sweeps", STUDY, along=setting, **CHOSEN)  # type: ignore[arg-type]
    verdict = plain(markup(at))
    shown = [frame.value for frame in part(at, "tables").dataframe]
    panels = ["optima", "numbers"] if setting == "temperature" else ["numbers"]
    assert len(shown) == len(panels)
    for panel, expected in zip(panels, shown):
        out = tmp_path / "out.csv"
        said = called(tmp_path, "--metrics", ",".join(NAMES), "--setting", setting, "--panel", panel, "--out", str(out))
        found = pd.read_csv(
            out, keep_default_na=False, na_values={"Value": "", "95 % from": "", "95 % to": "", "T": ""}
        )
        # The page shows short names of runs; its file, like the command's, has the full names.
        hidden = [name for name in ("Runs",) if name in expected]
        pd.testing.assert_frame_equal(found.drop(columns=hidden), expected.drop(columns=hidden), check_dtype=False)
        first = plain(said.strip().splitlines()[-1].rpartition("without a temperature: ")[2]).partition(". ")[0]
        assert first in verdict, "the page folds the rest"
    if setting == "decoder":
        assert "Decoders at T 1.0 or without a temperature: " in said


def test_settings_that_are_on_no_line(tmp_path: Path) -> None:
    said = called(tmp_path, "--metrics", "distinct_2", "--panel", "off_axis")
    assert said.count("greedy one\tgreedy") == 1


def test_what_nobody_chose_is_as_on_the_page(tmp_path: Path) -> None:
    """By default, the metrics and the kind are those of the page; there are no references, which keeps the page
    fast.
    """
    alone = replace(STUDY, items=tuple(replace(item, references=()) for item in STUDY.items))
    one_each = replace(alone, runs=tuple(run for run in alone.runs if run.settings.temperature in (None, 1.0)))
    for study in (alone, one_each):
        out = tmp_path / "out.csv"
        said = called(tmp_path, "--out", str(out), study=study)
        score(study, ["distinct_1", "distinct_2"])
        at = page("sweeps", study)
        expected = next(frame.value for frame in part(at, "tables").dataframe if "Runs" in frame.value)
        assert list(pd.read_csv(out)["Metric"]) == list(expected["Metric"])
        assert ("Decoders at T 1.0 or" in said) == (study is one_each)


def test_what_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    name = ("--metrics", "distinct_2")
    cold = replace(STUDY, runs=(STUDY.runs[0], STUDY.runs[-1]))
    said = called(tmp_path, *name, "--setting", "temperature", study=cold, expect=2)
    assert "No model has two temperatures. There is only model 0 at T 0.5: compare decoders with" in said
    none = replace(STUDY, runs=STUDY.runs[-1:])
    said = called(tmp_path, *name, "--setting", "temperature", study=none, expect=2)
    assert "No run has a temperature: compare decoders" in said
    assert "no table optima where decoders are compared" in called(
        tmp_path, *name, "--panel", "optima", study=none, expect=2
    )
    every = replace(STUDY, runs=STUDY.runs[:-1])
    assert "every setting has a temperature" in called(tmp_path, *name, "--panel", "off_axis", study=every, expect=2)
    said = called(tmp_path, *name, study=replace(STUDY, runs=()), expect=2)
    assert "This study has captions by people but none by a model" in said
    assert "did you mean rouge_l" in called(tmp_path, "--metrics", "rouge_k", expect=2)


def test_a_number_that_cannot_be_had_is_explained(tmp_path: Path) -> None:
    single = {id: of[:1] for id, of in STUDY.runs[0].candidates.items()}
    study = replace(STUDY, runs=(replace(STUDY.runs[0], candidates=single), *STUDY.runs[1:]))
    said = called(tmp_path, "--metrics", "self_bleu_2", study=study)
    assert re.search(r"Self-BLEU-2: needs 2 captions of the run, has 1 \(0 T=0.5\)", said), said
