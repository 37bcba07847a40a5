"""Suspicious fields of records: misspelt names, and two names with the same meaning in one record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

_MIN_SIMILARITY = 0.85
_MAX_COMBINATIONS = 60
_ALSO_CALLED = {
    "temp": "temperature",
    "t": "temperature",
    "tau": "temperature",
    "p": "top_p",
    "nucleus": "top_p",
    "nucleus_p": "top_p",
    "k": "top_k",
    "beam": "decoder",
    "method": "decoder",
    "strategy": "decoder",
    "random_seed": "seed",
    "name": "model",
    "model_name": "model",
    "refs": "references",
    "gts": "references",
    "hyps": "candidates",
    "preds": "candidates",
    "captions": "candidates",
    "meta": "metadata",
    "ratings": "human",
    "rating": "human",
    "scores": "human",
}

FILES_OF_PEOPLE = frozenset(
    ["ref", "refs", "reference", "references", "gt", "gts", "groundtruth", "human", "annotations", "target", "targets"]
) | {"humans", "people", "annotators", "label", "labels", "gold", "truth", "true", "tgt", "annotation"}
FILES_OF_PEOPLE |= {"referenz", "referenzen", "referenztexte", "référence", "références", "referencia", "referencias"}
FILES_OF_PEOPLE |= {"referência", "referências", "riferimento", "riferimenti", "参考", "参照", "menschen"}
FILES_OF_PEOPLE |= {"allvideodescriptions"}
"""Words in the name of a file that show that it holds references; the last is MSVD's."""
_SURELY_OF_PEOPLE = frozenset(["ref", "refs", "reference", "references", "gt", "gts", "groundtruth", "gold"])
"""Those beside which a file called labels does not hold references."""
FILES_OF_RUNS = frozenset(
    ["pred", "preds", "prediction", "predictions", "predicted", "result", "results", "generated", "eval", "evals"]
) | {"evaluation", "evaluations", "rating", "ratings", "judgment", "judgments", "judgement", "judgements", "study"}
FILES_OF_RUNS |= {"hyp", "hyps", "hypothesis", "hypotheses", "output", "outputs", "score", "scores", "ctx", "context"}
"""Words in the name of a file that show that it belongs to a run, even if it is also called human: in `human_eval`,
people judge what models say.
"""


def is_of_people(stem: str, stems: Iterable[str]) -> bool:
    """Return whether the name of a file shows that it holds references, given the names of all files."""
    words = _words(stem)
    people = words & FILES_OF_PEOPLE
    if people and people <= {"label", "labels"} and any(_words(other) & _SURELY_OF_PEOPLE for other in stems):
        return False
    return bool(people) and not (people == {"human"} and words & FILES_OF_RUNS)


def is_of_run(stem: str) -> bool:
    """Return whether the name of a file shows that it holds what a model wrote, and no captions by people."""
    return bool(_words(stem) & FILES_OF_RUNS) and not is_of_people(stem, ())


def _words(stem: str) -> set[str]:
    return {word.rstrip("0123456789") for word in re.split(r"[\W_]+", stem.lower())}


def likely_field(field: str, known: Sequence[str]) -> str | None:
    """Return the known field that `field` may be a misspelling of, or None."""
    name = field.strip().lower().replace("-", "_").replace(" ", "_")
    if name in known:
        return name
    if _ALSO_CALLED.get(name) in known:
        return _ALSO_CALLED[name]
    return next(iter(get_close_matches(name[:100], known, 1, _MIN_SIMILARITY)), None)


class Fields:
    """The known fields of a record: one group of names per meaning, of which the first with a value is used.

    `unread` holds the other names in the records inspected so far, except misspelt ones.
    """

    def __init__(self, *groups: Sequence[str], ids: Sequence[str] = ()) -> None:
        self._groups = [tuple(group) for group in groups]
        self._ids = tuple(ids)
        self._known = {name for group in (*groups, ids) for name in group}
        self.unread: dict[str, None] = {}
        self._odd: dict[tuple[str, ...], tuple[list[tuple[str, ...]], list[tuple[str, str]]]] = {}

    def suspicious(self, row: Mapping[str, object]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return pairs of a field that was read and an ignored synonym, and pairs of an unknown field and the likely
        one.

        Most records have the same fields, so each combination is inspected once, and only the first few dozen are.
        """
        names = tuple(row)
        if names not in self._odd:
            if len(self._odd) >= _MAX_COMBINATIONS or len(names) > _MAX_COMBINATIONS:
                return [], []
            self._odd[names] = self._inspected(names)
        groups, misspelt = self._odd[names]
        beside = []
        for group in groups:
            there = [name for name in group if row[name] is not None]
            beside += [(there[0], name) for name in there[1:]]
        return beside, misspelt

    def _inspected(self, names: tuple[str, ...]) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
        there = set(names)
        twice = [found for group in self._groups if len(found := tuple(n for n in group if n in there)) > 1]
        absent = [name for group in (*self._groups, self._ids) if not there.intersection(group) for name in group]
        unknown = [name for name in names if name not in self._known]
        misspelt = {name: near for name in unknown[:20] if (near := likely_field(name, absent)) is not None}
        self.unread |= dict.fromkeys(name for name in unknown if name not in misspelt)
        return twice, list(misspelt.items())


DATA_SETS = {"coco", "mscoco", "karpathy", "flickr8k", "flickr30k", "docci", "nocaps", "textcaps", "vizwiz", "msvd"}
DATA_SETS |= {"clotho", "audiocaps", "msrvtt", "vatex", "activitynet", "youcook", "yc", "stair", "vist", "crossmodal"}
DATA_SETS |= {"flickr", "gcc", "cc3m", "cc12m", "sbu", "multi30k", "region", "regions", "paragraphs", "musiccaps"}
_ANNOTATED = {"train", "val", "valid", "validation", "dev"}
PARTS_OF_THEM = {"train", "val", "valid", "validation", "dev", "test", "all", "token", "dataset", "dialogues", "v", ""}
PARTS_OF_THEM |= {"captions", "caption", "descriptions", "sentences", "stories", "text", "tokenized", "captioned"}
PARTS_OF_THEM |= {"photo", "photos", "images", "public", "raw"}
"""Words that files of data sets are named by, such as `coco_karpathy_test` and `captions`, and no others."""


def is_of_data_set(file: str) -> bool:
    """Return whether a file is named after a data set or a part of one that people annotate, such as `val_yc2.json`."""
    parts = re.split(r"[\W_]+", file.rsplit("/", 1)[-1].split(".")[0].lower())
    found = {word.rstrip("0123456789") for word in parts}
    return found <= DATA_SETS | PARTS_OF_THEM and bool(found & (DATA_SETS | _ANNOTATED))
