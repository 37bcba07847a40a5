"""Arena: the strengths of runs from votes on pairs of their captions."""
