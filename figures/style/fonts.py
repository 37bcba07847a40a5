"""Fonts embedded in exported files: only the subsets that the text needs, as base64."""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Face:
    """A font file and the characters it contains, as declared in the theme of the app."""

    family: str
    file: Path
    weight: str
    style: str
    unicode_range: str
    spans: tuple[tuple[int, int], ...]

    def has(self, points: Iterable[int]) -> bool:
        """Return whether the font contains any of these code points."""
        return any(low <= point <= high for point in points for low, high in self.spans)

    def css(self) -> str:
        """Return the @font-face rule with the file embedded."""
        data = base64.b64encode(self.file.read_bytes()).decode()
        return (
            f'@font-face{{font-family:"{self.family}";font-weight:{self.weight};font-style:{self.style};'
            f'src:url(data:font/woff2;base64,{data}) format("woff2");unicode-range:{self.unicode_range}}}'
        )


def font_css(text: str, family: str = "IBM Plex Sans", italic: bool = False) -> str:
    """Return the @font-face rules that `text` needs in this family; all fonts are under the SIL Open Font License."""
    points = {ord(character) for character in text}
    style = "italic" if italic else "normal"
    return "".join(face.css() for face in _faces() if (face.family, face.style) == (family, style) and face.has(points))


@cache
def _faces() -> tuple[Face, ...]:
    config = tomllib.loads((_ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    return tuple(
        Face(
            face["family"],
            _ROOT / face["url"].removeprefix("app/"),
            face["weight"],
            face["style"],
            face["unicodeRange"],
            _spans(face["unicodeRange"]),
        )
        for face in config["theme"]["fontFaces"]
    )


def _spans(unicode_range: str) -> tuple[tuple[int, int], ...]:
    ends = [part.strip().removeprefix("U+").split("-") for part in unicode_range.split(",")]
    return tuple((int(pair[0], 16), int(pair[-1], 16)) for pair in ends)
