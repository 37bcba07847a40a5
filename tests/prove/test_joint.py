"""Measure the level of the joint test against people for each distance, and its power against six kinds of damage.

Captions are from the demo's grammar, or are real ones, with 48 by people per image. Of 15 captions that people wrote
for an image, five are the references; from the other ten, damage makes those of the run. The power of the divergence
alone is shown beside that of the joint test.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from data.load import load_study
from data.study import Item, Run, Settings, Study
from metrics.analysis.detectable_faults import detectable, mixtures, statistics
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.levels import ALPHA, Written, by_grammar, most
from tests.prove.conftest import Proof

JOINT = tuple(name for name, metric in METRICS.items() if metric.joint)
SIZE = 5
Texts = tuple[str, ...]
Harm = Callable[[Texts, Texts, np.random.Generator], Texts]
"""A function that makes a run's captions from ten captions of the image and five of another image."""


def likest(texts: Texts, count: int) -> Texts:
    words = [set(text.lower().split()) for text in texts]
    shared = [len(one & words[0]) / len(one | words[0]) for one in words]
    return tuple(texts[k] for k in np.argsort(shared, kind="stable")[::-1][:count])


def unlikest(texts: Texts, count: int) -> Texts:
    words, chosen = [set(text.lower().split()) for text in texts], [0]
    while len(chosen) < count:
        rest = [k for k in range(len(texts)) if k not in chosen]
        chosen.append(min(rest, key=lambda k: max(len(words[k] & words[c]) / len(words[k] | words[c]) for c in chosen)))
    return tuple(texts[k] for k in chosen)


def wrong(of: int, captions: int) -> Harm:
    return lambda own, other, rng: (*other[:of], *own[: captions - of])


HARMS: dict[str, Harm] = {
    "none": lambda own, other, rng: own[:SIZE],
    "one wrong of five": wrong(1, SIZE),
    "two wrong of ten": wrong(2, 10),
    "one caption for all": lambda own, other, rng: own[:1] * SIZE,
    "too varied": lambda own, other, rng: unlikest(own, SIZE),
    "shorter": lambda own, other, rng: tuple(sorted(own, key=len)[:SIZE]),
    "one mode of several": lambda own, other, rng: likest(own, SIZE),
}


def made(written: Written, harm: Harm, items: int, rng: np.random.Generator) -> Study:
    chosen = rng.choice(len(written), items, replace=items > len(written))
    found, said = [], {}
    for place, k in enumerate(chosen):
        texts = tuple(written[k][c] for c in rng.choice(len(written[k]), 15, replace=False))
        other = written[(k + 1 + rng.integers(len(written) - 1)) % len(written)]
        found.append(Item(str(place), texts[:SIZE]))
        said[str(place)] = harm(texts[SIZE:], tuple(other[c] for c in rng.choice(len(other), SIZE, replace=False)), rng)
    return Study("harm", tuple(found), (Run("run", "run", Settings(), said),))


def rejected(
    names: tuple[str, ...], harm: Harm, items: int, repeats: int, kept: Cache, written: Written | None = None
) -> dict[str, tuple[float, float]]:
    """Return, by metric, the shares of studies in which the joint test and the divergence alone find a difference."""
    rng, counts = np.random.default_rng(7), {name: np.zeros(2) for name in names}
    options = Options(p_values=True, draws=999, resamples=1)
    for _ in range(repeats):
        study = made(written or by_grammar(), harm, items, rng)
        for (_, name), result in score(study, [METRICS[name] for name in names], options, kept).items():
            assert result.joint is not None
            counts[name] += (result.joint.p <= ALPHA, result.p_value <= ALPHA)
    return {name: (float(both[0]) / repeats, float(both[1]) / repeats) for name, both in counts.items()}


@pytest.mark.prove
@pytest.mark.parametrize("harm", HARMS)
def test_power_of_the_joint_test(proof: Proof, tmp_path: Path, harm: str) -> None:
    items, repeats = 40, 100 if harm == "none" else 25
    found = rejected(JOINT, HARMS[harm], items, repeats, Cache(tmp_path))
    for name, (joint, alone) in found.items():
        size = "10 v 5" if harm.startswith("two") else "5 v 5"
        row = {
            "metric": name,
            "harm": harm,
            "design": f"{items} images, {size}",
            "joint": joint,
            "divergence_alone": alone,
        }
        proof.row(
            "The joint test against people: share of studies distinguished from people at 5 %", **row, repeats=repeats
        )
    for name, (joint, _) in found.items():
        if harm == "none":
            assert joint <= most(repeats), name
        elif "bert" in name:
            assert joint >= 0.8, f"{name} should find this with more than 90 %, in 25 studies"


@pytest.mark.prove
@pytest.mark.parametrize("harm", HARMS)
def test_power_of_the_joint_test_with_real_captions(proof: Proof, realdata: Path, tmp_path: Path, harm: str) -> None:
    """There is one metric for each kind of distance: pairs of captions, bags of words, frequencies and sentence
    vectors.
    """
    study = load_study([], references=[realdata / "abstract48s_500.jsonl"]).study
    names, items, repeats = ("trm_meteor", "trm_cider_d", "mmd_bow", "frechet_bert"), 40, 60 if harm == "none" else 20
    written = [item.references for item in study.items]
    found = rejected(names, HARMS[harm], items, repeats, Cache(tmp_path), written)
    for name, (joint, alone) in found.items():
        proof.row(
            "The joint test against people: share of studies distinguished from people at 5 %",
            metric=name,
            harm=harm,
            design=f"{items} images, real captions, {'10 v 5' if harm.startswith('two') else '5 v 5'}",
            joint=joint,
            divergence_alone=alone,
            repeats=repeats,
        )
        assert harm != "none" or joint <= most(repeats), name


@pytest.mark.prove
@pytest.mark.parametrize("items", [10, 40])
def test_faults_that_are_said_to_be_found_are_found(proof: Proof, tmp_path: Path, items: int) -> None:
    """Each study of people's captions states how many wrong captions it would detect; another study has that many."""
    metric, rng, kept, repeats = METRICS["trm_cider_d"], np.random.default_rng(3), Cache(tmp_path), 40
    options, said, found = Options(p_values=True, draws=999, resamples=1), [], []
    for _ in range(repeats):
        equal = made(by_grammar(), HARMS["none"], items, rng)
        mixed = mixtures(equal, equal.runs[0])
        assert mixed is not None
        z = statistics(mixed, metric, score(mixed, [metric], options, kept))
        assert z is not None
        least = detectable(mixed, z, equal, 1)
        if least.wrong is None:
            continue
        faulty = made(by_grammar(), wrong(least.wrong, SIZE), items, rng)
        result = score(faulty, [metric], options, kept)["run", metric.name]
        assert result.joint is not None
        said.append(least.wrong)
        found.append(result.joint.p <= ALPHA)
    proof.row(
        "Faults that the joint test is said to find (power 80 %)",
        design=f"{items} images, 5 v 5, {metric.name}",
        said_in=len(said) / repeats,
        wrong_of_five=float(np.mean(said)),
        found=float(np.mean(found)),
        repeats=repeats,
    )
    assert np.mean(found) >= 0.7


def test_one_wrong_caption_in_five_is_found_where_the_divergence_is_blind(tmp_path: Path) -> None:
    joint, alone = rejected(("trm_cider_d",), HARMS["one wrong of five"], 40, 6, Cache(tmp_path))["trm_cider_d"]
    assert joint >= 0.5
    assert alone <= 0.35
