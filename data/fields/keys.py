"""Suspicious fields of records: misspelt names, and two names with the same meaning; and words in the names of files
that show who wrote their contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from data.fields.word_lists import in_name, word_list, word_set

_LETTER = re.compile(r"(?<=[a-z])[A-Z](?![A-Za-z])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MIN_SIMILARITY = 0.85
_MAX_COMBINATIONS = 60
_ALSO_CALLED = {
    **dict.fromkeys(word_list("temp t tau"), "temperature"),
    **dict.fromkeys(word_list("p nucleus nucleus_p"), "top_p"),
    **dict.fromkeys(word_list("k"), "top_k"),
    **dict.fromkeys(word_list("beam method strategy"), "decoder"),
    **dict.fromkeys(word_list("random_seed"), "seed"),
    **dict.fromkeys(word_list("name model_name"), "model"),
    **dict.fromkeys(word_list("refs gts"), "references"),
    **dict.fromkeys(word_list("hyps preds captions"), "candidates"),
    **dict.fromkeys(word_list("meta"), "metadata"),
    **dict.fromkeys(word_list("ratings rating scores"), "human"),
}

FILES_OF_PEOPLE = word_set(
    "ref refs reference references gt gts groundtruth human annotations target targets humans people annotators "
    "annotator label labels gold truth true tgt annotation referenz referenzen referenztexte référence références "
    "referencia referencias referência referências riferimento riferimenti 参考 参照 menschen allvideodescriptions"
)
"""Words in the name of a file that show that it contains references; the last is MSVD's."""
SURELY_OF_PEOPLE = word_set("ref refs reference references gt gts groundtruth gold")
"""Words in the names of files that surely contain references; beside such a file, a file called `labels` has none."""
FILES_OF_RUNS = word_set(
    "pred preds prediction predictions predicted result results generated eval evals evaluation evaluations rating "
    "ratings judgment judgments judgement judgements study hyp hyps hypothesis hypotheses output outputs score scores "
    "ctx context"
)
"""Words in the name of a file that show that it belongs to a run, even if it is also called human: in a file called
`human_eval`, people judge captions by models.
"""


FILES_OF_SOURCES = word_set(
    "src source sources article articles document documents context contexts dials input inputs ctx"
)
"""Words in the names of files with texts to translate or concepts to write about; "open source" does not count."""


def is_of_people(stem: str, stems: Iterable[str]) -> bool:
    """Return whether the name of a file shows that it contains references, given the names of all files."""
    words = _words(stem)
    people = words & FILES_OF_PEOPLE
    if people and people <= {"label", "labels"} and any(_words(other) & SURELY_OF_PEOPLE for other in stems):
        return False
    return bool(people) and not (people == {"human"} and words & FILES_OF_RUNS)


def is_of_people_alone(stem: str) -> bool:
    """Return whether the name of a file shows that it contains references and no captions by a model."""
    return is_of_people(stem, ()) and not _words(stem) & FILES_OF_RUNS


def names_only_people(stem: str) -> bool:
    """Return whether all words in the name of a file mean captions by people, as in `references` or `ref1`."""
    return {""} < _words(stem) | {""} <= FILES_OF_PEOPLE | {""}


def is_of_run(stem: str) -> bool:
    """Return whether the name of a file shows that it contains captions by a model, and none by people."""
    return bool(_words(stem) & FILES_OF_RUNS) and not is_of_people(stem, ())


def _words(stem: str) -> set[str]:
    """Return the words in a name, without a number or capital letter at their ends: `ref` for `ref1` and `refB`."""
    return {word.rstrip("0123456789") for word in in_name(_LETTER.sub("", stem))}


def likely_field(field: str, known: Sequence[str]) -> str | None:
    """Return the known field that `field` means, by its own name, a synonym or a misspelling; None if it means none."""
    name = field.strip().lower().replace("-", "_").replace(" ", "_")
    if name in known:
        return name
    if _ALSO_CALLED.get(name) in known:
        return _ALSO_CALLED[name]
    return next(iter(get_close_matches(name[:100], known, 1, _MIN_SIMILARITY)), None)


class Fields:
    """The known fields of a record: groups of names with one meaning, of which the first with a value is used.

    `unread` contains the other names in the records inspected so far, except misspelt ones.
    """

    def __init__(self, *groups: Sequence[str], ids: Sequence[str] = ()) -> None:
        self._groups = [tuple(group) for group in groups]
        self._ids = tuple(ids)
        self._known = {name for group in (*groups, ids) for name in group}
        self.unread: dict[str, None] = {}
        self._odd: dict[tuple[str, ...], tuple[list[tuple[str, ...]], list[tuple[str, str]]]] = {}

    def suspicious(self, row: Mapping[str, object]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return pairs of a read field and an ignored synonym, and pairs of an unknown field and the field probably
        meant.

        Most records have the same fields, so each combination is inspected once, and only the first few dozen
        combinations are.
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


OF_ANNOTATORS = word_set("annotator worker voice traces dialog")
"""Words in the names of fields that describe how people wrote the captions beside them."""
DATA_SETS = word_set(
    "coco mscoco karpathy flickr8k flickr30k docci nocaps textcaps vizwiz msvd clotho audiocaps msrvtt vatex "
    "activitynet youcook yc stair vist crossmodal flickr gcc cc3m cc12m sbu multi30k region regions paragraphs "
    "musiccaps"
)
_ANNOTATED = {"train", "val", "valid", "validation", "dev"}
PARTS_OF_THEM = {""} | word_set(
    "train val valid validation dev test all token dataset dialogues v captions caption descriptions sentences stories "
    "text tokenized captioned photo photos images public raw"
)
"""The only words, beside `DATA_SETS`, in the names of files of data sets, such as `coco_karpathy_test`
and `captions`.
"""


def is_of_data_set(file: str) -> bool:
    """Return whether a file is named after a data set or its annotated part, such as `val_yc2.json`."""
    found = _words(file.rsplit("/", 1)[-1].split(".")[0])
    return found <= DATA_SETS | PARTS_OF_THEM and bool(found & (DATA_SETS | _ANNOTATED))


def words_of(fields: Iterable[str]) -> set[str]:
    """Return the words in all parts of the names of fields, in lower case."""
    return {word for name in fields for word in re.findall(r"[a-z]+", _CAMEL.sub("_", name).lower())}
