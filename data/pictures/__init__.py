"""The pictures opened with a study, matched to its items."""
