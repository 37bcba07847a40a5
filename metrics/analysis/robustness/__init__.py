"""Robustness of metrics: how much of a score remains as people's captions are increasingly damaged."""
