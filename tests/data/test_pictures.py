"""Test that pictures with captions are decoded within limits and re-encoded, and never make a study fail."""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from data import unpack
from data.files import picture_bytes
from data.files.picture_bytes import SIDE, NoPicture, is_picture, written
from data.load import Loaded, load_study
from data.pictures import given_pictures as pictures
from data.study import Study
from tests.data.drawn import BLUE, GREEN, RED, drawn, image, noise, opened, zipped
from tests.data.finding_cases import item, js

KINDS = ("PNG", "JPEG", "WEBP", "GIF")
ROWS = ("x.json", js([item("1", image="one.png"), item("2", image="two.png"), item("3")]))


def near(found: object, colour: tuple[int, int, int]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(found, colour))  # type: ignore[call-overload]


def colour_of(loaded: Loaded, id: str) -> tuple[int, ...] | None:
    assert isinstance(loaded.study, Study)
    assert loaded.pictures is not None
    one = next(one for one in loaded.study.items if one.id == id)
    content = loaded.pictures.of(loaded.study, one)
    return None if content is None else opened(content).getpixel((40, 30))  # type: ignore[return-value]


def test_pictures_in_a_zip_and_beside_it_find_their_items() -> None:
    archive = zipped({"p/one.png": drawn(colour=RED), "__MACOSX/._one.png": b"x", "3.gif": drawn("GIF", BLUE)})
    loaded = load_study([ROWS, ("pics.zip", archive), ("two.png", drawn(colour=GREEN))])
    for id, colour in (("1", RED), ("2", GREEN), ("3", BLUE)):
        assert near(colour_of(loaded, id), colour)
    assert [file.name for file in loaded.files] == ["x.json"]  # a picture is not a file of captions


def test_pictures_change_no_digest_and_no_finding() -> None:
    bare, pictured = load_study([ROWS]), load_study([ROWS, ("1.png", drawn())])
    assert bare.study is not None
    assert pictured.study is not None
    assert bare.study.digest == pictured.study.digest
    assert bare.findings == pictured.findings
    assert bare.sources == pictured.sources


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_was_written_here(kind: str) -> None:
    content = drawn(kind, size=(3000, 1500))
    made = written(content + b"<script>alert(1)</script>")
    found = opened(made)
    assert (found.format, found.mode, found.size) == ("JPEG", "RGB", (SIDE, SIDE // 2))
    assert b"script" not in made
    assert near(found.getpixel((900, 400)), RED)
    assert is_picture("whatever", content)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_is_turned_and_what_the_camera_wrote_is_gone(kind: str) -> None:
    noted = Image.Exif()
    noted[0x0112], noted[0x010F], noted[0x9286] = 6, "Secret camera", "Secret place"
    given = drawn(kind, size=(64, 48), exif=noted)
    assert b"Secret camera" in given
    made = written(given)
    assert b"Secret" not in made
    found = opened(made)
    assert found.size == (48, 64)  # rotated clockwise by 90 degrees: the white corner is at the top right
    assert near(found.getpixel((44, 4)), (255, 255, 255))
    assert near(found.getpixel((4, 4)), RED)
    assert not found.getexif()


def test_damaged_words_of_a_camera_leave_the_picture() -> None:
    found = opened(written(drawn("JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01\x12" + b"\xff" * 40)))
    assert near(found.getpixel((40, 30)), RED)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_frame_is_shown(kind: str) -> None:
    out = io.BytesIO()
    image(colour=GREEN).save(out, kind, save_all=True, append_images=[image(colour=RED)], duration=100)
    found = opened(written(out.getvalue()))
    assert getattr(found, "n_frames", 1) == 1
    assert near(found.getpixel((40, 30)), GREEN)


@pytest.mark.parametrize("mode", ["L", "LA", "P", "1", "RGBA", "I;16"])
def test_every_kind_of_pixel_is_read(mode: str) -> None:
    out = io.BytesIO()
    (Image.new("I;16", (8, 8), 32_000) if mode == "I;16" else image().convert(mode)).save(out, "PNG")
    assert opened(written(out.getvalue())).mode == "RGB"
    if mode == "I;16":
        assert near(opened(written(out.getvalue())).getpixel((4, 4)), (125, 125, 125))


def test_what_is_transparent_is_white() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (8, 8), (0, 0, 0, 0)).save(out, "PNG")
    assert near(opened(written(out.getvalue())).getpixel((4, 4)), (255, 255, 255))


def stated(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 99)), (b"IEND", b""))
    body = b"".join(struct.pack(">I", len(c)) + n + c + struct.pack(">I", zlib.crc32(n + c)) for n, c in chunks)
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (stated(60_000, 60_000), "it has more than 60 million pixels"),
        (stated(7_000, 7_000), "it has more than 16 million pixels, the maximum for a file of its size"),
        (stated(400, 400), "it is damaged"),
        (drawn("JPEG")[:-200], "it is damaged"),
        (b"\xff\xd8\xff", "it is no PNG, JPEG, WebP or GIF"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "it is no PNG, JPEG, WebP or GIF"),
        (b"", "it is no PNG, JPEG, WebP or GIF"),
    ],
)
def test_what_is_no_picture_is_a_finding_with_its_name_and_a_remedy(content: bytes, why: str) -> None:
    loaded = load_study([ROWS, ("p.zip", zipped({"a/one.png": content})), ("two.png", drawn())])
    (finding,) = (one for one in loaded.findings if one.code == "picture_broken")
    assert finding.problem.startswith(f"This cannot be shown as a picture: {why}")
    assert (finding.file, finding.record) == ("p.zip", "a/one.png")
    assert "Save it again as PNG, JPEG, WebP or GIF" in finding.repair
    assert colour_of(loaded, "1") is None
    assert colour_of(loaded, "2") is not None


def test_formats_that_are_not_read_are_refused_by_content() -> None:
    for kind in ("BMP", "TIFF", "ICO", "PPM"):
        with pytest.raises(NoPicture, match="it is no PNG, JPEG, WebP or GIF"):
            written(drawn(kind))


def test_bounds_of_one_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = io.BytesIO()
    image((200, 200)).save(slow, "JPEG", progressive=True)
    monkeypatch.setattr(picture_bytes, "MOST_SCANS", 2)
    with pytest.raises(NoPicture, match="more than 2 passes"):
        written(slow.getvalue())
    monkeypatch.setattr(picture_bytes, "MOST_BYTES", 0)
    with pytest.raises(NoPicture, match="more than 0 MB"):
        written(drawn())


def test_bounds_of_all_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [ROWS, *((f"{k}.png", drawn(colour=(k, 0, 0))) for k in range(5))]
    monkeypatch.setattr(pictures, "MOST_FILES", 3)
    loaded = load_study(files)
    assert loaded.pictures is not None
    assert [one.name for one in loaded.pictures.files] == ["0.png", "1.png", "2.png"]
    (finding,) = (one for one in loaded.findings if one.code == "pictures_too_many")
    assert finding.problem.startswith("2 pictures were left out: a study has at most 3")
    monkeypatch.setattr(pictures, "MOST_KEPT", 2 * len(written(drawn())) + 50)
    loaded = load_study(files)
    assert loaded.pictures is not None
    assert len(loaded.pictures.files) == 2


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each picture is read only up to its limit, whatever the archive states, and the number of pictures is limited,
    too.
    """
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.png", drawn() + b"\0" * (64 << 20))
    assert len(out.getvalue()) < 1 << 20
    codes = {one.code for one in load_study([ROWS, ("p.zip", out.getvalue())]).findings}
    assert codes & {"archive_too_large", "picture_broken"}
    monkeypatch.setattr(unpack, "MAX_PICTURES", 2)
    many = zipped({f"{k}.png": drawn() for k in range(3)})
    (finding,) = load_study([ROWS, ("p.zip", many)]).errors
    assert finding.problem == "The archive is too large when unpacked: 3 pictures, more than 2."


@pytest.mark.parametrize("name", ["../one.png", "/etc/one.png", "C:\\one.png"])
def test_names_are_never_paths(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = load_study([ROWS, ("p.zip", zipped({name: drawn()})), ("../../two.png", drawn())])
    assert [one.code for one in loaded.errors] == ["archive_path"]
    assert colour_of(loaded, "1") is None
    assert colour_of(loaded, "2") is not None  # as a label, its last part is the name in the data
    assert list(tmp_path.iterdir()) == []


def test_pictures_in_an_archive_inside_another_are_refused() -> None:
    nested = zipped({"in.zip": zipped({"one.png": drawn()}), "two.png.gz": gzip.compress(drawn())})
    loaded = load_study([ROWS, ("p.zip", nested), ("3.png.gz", gzip.compress(drawn()))])
    assert [one.file for one in loaded.findings if one.code == "pictures_nested"] == [
        "p.zip/in.zip",
        "p.zip/two.png.gz",
    ]
    assert [colour_of(loaded, id) is not None for id in "123"] == [False, False, True]


def test_pictures_alone_are_kept_for_a_study_to_come() -> None:
    loaded = load_study([("1.png", drawn()), ("p.zip", zipped({"2.png": drawn()}))])
    assert loaded.study is None
    assert [one.code for one in loaded.errors] == ["pictures_alone"]
    assert loaded.pictures is not None
    assert [one.name for one in loaded.pictures.files] == ["1.png", "2.png"]


def test_known_pictures_are_not_decoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [ROWS, ("one.png", drawn())]
    first = load_study(files).pictures
    assert first is not None

    def refuse(content: bytes) -> bytes:
        raise NoPicture("decoded again")

    monkeypatch.setattr(pictures, "written", refuse)
    again = load_study(files, known=first.files)
    assert again.pictures is not None
    assert again.pictures.files[0].content == first.files[0].content
    assert load_study(files).pictures is None


def test_pictures_given_apart_are_added_once() -> None:
    one, two = (load_study([("1.png", drawn()), (f"{k}.png", drawn(colour=GREEN))]).pictures for k in (2, 3))
    both = pictures.together(one, two, None)
    assert both is not None
    assert [file.name for file in both.files] == ["1.png", "2.png", "3.png"]
    assert pictures.together(None, None) is None


def test_damaged_bytes_are_refused_and_nothing_else_happens() -> None:
    source = Random(3)
    for kind in KINDS:
        whole = noise(1, (160, 120), kind)
        for _ in range(60):
            content = bytearray(whole)
            for _ in range(source.choice((1, 5, 60))):
                content[source.randrange(len(content))] = source.randrange(256)
            try:
                made = written(bytes(content[: source.choice((len(content), source.randrange(len(content))))]))
            except NoPicture:
                continue
            assert max(opened(made).size) <= SIDE
