"""Coherence: the scores of captions by their label and under every label, and the network of COSMic."""
