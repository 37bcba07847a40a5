"""Write study bundles: zip files with a study, its settings, tables and computed numbers, usable on any machine."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping

from data.convert import (
    distances_to_npz,
    preferences_to_json,
    scores_to_jsonl_bytes,
    systems_to_json,
    to_jsonl_bytes,
    vectors_to_npz,
)
from data.imported.judge_answers import without
from data.judge_answers import to_jsonl_bytes as answers_to_jsonl
from data.marks import Marks, to_json
from data.pictures.picture_names import valid_pattern
from data.study import Study

MARK, STUDY, SCORES, READ_ME_NAME, IDF, IMPORTED, PREFERENCES, ANSWERS, NETWORK, FEATURES, MARKS = OWN = (
    "trilens.json",
    "study.jsonl",
    "scores.csv",
    "README.txt",
    "idf.npz",
    "imported.jsonl",
    "preferences.json",
    "answers.jsonl",
    "cosmic.safetensors",
    "cosmic_features.npz",
    "marks.json",
)
GIVEN = (NETWORK, FEATURES)
"""The inputs of COSMic; `trilens.json` records the name and digest of each."""
LARGEST_GIVEN = 128 << 20
EMBEDDINGS, DISTANCES, SYSTEMS = "embeddings/", "distances/", "systems/"
PICTURES, PICTURE_INDEX = "pictures/", "pictures.json"
LARGEST_PICTURES, LARGEST_INDEX, MOST_PICTURES, LONGEST_NAME = 400 << 20, 8 << 20, 10_000, 1_000
"""Maximum size in bytes of all pictures in a bundle and of the index of their names; maximum number of pictures, and of
characters in a picture's name.
"""
FORMAT = "trilens study bundle"
NUMBERS = "results/"
PAGES = (
    *("layouts/", "centres/", "experiments/", "judgments/", "references/", "robustness/", "sensitivity/", "slices/"),
    *("critiques/", "words/", "detectable/"),
)
CARRIED = (NUMBERS, *PAGES)
"""Folders of a bundle that contain cache entries: results, and artifacts of the pages."""
NO_MARKS = Marks()
LONG_AGO = (1980, 1, 1, 0, 0, 0)
READ_ME = """A study bundle of Trilens.

study.jsonl   captions, references and settings, one line per item
scores.csv    the numbers, one row each, with the signature that determines it
results/      the same numbers at full precision with what intervals and tests need
layouts/      where captions lie in the caption cloud
centres/      how far captions are from the middle of what people say
experiments/  what metrics see of correct and of unique captions
judgments/    how far metrics agree with what people said
references/   how the runs score with fewer references, and references against each other
robustness/   scores of damaged captions by metrics
sensitivity/  tests of sets of captions by their number
slices/       where two runs differ more than elsewhere
critiques/    scores of every caption by critiques trained on the study
words/        words and phrases that runs use more, or less, often than people
detectable/   what tests that find no difference from people would have found
idf.npz       document frequencies of CIDEr-D, if some were given
cosmic.safetensors   the network of COSMic, if one was given
cosmic_features.npz  features of images for COSMic, if some were given
imported.jsonl  scores that were computed elsewhere, if some were given
marks.json    hidden runs, former names of runs, and stars and notes on images, if there are some
preferences.json  which of two captions people preferred, if some were given
answers.jsonl  what a judge answered, with its reasons, if one was asked
systems/      ratings of whole systems by people, if some were given
embeddings/   embeddings of the captions that were computed elsewhere, if some were given
distances/    distances of captions that were computed elsewhere, if some were given
pictures/     the pictures of the study, made smaller, if they were included
pictures.json the original names of the pictures
trilens.json  what the bundle holds

Drop the zip on the Data page, or: trilens report BUNDLE.zip --out report.html
Both show what is in it without computing it again.
"""


def pack(
    study: Study,
    numbers: Mapping[str, bytes],
    scores: bytes,
    about: Mapping[str, object],
    idf: bytes | None = None,
    given: Mapping[str, tuple[str, bytes]] | None = None,
    marks: Marks = NO_MARKS,
    pictures: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return the bundle as a zip file, with the same bytes for the same content; `numbers` are cache entries (.npz) by
    key. Raises DataError as `to_jsonl_bytes` does.

    `idf` is a file of CIDEr-D document frequencies (.npz), and `given` maps each member of `GIVEN` that is in use to
    its name and bytes; both are used again when the bundle is opened. `marks` are hidden runs, stars, notes and new
    names, and `pictures` the files that `packed_pictures` returns.
    """
    given = given or {}
    if given:
        named = {of: {"name": name, "sha256": hashlib.sha256(raw).hexdigest()} for of, (name, raw) in given.items()}
        about = {**about, "given": named}
    said = {"format": FORMAT, "version": 1, "study": study.name, "digest": study.digest, **about}
    files = {
        MARK: json.dumps(said, indent=1, ensure_ascii=False).encode(),
        READ_ME_NAME: READ_ME.encode(),
        STUDY: to_jsonl_bytes(study),
        SCORES: scores,
        **({} if idf is None else {IDF: idf}),
        **{of: raw for of, (_, raw) in given.items()},
        **beside_captions(study),
        **({MARKS: to_json(marks)} if marks.in_bundles else {}),
        **{f"{key}.npz": content for key, content in sorted(numbers.items())},
        **(pictures or {}),
    }
    return _zipped(files)


def beside_captions(study: Study) -> dict[str, bytes]:
    """Return, by name, the files of a study's data other than captions; with its JSON Lines, they restore the study."""
    given_apart = without(study)  # without the data that is derived again when answers are read
    return {
        **{f"{EMBEDDINGS}{one.name}.npz": vectors_to_npz(one) for one in study.vectors},
        **{f"{DISTANCES}{one.name}.npz": distances_to_npz(one) for one in given_apart.distances},
        **({IMPORTED: scores_to_jsonl_bytes(given_apart.scores)} if given_apart.scores else {}),
        **({PREFERENCES: preferences_to_json(given_apart.preferences)} if given_apart.preferences else {}),
        **({ANSWERS: answers_to_jsonl(study.answers)} if study.answers else {}),
        **{f"{SYSTEMS}{k}/{_label(one.name)}.json": systems_to_json(one) for k, one in enumerate(study.systems)},
    }


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, LONG_AGO)
            info.compress_type = zipfile.ZIP_STORED if name.startswith(PICTURES) else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def packed_pictures(named: Iterable[tuple[str, bytes]], pattern: str) -> dict[str, bytes]:
    """Return the picture files of a bundle: JPEGs, and an index with the original names and their pattern; {} if there
    are no pictures and no pattern.
    """
    files, names = {}, {}
    for place, (name, content) in enumerate(named):
        member = f"{PICTURES}{place:05d}.jpg"
        files[member], names[member] = content, name
    said = {"pattern": pattern, "names": names}
    return {PICTURE_INDEX: json.dumps(said, indent=1).encode(), **files} if files or pattern else {}


def pictures_named(archive: zipfile.ZipFile) -> tuple[str, dict[str, str]]:
    """Return the pattern of a bundle's picture names, and a mapping from member to original picture name.

    Raises ValueError for pictures without a valid index, and any error of `zipfile`.
    """
    if PICTURE_INDEX not in archive.NameToInfo:
        if any(name.startswith(PICTURES) for name in archive.NameToInfo):
            raise ValueError(f"it has no {PICTURE_INDEX}")
        return "", {}
    with archive.open(PICTURE_INDEX) as stream:
        index = stream.read(LARGEST_INDEX + 1)
    said = json.loads(index) if len(index) <= LARGEST_INDEX else None
    names = said.get("names") if isinstance(said, dict) else None
    if said is None or not isinstance(names, dict) or len(names) > MOST_PICTURES:
        raise ValueError(f"{PICTURE_INDEX} does not say their names")
    sound = all(
        member.startswith(PICTURES) and isinstance(name, str) and 0 < len(name) <= LONGEST_NAME
        for member, name in names.items()
    )
    pattern = said.get("pattern") or ""
    if not sound or not isinstance(pattern, str):
        raise ValueError(f"{PICTURE_INDEX} has invalid names")
    return (valid_pattern(pattern) if pattern else ""), names


def _label(name: str) -> str:
    return name.replace("/", "_").replace("\\", "_")


def is_bundle(names: Mapping[str, object]) -> bool:
    """Return whether an archive with these members is a study bundle, intact or damaged."""
    return MARK in names or (STUDY in names and any(name == SCORES or name.startswith(CARRIED) for name in names))
