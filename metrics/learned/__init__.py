"""Metrics that are trained: the trainer, networks, and what they learn from a study."""
