"""What the names of folders show about their files: those in `references` are by people, and those in `sources` are
sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath, PurePosixPath

from data.fields.criteria import HINTS
from data.fields.keys import FILES_OF_SOURCES, SURELY_OF_PEOPLE, is_of_people_alone, is_of_run
from data.fields.word_lists import in_name, word_set
from data.files.blobs import Blob, stem
from data.findings import Log
from data.formats.containers.item_files import without_letter

_OF_PEOPLE = SURELY_OF_PEOPLE | word_set("target targets human humans people")


def needed(paths: Sequence[PurePath]) -> list[PurePath]:
    """Return the files whose labels need the name of their folder, because it shows a role, or because file names in
    one folder are those in another plus a letter, as ROUGE expects of captions by several people.

    The result is empty if all files are in one folder.
    """
    names: dict[str, set[PurePath]] = {}
    for path in paths:
        names.setdefault(path.name, set()).add(path.parent)
    pairs = ((path.parent, names.get(without_letter(path.stem) + path.suffix, set()) - {path.parent}) for path in paths)
    lettered = {folder for parent, others in pairs if others for folder in (parent, *others)}
    told = [
        path
        for path in paths
        if path.parent in lettered or _says_people(path.parent.name) or says_sources(path.parent.name)
    ]
    return told if len({path.parent for path in paths}) > 1 else []


def given_by_people(given: list[tuple[Blob, bool]], log: Log) -> list[tuple[Blob, bool]]:
    """Return the files, and mark those in folders named after people's captions as files of references.

    One finding is added per folder. If all files are in such folders or are already marked, they are returned
    unchanged.
    """
    told = [forced or _is_of_people(blob) for blob, forced in given]
    if all(told):
        return given
    first: dict[str, str] = {}
    for (blob, forced), of in zip(given, told):
        if of and not forced:
            first.setdefault(PurePosixPath(blob.name).parent.name, blob.name)
    for folder, file in first.items():
        log.add("folder_of_people", file, folder=folder)
    return [(blob, of) for (blob, _), of in zip(given, told)]


def says_sources(folder: str) -> bool:
    """Return whether the name of a folder means sources of texts, such as texts to translate; False for ""."""
    return bool(folder) and {*in_name(folder)} <= FILES_OF_SOURCES


def _is_of_people(blob: Blob) -> bool:
    name = PurePosixPath(blob.name)
    own = stem(name.name)
    return _says_people(name.parent.name) and not is_of_run(own) and not HINTS & {*in_name(own)}


def _says_people(folder: str) -> bool:
    return is_of_people_alone(folder) and bool(_OF_PEOPLE & {*in_name(folder)})
