"""Kinds of findings about ratings, preferences and other judgments, by people or by models."""

from __future__ import annotations

from data.finding_kinds.kind import Kind

JUDGMENTS: dict[str, Kind] = {
    "answer_unusable": Kind(
        "error", "An answer of a judge {why}.", "Ask again with `trilens ask`, or correct the line; it was left out."
    ),
    "answer_faults": Kind(
        "warning",
        "Answers by {judge} to {prompt} without a score: {n:,} of {total:,} ({why}).",
        "They count as missing, never as 0; see docs/judges.md.",
    ),
    "answer_one_order": Kind(
        "warning",
        "Pairs that {judge} answered in only one order: {n:,}. They count for neither caption.",
        "Ask again: a judge may prefer the caption that it sees first.",
    ),
    "judge_changed": Kind(
        "warning",
        "The server of {judge} gave {n} different names while it answered {prompt}: {names}.",
        "Ask again with --no-cache: two models may have answered.",
    ),
    "ratings_alone": Kind(
        "error",
        "The file has no captions; its numbers seem to be ratings by people, or their totals: {columns}.",
        "Give the captions that people rated, with the same ids, and state what each column holds, on the Data page "
        "or with --map {option}; a field of captions is named by candidates=FIELD.",
    ),
    "ratings_across": Kind(
        "error",
        "Each row has one person's ratings of {n} captions, with the captions in the names of columns, such as "
        "{example}; they were not read.",
        "Write one row per rating, with the columns `id`, `run`, `rater` and `rating`, and give the captions, too.",
    ),
    "preferences_read": Kind(
        "note",
        "Which of {runs} was preferred was read from {column}.",
        "If captions of one model are on either side, name the models in columns `run_a` and `run_b`, beside "
        "`caption_a` and `caption_b`.",
    ),
    "preferences_beside": Kind(
        "warning",
        "Which of {runs} was preferred was not read from {column}: a preference is between two runs.",
        "Write pairs in a table of their own: the id, `run_a`, `run_b` and `winner`.",
    ),
    "ranks_read": Kind(
        "note",
        "Ranks were read as preferences, 1 as the best: {columns}.",
        "Every two ranked runs form a pair. If 1 is the worst, reverse the ranks.",
    ),
    "ratings_read": Kind(
        "note",
        "Numbers beside the captions were read as ratings by people: {columns}.",
        "If they are not ratings, give them another role on the Data page, or with --map, such as score=FIELD.",
    ),
    "rated_by_model": Kind(
        "note",
        "Ratings by a model, {names}, were read as scores and not as ratings by people.",
        "If a person has that name, state which columns are ratings, with --map rating=FIELD.",
    ),
    "rated_with_reasons": Kind(
        "warning",
        "Reasons are beside the ratings, as models write them when they judge, and nothing names who rated: the "
        "ratings were read as scores.",
        "If people rated, name each of them in a field such as annotator, or use --map rating=FIELD.",
    ),
    "rated_by_model_perhaps": Kind(
        "warning",
        "The file is named after a model, {name}, but its ratings were read as people's.",
        "If the model gave them, add a column `judge` with its name; they are then scores.",
    ),
    "pairs_by_model": Kind(
        "note",
        "Pairs judged by a model, {names}, were read as votes of a judge and not as judgments by people.",
        "If a person has that name, give it another spelling in the file.",
    ),
    "raters_apart": Kind(
        "note",
        "{n} files rate the same captions, and each was read as one person's ratings: {raters}.",
        "If these are runs with the same captions, name them in a column `model` of each file.",
    ),
    "raters_perhaps": Kind(
        "note",
        "Words in the names of columns of ratings were read as the names of raters: {names}.",
        "If they are criteria, say so: --map {option}.",
    ),
    "ratings_beside": Kind(
        "warning",
        "Ratings are not beside a single column of captions by runs, and were not read: {columns}.",
        "Write one caption of a model in each row, beside its ratings, or save them as a table of their own, with the "
        "id, the run and a column for each criterion.",
    ),
    "rating_scale": Kind(
        "error",
        "A rating of {name} is out of {found}, while others are out of {usual}.",
        "Write all ratings of a criterion on one scale; it counts as empty.",
    ),
    "rating_words": Kind(
        "note",
        "Ratings of {name} are words; their numbers: {words}.",
        "If they are on another scale, write the numbers.",
    ),
    "rating_not_number": Kind(
        "error", "A rating of {name} is {found}, not a finite number.", "Fix the cell; it counts as empty."
    ),
    "rating_ticks": Kind(
        "warning", "Several boxes of {name} are ticked: {found}.", "Tick one box per rating; it counts as empty."
    ),
    "rating_by_name": Kind(
        "note",
        "{name} was read as ratings by people, as in the COCO challenge of 2015.",
        "Rename the column if it is a metric.",
    ),
    "rating_unread": Kind(
        "error",
        "`human` of run {run} cannot be read: {why}.",
        "Give a number, a list of raters, or a list with one entry per candidate; see the templates.",
    ),
    "rating_unknown": Kind(
        "warning",
        "A rating belongs to {what} that the study does not have.",
        "Compare the names with those of the captions; it was left out.",
    ),
    "rating_no_run": Kind(
        "error",
        "A rating names neither a run nor a caption, and there are {runs:,} runs.",
        "Add a column `run` or `caption`; it was left out.",
    ),
    "rating_differs": Kind(
        "warning", "One rater gave two ratings of {name} to the same caption; the first counts.", "Keep one of the two."
    ),
    "rater_contradicts": Kind(
        "warning",
        "Rater {rater} contradicts the others on {name} (rank correlation {value}, {n:,} captions).",
        "Ask whether this rater read the scale in reverse; the ratings are used unchanged.",
    ),
    "rating_none": Kind(
        "error",
        "None of the ratings belongs to a caption of this study.",
        "Compare the names of items and runs with those of the captions.",
    ),
    "labels_too_many": Kind(
        "error",
        "The captions have {n:,} coherence labels; a study can have {most}.",
        "Give fewer labels; none was kept.",
    ),
    "pair_unclear": Kind(
        "error",
        "A pair does not state which caption was preferred: {found}.",
        "Write a or b, the name of a run, tie, or the votes for both; it was left out.",
    ),
    "pairs_unnamed": Kind(
        "note",
        "The pairs name no runs: another file must have the captions of each run.",
        "Or name the runs beside the captions, in columns `run_a` and `run_b`.",
    ),
    "pairs_alone": Kind(
        "warning",
        "No item has captions of all {runs:,} runs of these {n:,} pairs: only Arena can be shown, which ranks the runs "
        "by them.",
        "Everything else needs captions of every run for the same items.",
    ),
    "pairs_numbered": Kind(
        "note",
        "No field names the items of {n:,} pairs: each pair was taken for an item of its own.",
        "Add a field such as id or question_id if several pairs belong to one item.",
    ),
    "pairs_left": Kind(
        "warning",
        "{n:,} of {total:,} pairs are of items that the study leaves out, for want of captions or references; they "
        "were not used.",
        "To rank the runs by all of these pairs on Arena, give the pairs alone, without captions and other files.",
    ),
    "pair_of_one": Kind("warning", "A pair compares a caption with itself.", "Name two captions; it was left out."),
}
