"""Test the caption cloud: its sample, its projections, its statistics of sets, and the plane of one image."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness as sklearn_trust

from data.study import Item, Run, Settings, Study
from metrics.analysis.cloud import captions as cloud_captions
from metrics.analysis.cloud import umap
from metrics.analysis.cloud.captions import Projection, centred, facts, lay_out, layout, layout_key, points
from metrics.analysis.cloud.density import GRID, MIN_POINTS, WIDTH, Grid, density
from metrics.analysis.cloud.projection import classical_scaling, principal_components, stress, trustworthiness
from metrics.analysis.cloud.view import MODEL, REGIONS, RUN, TEMPERATURE, cloud_view, item_view, values
from metrics.cache.disk import Cache
from metrics.distances.base import item_distances
from metrics.distances.words import BowDistance
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.progress import Cancelled, Hooks
from metrics.registry import METRICS
from tests import studies

RNG = np.random.default_rng(0)


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_components_are_those_of_another_route() -> None:
    data = RNG.normal(size=(60, 7)) * [5, 3, 1, 1, 1, 1, 1]
    ours, theirs = principal_components(data), PCA(2).fit(data)
    np.testing.assert_allclose(np.abs(ours.xy), np.abs(theirs.transform(data)), atol=1e-8)
    np.testing.assert_allclose(ours.variance, theirs.explained_variance_ratio_, atol=1e-10)


def test_components_of_a_line_and_of_one_place() -> None:
    line = principal_components(np.arange(5.0)[:, None])
    np.testing.assert_allclose(line.xy[:, 1], 0)
    np.testing.assert_allclose(line.variance, [1, 0])
    assert not principal_components(np.ones((4, 3))).xy.any()


@pytest.mark.parametrize(("n", "k"), [(40, 5), (90, 15), (300, 15)])
def test_trust_is_that_of_scikit_learn(n: int, k: int) -> None:
    space, plane = RNG.normal(size=(n, 8)), RNG.normal(size=(n, 2))
    plane[: n // 2] = space[: n // 2, :2]
    assert trustworthiness(space, plane, k) == pytest.approx(sklearn_trust(space, plane, n_neighbors=k), abs=1e-6)


def test_trust_of_a_faithful_plane_of_a_sample_and_of_too_few() -> None:
    plane = RNG.normal(size=(500, 2))
    assert trustworthiness(plane, 3 * plane) == 1.0
    noise = RNG.normal(size=(500, 2))
    assert trustworthiness(plane, noise, rows=200) == pytest.approx(trustworthiness(plane, noise), abs=0.02)
    assert np.isnan(trustworthiness(plane[:20], plane[:20], k=15))


def test_scaling_keeps_what_lies_in_a_plane() -> None:
    plane = RNG.normal(size=(12, 2))
    made = classical_scaling(squareform(pdist(plane)))
    np.testing.assert_allclose(pdist(made.xy), pdist(plane), atol=1e-9)
    assert made.stress == pytest.approx(0, abs=1e-9)
    assert made.shares.sum() == pytest.approx(1)


def test_stress_is_kruskals_and_grows_with_the_dimensions_left_out() -> None:
    matrix = squareform(pdist(RNG.normal(size=(10, 5))))
    made = classical_scaling(matrix)
    shown = squareform(pdist(made.xy))
    by_hand = np.sqrt(((matrix - shown) ** 2).sum() / (shown**2).sum())
    assert made.stress == pytest.approx(by_hand)
    assert made.stress > 0.05
    assert np.isnan(stress(np.zeros((3, 3)), np.zeros((3, 2))))


@given(arrays(float, (6, 6), elements=st.floats(0, 1)))
def test_scaling_takes_any_distances_and_either_order(matrix: np.ndarray) -> None:
    one, other = classical_scaling(matrix), classical_scaling(matrix.T)
    np.testing.assert_allclose(one.xy, other.xy)
    assert np.isfinite(one.xy).all()


def test_regions_hold_their_share_and_are_no_hull() -> None:
    two = np.concatenate([RNG.normal(0, 1, (400, 2)), RNG.normal(20, 1, (400, 2))])
    grid = Grid.over(two)
    found = density(two, grid)
    assert found is not None
    step = grid.x[1] - grid.x[0]
    cells = ((two - [grid.x[0], grid.y[0]]) / step + 0.5).astype(int)
    own = found.height[cells[:, 1], cells[:, 0]]
    assert [float((own >= level).mean()) for level in found.levels] == pytest.approx([0.5, 0.8], abs=0.01)
    middle = found.height[GRID // 2, GRID // 2]
    assert middle < min(found.levels) / 10
    assert density(two[: MIN_POINTS - 1], grid) is None
    assert grid.x[0] < two[:, 0].min() - 2 * WIDTH * 20


def test_all_captions_are_drawn_while_they_fit() -> None:
    study = studies.study(items=5, references=3, candidates=2, runs=2)
    of = points(study)
    assert len(of) == of.total == 5 * (3 + 2 * 2)
    for group, item, place, text in zip(of.group, of.item, of.place, of.texts):
        sets = [study.items[item].references, *(run.candidates[study.items[item].id] for run in study.runs)]
        assert sets[group][place] == text


def test_a_sample_has_whole_items_the_same_for_every_run() -> None:
    study = studies.study(items=400, references=3, candidates=2, runs=2)
    of = points(study, limit=2_000)
    assert len(of) <= 2_000
    assert len(of) > 1_950
    items = [set(of.item[of.group == group].tolist()) for group in range(3)]
    assert items[0] == items[1] == items[2]
    counts = np.bincount(of.item)
    assert set(counts[counts > 0].tolist()) == {7}
    np.testing.assert_array_equal(of.item, points(study, limit=2_000).item)
    assert set(points(study, limit=2_000, seed=1).item.tolist()) != items[0]


def test_large_sets_are_thinned_before_items_are_left_out() -> None:
    study = studies.study(items=3, references=40, candidates=50, runs=1)
    of = points(study, limit=60)
    assert {int(n) for n in np.bincount(of.item)} == {20}
    assert {int((of.group == g).sum()) for g in (0, 1)} == {30}


def test_equal_captions_share_a_node_within_their_centre() -> None:
    said = {"a": ("x", "y"), "b": ("x",)}
    items = (Item("a", ("x", "z")), Item("b", ("w",)))
    of = points(Study("s", items, (Run("r", "m", Settings(), said),)))
    first, node = of.nodes(centred=False)
    assert [of.texts[k] for k in first] == ["x", "z", "w", "y"]
    assert node.tolist() == [0, 1, 2, 0, 3, 0]
    assert len(of.nodes(centred=True)[0]) == 5


def test_facts_are_those_of_a_slow_route() -> None:
    study = studies.study(items=4, references=3, candidates=4, runs=2)
    of = points(study)
    vectors = unit(RNG.normal(size=(len(of), 6)))
    found = facts(vectors, of, 3)
    for group in (1, 2):
        near, pairs = [], []
        for item in range(4):
            people = vectors[(of.group == 0) & (of.item == item)]
            mine = vectors[(of.group == group) & (of.item == item)]
            for k, person in enumerate(people):
                others = np.delete(people, k, axis=0)
                near.append((mine @ person).max() > (others @ person).max())
            pairs.append(np.mean([1 - mine[a] @ mine[b] for a in range(4) for b in range(4) if a != b]))
            central = of.place[(of.group == group) & (of.item == item) & found["central"]]
            assert central.tolist() == [int(np.argmax([(mine @ v).sum() for v in mine]))]
        assert found["reach"][group] == pytest.approx(np.mean(near))
        assert found["within"][group] == pytest.approx(np.mean(pairs), abs=1e-6)
        assert found["chance"][group] == pytest.approx(4 / 6)


def test_who_writes_as_people_do_reaches_what_chance_would() -> None:
    study = studies.study(items=300, references=5, candidates=4, runs=1)
    of = points(study)
    found = facts(unit(np.random.default_rng(7).normal(size=(len(of), 10))), of, 2)
    assert found["chance"][1] == pytest.approx(0.5)
    assert found["reach"][1] == pytest.approx(0.5, abs=0.04)
    assert found["p"][1] > 0.01
    assert np.isnan(found["p"][0])


def test_p_is_that_of_all_ways_to_say_which_captions_are_the_run_s() -> None:
    study = studies.study(items=2, references=3, candidates=2, runs=1)
    of = points(study)
    vectors = unit(np.random.default_rng(4).normal(size=(len(of), 5)))
    found = facts(vectors, of, 2)
    ways = []
    for item in range(2):
        own = vectors[of.item == item]
        near = own @ own.T
        np.fill_diagonal(near, -np.inf)
        nearest = near.argmax(axis=1)
        ways.append([sum(nearest[k] not in people for k in people) for people in combinations(range(5), 3)])
    totals = np.add.outer(*ways).ravel()
    off = abs(found["reach"][1] - found["chance"][1]) * 6
    assert found["p"][1] == pytest.approx((np.abs(totals - totals.mean()) >= off - 1e-9).mean(), abs=0.06)
    assert totals.mean() == pytest.approx(found["chance"][1] * 6)
    assert found["floor"][1] == pytest.approx(0.01)


def test_a_run_that_says_one_thing_of_each_item_lies_away_from_people() -> None:
    study = studies.study(items=12, references=5, candidates=4, runs=1)
    of = points(study)
    vectors = RNG.normal(size=(len(of), 10))
    vectors[of.group == 1] = vectors[(of.group == 1) & (of.place == 0)].repeat(4, axis=0)
    found = facts(unit(vectors), of, 2)
    assert found["reach"][1] < found["chance"][1]
    assert found["p"][1] <= 0.01


def test_chance_is_what_is_expected_where_few_texts_are_said_again_and_again() -> None:
    source = np.random.default_rng(11)
    said = [[f"text {k}" for k in source.integers(0, 5, 10)] for _ in range(400)]
    items = tuple(Item(str(k), tuple(texts[:4])) for k, texts in enumerate(said))
    run = Run("r", "m", Settings(), {str(k): tuple(texts[4:]) for k, texts in enumerate(said)})
    of = points(Study("s", items, (run,)))
    space = unit(source.normal(size=(5, 8)))
    found = facts(space[[int(text[-1]) for text in of.texts]], of, 2)
    assert found["chance"][1] == pytest.approx(6 / 9)
    assert found["reach"][1] == pytest.approx(6 / 9, abs=0.03)


def test_copies_of_references_tie_and_lone_references_say_nothing() -> None:
    items = (Item("a", ("p", "q")), Item("b", ("r",)))
    of = points(Study("s", items, (Run("r", "m", Settings(), {"a": ("p", "q"), "b": ("r",)}),)))
    vectors = unit(np.array([[1, 0], [1, 0], [0, 1], [1, 0], [1, 0], [0, 1]], dtype=float))
    found = facts(vectors, of, 2)
    # Two copies by the run tie with the one other reference, as often as expected by chance.
    assert found["reach"][1] == pytest.approx(2 / 3)
    assert found["chance"][1] == pytest.approx(2 / 3)
    assert np.isnan(found["reach"][0])
    assert not found["central"].any()


def test_each_item_is_moved_to_its_references() -> None:
    items = (Item("a", ("p", "q")), Item("b", ()))
    of = points(Study("s", items, (Run("r", "m", Settings(), {"a": ("x",), "b": ("y", "z")}),)))
    vectors = np.array([[0, 0], [2, 0], [5, 5], [1, 1], [3, 3]], dtype=np.float32)
    moved = centred(vectors, of)
    np.testing.assert_allclose(moved, [[-1, 0], [1, 0], [4, 5], [-1, -1], [1, 1]])


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(
        self: object, texts: list[str], progress: object = None, should_stop: object = None, **more: object
    ) -> np.ndarray:
        return unit(np.array([[1 + text.count(chr(97 + k)) for k in range(26)] for text in texts], dtype=float))

    monkeypatch.setattr(cloud_captions.Encoder, "encode", encode)


@pytest.mark.usefixtures("embedded")
def test_a_layout_is_the_same_every_time_and_says_what_determined_it(
    monkeypatch: pytest.MonkeyPatch, umap_process: object
) -> None:
    """UMAP gives the same layout in a separate process as in this one."""
    study = studies.study(items=12, references=3, candidates=3, runs=2)
    for of in (Projection("pca"), Projection("pca", centred=True), Projection("umap", neighbours=5)):
        one = lay_out(study, of, Cache(None), Hooks())
        with monkeypatch.context() as patched:
            patched.setattr(umap, "place", umap_process)
            two = lay_out(study, of, Cache(None), Hooks())
        for name, array in one.items():
            np.testing.assert_array_equal(array, two[name])
        made = layout(points(study), of, one)
        assert made.xy.shape == (len(points(study)), 2)
        assert 0 <= made.trust <= 1
    other = lay_out(study, replace(of, seed=1), Cache(None), Hooks())
    assert np.abs(other["xy"] - one["xy"]).max() > 0.1
    keys = {layout_key(study, p) for p in (Projection(), Projection(seed=1), Projection("pca"), Projection(apart=0.5))}
    assert len(keys) == 4
    assert layout_key(study, Projection()) == layout_key(replace(study, name="other"), Projection())
    assert layout_key(study, Projection()) != layout_key(study.only(runs=["run 0"]), Projection())


def test_statistics_of_sets_stop_between_two_items_when_nobody_wants_them() -> None:
    of = points(studies.study(items=6, references=3, runs=2))
    vectors, asked = unit(np.random.default_rng(1).normal(size=(len(of), 5))), []

    def third() -> bool:
        asked.append(None)
        return len(asked) == 3

    with pytest.raises(Cancelled):
        facts(vectors, of, 3, Hooks(should_stop=third))
    assert len(asked) == 3


@pytest.mark.parametrize("name", ["rouge_l", "trm_bow"])
def test_values_are_those_of_the_captions_or_of_their_items(name: str) -> None:
    study = studies.study(items=5, candidates=4, runs=2)
    from metrics.engine.scores_table import scores

    metric = METRICS[name]
    results = scoring.score(study, [metric], Options())
    of = points(study)
    found = values(of, study, {run.name: results[run.name, name] for run in study.runs[:1]})
    table = scores(study, results, ["item", "candidate"])
    table = table[(table.dataset == study.name) & (table.level == metric.grain)]
    for group, item, place, value in zip(of.group, of.item, of.place, found):
        if group != 1:
            assert np.isnan(value)
            continue
        row = table[(table["item"] == study.items[item].id) & (table["model"] == "model 0")]
        row = row[row.candidate == place] if metric.grain == "candidate" else row
        assert value == pytest.approx(float(row.value.iloc[0]), nan_ok=True)


@pytest.mark.usefixtures("embedded")
def test_a_view_groups_stars_and_finds() -> None:
    study = studies.study(items=8, candidates=5, runs=4)
    of = points(study)
    lay = layout(of, Projection("pca"), lay_out(study, Projection("pca"), Cache(None), Hooks()))
    by = {name: cloud_view(study, of, lay, study.runs, name) for name in (MODEL, RUN, TEMPERATURE)}
    assert [group.name for group in by[MODEL].groups] == ["model 0", "model 1"]
    assert [group.place for group in by[RUN].groups] == [0, 0, 1, 1]
    assert [group.name for group in by[TEMPERATURE].groups] == ["0.5", "1", "1.5", "2"]
    for view in by.values():
        assert sorted(np.concatenate([g.rows for g in view.groups]).tolist()) == list(range(8 * 4, len(of)))
    one = cloud_view(study, of, lay, study.runs[:1], MODEL, focus=3, words="DOG", stars=False)
    assert one.stars is not None
    assert one.found is not None
    assert set(of.item[one.stars].tolist()) == {3}
    assert one.found.tolist() == [k for k in one.shown if "dog" in of.texts[k].lower()]
    many = studies.study(items=8, candidates=5, runs=9)
    points_of_many = points(many)
    wide = layout(points_of_many, Projection("pca"), lay_out(many, Projection("pca"), Cache(None), Hooks()))
    dense = [g.density for g in cloud_view(many, points_of_many, wide, many.runs, RUN).groups]
    assert sum(d is not None for d in dense) == REGIONS


def test_the_plane_of_one_run_is_of_the_matrix_behind_its_number() -> None:
    study = studies.study(items=3, candidates=4, runs=3)
    space, cache = BowDistance(), Cache(None)
    one = item_view(study, study.runs[:1], 1, space, cache)
    matrix = item_distances(study, "run 0", 1, space, cache).matrix
    np.testing.assert_array_equal(one.distances.matrix, matrix)
    three = item_view(study, study.runs, 1, space, cache)
    assert three.run.tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [-1] * 4
    mine = (three.run == 0) | (three.run == -1)
    np.testing.assert_allclose(three.distances.matrix[np.ix_(mine, mine)], matrix, atol=1e-6)
    for k in range(-1, 3):
        own = np.flatnonzero(three.run == k)
        within = three.distances.matrix[np.ix_(own, own)]
        means = (within.sum(axis=1) - np.diag(within)) / 3
        assert three.central[own].tolist() == (means <= means.min() + 1e-9).tolist(), "of its own set alone"
    alone = item_view(study, (), 1, space, cache)
    assert alone.run.tolist() == [-1] * 4


def test_a_part_of_the_work_has_its_share_of_the_whole():
    told: list[float] = []
    part = Hooks(share=told.append).part(0.5, 0.9).part(0.5, 1.0)
    for done in (0.0, 0.5, 1.0):
        part.share(done)
    assert told == pytest.approx([0.7, 0.8, 0.9])
