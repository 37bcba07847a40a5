"""Test that a report is a single file with everything that the pages show, and that all text from users is escaped."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest

from data.files.blobs import File
from data.study import Item, Run, Settings, Study
from data.version import VERSION
from figures.images.pictures import Picture
from figures.overview import words
from figures.report import charts, commands
from figures.report import html as report_html
from figures.report.charts import Charts
from figures.report.html import LeftOut, Section
from figures.report.pages import PAGES, build_report
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.escaping import esc
from figures.style.palette import Mode, frame, tone
from figures.views.registry import VIEWS
from metrics.analysis import defaults, overview_image
from metrics.analysis import numbers as analysis_numbers
from metrics.analysis.artifacts import Artifact
from metrics.analysis.human_line import human_requirements
from metrics.analysis.overview import overview as overview_of
from metrics.analysis.overview import representative_image
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.text.encoder import encoder_signature
from tests.report_text import as_read
from tests.studies import study as random_study

NAMES = ("ms_jaccard_2", "trm_bow", "cider_d", "rouge_l", "distinct_2")
CHOSEN = tuple(METRICS[name] for name in NAMES)
NASTY = "</script><script>window.hacked=1</script> <img src=x onerror=alert(1)> $5 :red[x]"
ROOT = Path(__file__).resolve().parents[2]
DAY = "2026-01-31"
TESTED = Options(p_values=True)


def request(study: Study, **more: object) -> Request:
    agreement, diversity, people = human_requirements(study, CHOSEN)
    own = scoring.score(study, CHOSEN + agreement, TESTED)
    others = scoring.score(people, diversity, TESTED) if people else {}
    numbers = analysis_numbers.of_results(own, others)
    made = Request(study, numbers, CHOSEN, tuple(PAGES), DAY, (0, 1))
    return replace(made, **more)


def html(asked: Request) -> str:
    return build_report(asked).html


class Outside(HTMLParser):
    """A parser that collects everything in a file that would make a browser request something."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "srcset", "action") and value and not value.startswith(("data:", "#")):
                self.asked.append(f"{tag} {name}={value[:60]}")


@pytest.fixture(scope="module")
def study() -> Study:
    return random_study(items=5, references=4, candidates=4, runs=4, seed=2)


@pytest.fixture(scope="module")
def asked(study: Study) -> Request:
    return request(study)


@pytest.fixture(scope="module")
def made(asked: Request) -> str:
    return html(asked)


def test_every_page_is_there_with_its_numbers_and_signatures(study, asked, made):
    for title, build in PAGES.values():
        if isinstance(build(asked), Section):
            assert f"<h2>{title}</h2>" in made or title == "Images"
    assert "<h2>Items</h2>" in made
    assert all(metric.signature in made for metric in CHOSEN)
    assert f"sha256:{study.digest}" in made
    assert made.count("data-chart=") >= 8
    assert "trilens" in made


def test_the_overview_says_what_the_app_says_and_draws_its_triangle(study, asked):
    seen = overview_of(study, asked.numbers, METRICS["cider_d"], METRICS["trm_bow"])
    page = PAGES["overview"][1](replace(asked, charts=Charts()))
    assert isinstance(page, Section)
    said = "".join(page.blocks)
    assert "".join(page.verdict) == " ".join(words.headline(seen))
    position = representative_image(asked.numbers, seen)
    found = overview_image.steps(study, seen.shown, position, METRICS["trm_bow"], Cache(None), TESTED)
    assert found is not None
    assert esc(found.triangle.point) in said
    assert [f"{count} triangles" in said for count in {of.triangles for of in found.shares}] == [True]


def test_without_a_distance_the_overview_has_two_quality_metrics_and_says_why(study, asked):
    few = replace(study, items=tuple(replace(item, references=item.references[:1]) for item in study.items))
    for of, why in (
        (few, "With one caption by people for each item"),
        (study, "Distance to people was not computed for this report."),
    ):
        chosen = (METRICS["cider_d"], METRICS["rouge_l"])
        numbers = analysis_numbers.of_results(scoring.score(of, chosen), {})
        page = PAGES["overview"][1](Request(of, numbers, chosen, ("overview",), DAY))
        assert isinstance(page, Section)
        assert why in "".join(page.verdict)
        assert "Left: rank by CIDEr-D. Right: by ROUGE-L." in as_read(page.blocks[0])


def test_the_file_begins_with_the_argument_and_a_verdict_of_each_page_and_ends_with_how_it_was_made(asked, made):
    seen = overview_of(asked.study, asked.numbers, METRICS["cider_d"], METRICS["trm_bow"])
    opening = made[made.index("<header>") : made.index("</header>")]
    assert f"<h1>{esc(' '.join(words.headline(seen)))}</h1>" in opening
    pages = [page for name in PAGES if isinstance(page := PAGES[name][1](replace(asked, charts=Charts())), Section)]
    answering = [page for page in pages if page.verdict and page.title != "Overview"]
    assert len(answering) >= 5
    links = re.findall(r'<li><a href="#([^"]*)">', opening)
    assert links == [page.anchor for page in answering]
    assert all(f'<section id="{anchor}">' in made for anchor in links)
    for page in answering:
        assert f"<span>{style_html.answer(page.verdict)}</span>" in opening
    assert re.findall(r"<h2>(.*?)</h2>", made)[-2:] == ["Methods", "Provenance"]
    # Commands, files and signatures come behind every verdict and figure, or are folded.
    assert made.index("trilens") > made.index("<h2>Provenance</h2>")
    pages = re.findall(r'<details class="tl-page"( open)?>', made)
    assert pages == [" open", *[""] * (len(re.findall(r'<section id="', made)) - 1)], "only the first page is open"


def test_a_chart_on_a_dark_ground_is_the_one_that_the_app_draws():
    def drawn(*, mode: Mode) -> go.Figure:
        figure = go.Figure(go.Scatter(x=[1, 2], y=[3, 4], marker={"color": [tone("ink", mode), "#123456"]}))
        figure.add_shape(type="line", line={"color": tone("line", mode)})
        if mode == "dark":
            figure.add_annotation(text="dark alone </script>")
        return frame(figure, mode, 200)

    block = Charts().block(drawn, "alt")
    assert block.count("</script>") == 1
    spec = json.loads(re.search(r'data-chart="chart-1">(.*?)</script>', block, re.S)[1])
    changes = {tuple(path): value for path, value in spec.pop("dark")}
    assert changes.pop(("data", 0, "marker", "color")) == [tone("ink", "dark"), "#123456"]
    assert changes.pop(("layout", "shapes", 0, "line", "color")) == tone("line", "dark")
    assert changes.pop(("layout", "annotations"))[0]["text"] == "dark alone </script>"
    assert not changes
    assert "template" not in spec["layout"]


def test_html_follows_the_ground_by_its_colours_and_pictures():
    def said(*, mode: Mode) -> str:
        band = 0.3 if mode == "light" else 0.4
        return f'<p style="color:{tone("ink", mode)};--band:{band}">#ABCDEF<img src="{mode}"></p>'

    ink = f"light-dark({tone('ink', 'light')},{tone('ink', 'dark')})"
    picture = (
        '<picture><source media="screen and (prefers-color-scheme: dark)" srcset="dark"><img src="light"></picture>'
    )
    assert charts.both(said) == f'<p style="color:{ink};--band:0.3;--band-dark:0.4">#ABCDEF{picture}</p>'
    assert charts.both(lambda *, mode: mode) == (
        '<div class="tl-on-light">light</div><div class="tl-on-dark">dark</div>'
    )


@pytest.mark.parametrize(
    ("chosen", "why"), [("cider_d", "it needs a quality metric and a triangle"), ("trm_bow", "it needs a quality")]
)
def test_without_two_orders_the_overview_is_left_out_with_the_reason(asked, chosen, why):
    page = PAGES["overview"][1](replace(asked, metrics=(METRICS[chosen],)))
    assert isinstance(page, LeftOut)
    assert page.why.startswith(why)


def test_its_head_says_when_by_what_and_of_which_files_it_was_made(asked):
    files = (File("my <runs>.json", "ab" * 32), File("refs.json", "cd" * 32))
    asked = replace(asked, pages=("methods",))
    made = html(replace(asked, files=files, charts=Charts()))
    head = made[made.index("<h2>Provenance</h2>") :]
    assert f"<dd>{DAY} by Trilens {VERSION}</dd>" in head
    assert "<dt>Tokenizer</dt><dd>ptb</dd>" in head
    assert "<dt>Encoder</dt><dd>none needed</dd>" in head
    assert f"my &lt;runs&gt;.json sha256:{'ab' * 32}" in head
    assert f"refs.json sha256:{'cd' * 32}" in head
    assert "<dt>Files</dt>" not in html(replace(asked, charts=Charts()))
    hidden = html(replace(asked, files=files, anonymous=True, charts=Charts()))
    assert "names and sha256 are left out" in hidden
    assert "refs.json" not in hidden
    assert "abab" not in re.sub(r"<style>.*?</style>|<script.*?</script>", "", hidden, flags=re.S)


def test_the_encoder_in_the_head_is_that_of_the_signatures(asked):
    assert replace(asked, metrics=(METRICS["trm_bert"],)).parts("enc") == (encoder_signature(),)


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (("rouge_l", "bleu_4", "distinct_1", "self_bleu_4"), "BLEU-4 against Self-BLEU-4"),
        (("rouge_l", "bleu_1", "distinct_1", "distinct_2"), "ROUGE-L against distinct-1"),
    ],
)
def test_the_frontier_has_the_pair_that_the_page_begins_with(study, monkeypatch, names, title):
    monkeypatch.setattr(defaults, "PATIENCE", 0.0)
    chosen = tuple(METRICS[name] for name in names)
    numbers = analysis_numbers.of_results(scoring.score(study, chosen), {})
    section = PAGES["frontier"][1](Request(study, numbers, chosen, ("frontier",), DAY))
    assert isinstance(section, Section)
    assert title in as_read("".join(section.blocks))


def test_the_frontier_takes_meteor_where_every_run_has_it(study, monkeypatch):
    monkeypatch.setattr(defaults, "PATIENCE", 0.0)
    rouge = METRICS["rouge_l"]
    slow = type("Slow", (type(rouge),), {"name": "meteor", "label": "METEOR"})()
    chosen = (rouge, METRICS["bleu_4"], slow, METRICS["self_bleu_4"])
    known = scoring.score(study, [metric for metric in chosen if metric is not slow])
    made_up = {
        (run, "meteor"): replace(result, metric=slow) for (run, name), result in known.items() if name == "rouge_l"
    }
    whole_pair = Request(study, analysis_numbers.of_results({**known, **made_up}, {}), chosen, ("frontier",), DAY)
    assert whole_pair.scored("meteor")
    assert "METEOR against Self-BLEU-4" in as_read("".join(PAGES["frontier"][1](whole_pair).blocks))
    part = replace(whole_pair, numbers=analysis_numbers.of_results({**known, **dict(list(made_up.items())[:1])}, {}))
    assert not part.scored("meteor")
    assert "BLEU-4 against Self-BLEU-4" in as_read("".join(PAGES["frontier"][1](part).blocks))


def test_what_is_left_out_is_said_with_its_reason(study, asked):
    few = replace(study, items=tuple(replace(item, references=item.references[:1]) for item in study.items))
    chosen = tuple(METRICS[name] for name in ("cider_d", "rouge_l"))
    numbers = analysis_numbers.of_results(scoring.score(few, chosen), {})
    pages = tuple(name for name in PAGES if name != "sweeps")
    report_made = build_report(Request(few, numbers, chosen, pages, DAY))
    left = dict(report_made.left_out)
    assert left["Sweeps"] == "not asked for"
    why = "it needs a quality metric and a diversity metric: there is no diversity metric"
    assert left["Frontier"] == why
    assert left["Images"] == "none were chosen"
    assert left["Central captions"] == "a centre needs three captions by people, and no item has three: add some"
    assert left["Caption cloud"] == "its layout has not been made: open the page first"
    assert left["Unique vs correct"] == "it needs items with at least 4 captions by people; the most here is 1"
    own = {title for name, (title, _) in PAGES.items() if name not in VIEWS}
    assert left.keys() & own == own - {"Overview", "Leaderboard", "Paired comparison", "Judgments", "Methods"}
    assert all(esc(f"{title}: {why}".replace("`", "")) in report_made.html for title, why in left.items())


def test_what_pages_compute_as_a_whole_is_made_when_asked_for(study, asked):
    made: list[str] = []
    asked = replace(asked, cache=Cache(None))

    def make(work: Artifact, doing: str) -> Arrays:
        made.append(doing)
        return work.compute(asked.cache, Hooks())

    pages = ("central", "unique_correct")
    first = build_report(replace(asked, pages=pages, make=make, charts=Charts()))
    assert made == ["Finding the centres by bag of words", "Comparing sets of captions of 5 items by CIDEr-D"]
    assert {title for title, why in first.left_out if why != "not asked for"} == set()
    again = build_report(replace(asked, pages=pages, charts=Charts()))
    assert again.html == first.html


def test_titles_are_in_the_font_of_the_app_which_travels_along(made):
    style = re.search(r"<style>(.*?)</style>", made, re.S)[1]
    family = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]["headingFont"].split(",")[0]
    assert f"h1, h2 {{ font-family: {family.replace(chr(39), chr(34))}," in style
    assert re.search(r'@font-face{font-family:"Source Serif 4";[^}]*src:url\(data:font/woff2', style)


def test_it_asks_for_nothing_outside(made):
    parser = Outside()
    parser.feed(re.sub(r"<script.*?</script>", "", made, flags=re.S))
    assert parser.asked == []
    assert "@import" not in made
    assert not re.search(r"url\((?![\"']?data:)", re.search(r"<style>(.*?)</style>", made, re.S)[1])


def test_equal_requests_make_equal_files(asked, made):
    assert html(replace(asked, charts=Charts())) == made


def test_texts_of_others_stay_texts():
    items = tuple(Item(f"{k} {NASTY}", (NASTY, "a dog", f"a cat {k}")) for k in range(3))
    runs = tuple(
        Run(f"{NASTY} {r}", f"{NASTY} {r}", Settings(0.5 + r), {i.id: (NASTY, f"a dog {r}") for i in items})
        for r in range(2)
    )
    nasty = html(request(Study(NASTY, items, runs), pages=("leaderboard", "images", "paired", "frontier", "methods")))
    assert "window.hacked=1</script> " not in nasty
    found = Outside()
    found.feed(re.sub(r"<script.*?</script>", "", nasty, flags=re.S))
    assert "img" not in found.tags
    assert found.asked == []


def test_anonymous_says_no_name_of_study_or_file(study, asked):
    named = replace(study, name="Secret Lab")
    given = commands.CommandInputs(("/srv/somebody/secret.json",), "/data/refs.json")
    made = html(replace(asked, study=named, given=given, anonymous=True, charts=Charts()))
    asked = replace(asked, pages=("leaderboard",))
    assert "Secret Lab" not in made
    assert "somebody" not in made
    assert "refs.json" not in made
    assert "trilens score study.jsonl --metrics ms_jaccard_2," in made
    said = html(replace(asked, given=commands.CommandInputs(("my study.json",), "refs.json"), charts=Charts()))
    assert "trilens score &#x27;my study.json&#x27; --references refs.json --metrics ms_jaccard_2," in said


@pytest.mark.parametrize("kind", ["references alone", "one run", "one caption", "no temperature"])
def test_pages_without_content_are_left_out(kind):
    study = random_study(items=2, references=3, candidates=1 if kind == "one caption" else 3, runs=3)
    runs = {"references alone": (), "one run": study.runs[:1]}.get(kind, study.runs)
    if kind == "no temperature":
        runs = tuple(replace(run, settings=Settings()) for run in runs)
    made = html(request(replace(study, runs=runs)))
    assert "<h2>Methods</h2>" in made
    assert ("<h2>Leaderboard</h2>" in made) == bool(runs)
    assert ("<h2>Paired comparison</h2>" in made) == (len(runs) > 1)
    assert ("<h2>Sweeps</h2>" in made) == (kind not in ("references alone", "one run", "no temperature"))


def test_the_triangles_of_an_image_are_those_of_a_run_that_has_some():
    study = random_study(items=3, runs=2)
    said = {item: texts[:1] for item, texts in study.runs[0].candidates.items()}
    greedy = replace(study.runs[0], candidates=said)
    made = html(request(replace(study, runs=(greedy, study.runs[1])), pages=("images",), images=(0,)))
    assert "TRM bag of words of run 1:" in made
    assert "needs 2 captions" not in made


def test_tables_print_numbers_as_pages_do_and_hold_all_digits():
    frame = pd.DataFrame({"Run": ["a", "b"], "TRM": [1 / 3, float("nan")], "p": [0.00003, 0.5], "n": [3, 4]})
    made = report_html.table(frame, "t", "T", {})
    assert '<td class="r">0.333</td>' in made
    assert "3×10⁻⁵" in made
    assert "–" in made
    import base64

    data = re.search(r"base64,([A-Za-z0-9+/=]+)", made)[1]
    assert "0.3333333333333333" in base64.b64decode(data).decode()


def test_pictures_travel_inside(tmp_path: Path):
    from PIL import Image

    Image.new("RGB", (4, 4), "red").save(tmp_path / "x.png")
    assert 'src="data:image/png;base64,' in report_html.picture(Picture(tmp_path / "x.png"), '"><script>')
    assert "<script>" not in report_html.picture(Picture(tmp_path / "x.png"), '"><script>')


@pytest.mark.parametrize("others", [(), ("rouge_l",)])
def test_runs_are_compared_by_a_metric_of_items(others: tuple[str, ...]) -> None:
    """The first metric, which ranks the runs, has only one value per run, so there are no items to pair."""
    study = random_study(items=8, runs=2)
    chosen = tuple(METRICS[name] for name in ("vocabulary", *others))
    numbers = analysis_numbers.of_results(scoring.score(study, chosen, TESTED), {})
    found = PAGES["paired"][1](Request(study, numbers, chosen, ("paired",), DAY))
    assert isinstance(found, Section) == bool(others)
    assert "ROUGE-L against" in "".join(found.blocks) if others else "a value for each item" in found.why
