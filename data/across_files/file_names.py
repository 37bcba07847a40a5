"""Names of runs, derived from the names of files and of their folders, whether on disk or in an archive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath, PurePosixPath
from typing import NamedTuple

from data.across_files import folder_roles
from data.fields.word_lists import in_name, says_step, word_set
from data.files.blobs import Blob, stem
from data.findings import clip
from data.formats.nesting.setting_keys import are_settings
from data.run_settings import names_settings, parse_name, without_organisations

_TIME = re.compile(
    r"[_-]?(?:\d{4}-\d\d-\d\d[T_]\d\d-\d\d-\d\d(?:\.\d+)?|\d{8}_\d{6}|(?<!\d)20\d\d[01]\d[0-3]\d(?!\d))[_-]?"
)
"""A time or date in the names of files and folders written by evaluation programs."""
_DATE = re.compile(r"\d{8}-\d{6}|^\d{4}-\d\d-\d\d(?![\w-])")
"""A date in the name of a file or folder, which does not distinguish runs."""
_MOMENT = re.compile(r"\d{4}-?\d\d-?\d\d(?:[T_ -]\d\d[-:.]?\d\d(?:[-:.]?\d\d)?)?|\d\d[-:.]\d\d[-:.]\d\d")
"""The name of a folder that is only a date or a time."""
_BESIDE = word_set("score scores metric metrics rating ratings ref refs reference references human gt config args")
"""Words in the names of files that programs write beside a run's captions."""
_ARCHIVE = re.compile(r"\.(?:zip|tar|tgz|eval)(?:\.\w+)?$", re.IGNORECASE)
_DETAILS = re.compile(r"details_.+\.parquet$")
_SAMPLES = re.compile(rf"(?:{_TIME.pattern})?samples_.+\.jsonl$")
"""The names of files that lie in a model's folder: details by lighteval, and samples by lm-eval and lmms-eval."""
_MODEL = re.compile(rb'"model_name"\s*:\s*"([^"\\]+)"')
_SHARD = re.compile(
    r"(?<=.)[_.-](?:(?:rank|shard|part|chunk)[_-]?\d+|\d{2,5}[_-]of[_-]\d{2,5}(?:-[0-9a-f]{8,64})?)$", re.IGNORECASE
)
"""The number of a run's part at the end of a name, as programs that use several processors write it."""
_SEED = re.compile(r"[\s_.-](?:r?s|seed[\s_.-]?)\d{1,3}$", re.IGNORECASE)
"""A seed at the end of a name."""
_LONGEST = 40
"""Maximum length in characters of a study's name that joins the names of two files."""
_SPLITS = frozenset(["train", "training", "val", "valid", "validation", "dev", "test", "eval"])
"""Names of the parts of a data set."""


class Above(NamedTuple):
    """The folders after which a file may be named, nearest first, and how many of them its label needs to be unique."""

    names: list[str]
    needed: int


def in_folders(paths: Sequence[PurePath]) -> dict[PurePath, Above]:
    """Return the folders of each file that needs them in its label.

    A file needs folders if it shares its name with another file or lies in the folder of a model. Files whose names
    state only settings, or differ only in a time, also need folders, if folders distinguish them. Folders named after a
    time, or by a word such as `output`, are skipped if the other folders distinguish the files. A label needs the
    folders that state settings, and the folder above these if that folder differs between the files or may be the
    model. If several names occur in the same folders, a label needs all folders that distinguish these files.
    `folder_roles.needed` adds files in folders with a role.
    """
    counts = Counter(path.name for path in paths)
    alike: dict[str, list[PurePath]] = {}
    for path in paths:
        alike.setdefault("" if are_settings([stem(path.name)]) else untimed(path.name), []).append(path)
    parted = [(key, group, of) for key, group in alike.items() if len(group) > 1 for of in _by_settings(group)]
    trees = Counter(tuple(sorted(path.parent for path in of)) for _, _, of in parted)
    known: dict[PurePath, Above] = {}
    for key, group, of in parted:
        above = _telling(of)
        columns = [list(names) for names in zip(*above)]
        apart = next((k for k, names in enumerate(columns) if len(set(names)) == len(names)), None)
        repeated = {path for path in group if counts[path.name] > 1}
        every = apart is not None or (key == "" and repeated)
        crossed = apart is None and any(map(_state_settings, columns))
        whole = crossed or trees[tuple(sorted(path.parent for path in of))] > 1
        start, end = _needed(columns, apart or 0, whole)
        end += end < len(columns) and all(_is_of_model(path, names, end) for path, names in zip(of, above))
        told = {path: Above(names[start:], end - start) for path, names in zip(of, above)}
        known |= {path: one for path, one in told.items() if every or path in repeated}
    details = [p for p in paths if _DETAILS.match(p.name) and "details" in folders(p)]
    return {path: Above(folders(path), 1) for path in (*details, *_samples(paths), *folder_roles.needed(paths))} | known


def _by_settings(paths: Sequence[PurePath]) -> list[list[PurePath]]:
    """Return the files divided into those in folders that state settings and all others; empty groups are left out."""
    nearest = {path: (folders(path) or [""])[0] for path in paths}
    known = {name for name in nearest.values() if _state_settings([name])}
    stated = {name for name in nearest.values() if any(_state_settings([name, other]) for other in known)}
    parted = [[path for path in paths if (nearest[path] in stated) is wanted] for wanted in (True, False)]
    return [of for of in parted if of]


def _telling(paths: Sequence[PurePath]) -> list[list[str]]:
    """Return the folders of each file, nearest first.

    Times and idle words are left out if the other folders distinguish all files.
    """
    places = enumerate(zip(*(path.parent.parts for path in paths)))
    shared = next((k for k, names in places if len(set(names)) > 1), min(len(path.parent.parts) for path in paths))
    below = [[name for name in reversed(path.parent.parts[shared:]) if not _is_idle(name)] for path in paths]
    apart = {*zip(*zip(*below))}
    plain = [[name for name in folders(path) if not _is_idle(name)] for path in paths]
    return plain if len(apart) == len(paths) else [folders(path) for path in paths]


def _state_settings(names: Iterable[str]) -> bool:
    """Return whether the names of all folders state settings; the name of a decoder, such as `greedy`, needs no
    number.
    """
    names = list(names)
    return are_settings(names) or all(map(names_settings, names))


def _is_idle(name: str) -> bool:
    """Return whether a folder's name states only a time or a step of an experiment, or is the name of an archive."""
    timed = _MOMENT.fullmatch(name) or not untimed(name)
    return bool(timed or _ARCHIVE.search(name) or says_step(name))


def _is_of_model(path: PurePath, above: Sequence[str], place: int) -> bool:
    """Return whether the folder at `place` directly contains the folders that state settings, and so may be named after
    a model.
    """
    inner, name = above[place - 1 : place + 1]
    stated = _state_settings([inner]) and not _state_settings([name])
    direct = any((one.name, one.parent.name) == (inner, name) for one in path.parents)
    return stated and direct and not _is_idle(name)


def _samples(paths: Sequence[PurePath]) -> list[PurePath]:
    """Return the files of samples in folders that lm-eval names after models, such as `lab__blip`.

    A file is left out if another in its folder differs from it only in the time.
    """
    found = [path for path in paths if _SAMPLES.match(path.name) and any("__" in name for name in folders(path)[:1])]
    again = Counter((path.parent, untimed(path.name)) for path in found)
    return [path for path in found if again[path.parent, untimed(path.name)] == 1]


def _needed(columns: Sequence[list[str]], apart: int, whole: bool) -> tuple[int, int]:
    start = next((k for k, names in enumerate(columns[:apart]) if _state_settings(names)), apart)
    end = start + 1
    while end < len(columns) and _state_settings(columns[end - 1]):
        if not _state_settings(columns[end]) and len(set(columns[end])) == 1:
            break
        end += 1
    if not whole:
        return start, end
    alone = (k for k in range(end, len(columns) + 1) if len(set(zip(*columns[start:k]))) == len(columns[start]))
    return start, next(alone, end)


def folders(path: PurePath) -> list[str]:
    """Return the names of a file's folders that are not just a time, nearest first."""
    return [folder.name for folder in path.parents if _TIME.sub("", folder.name)]


def without_shard(name: str) -> str:
    """Return a name without the part number at its end: `val` for `val-00000-of-00002`."""
    return _SHARD.sub("", name)


def stems(blobs: Sequence[Blob]) -> dict[str, str]:
    """Return the name of each file, by label: its stem or, if several files have that stem, the name of its folder.

    Stems that differ only in a time, as in lm-eval's files, count as the same if the folders distinguish the files. A
    name that states only settings, such as `temp_0.7`, is preceded by the name of its folder, which may be the model.
    Parts of a run, such as `blip_rank0` and `blip_rank1`, are named after the run. If exactly one file of samples has
    the same time in its name as a file of results by lm-eval, it gets the name of the model that these results state.
    """
    paths = {blob.name: PurePosixPath(_whole(blob)) for blob in blobs}
    own = {name: stem(path.name) for name, path in paths.items()}
    apart = in_folders(list(paths.values()))
    of_folder = {
        name: _of_folder(own[name], apart[path].names if path in apart else folders(path))
        for name, path in paths.items()
    }
    times = {name: "".join(_TIME.findall(path.name)).strip("_-") for name, path in paths.items()}
    counts = Counter(own.values())
    shared = {of for of in own.values() if counts[of] > 1}
    # If one file of settings needs its folder, all do: `blip/T=0.3` beside `git/T=0.3` and `git/T=0.7`.
    shared |= {own[name] for name, path in paths.items() if path in apart and are_settings([own[name]])}
    of_models = {*_samples(list(paths.values()))}
    shared |= {own[name] for name, p in paths.items() if p in of_models or (_DETAILS.match(p.name) and folders(p))}
    found = {name: of_folder[name] if of in shared else of for name, of in own.items()}
    timed: dict[str, dict[str, str]] = {}
    for name, of in own.items():
        timed.setdefault(untimed(of), {})[name] = of_folder[name]
    results = [blob for blob in blobs if untimed(own[blob.name]) == "results"]
    models = _models(results, times)
    beside = Counter(time for name, time in times.items() if untimed(own[name]) != "results")
    for told in timed.values():
        named = {name: models.get(times[name], "") for name in told}
        alone = len(told) == 1 and all(beside[times[name]] == 1 for name in told)
        known = all(named.values())
        told = named if known and len(set(named.values())) == len(named) else told
        found |= told if len(set(told.values())) == len(told) and (len(told) > 1 or (known and alone)) else {}
    found |= _of_seeds(found, own)
    found |= _of_settings(found, own, paths)
    found |= _of_splits(found, paths)
    whole = Counter(map(without_shard, found.values()))
    return {name: short if whole[short := without_shard(of)] > 1 else of for name, of in found.items()}


def _of_seeds(found: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Return the names of files that share the name of a folder, each with the seed in its own name added: `modelA-rs0`
    for `modelA/output-rs0`.
    """
    counts = Counter(found.values())
    seeds = {name: _SEED.search(of) for name, of in own.items() if counts[found[name]] > 1}
    return {name: f"{found[name]}{match[0]}" for name, match in seeds.items() if match}


def _of_settings(found: dict[str, str], own: dict[str, str], paths: dict[str, PurePosixPath]) -> dict[str, str]:
    """Return names with a folder's settings for files that share a name: `blip T=0.3` for `T=0.3/blip/output.json`.

    If the shared name already contains the name of the folder of settings, as for `T=0.3/blip.json`, the file's own
    name is used as the model. Return {} if the names would still not be unique.
    """
    groups: dict[str, list[str]] = {}
    for name, of in found.items():
        groups.setdefault(of, []).append(name)
    made: dict[str, str] = {}
    for of, names in groups.items():
        of_models = not any(says_step(own[name]) or _BESIDE & {*in_name(own[name])} for name in names)
        for name in names if len(names) > 1 else []:
            told = next((folder for folder in folders(paths[name]) if _state_settings([folder])), "")
            if told and (of_models or told not in of):
                made[name] = f"{own[name] if told in of else of} {told}"
    apart = len({(of, own[name]) for name, of in made.items()}) == len(made)
    return made if apart and not {*made.values()} & {*found.values()} else {}


def _of_splits(found: dict[str, str], paths: dict[str, PurePosixPath]) -> dict[str, str]:
    """Return the folder's name for each file that is one of several splits of a data set, such as `blip/val` and
    `blip/test`.
    """
    splits: dict[PurePosixPath, list[str]] = {}
    for name, of in found.items():
        if of in _SPLITS and paths[name].parent.name:
            splits.setdefault(paths[name].parent, []).append(name)
    return {name: parent.name for parent, names in splits.items() if len(names) > 1 for name in names}


def _whole(blob: Blob) -> str:
    """Return the label of a file with its full path in an archive, even if the label shortens that path."""
    cut = clip(blob.path)
    return blob.name.removesuffix(cut) + blob.path if blob.path and blob.name.endswith(f"/{cut}") else blob.name


def untimed(name: str) -> str:
    """Return the name of a file or folder without any time or date."""
    return _TIME.sub("", _DATE.sub("", name))


def _models(results: Iterable[Blob], times: dict[str, str]) -> dict[str, str]:
    """Return the models that lm-eval's files of results state, by the time in the names of the files.

    The file of samples of the same model has the same time in its name. A time that the results of several models share
    is left out.
    """
    found: dict[str, set[str]] = {}
    for blob in results:
        if times[blob.name] and (match := _MODEL.search(blob.content)):
            found.setdefault(times[blob.name], set()).add(match[1].decode("utf-8", "replace"))
    return {time: next(iter(names)) for time, names in found.items() if len(names) == 1}


def _of_folder(own: str, above: Iterable[str]) -> str:
    """Return the name of the nearest folder that states no settings, followed by the settings in the names below it;
    return `own` if there are no folders.
    """
    above = [_ARCHIVE.sub("", folder) for folder in above]
    told = [own] if are_settings([own]) or not above else []
    for folder in above:
        told.insert(0, folder)
        if not _state_settings([folder]):
            break
    return " ".join(told)


def together(names: Iterable[str], runs: int) -> str:
    """Return a name for a study with this number of runs; `names` are those of the files that contain the runs, in any
    order.

    It is the name of their archive or folder or, failing that, the beginning that the names of all models share, unless
    these state only a step, such as `results`. Otherwise, it is "a and b", "40 runs" or "40 files". Organisations of
    models are left out.
    """
    known = sorted({*names})
    above = {name.partition("/")[0] if "/" in name else "" for name in known}
    folders = [_ARCHIVE.sub("", one) for one in above] if len(above) == 1 else []
    plain = without_organisations([stem(name) for name in known])
    models = ["" if names_settings(name) else parse_name(name)[0] for name in plain]
    words = [re.findall(r"[^\W_]+|[\W_]+", model) for model in models]
    alike = [len({*place}) == 1 for place in zip(*words)]
    start = re.sub(r"^[\W_]+|[\W_]+$", "", "".join(words[0][: [*alike, False].index(False)]))
    for said in (*without_organisations(folders), start if len(known) > 1 else plain[0]):
        if len(said) > 1 and not says_step(said):
            return said
    both = " and ".join(plain)
    if len(known) == 1 or (len(known) == runs == 2 and len(both) <= _LONGEST):
        return both
    # With a run in each file, files are counted: one that has the same content as another is left out later.
    return f"{runs:,} runs" if runs > len(known) else f"{len(known):,} files"
