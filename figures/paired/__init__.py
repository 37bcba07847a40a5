"""The paired comparison: forest, items and words."""
