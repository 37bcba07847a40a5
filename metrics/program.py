"""Whether this is a checkout or the installed package `trilens`, and what differs between the two.

Code names its own modules by imports alone, never by texts: `wheel_backend.py` renames imports when a wheel is built.
"""

from __future__ import annotations

from pathlib import Path

TOP = __name__.rpartition("metrics")[0]
"""What precedes the names of the packages: "" in a checkout, "trilens." installed."""
INSTALLED = bool(TOP)
HOME = Path(__file__).resolve().parents[2 if INSTALLED else 1]
"""The folder that Python searches to import this program."""
APP = HOME.joinpath(*TOP.split("."), "app.py")
"""What Streamlit runs."""
PACKAGES = ("trilens",) if INSTALLED else ("data", "metrics", "trilens")
"""What lies in HOME and computes scores: packages, and in a checkout the module that plug-ins import."""

EXTRAS = {
    "torch": "embeddings",
    "sentence_transformers": "embeddings",
    "transformers": "embeddings",
    "huggingface_hub": "embeddings",
    "safetensors": "embeddings",
    "umap": "embeddings",
    "sklearn": "embeddings",
    "dask": "cluster",
    "distributed": "cluster",
    "spacy": "scene",
    "httpx2": "judge",
}
"""The optional modules, and the extra that brings each."""


def lacks(error: BaseException) -> str | None:
    """Return what the failed import of an optional module lacks, with the command that installs it; None for others."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    top = (name or "").split(".")[0]
    return f"This needs {top}, which is not installed: `{install(EXTRAS[top])}`" if top in EXTRAS else None


def install(extra: str = "") -> str:
    """Return the command that installs an optional part, such as "scene", or, without one, what is always needed.

    In a checkout the "embeddings" and the "judge" come with requirements.txt.
    """
    if INSTALLED:
        return f'pip install "trilens[{extra}]"' if extra else "pip install trilens"
    file = "requirements.txt" if extra in ("", "embeddings", "learned", "judge") else f"requirements-{extra}.txt"
    return f"pip install -r {file} -c constraints.txt"
