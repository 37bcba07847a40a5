"""The commands by purpose for `trilens --help`, each with a line that is short enough for any terminal."""

from __future__ import annotations

from figures.views.registry import COMPARE, LOOK, TRUST, VIEWS, command_of

_OWN: dict[str, dict[str, str]] = {
    "Begin": {
        "serve": "Open the app in the browser; `trilens FILES` does, too",
        "check": "Read files and list what is found in them",
        "score": "Score runs by metrics",
        "list": "List the metrics",
        "convert": "Write what was read as one file, or for other programs",
        "demo": "Write the files of a demo study",
    },
    COMPARE: {
        "compare": "Every run against one: difference, interval, p",
        "replicates": "Runs that differ only in their seed",
        "sweeps": "Every metric by temperature, or by decoder",
        "unconditional": "Models that write without images or prompts",
    },
    LOOK: {
        "triangles": "Why the TRM of one item is what it is",
        "cloud": "How near runs come to people's captions, and how varied they are",
    },
    TRUST: {
        "judge": "Which metric agrees with people's ratings",
        "agreement": "Which metrics agree with each other",
        "robustness": "What fools a metric",
        "coherence": "Scores of captions by coherence label",
        "sensitivity": "How many captions and items show a difference",
        "consensus": "How far people agree, how many references are enough",
        "ask": "Ask a model about the captions",
    },
    "Take along": {
        "report": "What the pages show, as one HTML file",
        "bundle": "Captions, settings and numbers, as one zip",
        "reproduce": "Recompute printed tables from published files",
    },
    "Prepare": {
        "train": "Train a learned metric",
        "features": "Compute features of pictures",
        "layers": "Find the layer of a model whose BERTScore is best",
        "idf": "Count document frequencies for CIDEr-D",
        "check-plugin": "Test a metric of your own",
        "cache": "Show or empty the cache",
    },
}

GROUPS = {
    group: listed | {command_of(name): view.summary for name, view in VIEWS.items() if view.group == group}
    for group, listed in _OWN.items()
}
"""Every command and the line that describes it, by heading; commands of views come last."""
