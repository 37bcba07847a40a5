"""Sentences about what critiques read besides captions."""

LABELS = {"words": "Vectors of words, .txt or .gz", "images": "Features of images, .npz"}
FACTS = {"words": "Vectors of words", "images": "Features of images"}
HELP = {
    "words": "A word and its numbers a line, as GloVe and fastText have them: at most 200 MB and a million words.",
    "images": "`names` (n,) and `features` (n, d), as `python -m metrics features` writes them: at most 128 MB. A name "
    "is that of an item's image, or its id.",
}
AT_RANDOM = "Without a file, words begin at random."
INSTALL = "Features of pictures are those of EfficientNet-lite0, which is not installed:"
LACKING = "A critique beside images reads their features: give a file of them under Options, or the study's pictures."
