"""List one case per finding about pictures."""

from __future__ import annotations

from tests.data.drawn import drawn, zipped
from tests.data.finding_cases import GOOD, Case, js

_GOOD = ("a.json", js([GOOD]))
PICTURES: dict[str, Case] = {
    "picture_broken": Case(
        [_GOOD, ("x.zip", zipped({"a/1.png": drawn()[:60], "2.jpg": b"no"}))],
        "This cannot be shown as a picture: ",
        record="a/1.png",
        file="x.zip",
        items=1,
    ),
    "pictures_nested": Case(
        [_GOOD, ("x.zip", zipped({"y.zip": zipped({"1.png": drawn(), "2.png": drawn()})}))],
        "Pictures in an archive inside another were not read.",
        file="x.zip/y.zip",
        count=2,
        items=1,
    ),
    "pictures_alone": Case([("1.png", drawn())], "These are only pictures", file=""),
    "bundle_pictures": Case(
        [("x.zip", zipped({"trilens.json": b"{}", "study.jsonl": js(GOOD), "pictures/00000.jpg": drawn("JPEG")}))],
        "The pictures in the bundle were not used: it has no pictures.json.",
        file="x.zip",
        items=1,
    ),
}
