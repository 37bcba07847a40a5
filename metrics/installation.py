"""Whether this is a checkout or the installed package `trilens`, and the differences between the two.

Code refers to its own modules only by imports, never as text: `wheel_backend.py` renames imports when building a wheel.
"""

from __future__ import annotations

from pathlib import Path

TOP = __name__.rpartition("metrics")[0]
"""Prefix of the packages' names: "" in a checkout, "trilens." when installed."""
INSTALLED = bool(TOP)
HOME = Path(__file__).resolve().parents[2 if INSTALLED else 1]
"""The folder that Python searches to import this program."""
APP = HOME.joinpath(*TOP.split("."), "app.py")
"""The script that Streamlit runs."""
PACKAGES = ("trilens",) if INSTALLED else ("data", "metrics", "trilens")
"""The parts of HOME that compute scores: packages and, in a checkout, the module that plug-ins import."""

EXTRAS = {
    "torch": "embeddings",
    "sentence_transformers": "embeddings",
    "transformers": "embeddings",
    "huggingface_hub": "embeddings",
    "safetensors": "embeddings",
    "tokenizers": "embeddings",
    "umap": "embeddings",
    "sklearn": "embeddings",
    "dask": "cluster",
    "distributed": "cluster",
    "spacy": "scene",
    "httpx2": "judge",
}
"""The optional modules, and the extra that installs each."""


def lacks(error: BaseException) -> str | None:
    """Return a sentence on the optional module whose import failed and how to install it; None for other errors."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    top = (name or "").split(".")[0]
    return f"This needs {top}, which is not installed: `{install(EXTRAS[top])}`" if top in EXTRAS else None


def install(extra: str = "") -> str:
    """Return the command that installs an optional part such as "scene" or, without one, the required packages.

    In a checkout, "embeddings", "learned" and "judge" are part of requirements.txt.
    """
    if INSTALLED:
        return f'pip install "trilens[{extra}]"' if extra else "pip install trilens"
    file = "requirements.txt" if extra in ("", "embeddings", "learned", "judge") else f"requirements-{extra}.txt"
    return f"pip install -r {file} -c constraints.txt"
