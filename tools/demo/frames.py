"""The sentence frames, by how a caption coheres with its picture.

Visible, Meta, Subjective and Story are the relations of Alikhani et al., Clue: Cross-modal Coherence Modeling for
Caption Generation. A frame is (logit, text in the notation of `tools.demo.notation`); "bare:" drops articles, as people
in a hurry do, and "thing:" marks frames for scenes in which something is done to a thing. A frame is not used for a
scene that has no words for one of its slots.
"""

from __future__ import annotations

STYLES = {"Visible": 0.0, "Meta": -2.1, "Subjective": -2.2, "Story": -2.1}

VISIBLE = (
    (0.2, "{subject} {is} {act.ing} {place}"),
    (0.1, "{subject} {act.ing} {place}"),
    (-0.9, "{subject} {act} {place}"),
    (-0.9, "{subject} {is} {act.ing}"),
    (-0.9, "{subject} {act.ing}"),
    (-0.8, "{subject} {act.ing} {place} with {back}"),
    (-1.4, "{subject} {is} {act.ing} {place} with {back}"),
    (-0.9, "{subject} {place}"),
    (-1.1, "thing: {subject} {place} {act.ing}"),
    (-1.8, "thing: {subject} {is} {place} {act.ing}"),
    (-1.4, "there {is} {newsubject} {act.ing} {place}"),
    (-1.8, "there {is} {newsubject} {place}"),
    (-2.4, "{place} , {subject} {is} {act.ing}"),
    (-2.6, "{place} , {subject} {act}"),
    (-1.7, "{subject} {act.ing} {place} while {also}"),
    (-1.8, "{subject} {act} {place} as {also}"),
    (-1.7, "{setting} with {subject} {act.ing}"),
    (-2.3, "{setting} with {subject} and {back}"),
    (-2.0, "{subject} {place} with {back}"),
    (-2.6, "{subject} that {is} {act.ing} {place}"),
    (-2.2, "{thing} and {subject} {place}"),
    (-2.4, "{subject} with {thing} {place}"),
    (-2.0, "bare: {subject} {act.ing} {place}"),
    (-2.2, "bare: {subject} {act.ing}"),
    (-2.8, "bare: {subject} {place}"),
    (-2.8, "{subject} can be seen {act.ing} {place}"),
    (-2.8, "{subject} {act.ing} , {back}"),
    (-2.3, "{subject} {is} {act.ing} and {also}"),
    (-2.6, "{subject} {act} , {place} , while {also}"),
)
META = (
    (0.0, "a [photo|picture|image|photograph] of {subject} {act.ing} {place}"),
    (-0.6, "this is a [picture|photo|image] of {subject} {place}"),
    (-0.9, "a close up [|shot|photo|picture] of {subject}"),
    (-0.5, "in this [picture|photo|image] {subject} {is} {act.ing}"),
    (-0.9, "[you|we] can see {subject} {act.ing} {place}"),
    (-0.5, "a {shot} [shot|photo|view] of {subject} {place}"),
    (-1.3, "the photographer [caught|captured] {subject} {act.ing}"),
    (-1.3, "a [picture|photo|snapshot] taken {place} of {subject} {act.ing}"),
    (-1.2, "a view of {setting} , with {subject} in the [foreground|center|middle]"),
    (-1.6, "the camera [is focused on|focuses on|shows] {subject} {act.ing}"),
    (-1.1, "bare: [photo|pic|image] of {subject} {place}"),
    (-1.7, "{subject} {act.ing} , with {back} , in a {shot} shot"),
)
SUBJECTIVE = (
    (0.0, "{moody} {is} {act.ing} {place}"),
    (-0.3, "{moody} {act.ing} {place}"),
    (-0.4, "{subject} {place} ~look [so|very|really|] {mood}"),
    (-0.5, "{subject} ~seem to be enjoying {enjoy}"),
    (0.3, "{remark}"),
    (-1.3, "{subject} {act.ing} , what a [sight|scene|lovely sight|nice moment]"),
    (-0.8, "{subject} {is} having a [great|good|wonderful] time {place} , enjoying {enjoy}"),
    (-1.2, "it looks like a [nice|perfect|lovely|quiet] day {place}"),
    (-0.9, "[what|such] {exclaimed}"),
    (-1.5, "i could watch {thesubject} {act.ing} all day"),
    (-1.6, "my favorite [part|thing] is {back}"),
    (-1.4, "[love|i love] [this|the] [picture|scene|photo] of {subject} {place}"),
)
STORY = (
    (0.0, "{subject} {is} about to {next.base}"),
    (-0.3, "{subject} {has} just {prior.pp}"),
    (0.4, "{story}"),
    (-0.2, "{subject} {is} {act.ing} {place} {when}"),
    (-0.5, "{subject} {act.ing} {when}"),
    (-1.0, "after {prior.gerund} , {subject} {act} {place}"),
    (-0.9, "{subject} {has} been {act.ing} [all morning|for an hour|since breakfast|for hours]"),
    (-1.2, "{thesubject} {is} [ready|getting ready] to {next.base}"),
    (-1.4, "{subject} {act} {place} and will soon {next.base}"),
    (-1.5, "{thesubject} [finally|] {act} {place} , {when}"),
)
FRAMES = {"Visible": VISIBLE, "Meta": META, "Subjective": SUBJECTIVE, "Story": STORY}
CENTRAL = frozenset({VISIBLE[0][1], VISIBLE[1][1], VISIBLE[5][1]})  # what a cautious captioner falls back on

CASES = ((0.0, "tidy", "<cap>"), (-1.7, "sloppy", "<lower>"), (-7.0, "sloppy", "<shout>"))
ENDINGS = ((0.0, "tidy", "<stop>"), (-0.9, "sloppy", "<none>"), (-5.0, "sloppy", "<gap>"), (-4.2, "sloppy", "<bang>"))

# Each of these is rare at temperature 1, and together they are common at temperatures that flatten everything.
ODD = -7.2
STRAY = {"noun": -8.5, "place": -8.0, "thing": -8.0}  # words that belong to another scene
ODDITIES = (
    "next to a stack of suitcases",
    "in front of a giant clock",
    "with a slice of watermelon",
    "beside a broken chair",
    "under a string of lights",
    "near a parked scooter",
    "with two traffic cones",
    "next to a statue of a lion",
    "in front of a mirror",
    "beside a stop sign",
    "with a bunch of bananas",
    "near a blue door",
    "behind a pile of tires",
    "next to a vending machine",
    "with a teddy bear",
    "beside a fire hydrant",
    "near some wedding guests",
    "in front of a television",
    "with a pair of scissors",
    "next to a tall ladder",
)

PRONOUNS = {"it": ("it", "its"), "he": ("him", "his"), "she": ("her", "her"), "they": ("them", "their")}
ONE = "a|the^7|one^40"
TWO = "two|a couple of^3|some^5|a pair of^6|the two^9|!three|!four|!several"
SEVERAL = "two|three|some|a couple of"  # words for several, said of one subject by mistake
