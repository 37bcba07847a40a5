"""Arena: the strengths of runs by votes on pairs, and who was preferred to whom."""
