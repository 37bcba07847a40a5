"""Coherence: the scores of captions by label, and under each label in turn, and the network of COSMic."""
