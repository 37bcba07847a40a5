"""Test COSMic's cross-modal variant with tiny random encoders: training, scores from its file, and what it refuses."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from safetensors.numpy import load_file

from data.convert import write_jsonl
from data.ratings.coherence_ratings import Rated
from data.study import DataError, Item, Run, Settings, Study
from metrics.analysis.coherence import cosmic_agreement
from metrics.cache.disk import Cache
from metrics.engine.scoring import plan, score
from metrics.engine.tasks import Options
from metrics.learned import cosmic_file, cross_modal
from metrics.learned.cosmic_data import Design
from metrics.learned.cosmic_metric import Cosmic
from metrics.learned.pictures import by_image, listed, pictures_digest
from metrics.progress import Hooks
from tests.command_line import trilens

IMAGES = 50
LABELS = ("Visible", "Story")


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    before, cross_modal.RECIPE = cross_modal.RECIPE, replace(cross_modal.RECIPE, epochs=1)
    yield
    cross_modal.RECIPE = before


WORDS = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "a",
    "cat",
    "dog",
    "on",
    "the",
    "mat",
    "visible",
    "story",
    "meta",
    ":",
)


def tokenizer(folder: Path) -> int:
    from transformers import BertTokenizer

    made = BertTokenizer(vocab={word: k for k, word in enumerate(WORDS)})
    assert made.tokenize("Story: a dog") == ["story", ":", "a", "dog"]
    made.save_pretrained(folder)
    return len(WORDS)


def encoder(folder: Path, kind: str) -> Path:
    from transformers import CLIPConfig, CLIPModel, ViltConfig, ViltModel

    folder.mkdir(parents=True)
    words = tokenizer(folder)
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    torch.manual_seed(0)
    if kind == "vilt":
        ViltModel(ViltConfig(vocab_size=words, image_size=32, patch_size=16, **small)).save_pretrained(folder)
        said: dict[str, object] = {"size": {"shortest_edge": 32}, "size_divisor": 16}
    else:
        ends = {"bos_token_id": 2, "eos_token_id": 3, "vocab_size": words, "max_position_embeddings": 40}
        vision = {**small, "image_size": 32, "patch_size": 16}
        CLIPModel(CLIPConfig(text_config={**small, **ends}, vision_config=vision, projection_dim=8)).save_pretrained(
            folder
        )
        said = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
    name = {"vilt": "ViltImageProcessor", "clip": "CLIPImageProcessor"}[kind]
    (folder / "preprocessor_config.json").write_text(json.dumps({**said, "image_processor_type": name}))
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("encoders")
    return {kind: encoder(made / kind, kind) for kind in ("vilt", "clip")}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pictures")
    for k in range(IMAGES):
        colour = (220, 30, 30) if k % 2 else (30, 30, 220)
        Image.new("RGB", (48 + k % 3, 40), colour).save(made / f"i{k:02}.png")
    return made


def rated() -> list[Rated]:
    """Make captions with the same words; those of red pictures are rated higher, and those labelled Story lower."""
    return [
        Rated(f"http://x.org/i{k:02}.png", "a cat on the mat", label, 0.35 + 0.3 * (k % 2) - 0.3 * (label == "Story"))
        for k in range(IMAGES)
        for label in LABELS
    ]


def with_reference() -> list[Rated]:
    return [replace(one, reference="a mat", reference_label="Visible") for one in rated()]


def ratings_file(folder: Path) -> Path:
    path = folder / "ratings.jsonl"
    rows = [{**vars(one), "reference": "a mat", "reference_label": "Visible"} for one in rated()]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def study() -> Study:
    ids = [f"i{k:02}" for k in range(IMAGES)]
    items = tuple(Item(id, ("a mat", "the cat"), f"{id}.png", coherence=("Visible", "Meta")) for id in ids)
    captions = dict.fromkeys(ids, ("a dog on the mat",))
    return Study("s", items, (Run("r", "r", Settings(), captions, coherence=dict.fromkeys(ids, ("Story",))),))


@pytest.mark.parametrize("kind", ["vilt", "clip"])
def test_what_the_command_trains_scores_a_study(
    kind: str, folders: dict[str, Path], pictures: Path, tmp_path: Path
) -> None:
    network, asked = tmp_path / "n.safetensors", ["--cache-dir", str(tmp_path / "cache")]
    given = ["--encoder", str(folders[kind]), "--images", str(pictures), "--save", str(network)]
    done = trilens("train", "cosmic", ratings_file(tmp_path), *given, *asked)
    assert "COSMic cross-modal" in done.output
    about = cosmic_file.read(str(network)).about
    assert (about.cross, about.texts) == ({"vilt": 16, "clip": 8}[kind], 0)
    assert about.encoder.startswith(f"{kind}@")
    before, after = load_file(folders[kind] / "model.safetensors"), load_file(network)
    moved = [np.abs(after[f"encoder.{name}"] - array).max() for name, array in before.items() if array.ndim == 2]
    assert 0 < max(moved) < 1e-3, "the encoder is learned with, from the weights of the folder"
    write_jsonl(study(), tmp_path / "s.jsonl")
    line = ["score", str(tmp_path / "s.jsonl"), "--metrics", f"cosmic(images={pictures})", "--cosmic", str(network)]
    out = trilens(*line, "--encoder", folders[kind], *asked)
    found = pd.read_csv(io.StringIO(out.stdout), sep="\t")
    expected = [by_hand(folders[kind], network, pictures / f"i{k:02}.png") for k in range(IMAGES)]
    assert found.value.tolist() == pytest.approx([np.mean(expected)], abs=1e-5)
    metric = Cosmic(str(network), str(pictures), str(folders[kind]))
    values = score(study(), [metric], Options(chunk=16), Cache(None))["r", "cosmic"].values
    assert values == pytest.approx(expected, abs=1e-5)
    assert np.ptp(values) > 1e-6, "pictures are read"


def by_hand(folder: Path, network: Path, picture: Path) -> float:
    """Return the score of one caption against both references, computed with transformers only."""
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    weights = {name: torch.from_numpy(array) for name, array in load_file(network).items()}
    model = AutoModel.from_pretrained(folder).eval()
    model.load_state_dict({name.removeprefix("encoder."): of for name, of in weights.items() if "encoder." in name[:8]})
    image = AutoImageProcessor.from_pretrained(folder)(images=[Image.open(picture)], return_tensors="pt")
    scores = []
    for reference in ("Visible: a mat", "Meta: the cat"):
        words = AutoTokenizer.from_pretrained(folder)("Story: a dog on the mat", reference, return_tensors="pt")
        with torch.no_grad():
            found = model(**words, **image)
        if "text_embeds" in found:
            text, seen = found.text_embeds[0], found.image_embeds[0]
            vector = text / text.norm() * seen / seen.norm() * len(text)
        else:
            vector = found.pooler_output[0]
        scores.append(float(vector @ weights["head.weight"][0] + weights["head.bias"][0]))
    return float(np.mean(scores))


def test_it_learns_from_pictures_and_labels_and_the_same_twice(
    folders: dict[str, Path], pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(cross_modal.RECIPE, learning_rate=3e-3)
    design, given = Design(str(folders["vilt"]), cross_modal=True), with_reference()
    of = by_image(listed(pictures), [one.image for one in given])

    def learned(epochs: int) -> np.ndarray:
        monkeypatch.setattr(cross_modal, "RECIPE", replace(recipe, epochs=epochs))
        return np.array(cosmic_agreement.learned(given, of, design, Cache(None), Hooks()).scores)

    assert np.array_equal(learned(1), learned(1))
    found = learned(6)
    story, red = (np.array(side) for side in zip(*((one.label == "Story", int(one.image[-5]) % 2) for one in given)))
    for side in (story, 1 - red):
        assert found[side == 0].mean() - found[side == 1].mean() > 0.1


def refused(*command: str | Path) -> str:
    return " ".join(trilens("train", "cosmic", *command, "--no-cache", expect=2).output.split())


def test_a_picture_changed_in_a_folder_inside_is_seen(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    picture = tmp_path / "inside" / "a.png"
    picture.write_bytes(b"one")
    first = pictures_digest(str(tmp_path))
    assert pictures_digest(str(tmp_path)) == first
    picture.write_bytes(b"another")
    assert pictures_digest(str(tmp_path)) != first


def test_what_cannot_be_trained_says_why_and_what_to_do(
    folders: dict[str, Path], pictures: Path, tmp_path: Path
) -> None:
    path, vilt = ratings_file(tmp_path), folders["vilt"]
    assert "this encoder reads pictures. Name their folder" in refused(path, "--encoder", vilt)
    fewer = tmp_path / "fewer"
    shutil.copytree(pictures, fewer)
    (fewer / "i07.png").unlink()
    said = refused(path, "--encoder", vilt, "--images", fewer)
    assert "no picture for 1 image 'http://x.org/i07.png'. Add it there." in said
    (fewer / "i07.png").write_bytes(b"no picture")
    assert "i07.png: it is not a picture" in refused(path, "--encoder", vilt, "--images", fewer)
    features = tmp_path / "f.npz"
    np.savez(features, names=["a"], features=np.ones((1, 2)))
    assert "this encoder reads pictures" in refused(path, "--encoder", vilt, "--images", features)


def test_only_safetensors_of_an_encoder_with_pictures_are_read(folders: dict[str, Path], tmp_path: Path) -> None:
    def why(change: object) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        shutil.copytree(folders["vilt"], folder)
        change(folder)  # type: ignore[operator]
        with pytest.raises(DataError) as found:
            cross_modal.load(str(folder))
        return str(found.value)

    assert "no weights as .safetensors" in why(lambda of: (of / "model.safetensors").rename(of / "pytorch_model.bin"))
    assert "no config.json" in why(lambda of: (of / "config.json").unlink())
    assert "transformers cannot load it" in why(lambda of: (of / "model.safetensors").write_bytes(b"\x10" + bytes(50)))
    assert "transformers cannot load it" in why(lambda of: (of / "preprocessor_config.json").write_text("no settings"))
    assert "does not make one vector of a picture and two texts" in why(text_alone)
    ran = tmp_path / "ran"

    def own_code(folder: Path) -> None:
        (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\nclass Model: pass\nclass Config: pass\n")
        said = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
        (folder / "config.json").write_text(json.dumps(said))

    assert "transformers cannot load it" in why(own_code)
    assert not ran.exists()


def text_alone(folder: Path) -> None:
    from transformers import BertConfig, BertModel

    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=20, **small)).save_pretrained(folder)


@pytest.fixture(scope="module")
def network(folders: dict[str, Path], pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = with_reference()
    of = by_image(listed(pictures), [one.image for one in given])
    path = tmp_path_factory.mktemp("network") / "n.safetensors"
    cosmic_agreement.save(path, given, of, Design(str(folders["vilt"]), cross_modal=True), Cache(None), Hooks())
    return path


def test_a_network_needs_its_encoder_and_pictures(
    network: Path, folders: dict[str, Path], pictures: Path, tmp_path: Path
) -> None:
    def lacking(metric: Cosmic) -> str:
        return plan(study(), [metric], Options(), Cache(None)).unmet["cosmic"]

    whole = Cosmic(str(network), str(pictures), str(folders["vilt"]))
    assert not plan(study(), [whole], Options(), Cache(None)).unmet
    assert "name their folder or .zip file and the encoder" in lacking(replace(whole, images="none"))
    assert "another encoder" in lacking(replace(whole, encoder=str(folders["clip"])))
    some = tmp_path / "some"
    shutil.copytree(pictures, some)
    (some / "i03.png").unlink()
    fewer = replace(whole, images=str(some))
    result = score(study(), [fewer], cache=Cache(None))["r", "cosmic"]
    assert np.isfinite(result.items).sum() == IMAGES - 1
    assert list(result.reasons.values()) == ["no picture of its image"]
    assert fewer.signature != whole.signature


def test_a_forged_file_is_refused(network: Path, folders: dict[str, Path], pictures: Path, tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    arrays, paths = load_file(network), [tmp_path / f"{k}.safetensors" for k in range(9)]
    about = {"format": cosmic_file.FORMAT, **vars(cosmic_file.read(str(network)).about)}

    def saved(said: dict[str, object], **changed: np.ndarray) -> str | None:
        save_file({**arrays, **changed}, path := paths.pop(), {"signature": json.dumps({**about, **said})})
        return cosmic_file.unusable(str(path))

    assert saved({}) is None
    assert "not have the shapes" in str(saved({"cross": 8}))
    assert "sizes cannot be read" in str(saved({"texts": 384}))
    assert "sizes cannot be read" in str(saved({"cross": 0}))
    assert "not finite numbers" in str(saved({}, **{"head.bias": np.full(1, np.nan, dtype=np.float32)}))
    path = paths[-1]
    assert saved({}, **{"encoder.pooler.dense.bias": np.zeros(3, dtype=np.float32)}) is None
    result = score(study(), [Cosmic(str(path), str(pictures), str(folders["vilt"]))], cache=Cache(None))["r", "cosmic"]
    assert "not those of its encoder" in str(result.why())
