"""Arena: the strengths of runs, estimated from votes on pairs, and who was preferred to whom."""
