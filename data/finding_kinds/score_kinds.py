"""Kinds of findings about imported scores, embeddings and distances."""

from __future__ import annotations

from data.finding_kinds.kind import Kind

SCORES: dict[str, Kind] = {
    "score_not_number": Kind(
        "error", "A score by {metric} is {found}, not a finite number.", "Fix the cell; it counts as empty."
    ),
    "score_out_of_range": Kind(
        "error",
        "A score by {metric} is outside its stated range, {low} to {high}.",
        "Correct the score or the range; it was left out.",
    ),
    "score_unknown": Kind(
        "warning",
        "A score, vector, matrix or answer belongs to {what} that the study does not have.",
        "Compare the names with those of the captions; it was left out.",
    ),
    "score_no_run": Kind(
        "error",
        "A score, vector or matrix names no run, and there are {runs:,} runs.",
        "Add a column `run`, or name the file after the run; it was left out.",
    ),
    "score_differs": Kind(
        "warning",
        "{metric} has two values for the same caption, item or run; the first counts.",
        "Keep one of the two.",
    ),
    "score_facts_differ": Kind(
        "warning", "The {what} of {metric} is stated in two ways; the first counts.", "State it once."
    ),
    "score_grain": Kind(
        "note",
        "{metric} has values for {grain}; values of larger units were not used.",
        "Nothing to do: means are computed here.",
    ),
    "columns_of_runs": Kind(
        "note",
        "Columns were read as the numbers of the runs that their names contain: {columns}.",
        "If they are metrics or criteria, give them other names.",
    ),
    "scores_left": Kind(
        "note",
        "Columns of this table of scores are not scores and were not used: {columns}.",
        "To read a number of a nested object as a score, write it at the top of its record.",
    ),
    "scores_beside": Kind(
        "warning",
        "Numbers beside captions, under names of metrics, were not read as scores: {columns}.",
        "To compare runs by them, name the run in each column (`mymodel_SPICE`), or write one caption of a model in "
        "each row, beside its scores.",
    ),
    "scores_by_text": Kind(
        "note",
        "The captions beside these scores belong to run {run} in {other}; the numbers were read as its scores.",
        "If they belong to another run, give both files the ids of the items, or a column `run`.",
    ),
    "judged_again": Kind(
        "note",
        "Judging by name and contents, the file repeats run {run} of {other} with a judge's verdicts; its captions "
        "were read once{scores}.",
        "If it holds another run, rename the file.",
    ),
    "scores_read": Kind(
        "note",
        "Numbers beside the captions were read as their scores: {columns}.",
        "If they are not scores, give them another role on the Data page, or with --map, such as metadata=FIELD.",
    ),
    "score_direction": Kind(
        "warning",
        "Nothing states which direction of {metric} is better: {side} was taken as better.",
        "State it on the Data page, with --scores-direction {name}=lower, or in a column `higher_is_better`.",
    ),
    "score_gaps": Kind(
        "warning",
        "{metric} has no value for {n:,} of {total:,} {what} of run {run}.",
        "They stay gaps, never zeros; add the values if there are any.",
    ),
    "score_none": Kind(
        "error",
        "No score by {metric} belongs to a caption of this study.",
        "Compare the names of items and runs with those of the captions.",
    ),
    "vectors_unusable": Kind(
        "error",
        "The arrays or embeddings cannot be used: {why}.",
        "Save captions with their ids as JSON or CSV; embeddings as `texts` and `vectors` by np.savez, or in Parquet.",
    ),
    "vector_not_number": Kind(
        "error", "A vector holds a number that is not finite; it was left out.", "Compute it again."
    ),
    "vector_differs": Kind(
        "warning",
        "Two vectors are given for one text; the first counts.",
        "Give every text one vector: an embedding that depends on the image is not one of the text.",
    ),
    "vector_missing": Kind(
        "warning",
        "{n:,} of {total:,} different captions have no vector.",
        "Add them: items with such a caption have no value, and metrics of whole runs none at all.",
    ),
    "distances_unusable": Kind(
        "error",
        "The distances cannot be used: {why}.",
        "Save one square matrix per item by np.savez, under the id of the item, or under `run/item` for several runs.",
    ),
    "distance_matrix": Kind("error", "A matrix of distances {why}; it was left out.", "Compute it again."),
    "distance_asymmetric": Kind(
        "warning",
        "A matrix of distances is not symmetric: each row is taken as hypothesis, each column as reference.",
        "Nothing to do if the distance is meant to be asymmetric; otherwise compute it again.",
    ),
    "distance_diagonal": Kind(
        "warning",
        "Some caption is not at distance 0 from itself, or from the same words; the distance was taken as 0.",
        "Check whether these are similarities: a distance is small where captions are alike.",
    ),
    "distance_missing": Kind(
        "warning", "{n:,} of {total:,} items of run {run} have no distances.", "Add them: these items have no value."
    ),
    "score_name": Kind(
        "note", "The metric {name} is called {new} here.", "Use letters, digits, dots, hyphens and underscores."
    ),
}
