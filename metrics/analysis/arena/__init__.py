"""Arena: the strengths of runs, estimated from votes on pairs of their captions."""
