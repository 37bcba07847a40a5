"""`trilens features`: compute features of pictures for COSMic, and CLIP's features of pictures and captions for
CLIPScore.
"""

from __future__ import annotations

import io
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from cli import output, progress_bar, reading

if TYPE_CHECKING:
    from data.study import Study
    from metrics.learned.image_features import Made, Model

PROMPT = "A photo depicts "
"""Prefix of captions, as in Hessel et al. 2021."""
NAMED = 5
"""Maximum number of files or items without features that a message names."""


def features(
    pictures: Annotated[Path, typer.Argument(help="A folder or a .zip of pictures.")],
    out: Annotated[Path, typer.Option(help="The .npz file to write.")],
    model: Annotated[str, typer.Option(help="efficientnet-lite0, or the folder of a CLIP model.")] = (
        "efficientnet-lite0"
    ),
    captions: Annotated[
        list[Path] | None,
        typer.Option(help="Files of a study: features get the ids of its items, and CLIP reads its captions; repeat."),
    ] = None,
    prompt: Annotated[str, typer.Option(help="Words put before each caption for CLIP.")] = PROMPT,
    cache_dir: Annotated[Path | None, typer.Option(help="Folder for cached results.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Cache nothing.")] = False,
) -> None:
    """Compute features of PICTURES; `train cosmic --images` reads them, and CLIPScore reads CLIP's, made with
    --captions.

    A picture belongs to the item whose `image` or id is its name, with or without folder and extension. Files that are
    not pictures are listed and left out.
    """
    from data.study import DataError
    from metrics.learned import efficientnet_file

    output.check(out, (".npz",), [pictures, *(captions or ())])
    study = reading.load_study_or_exit(captions, None)[0] if captions else None
    cache = reading.open_cache(cache_dir, no_cache)
    try:
        if model == efficientnet_file.NAME:
            efficientnet_file.required()  # reported before a missing torch: one command installs both
        from metrics.learned import image_features
        from metrics.learned.pictures import listed

        with progress_bar.working("Reading pictures") as hooks:
            loaded = image_features.load(model)
            found = image_features.measure(listed(pictures), loaded, cache, hooks.part(0, 0.8))
            if not found.names:
                _say_left_out(found)
                output.fail(f"{pictures}: no picture could be read.")
            arrays: dict[str, Any] = {"names": np.array(found.names), "features": found.features}
            if study is not None:
                arrays |= _of_study(study, found, loaded, prompt, hooks.part(0.8, 1))
    except DataError as why:
        output.fail(str(why))
    _say_left_out(found)
    _write(out, arrays)
    print(f"{out}: {len(found.names):,} pictures, {found.features.shape[1]:,} numbers each, {loaded.signature}")


def _write(out: Path, arrays: dict[str, Any]) -> None:
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    output.write(out, packed.getvalue())


def _of_study(study: Study, found: Made, model: Model, prompt: str, hooks: Any) -> dict[str, Any]:
    """Return the features of pictures by item and, for CLIP, the features of captions.

    Warn about items without a picture. Exit with status 2 if no picture belongs to an item.
    """
    from metrics.learned.image_features import of_texts
    from metrics.learned.pictures import finder

    find, rows = finder(found.names), {}
    for item in study.items:
        image = PurePosixPath(item.image or "")
        if (row := find((item.image or "", image.name, image.stem, item.id))) is not None:
            rows[item.id] = row
    if not rows:
        output.fail(f"no picture belongs to an item, such as {study.items[0].id!r}: name pictures as `image` or the id")
    if absent := [item.id for item in study.items if item.id not in rows]:
        output.warn(f"no picture of {len(absent):,} items: {', '.join(absent[:NAMED])}{', …' * (len(absent) > NAMED)}")
    vectors = found.features[list(rows.values())]
    if model.texts is None:
        return {"names": np.array(list(rows)), "features": vectors}
    said = {text for item in study.items for text in item.references}
    said |= {text for run in study.runs for texts in run.candidates.values() for text in texts}
    texts = sorted(said)
    of = of_texts(model, [prompt + text for text in texts], hooks)
    made = {"images": np.array(list(rows)), "image_vectors": vectors, "texts": np.array(texts), "text_vectors": of}
    return {"names": np.array(list(rows)), "features": vectors, **made}


def _say_left_out(found: Made) -> None:
    for name, why in list(found.left_out.items())[:NAMED]:
        output.warn(f"{name}: left out, {why}.")
    if (more := len(found.left_out) - NAMED) > 0:
        output.warn(f"{more:,} more files are left out.")
