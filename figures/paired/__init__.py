"""The paired comparison of two runs, all pairs of runs, or two settings: figures, items and words."""
