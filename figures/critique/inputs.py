"""Sentences about what critiques read besides captions."""

LABELS = {"words": "Word vectors, .txt or .gz", "images": "Image features, .npz"}
FACTS = {"words": "Word vectors", "images": "Image features"}
HELP = {
    "words": "One word and its numbers per line, as GloVe and fastText write them; at most 200 MB and a million words.",
    "images": "`names` (n,) and `features` (n, d), as `trilens features` writes them; at most 128 MB. A name "
    "is an item's image or its id.",
}
AT_RANDOM = "Without a file, word vectors start out random."
INSTALL = "Pictures are read by EfficientNet-lite0, which is not installed:"
LACKING = (
    "A critique that looks at images needs features of them: give a file under Options, or use the study's pictures."
)
