"""Test COSMic's size, learning and folds of images, the table of ratings, and COSMic's agreement with these ratings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import kendalltau

from data.ratings.coherence import LABELS
from data.ratings.coherence_ratings import GOOD, Rated, Ratings, read, with_references
from data.study import DataError
from metrics.analysis.coherence import cosmic_agreement
from metrics.cache.disk import Cache
from metrics.learned import cosmic, cosmic_file
from metrics.learned.checkpoint import Checkpoint, State
from metrics.learned.cosmic import EVERYWHERE, FOLDS, Data, Network
from metrics.learned.cosmic_data import Design
from metrics.learned.cosmic_file import About
from metrics.progress import Hooks
from tests.command_line import trilens
from tests.learned.small import small_networks

HEADER = [
    *("caption", "url", "source", "cbBrokenImg", "cbMetaGood", "cbMetaBad", "cbSubjectiveGood", "cbSubjectiveBad"),
    *(f"cb{label}{k}" for label in ("Visible", "Story") for k in range(1, 6)),
]


def line(caption: str, url: str, source: str, ticks: str = "", broken: int = 0) -> list[str]:
    """Return a row of the table; `ticks` are the names, without "cb", of the columns that are 1."""
    cells = dict.fromkeys(HEADER, "0") | {"caption": caption, "url": url, "source": source, "cbBrokenImg": str(broken)}
    return list((cells | {f"cb{name}": "1" for name in ticks.split()}).values())


def tsv(*rows: list[str]) -> bytes:
    made = io.StringIO()
    csv.writer(made, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None).writerows(
        [HEADER, *rows]
    )
    return made.getvalue().encode()


def parameters(network: torch.nn.Module) -> int:
    return sum(part.numel() for part in network.parameters())


@pytest.mark.parametrize(
    ("images", "labels", "expected"),
    [
        (2048, 4, 3_062_913),
        (0, 4, 3_062_913 - 2048 * 512 - 512 - 512 * 512),
        (2048, 0, 3_062_913 - 4 * 512 - 512 - 2 * 512 * 512),
    ],
)
def test_the_network_is_of_the_size_of_the_authors(images: int, labels: int, expected: int) -> None:
    assert parameters(Network(1024, images, labels)) == expected


@pytest.mark.parametrize(("relu", "rectified"), [("paper", range(1, 8)), ("code", range(2, 8)), (EVERYWHERE, range(8))])
def test_relus_are_where_the_paper_and_its_code_have_them(relu: str, rectified: Sequence[int]) -> None:
    """By equations 3 to 5 of the paper, only the seven hidden layers end in a ReLU; the paper's code differs."""
    torch.manual_seed(0)
    network, seen = Network(6, 5, 4, relu), []
    for layer in network.layers:
        layer.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    texts, labels = [torch.randn(64, 6), torch.randn(64, 6)], [torch.eye(4).repeat(16, 1)] * 2
    found = network(texts, torch.randn(64, 5), labels)
    assert [k for k, given in enumerate(seen) if (given >= 0).all()] == list(rectified)
    assert torch.equal(found, network.layers[-1](seen[-1])[:, 0])


@pytest.mark.parametrize(("rectified", "relu"), [(True, EVERYWHERE), (False, "code")])
def test_a_file_of_a_network_before_relu_was_a_setting_scores_as_it_did(
    rectified: bool, relu: str, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    about, made, path = About("e", (), 6, 0, relu, 1.0, 1.0, 1, 1, "", 0), Network(6, 0, 0, relu), tmp_path / "old"
    said = {**asdict(about), "format": "trilens cosmic 1", "rectified": rectified}
    del said["relu"]
    Checkpoint(path, json.dumps(said)).write(State(made.state_dict(), ()))
    vectors = np.random.default_rng(0).normal(size=(2, 6))
    found = cosmic_file.read(str(path))
    assert found.about == about
    texts = [torch.as_tensor(row[None], dtype=torch.float32) for row in vectors]
    scores = found.scores([Rated("u", "a", "", np.nan, "b", "")], ("a", "b"), vectors, np.zeros((1, 0)))
    assert scores == pytest.approx(made(texts, None, ()).detach().numpy())


def test_rows_of_the_table_are_ratings_by_the_label_they_were_written_for() -> None:
    found = read(
        "r.tsv",
        tsv(
            line("a", "u", "Story_12", "Story4 Visible1"),
            line("a", "u", "Story_12", "Story2"),
            line("b", "u", "True7", "Visible5"),
            line("c", "u", "Meta1", "MetaGood Story1"),
            line("d", "u", "Subjective9", "SubjectiveBad"),
            line('e "quoted', "u", "Subjective9", "Visible5"),
            line("f", "u", "Action3", "Visible5"),
            line("g", "u", "Meta3", "MetaGood", broken=1),
            line("h", "u", "Meta3", "MetaGood MetaBad"),
            line("", "u", "Meta3", "MetaGood"),
        ),
    )
    assert {(one.caption, one.label): one.rating for one in found.rated} == {
        ("a", "Story"): pytest.approx((0.75 + 0.25) / 2),
        ("b", "Visible"): 1.0,
        ("c", "Meta"): 1.0,
        ("d", "Subjective"): 0.0,
        ('e "quoted', "Subjective"): 0.0,
    }
    assert sorted(found.left_out.values()) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"caption\turl\n", "line 1 has no column 'source'"),
        (b"", "line 1 has no column 'caption'"),
        (b"\xff\xfe\x00", "not a table of UTF-8 text"),
        (tsv(["a", "u"]), "line 2 has 2 cells"),
    ],
)
def test_a_table_that_cannot_be_read_says_where(given: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said) as found:
        read("r.tsv", given)
    assert str(found.value).startswith("r.tsv: ")


def test_references_are_the_best_other_captions_of_the_image() -> None:
    rated = [
        Rated("u", "best", "Meta", 1.0),
        Rated("u", "good", "Visible", GOOD),
        Rated("u", "poor", "Story", 0.0),
        Rated("alone", "only", "Meta", 1.0),
        Rated("given", "has one", "Meta", 0.2, "its own", "Story"),
    ]
    found = with_references(Ratings(tuple(rated), {}))
    assert [(one.caption, one.reference, one.reference_label) for one in found.rated] == [
        ("best", "good", "Visible"),
        ("good", "best", "Meta"),
        ("poor", "best", "Meta"),
        ("has one", "its own", "Story"),
    ]
    assert list(found.left_out.values()) == [1]
    again = with_references(Ratings(tuple(rated[::-1]), {}))
    assert set(again.rated) == set(found.rated)


def planted(n: int = 200, seed: int = 0) -> Data:
    """Make captions whose rating is the sum of a function of their text and an effect of their label."""
    rng = np.random.default_rng(seed)
    texts, label = rng.normal(size=(n, 12)), rng.integers(2, size=n)
    rating = 0.5 + 0.15 * np.tanh(texts[:, 0]) + 0.2 * (label - 0.5)
    place, group = np.arange(n), rng.integers(n // 3, size=n)
    return Data(
        torch.as_tensor(texts, dtype=torch.float32),
        torch.zeros(n, 0),
        *(place, place[::-1].copy(), group, label, label, 2, group, rating),
    )


def test_it_learns_what_was_planted_and_folds_are_of_images() -> None:
    data = planted()
    with small_networks(epochs=30):
        found = cosmic.cross_validated(data)
    assert all(len(set(found.fold[data.group == image])) == 1 for image in set(data.group))
    assert set(found.fold) == set(range(FOLDS))
    assert kendalltau(found.scores, data.rating).statistic > 0.6
    assert kendalltau(data.label, data.rating).statistic < 0.65
    assert not np.array_equal(found.fold, cosmic.folds(data.group, 1))
    with small_networks():
        first, again = (cosmic.cross_validated(data) for _ in range(2))
    assert np.array_equal(first.scores, again.scores)


def test_the_table_says_what_scipy_says_and_how_far_others_are_behind() -> None:
    rng = np.random.default_rng(3)
    rated = [Rated(f"image {k % 40}", f"caption {k}", LABELS[k % 2], float(rng.random()), "r") for k in range(160)]
    rating = np.array([one.rating for one in rated])
    scores = {"close": rating + rng.normal(size=160) * 0.1, "far": rng.random(160), "none": np.full(160, np.nan)}
    found = cosmic_agreement.table(rated, scores).set_index(["metric", "label"])
    for metric in ("close", "far"):
        for label in ("all", *LABELS[:2]):
            chosen = [k for k, one in enumerate(rated) if label in ("all", one.label)]
            expected = kendalltau(scores[metric][chosen], rating[chosen]).statistic
            assert found.loc[(metric, label), "value"] == pytest.approx(expected)
            assert found.loc[(metric, label), "n"] == len(chosen)
    row, first = found.loc[("far", "all")], found.loc[("close", "all")]
    assert row.difference == pytest.approx(first.value - row.value)
    assert 0 < row.difference_low < row.difference < row.difference_high
    assert row.difference_p < 1e-3 < first.low
    assert np.isnan(first.difference)
    assert np.isnan(found.loc[("none", "all"), "value"])
    assert found.loc[("close", LABELS[2]), "n"] == 0


def test_the_label_alone_is_its_mean_in_other_folds() -> None:
    rated = [Rated("u", str(k), LABELS[k % 2], k / 10, "r") for k in range(10)]
    fold = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    found = cosmic_agreement.label_alone(rated, fold)
    assert found[0] == pytest.approx(np.mean([0.2, 0.4, 0.6, 0.8]))
    assert found[9] == pytest.approx(np.mean([0.1, 0.3, 0.5, 0.7]))


WORDS = ("cat", "dog", "tree", "boat", "house", "river", "lamp", "horse")


def ratings_file(folder: Path, images: int) -> Path:
    rng = np.random.default_rng(5)
    rows = []
    for k in range(images):
        word = WORDS[k % len(WORDS)]
        rows.append(line(f"a {word} in place {k}", f"u{k}", "True1", "Visible5"))
        rows.append(line(f"the {word} of {k}", f"u{k}", "Meta1", "MetaGood" if rng.random() < 0.5 else "MetaBad"))
    path = folder / "ratings.tsv"
    path.write_bytes(tsv(*rows))
    return path


@small_networks()
def test_the_command_writes_its_table_and_says_what_it_lacks(tmp_path: Path) -> None:
    path, out = ratings_file(tmp_path, 60), tmp_path / "out.csv"
    features = tmp_path / "features.npz"
    np.savez(features, names=[f"u{k}" for k in range(60)], features=np.random.default_rng(0).normal(size=(60, 7)))
    command = ["train", "cosmic", str(path), "--images", str(features), "--out", str(out), "--cache-dir", str(tmp_path)]
    trilens(*command)
    table = pd.read_csv(out)
    assert list(dict.fromkeys(table.metric))[:2] == ["COSMic Vanilla", "label alone"]
    assert table[table.label == "all"].value.notna().all()
    np.savez(features, names=["u0"], features=np.ones((1, 7)))
    assert "no features of 59 images, such as 'u1'" in refused(command)
    np.savez(features, names=["u0"], features=np.ones((1, 7), dtype=int))
    assert "needs `names`" in refused(command)
    few = ["train", "cosmic", str(ratings_file(tmp_path, 20)), "--no-cache"]
    assert "20 images have a rated caption" in refused(few)
    assert "line 1 has no column" in refused(["train", "cosmic", str(out), "--no-cache"])


def refused(command: list[str]) -> str:
    return " ".join(trilens(*command, expect=2).output.split())


@small_networks()
def test_the_order_of_the_file_does_not_matter(tmp_path: Path) -> None:
    rated = with_references(read("r", ratings_file(tmp_path, 60).read_bytes())).rated
    cache = Cache(tmp_path / "cache")
    found, turned = (
        cosmic_agreement.learned(some, None, Design(), cache, Hooks()).scores for some in (rated, rated[::-1])
    )
    assert np.array_equal(found, turned[::-1])
