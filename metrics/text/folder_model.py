"""Models of the transformers package with their tokenizers, loaded from folders and never from a hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metrics.text.torch_setup import load_transformers


class FolderModelMissing(ValueError):
    """Raised if no model of the required kind can be loaded from the folder; the message states the remedy."""


def missing(folder: str) -> str | None:
    """Return why this folder cannot contain a model, and the remedy; None if it seems to contain one."""
    path = Path(folder).expanduser()
    if not path.is_dir():
        return f"{folder} is not a folder: name one that `save_pretrained` of transformers wrote"
    lacking = [name for name in ("config.json", "tokenizer.json") if not (path / name).is_file()]
    if lacking:
        return f"{folder} has no {' and no '.join(lacking)}: save model and tokenizer there with `save_pretrained`"
    if not any(path.glob("*.safetensors")):
        return f"{folder} has no weights as .safetensors, the only format that is read: save the model there once more"
    return None


def load(folder: str, auto: str, what: str) -> tuple[Any, Any, str]:
    """Return tokenizer, model and device; `auto` names a class of transformers, and `what` the kind of model.

    Raises FolderModelMissing if transformers cannot load it.
    """
    load_transformers()
    import torch
    import transformers
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.disable_progress_bar()
    path = str(Path(folder).expanduser())
    try:
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
        model: Any = getattr(transformers, auto).from_pretrained(
            path, dtype=torch.float32, local_files_only=True, use_safetensors=True
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as why:
        said = str(why).strip().partition("\n")[0]
        raise FolderModelMissing(f"{folder}: transformers cannot load a {what} from it: {said}") from None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return tokenizer, model.eval().to(device), device
