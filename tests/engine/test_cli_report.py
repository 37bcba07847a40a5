"""Test `trilens report`: the contents of its file, what it prints meanwhile, and invalid requests."""

from __future__ import annotations

import hashlib
import re
from datetime import date

import pytest

from cli import progress_bar
from data.convert import write_jsonl
from data.version import VERSION
from metrics.cache.disk import Cache
from tests.command_line import trilens
from tests.report_text import as_read
from tests.studies import study as random_study

METRICS_ASKED = ["--metrics", "trm_bow,cider_d,distinct_2"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(random_study(items=3), tmp_path / "study.jsonl")
    return tmp_path / "study.jsonl"


def test_a_report_of_chosen_pages_and_images(file, tmp_path):
    out = tmp_path / "r.html"
    asked = [
        str(file),
        "--out",
        str(out),
        *METRICS_ASKED,
        "--pages",
        "leaderboard,images,methods",
        "--images",
        "image 2",
    ]
    done = trilens("report", *asked)
    assert "r.html: 3 metrics of 2 runs on 3 items" in done.stdout
    made = out.read_text(encoding="utf-8")
    assert made.index("<h2>Leaderboard</h2>") < made.index("<h2>Items</h2>") < made.index("<h2>Methods</h2>")
    shown = re.findall(r'<h3 dir="auto" title="([^"]*)">(.*?)</h3>', made)
    assert shown == [("image 2", random_study(items=3).items[2].references[0])], "named by a caption, the id on hover"
    assert "has the lowest TRM bag of words" in made
    assert f"trilens score {file}" in made


def test_it_says_on_stderr_how_far_it_is_and_nothing_of_that_on_stdout(file, tmp_path, monkeypatch):
    monkeypatch.setattr(progress_bar, "EVERY", 0.0)
    asked = ["report", str(file), "--out", str(tmp_path / "r.html"), *METRICS_ASKED]
    done = trilens(*asked, "--pages", "leaderboard,unique_correct,methods")
    said = [line for line in done.stderr.splitlines() if line.startswith("Report: ")]
    assert any(line.startswith("Report: Leaderboard, 1 of 3: 0%") for line in said)
    assert any(re.search(r"^Report: Methods, 3 of 3: 67%, \d+ s left$", line) for line in said)
    assert any(re.search(r"^Report: Unique vs correct, 2 of 3: .+: \d+%", line) for line in said), "work within a page"
    assert "Report: " not in done.stdout
    monkeypatch.setattr(progress_bar, "EVERY", 60.0)
    assert "Report: " not in trilens(*asked, "--pages", "leaderboard").stderr, "short work says nothing in a file"


def test_it_makes_what_its_pages_need_and_says_what_is_left_out(file, tmp_path):
    out, cache = tmp_path / "r.html", Cache(tmp_path / "cache")
    asked = ["report", str(file), "--out", str(out), *METRICS_ASKED, "--without", "cloud,images"]
    today = date.today()
    done = trilens(*asked)
    made = out.read_text(encoding="utf-8")
    assert "<h2>Central captions</h2>" in made
    assert "<h2>Unique vs correct</h2>" in made
    assert "left out: Caption cloud: not asked for" in done.output
    assert "left out: Images: not asked for" in done.output
    assert len(cache.keys("centres")) == len(cache.keys("experiments")) == 1
    sha = hashlib.sha256(file.read_bytes()).hexdigest()
    assert f"study.jsonl sha256:{sha}" in made
    assert any(f"{day.isoformat()} by Trilens {VERSION}" in made for day in (today, date.today()))
    trilens(*asked, "--anonymous")
    assert sha not in out.read_text(encoding="utf-8")


def test_a_cloud_of_few_captions_is_laid_out_by_its_components(file, tmp_path):
    out = tmp_path / "r.html"
    trilens("report", file, "--out", out, *METRICS_ASKED, "--pages", "cloud")
    made = out.read_text(encoding="utf-8")
    assert "<h2>Caption cloud</h2>" in made
    assert "cloud_umap|" in made or "cloud_pca|" in made


def test_a_report_of_a_bundle_says_what_was_not_computed_for_it(file, tmp_path):
    bundle, out = tmp_path / "b.trilens.zip", tmp_path / "r.html"
    asked, tested = ["--metrics", "bleu_4", "--cache-dir"], ["--p-values"]
    said = "Not computed for this file: 2 numbers came with the study bundle."
    trusting, anonymous, again = ["mine"], ["mine", "--anonymous"], ["mine", "--recompute"]
    runs = [(tested, trusting, True), (tested, anonymous, True), (tested, again, False), (tested, trusting, False)]
    # A report needs tests, so it cannot use a bundle's numbers without tests.
    for with_tests, more, there in [*runs, ([], ["other"], False)]:
        theirs = str(tmp_path / f"theirs {len(with_tests)}")
        trilens("bundle", file, "--out", bundle, *with_tests, *asked, theirs)
        command = ["report", str(bundle), "--out", str(out), "--pages", "leaderboard", *asked, str(tmp_path / more[0])]
        done = trilens(*command, *more[1:])
        assert ("not computed here" in done.stderr) == there
        html = out.read_text(encoding="utf-8")
        assert (said in html[html.index("</h1>") : html.index("<nav ")]) == there, more


def test_one_metric_of_one_run_on_one_item_is_said_so(file, tmp_path):
    write_jsonl(random_study(items=1, runs=1), file)
    asked = ["report", str(file), "--out", str(tmp_path / "r.html"), "--metrics", "bleu_4", "--pages", "leaderboard"]
    done = trilens(*asked)
    assert "r.html: 1 metric of 1 run on 1 item\n" in done.stdout


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--out", "x.pdf"], "write to a .html or .htm file"),
        (["--out", "x.html", "--pages", "charts"], "there is no page 'charts'"),
        (["--out", "x.html", "--without", "charts"], "there is no page 'charts'"),
        (["--out", "x.html", "--without", "clod"], "there is no page 'clod'; did you mean 'cloud'?"),
        (["--out", "x.html", "--images", "nowhere"], "there is no item 'nowhere'"),
        (["--out", "x.html", "--metrics", "bleu4"], "did you mean"),
    ],
)
def test_a_wrong_request_is_said_before_any_file_is_written(file, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    done = trilens("report", file, *METRICS_ASKED, *more, expect=2)
    assert said in done.output
    assert not (tmp_path / "x.html").exists()


def test_the_overview_computes_its_own_distance_where_none_is_among_the_metrics(file, tmp_path):
    out = tmp_path / "r.html"
    asked = ["report", str(file), "--out", str(out), "--metrics", "cider_d,rouge_l"]
    done = trilens(*asked, "--pages", "overview,leaderboard,methods")
    assert "2 metrics of 2 runs on 3 items" in done.stdout
    made = out.read_text(encoding="utf-8")
    overview, board = made[made.index('id="overview"') :].split('<section id="leaderboard"')
    assert "Left: rank by CIDEr-D. Right: by TRM METEOR." in as_read(overview)
    assert "TRM METEOR" not in board[: board.index('<section id="methods"')]
    assert "TRM METEOR" in board[board.index('<section id="methods"') :]
    assert "--metrics cider_d,rouge_l" in board
    trilens(*asked, "--pages", "leaderboard")
    assert "TRM METEOR" not in out.read_text(encoding="utf-8")
