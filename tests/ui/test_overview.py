"""Test the Overview in every state: its names and numbers are the engine's, and uploaded text is never markup."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from data.study import Preference, Study
from metrics.engine.scoring import Results
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, score, unfolded, worked
from ui import rooms
from ui.jobs import jobs
from ui.rooms import ENTRIES

ROOT = Path(__file__).resolve().parents[2]
CHOSEN = {"by_quality": "cider_d", "by_people": "trm_bow"}


@pytest.fixture
def study() -> Study:
    return random_study(items=10, references=5, candidates=5, runs=4, seed=2)


def said(at) -> str:
    text = re.sub(r"<[^>]+>", " ", markup(at)).replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text)


def headline(at) -> str:
    found = re.search(r'<h1 class="tl-ov-head">(.*?)</h1>', markup(at)).group(1)  # type: ignore[union-attr]
    return re.sub(r'<span class="tl-unbroken">(.*?)</span>', r"\1", found).replace("\u00a0", " ")


def ready(study: Study) -> Results:
    return score(study, CHOSEN.values())


def ranked(study: Study, found: Results, metric: str, up: bool) -> list[str]:
    return sorted((run.name for run in study.runs), key=lambda name: (-1 if up else 1) * found[name, metric].corpus)


def test_it_is_the_first_page_and_the_dataset_has_an_address() -> None:
    assert [entry.file for entry in ENTRIES][:2] == ["overview", "dataset"]
    assert [entry.file for entry in ENTRIES if entry.default] == ["overview"]


def test_the_headline_and_the_chart_have_the_engine_s_names_and_numbers(study) -> None:
    found = ready(study)
    at = unfolded(page("overview", study, **CHOSEN))
    assert not at.exception
    best, nearest = ranked(study, found, "cider_d", True), ranked(study, found, "trm_bow", False)
    begin = f"On 10 items, no run is clearly ahead by CIDEr-D: {best[0]} is first of 4"
    assert headline(at).startswith(begin), "random captions decide nothing"
    figure = at.get("plotly_chart")[0].proto.spec
    for order, metric in ((best, "cider_d"), (nearest, "trm_bow")):
        for name in order:
            assert f"{found[name, metric].corpus:.3f}".replace("-", "−") in figure
    text = said(at)
    for name in {best[0], nearest[0]}:
        assert name in text
    for name in {best[0], nearest[0]} if best[0] != nearest[0] else {best[0], nearest[-1]}:
        assert f"(all 10: {found[name, 'trm_bow'].corpus:.3f})" in text


def test_the_captions_and_triangles_are_of_the_image_s_own_texts(study) -> None:
    ready(study)
    at = unfolded(page("overview", study, **CHOSEN))
    shown = set(re.findall(r'<q dir="auto">(.*?)</q>', markup(at)))
    everything = {text for item in study.items for text in item.references}
    everything |= {text for run in study.runs for texts in run.candidates.values() for text in texts}
    assert shown <= everything
    assert "Take two captions by people" in said(at)
    assert "n = 100 triangles" in said(at)


def test_without_a_choice_it_begins_with_what_ranks(study) -> None:
    at = page("overview", study)
    assert at.selectbox(key="by_quality_select").value == "meteor"
    assert at.selectbox(key="by_people_select").value == "trm_meteor"
    assert chosen(at)["by_quality"] in ("meteor", ["meteor"])


def test_what_is_not_ready_is_said(study, monkeypatch) -> None:
    monkeypatch.setattr(jobs.Jobs, "watch", lambda *given, **named: None)
    score(study, ["cider_d"])
    at = page("overview", study, **CHOSEN)
    assert headline(at).endswith(" by CIDEr-D: run 2 is first of 4.")
    assert "Distance to people is not computed yet." in said(at)
    drawn = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert [note["text"] for note in drawn["layout"]["annotations"]].count("…") == 4
    show_no_runs = page("overview", replace(study, name="other", runs=study.runs[:2]), **CHOSEN, seconds=60)
    assert "not computed yet" in said(show_no_runs)


def test_one_caption_an_image_compares_whole_runs_and_explains_no_trm(study) -> None:
    one = replace(
        study, runs=tuple(replace(r, candidates={k: v[:1] for k, v in r.candidates.items()}) for r in study.runs)
    )
    score(one, ["cider_d", "corpus_ms_jaccard_4"])
    at = page("overview", one, by_quality="cider_d")
    assert at.selectbox(key="by_people_select").value == "corpus_ms_jaccard_4"
    assert "Corpus MS-Jaccard-4" not in headline(at), "no test supports its order"
    assert "Corpus MS-Jaccard-4: no test" in said(at)
    assert at.selectbox(key="by_people_select").label == "To people"
    assert "all captions at once" in said(at)
    assert "TRM" not in said(at), "no run has it, so it is not explained"
    assert not [box for box in at.selectbox if box.key == "second_select"]


def test_ratings_by_people_are_the_second_axis_where_there_are_any(study) -> None:
    rated = tuple(
        replace(
            run,
            candidates={id_: texts[:1] for id_, texts in run.candidates.items()},
            human={item.id: {"<b>total": k + 0.1 * i} for i, item in enumerate(study.items)},
        )
        for k, run in enumerate(study.runs)
    )
    one = replace(study, runs=rated)
    score(one, ["cider_d"])
    at = page("overview", one, by_quality="cider_d")
    assert not at.exception
    assert at.selectbox(key="by_people_select").value == "rated <b>total"
    worked()
    at = at.run()
    assert "by people&#x27;s ratings (&lt;b&gt;total)" in headline(at)
    assert at.selectbox(key="by_people_select").label == "By people"
    spec = at.get("plotly_chart")[0].proto.spec
    assert "<b>total" not in spec, "a criterion is data"


def test_another_measure_than_trm_can_be_chosen_where_runs_have_sets(study) -> None:
    score(study, ["cider_d", "corpus_ms_jaccard_4"])
    at = page("overview", study, by_quality="cider_d", by_people="corpus_ms_jaccard_4")
    assert not at.exception
    assert "Corpus MS-Jaccard-4" not in headline(at), "no test supports its order"
    assert "Corpus MS-Jaccard-4: no test" in said(at)
    assert "distinguishes runs" not in said(at)


def test_one_run_no_run_and_pictures_of_none(study) -> None:
    alone = replace(study, runs=study.runs[:1])
    ready(alone)
    at = page("overview", alone, **CHOSEN)
    assert headline(at).startswith("run 0 is the only run, so there is no order.")
    assert ", joint test with TRM " in said(at), "what the test found, where no chart has it"
    assert not at.get("plotly_chart")
    none = page("overview", replace(study, runs=()))
    assert headline(none) == "This study has captions by people but none by a model."
    assert not none.exception
    assert not none.get("plotly_chart")


def test_pairs_without_captions_show_who_is_preferred() -> None:
    pairs = [(("a", 0), ("b", 0)), (("b", 0), ("c", 0)), (("a", 0), ("c", 0))]
    votes = tuple(
        Preference(f"{k}", first, second, float(k % 5 > 0), float(k % 5 == 0), "", "")
        for k in range(60)
        for first, second in pairs
    )
    at = page("overview", Study("pairs", (), (), preferences=votes))
    assert not at.exception
    assert headline(at).startswith("a is preferred to each of 2 other runs.")
    assert "judged pairs but no captions of every run" in markup(at)
    assert len(at.get("plotly_chart")) == 2
    assert "Every pair: Arena →" in [link.label for link in at.get("page_link")]


def test_pairs_without_captions_lead_to_the_arena() -> None:
    votes = tuple(Preference(f"{k}", ("m", 0), ("n", 0), 1, 0, "", "") for k in range(5))
    study = Study("pairs", (), (), preferences=votes)
    at = page("overview", study)
    assert not at.exception
    assert headline(at) == "This study has 5 judged pairs but no captions of every run."
    assert "Open Arena" in [link.label for link in at.get("page_link")]
    assert not {"images", "cloud", "leaderboard"} - rooms.lacking(study)
    assert "arena" not in rooms.lacking(study)
    assert "judged pairs but no captions of every run" in markup(page("leaderboard", study))


def test_a_choice_the_study_does_not_have_is_said(study) -> None:
    ready(study)
    at = page("overview", study, by_quality="cider_d", by_people="trm_of_nobody")
    assert "There is no distance to people named trm_of_nobody in this study" in said(at)


@pytest.mark.slow
def test_the_first_screen_loads_neither_tables_nor_statistics(tmp_path: Path) -> None:
    """Loading pandas and scipy.stats takes half a second of three until the first screen, which needs neither."""
    code = "import sys; from streamlit.testing.v1 import AppTest; "
    code += f"at = AppTest.from_file({str(ROOT / 'app.py')!r}, default_timeout=60).run(); assert not at.exception; "
    code += "print({'pandas', 'pyarrow', 'scipy.stats', 'snowballstemmer', 'torch'} & set(sys.modules))"
    env = {**os.environ, "TRILENS_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_captions_by_people_ratings_are_counted(study) -> None:
    items = tuple(replace(item, references=()) for item in study.items)
    first = replace(study.runs[0], human={item.id: 3.0 for item in items[:4]})
    at = page("overview", replace(study, items=items, runs=(first,)))
    assert "This study has no captions by people." in said(at)
    assert headline(at).startswith("run 0 "), "what can be said of its captions comes first"
    assert "Diversity can be measured; ratings of 4 items show which metrics agree with people." in said(at)
    none = page("overview", replace(study, items=items))
    assert "Diversity can be measured." in said(none)
    assert "ratings" not in said(none)
