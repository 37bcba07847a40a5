"""Kinds of findings about pictures."""

from __future__ import annotations

from data.files.picture_bytes import NAMED
from data.finding_kinds.kind import Kind

PICTURES: dict[str, Kind] = {
    "bundle_pictures": Kind(
        "warning",
        "The pictures in the bundle were not used: {why}.",
        "Drop the pictures themselves, or ask for the bundle again.",
    ),
    "picture_broken": Kind(
        "warning",
        "This cannot be shown as a picture: {why}.",
        f"Save it again as {NAMED}, or leave it out; captions and numbers are not affected.",
    ),
    "pictures_too_large": Kind(
        "warning",
        "Pictures were left out: {why}.",
        "Save them smaller, or drop those of fewer items at a time.",
    ),
    "pictures_too_many": Kind(
        "warning",
        "{n:,} pictures were left out: a study has at most {most:,}, of {mb:,} MB together as they are kept.",
        "Drop the pictures of fewer items.",
    ),
    "pictures_nested": Kind(
        "warning",
        "Pictures in an archive inside another were not read.",
        "Pack them in one archive, or drop that archive itself.",
    ),
    "pictures_alone": Kind(
        "error",
        "These are only pictures, and you have no study open that they could belong to.",
        "Drop the captions and references too, together or first.",
    ),
}
