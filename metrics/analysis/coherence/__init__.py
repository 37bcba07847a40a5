"""Coherence labels: scores by label, the same captions under other labels, and how COSMic is trained and checked."""
