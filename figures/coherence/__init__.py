"""Coherence: the scores of captions by label, and captions of each label."""
