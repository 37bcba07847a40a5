"""Test metrics with custom parameters: they add rows to the same tables, and their signatures determine the numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from data.convert import write_jsonl
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.distances.document_frequencies import of_counts
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.parameters import Parameter, parameters, parse_instance, split
from metrics.registry import METRICS, given_to, resolve
from metrics.suite.distribution import Mmd
from metrics.suite.quality import CiderD
from tests.command_line import trilens
from tests.studies import study

OWN = "mmd_bow(bandwidth=2,biased=true)"


def own(written: str, **more: object) -> Metric:
    (found,) = resolve([written], **more)  # type: ignore[arg-type]
    return found


def another(parameter: Parameter) -> str:
    if parameter.kind == "true or false":
        return "false" if parameter.default else "true"
    if parameter.options:
        return next(option for option in parameter.options if option != parameter.default)
    assert parameter.range is not None
    return str(next(n for n in (2, 3) if n != parameter.default))


@pytest.mark.parametrize("name", METRICS)
def test_every_parameter_of_every_metric_changes_the_signature_and_the_name(name: str) -> None:
    for key, parameter in parameters(METRICS[name]).items():
        if parameter.kind != "text":
            found = own(f"{name}({key}={another(parameter)})")
            assert found.signature != METRICS[name].signature, key
            assert found.name not in (name, *METRICS) or found in METRICS.values()
            assert found.label != METRICS[name].label


def test_the_signature_is_the_one_that_the_parameters_have_whatever_the_name() -> None:
    plain = METRICS["mmd_bow"]
    assert isinstance(plain, Mmd)
    found = own("mmd_bow(biased=true, bandwidth=2)")
    assert (found.name, found.label) == (OWN, f"{plain.label} (bandwidth 2, biased)")
    assert found.signature == replace(plain, bandwidth=2.0, biased=True).signature
    assert own("trm_bleu_4(n=2)").signature == "trm_bleu_2|v1|ties:shared|smooth:none|tok:ptb"


def test_the_numbers_are_those_of_the_parameters_beside_the_plain_ones() -> None:
    of, options = study(), Options(p_values=True, draws=99, resamples=50)
    plain = resolve(["mmd_bow"], "whitespace")[0]
    assert isinstance(plain, Mmd)
    asked = resolve([OWN, "mmd_bow"], "whitespace")
    assert [metric.name for metric in asked] == ["mmd_bow", OWN], "behind the plain one"
    found = scoring.score(of, asked, options)
    wanted = scoring.score(of, [replace(plain, bandwidth=2.0, biased=True)], options)
    for run in of.runs:
        mine, its = found[run.name, OWN], wanted[run.name, "mmd_bow"]
        assert mine.items.tolist() == its.items.tolist()
        assert (mine.corpus, mine.p_value, mine.low) == (its.corpus, its.p_value, its.low)
        assert mine.corpus != found[run.name, "mmd_bow"].corpus
    table = scores(of, found)
    assert table.metric.tolist() == ["mmd_bow", OWN] * 2
    assert table.signature.nunique() == 2


def test_one_cache_entry_for_one_signature(tmp_path: Path) -> None:
    cache, of = Cache(tmp_path), study()
    plain = resolve(["mmd_bow"], "whitespace")[0]
    assert isinstance(plain, Mmd)
    scoring.score(of, [own(OWN, tokenizer="whitespace")], Options(), cache)
    assert not scoring.plan(of, [replace(plain, bandwidth=2.0, biased=True)], Options(), cache).todo
    assert scoring.plan(of, [plain], Options(), cache).todo


def test_other_processes_compute_the_same() -> None:
    of, metric = study(), own(OWN, tokenizer="whitespace")
    here = scores(of, scoring.score(of, [metric]))
    pd.testing.assert_frame_equal(scores(of, scoring.score(of, [metric], workers=Workers("loky", 2))), here)


def test_values_that_are_the_default_are_the_plain_metric() -> None:
    assert own("mmd_bow(bandwidth=0.5)") == METRICS["mmd_bow"]
    assert own("bleu_4(n=2)") == METRICS["bleu_2"], "it has a name already"


def test_an_option_for_all_metrics_leaves_what_was_chosen_for_one(tmp_path: Path) -> None:
    file = tmp_path / "coco.json"
    file.write_text(json.dumps({"documents": 9, "frequencies": {"a": 7, "dog": 2}, "tokenizer": "whitespace"}))
    metric = own(f"cider_d(idf={file},tokenizer=whitespace)")
    assert metric.name == "cider_d(idf=coco.json,tokenizer=whitespace)"
    assert isinstance(metric, CiderD)
    assert given_to(metric, of_counts(5, {("a",): 3})) == metric
    assert "idf:study" not in metric.signature
    bleu = resolve(["bleu_4", "bleu_4(tokenizer=ptb)"], "whitespace")
    assert [m.signature.rsplit(":")[-1] for m in bleu] == ["whitespace", "ptb"]


def test_a_test_learns_nothing_of_who_said_what() -> None:
    for written in ("trm_cider_d(idf=study)", "mmd_bow(vocabulary=study)", "trm_bow(vocabulary=study)"):
        assert "study" in own(written).signature
        assert "study" not in own(written).tested_as.signature


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("mmd_bert(bandwith=1)", "no parameter 'bandwith'; there are encoder (a name); bandwidth (a number from 0.001"),
        ("mmd_bert(bandwidth=0)", "bandwidth takes a number from 0.001 to 1000 of at most six digits, not '0'"),
        ("mmd_bert(bandwidth=1.0000001)", "at most six digits"),
        ("mmd_bert(bandwidth=nan)", "not 'nan'"),
        ("mmd_bert(biased=maybe)", "biased takes true or false, not 'maybe'"),
        ("bleu_4(n=5)", "n takes a whole number from 1 to 4, not '5'"),
        ("trm_bow(ties=fair)", "ties takes shared or paper, not 'fair'"),
        ("cider_d(idf=nowhere.npz)", "or a file of document frequencies; nowhere.npz: No such file"),
        ("vendi_bert(encoder=nowhere)", "There is no encoder 'nowhere'"),
        ("mmd_bert(bandwidth=1", "brackets"),
        ("mmd_bert(bandwidth)", "is not written mmd_bert(parameter=value,parameter=value)"),
        ("mmd_brt(bandwidth=1)", "did you mean mmd_bert"),
    ],
)
def test_what_cannot_be_set_is_a_sentence(written: str, said: str, tmp_path: Path) -> None:
    write_jsonl(study(items=2), tmp_path / "study.jsonl")
    done = trilens("score", tmp_path / "study.jsonl", "--metrics", written, "--no-cache", expect=2)
    assert said in done.output
    assert "Traceback" not in done.output


def test_an_address_names_no_files() -> None:
    for written in ("cider_d(idf=/etc/passwd)", "mmd_bert(encoder=/etc)", "cider_d(idf=idf.npz)"):
        metric = METRICS[written.partition("(")[0]]
        with pytest.raises(ValueError, match="on the command line only"):
            parse_instance(metric, written, files=False)
    assert (
        parse_instance(METRICS["trm_cider_d"], "trm_cider_d(idf=study)", files=False).name == "trm_cider_d(idf=study)"
    )


def test_names_are_split_outside_of_brackets() -> None:
    assert split(" a, b(c=1,d=2) ,,e") == ["a", "b(c=1,d=2)", "e"]
    for text in ("a(b", "a)b", "a(b(c=1))"):
        with pytest.raises(ValueError, match="brackets"):
            split(text)


def test_the_command_line_lists_and_scores_them(tmp_path: Path) -> None:
    listed = trilens("list", "--parameters")
    assert "bandwidth" in listed.output
    assert "a number from 0.001 to 1000" in listed.output
    write_jsonl(study(items=4), tmp_path / "study.jsonl")
    wanted = ["--metrics", f"mmd_bow,{OWN},trm_bow(ties=paper)", "--tokenizer", "whitespace", "--no-cache"]
    trilens("score", tmp_path / "study.jsonl", *wanted, "--out", tmp_path / "s.csv")
    table = pd.read_csv(tmp_path / "s.csv")
    assert table.metric.unique().tolist() == ["trm_bow(ties=paper)", "mmd_bow", OWN]
    assert table.value.notna().all()
