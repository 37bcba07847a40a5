"""Names that programs and people use for the fields of a record; each list is sorted from surest to vaguest.

`norm` is applied before names are compared: first the whole path of a nested field, then its last part.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache

from data.fields.translations import REMARKS, TRANSLATED
from data.fields.word_lists import word_list, word_set
from data.findings import clip

IDS = word_list(
    "image_id mr_id id _id item_id item imageid img_id video_id videoid audio_id vid clip_id sound_id cocoid coco_id "
    "image_key custom_id audiocap_id question_id sample_id task_id instance_id request_id seg_id segid segment_id "
    "doc_id file_name filename file image image_name imagename video_name audio_name image_path image_file img "
    "img_path imgid photo_id photo picture_id picture video video_path audio audio_path path key uid uuid stimulus_id "
    "stimulus youtube_id ytid study_id bbcid ref_id url image_url example_id example test_idx name index idx hash "
    "case seg utt utt_id contest contest_number cartoon nr nummer"
)
SURE_IDS = ("id", "_id", "item_id", "item")
"""Field names that identify items with precedence over all other fields."""
VAGUE_IDS = frozenset(["name", "key", "path", "url", "index", "idx", "id", "_id", "example", "hash", "nr", "nummer"])
"""Names that mean ids in nested objects only if no other name does; a field with such a name is never the id if its
values repeat.
"""
TOLD_OF = ("mr", "meaning_representation", "src", "source", "source_text", "source_sentence", "document", "article")
"""Field names of the source from which a text was made, which identifies items if no other field does."""
ASKED_OF = ("prompt", "instruction", "query", "question", "input")
"""Field names of the request that a model answers. The request identifies items if it has several answers."""
GIVEN = (*ASKED_OF, "context", "topic", "passage", *TOLD_OF, "dialogue", "dialog", "history", "sentence")
"""Field names of a text to which captions respond, surest first."""
QUESTIONS = ("question", "questions", "q", "query")
"""Field names of a question, of which a picture, a film or a document may have several."""
OF_REQUESTS = frozenset(["prompt", "provider"])
"""Objects whose `label` names a request or a model, rather than being a caption by people."""
IMAGES = ["image", "image_path", "file_name", "filename", "image_name", "path", "img", "file"]
PREDICTED = word_list(
    "caption_predicted predicted_caption prediction predictions predicted pred preds predict predicted_text "
    "filtered_resps candidate candidates cand cands hypothesis hypotheses hyp generated generated_caption "
    "generated_captions generated_text generation model_output model_response.text completion mt sampled samples sys "
    "turns response responses output outputs"
)
REFERENCES = word_list(
    "reference references ref refs ground_truth ground_truths gt gts gt_caption gt_captions doc.captions doc.caption "
    "doc.answers doc.answer target targets label labels label_text human_caption human_captions caption_reference "
    "caption_references reference_caption reference_captions reference_strs "
    "mult_references mrefs list_of_references expected gold lex highlights "
    "doc.choices iiw dci docci"
)
WORDS_OF_CLASSES = ("label", "labels", "label_text", "expected", "gold")
"""Names of references that may contain a class instead, such as `dog`."""
TRANSCRIPTS = ("transcript", "transcripts", "transcription")
"""Names of transcripts by people if a program's transcript is beside them, or else of the speech in a film."""
NEUTRAL = word_list(
    "caption captions caption_str text description sentence sentences comment raw answer answers summary summ "
    "paragraph translation report findings"
)
"""Names for captions that do not show the author; `a` beside a question `q` is another."""
NAMES_OF_RUNS = ("run", "run_name", "system")
NAMES_OF_MODELS = (
    *("model", "model_name", "model_id", "provider.id", "model_name_or_path", "model_path", "model_version"),
    *("modelversion", "system_name", "system_id", "method", "method_name", "approach", "captioner", "generator"),
    *("summarizer", "summariser", "translator", "policy", "submission_name", "model_test", "tested_model"),
    *("checkpoint", "engine", "llm", "vlm", "mllm", "ls_model_name"),
)
RUNS = (*NAMES_OF_RUNS, *NAMES_OF_MODELS)
OF_RUNS = frozenset(["m", "sys", "baseline", *RUNS])
"""Names that, with numbers, denote columns of one run each, such as `model_1` and `model_2`."""
OF_ONE_PERSON = word_set(
    "annotator annotators worker workers rater user speaker participant person author lang language locale split"
)
"""Words in the names of fields that may distinguish people's captions, but never runs."""
STATE_PEOPLE = word_set(
    "is_human is_human_written human_written written_by_human is_reference is_ref is_gt is_ground_truth"
)
"""Names of fields that state whether people wrote the record's captions."""
OF_ONE_CAPTION = word_set(
    "beam sample sent sentence caption cap candidate rank idx index no number nr time timestamp date created best "
    "verdict valid correct quality score scores rating reward rewards advantage logprob likelihood loss perplexity"
)
"""Words in the names of fields that distinguish the captions of one run."""
ALSO_CALLED = {
    "decoding": "decoder",
    "decoding_strategy": "decoder",
    "temp": "temperature",
    **dict.fromkeys(
        (
            *("sampling_temperature", "sampling_temp", "generation_temperature", "softmax_temperature"),
            *("ls_temperature", "tau", "τ"),
        ),
        "temperature",
    ),
    **dict.fromkeys(("topp", "nucleus_p"), "top_p"),
    "topk": "top_k",
    **dict.fromkeys(("random_seed", "rng_seed", "sampling_seed"), "seed"),
}
"""Synonyms for the names of settings."""
LANGUAGES = word_set("ar cn de en es fr hi it ja jp ko pt ru th tr vi zh")
"""Codes of languages that are common in names and keys."""
TURN = "[-1]"
"""The mark in a path for the last turn of a conversation."""


OF_MODELS = word_set(
    "pred preds predict predicted prediction predictions hyp hypo hypos hypothesis hypotheses candidate candidates "
    "generated gen generation generations completion completions response responses reply output outputs decoded "
    "inferred model models system systems actual"
)
OF_RUNS_ALONE = word_set("model models system systems")
"""The words of `OF_MODELS` that may name a run, as in `base_model`, rather than its texts."""
OF_VARIANTS = word_set(
    "base baseline ours proposed sft dpo ppo rlhf lora tuned finetuned untuned pretrained trained instruct zero few "
    "shot before after old new vanilla ablation ablated control treatment teacher student distilled greedy"
)
"""Words in the names of columns that each contain a run, if their texts are alike."""
BASELINES = word_set("baseline ours")
"""The words of `OF_VARIANTS` that name a run whatever the names of other columns are."""
OF_PEOPLE = word_set(
    "ref refs reference references gt gts gold golden groundtruth truth true human humans people target targets "
    "expected correct corrected postedited postedit annotation annotations annotated annotator worker workers crowd "
    "crowdsourced "
    "mensch menschen"
)
"""Words that show who wrote a caption, within names that are not listed as a whole: `gold_captions`, `actualOutput`."""
NO_CAPTION = word_set(
    "id ids uid hash file files filename path paths url urls uri link index idx score scores length len count "
    "time date prompt prompts question questions q query metric metrics instruction instructions input inputs "
    "source src context contexts prefix premise article document history user note notes remark remarks reason "
    "reasons reasoning explanation explanations rationale justification justifications judgment judgments judgement "
    "judgements verdict verdicts comment comments feedback error section category categories tag tags keyword keywords "
    "title license domain split location name type status trace traces token tokens bytes negative negatives foil "
    "foils distractor distractors false wrong incorrect"
).union(REMARKS)
"""Words in the names of fields whose texts are not captions."""
OF_JUDGES = word_set("evaluator rater reviewer annotator judge rating ratings")
_OF_REVIEWS = word_set("review reviews verdict verdicts judgment judgments judgement judgements preference vote votes")
"""Words in the names of fields with remarks about captions."""
_OF_JUDGMENTS = _OF_REVIEWS | {"rating", "ratings", "evaluation", "evaluations"}
"""Names of objects that contain judgments of a caption."""
ON_SCALE = re.compile(r"\(\d+\s*[-–]\s*\d+\)$|\w.*\[[^\[\]]*\w \w[^\[\]]*\]$")
"""A scale or the subject of a question at the end of a column's name; comments beside such columns are the raters'."""
RECORDS = frozenset(["results", "predictions", "data", "samples", "records", "rows", "items", "examples", "instances"])
CONTAINERS = RECORDS.union(
    ["outputs", "annotations", "captions", "entries", "responses", "generations", "images", "videos", "imgtoeval"],
    ["per_item", "per_image", "per_sample", "evalimgs"],
)
"""Keys of lists of records, whatever the other keys are; those in `RECORDS` never contain the captions of one item."""
ASKED = re.compile(r"\[([^\[\]]+)\]\s")
"""The beginning of the name of a promptfoo column of answers: provider and model, or their label; the
prompt follows.
"""
_VERDICTS = frozenset(["status", "score"])
"""Columns that promptfoo writes beside each column of answers."""
_LOW, _HIGH = "a-zß-öø-ÿœ", "A-ZÀ-ÖØ-ÞŒ"
_WORD = re.compile(rf"[{_LOW}]+|[{_HIGH}]+(?![{_LOW}])|[{_HIGH}][{_LOW}]*|[^\W\d_{_LOW}{_HIGH}]+")
_NUMBERED = re.compile(r"_?[(\[#]?\d{1,3}[)\]]?$")
_MODELS = frozenset(["mt5", "mt0"])
"""Models whose names look like the names of numbered fields."""
_LETTERED = re.compile(r"_[a-z]$|^(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)_")
_BRACKETS = re.compile(r"\[-?\d*\]|^(?:INPUT|OUTPUT|GOLDEN|HINT|ASSIGNMENT):")
"""Marks of lists, and the prefixes of Toloka's columns."""
_FILE_PATH = re.compile(r"file_?path$")
_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
"""A dot between parts of a path, but not a decimal point, as in `blip (T=0.5)`."""


_NUMBER_OF = re.compile(r"(image|img|photo|picture|video|clip|audio|sound|item|sample)_?(?:no|nr|num|number)")
"""The name of a column of item numbers, which are ids: `Photo No.`."""
_KNOWN = frozenset([*IDS, *PREDICTED, *REFERENCES, *NEUTRAL, *RUNS, *ALSO_CALLED, "top_p", "top_k"])
_once = lru_cache(maxsize=20_000)
"""A cache for functions of field names: the same names recur in every record, and regular expressions are slow."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@_once
def norm(column: str) -> str:
    """Return the name of a column in lower case, with underscores for spaces, hyphens and slashes.

    Within a known name, an underscore is also put before a capital letter: `photoId` becomes `photo_id`. A name in
    another language is translated to English, and the number of an item becomes its id: `Photo No.` is `photo_id`.
    """
    bare = column.strip().rstrip(".:?")
    name = re.sub(r"[\s/-]+", "_", bare.lower())
    if (counted := _NUMBER_OF.fullmatch(name)) is not None:
        return f"{counted[1]}_id"
    if (english := TRANSLATED.get(base(name))) is not None:
        return english + name[len(base(name)) :]
    if name == bare or base(name) in _KNOWN:
        return name
    parted = re.sub(r"[\s/-]+", "_", _CAMEL.sub("_", bare).lower())
    return parted if base(parted) in _KNOWN else name


def first(names: list[str], known: Iterable[str], taken: Container[int] = ()) -> int:
    """Return the index, among column names, of the first known name that is not `taken`; -1 if there is none."""
    return next((k for key in known if key in names and (k := names.index(key)) not in taken), -1)


def base(column: str) -> str:
    """Return a name normalised by `norm`, without the number at its end."""
    return column if column in _MODELS else _NUMBERED.sub("", column)


def unnumbered(column: str) -> str:
    """Return a name normalised by `norm`, without the number, letter or ordinal that distinguishes it."""
    return _LETTERED.sub("", base(column))


def plain(path: str) -> str:
    """Return a path without the marks of lists and Toloka's prefixes."""
    return _BRACKETS.sub("", path)


@_once
def leaf(path: str) -> str:
    """Return the last part of a path, normalised by `norm`."""
    bare = _BRACKETS.sub("", path).strip().rstrip(".:")
    return norm(_DOT.split(bare)[-1])


def asked(header: Sequence[str]) -> list[int]:
    """Return the positions of promptfoo's columns of answers; a label without a colon counts only beside columns of
    verdicts.
    """
    judged = set(map(norm, header)) >= _VERDICTS
    found = ((k, ASKED.match(name)) for k, name in enumerate(header))
    return [k for k, match in found if match and (judged or ":" in match[1])]


@_once
def known_run(path: str) -> str:
    """Return the name of a column or its last part, whichever is known to name runs, or the name if neither is,
    normalised by `norm`.
    """
    return next((name for name in (norm(path), leaf(path)) if name in RUNS), norm(path))


def words(path: str) -> list[str]:
    """Return the words in the last part of a path, in lower case; for `prediction.text`, the words of both parts."""
    return list(_words(path))


@_once
def _words(path: str) -> tuple[str, ...]:
    parts = _DOT.split(_BRACKETS.sub("", path))
    shown = parts[-2:] if norm(parts[-1]) in {*NEUTRAL, "content", "value"} else parts[-1:]
    found = (word.lower() for part in shown for word in _WORD.findall(part))
    return tuple(TRANSLATED.get(word, word) for word in found)


def no_caption(path: str) -> bool:
    """Return whether a word in the last part of a path means that its texts are not captions."""
    return not NO_CAPTION.isdisjoint(words(path))


def whose(path: str) -> str:
    """Return "people" or "model" if words in the name of a field show who wrote its texts, else ""."""
    found = set(words(path))
    outer = [norm(part) for part in _DOT.split(_BRACKETS.sub("", path))[:-1]]
    if found & (NO_CAPTION | _OF_REVIEWS) or _OF_JUDGMENTS & {*outer}:
        return ""
    # In `references[].output.text`, the outer name counts.
    parts = _BRACKETS.sub("", path).split(".")
    outer = parts[: -1 if parts[0].endswith("_annotations") else -2]
    if any(norm(part) in REFERENCES or norm(part).split("_")[-1] == "annotations" for part in outer):
        return "people"
    # `actual_output` is a model's, but `actual_captions` are people's; `expected` always means people. `original` may
    # be what a model rewrote, but `original_summary` is what people wrote.
    if found & OF_PEOPLE or any(word in found and found & set(NEUTRAL) - of for word, of in _IF_CAPTIONS.items()):
        return "people"
    return "model" if found & OF_MODELS else ""


_IF_CAPTIONS: dict[str, set[str]] = {"actual": set(), "original": {"text", "sentence", "sentences", "paragraph"}}
"""Words that mean people beside a word for captions, each with the words for captions that do not count for it."""


def neutral(header: Sequence[str]) -> list[str]:
    """Return the names that do not show who wrote a caption; beside a field `q`, `a` is one of them."""
    return [*NEUTRAL, "a"] if "q" in map(leaf, header) else NEUTRAL


def names_a_model(path: str) -> bool:
    """Return whether the last of several words in a name means a model or system other than a judge, as in
    `DialogModel`.
    """
    *others, last = words(path) or [""]
    return (
        last in ("model", "system")
        and bool(others)
        and not set(others) & (OF_JUDGES | OF_PEOPLE | _NOT_OF_CAPTIONS | _CHOSEN)
    )


_NOT_OF_CAPTIONS = word_set(
    "reward embedding embeddings embed eval scoring score scorer critic grader metric clip language"
)


_CHOSEN = word_set(
    "better best preferred prefer preference favourite favorite winner winning worse worst chosen choice which"
)
"""Words in the names of columns that state which model people preferred: `Better system`."""


def of_requests(header: Sequence[str]) -> list[str]:
    """Return the last part of each path or, for the text in a turn of a request, such as `prompt[].content`, the name
    of the list of turns.
    """
    said = ("[].content", "[].parts", "[].text", "[].value")
    return [leaf(path.rpartition("[]")[0] if path.endswith(said) else path) for path in header]


def are_requests(header: Sequence[str]) -> bool:
    """Return whether records have the fields of requests to a model, as sent in batches, but no answers."""
    outer = {norm(_DOT.split(_BRACKETS.sub("", name))[0]) for name in header}
    asked = outer & {"body", "params", "request", "modelinput"}
    return bool(asked) and outer - asked <= {"custom_id", "method", "url", "key", "recordid", "id"}


def distinct(columns: Sequence[str]) -> dict[str, str]:
    """Return the name of the run in each column's name, such as `blip` in `prediction_blip`; if two would be equal,
    return the columns' full names.
    """
    answers = {one: found for one in columns if (found := ASKED.match(one))}
    if len(answers) == len(columns):
        once = len({found[1] for found in answers.values()}) == len(columns)
        return {one: found[1] if once else f"{found[1]} {one[found.end() :]}" for one, found in answers.items()}
    known = "|".join(sorted({*OF_MODELS, *NEUTRAL} - {"model", "system", "actual"}, key=len, reverse=True))
    of = {one: re.sub(rf"(^|[\s_.-])(?:{known})(?=$|[\s_.-])", r"\1", one, flags=re.IGNORECASE) for one in columns}
    bare = {one: _unbracketed(re.sub(r"[\s_.-]{2,}", "_", name).strip(" _.-:")) for one, name in of.items()}
    left = {one: one if of[one] == one else name or one for one, name in bare.items()}
    return left if len(set(left.values())) == len(left) else {one: one for one in columns}


def _unbracketed(name: str) -> str:
    """Return a name without the brackets around it, and without brackets at either end if these do not match."""
    inner = name[1:-1].strip(" _.-:") if name[:1] in ("(", "[") and name[-1:] in (")", "]") else name
    closed = all(inner.count(a) == inner.count(b) for a, b in ("()", "[]"))
    return inner if closed else name.strip(" _.-()[]:")


def rank(path: str, known: list[str] | tuple[str, ...]) -> int | None:
    """Return the index of a field in a list of known names, by its path or its last part; None for an unknown field."""
    return next((known.index(name) for name in _written(path) if name in known), None)


@_once
def _written(path: str) -> tuple[str, ...]:
    """Return the forms in which a list of known names may contain a field's path, the surest first."""
    whole, last = (_FILE_PATH.sub("path", name) for name in (norm(_BRACKETS.sub("", path)), leaf(path)))
    bare = ".".join(part.strip("_") for part in whole.split("."))
    dotted = whole.replace(".", "_")  # R writes `ref.1` for a column "ref 1"
    ways = (whole, base(whole), bare, last, base(last), last.removesuffix("s"), dotted, base(dotted))
    return tuple(dict.fromkeys(ways))


def in_roles(fields: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the value of `--map` for the fields of each role, quoted for a shell: "id=doc_id,candidates=one+two"."""
    named = ((role, [f'"{name}"' if set(name) & {",", "+"} else name for name in map(clip, of)]) for role, of in fields)
    return shlex.quote(",".join(f"{role}={'+'.join(of)}" for role, of in named if of))


def tells_captions(path: str) -> bool:
    """Return whether a word in the name of numbered columns means captions, which then belong to one run."""
    return bool({*words(path), base(leaf(path))} & {*OF_MODELS, *OF_PEOPLE, *OF_ONE_CAPTION, *PREDICTED, *NEUTRAL})


def is_text(column: str) -> bool:
    """Return whether a column of that name, normalised by `norm`, contains captions."""
    return base(column) in {*PREDICTED, *REFERENCES, *NEUTRAL}


def is_known(name: str) -> bool:
    """Return whether a field has a known name for captions, whoever wrote them."""
    return any(rank(name, known) is not None for known in (PREDICTED, REFERENCES, NEUTRAL))
