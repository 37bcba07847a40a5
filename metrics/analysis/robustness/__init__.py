"""Robustness of metrics: how much of its score a metric keeps as people's captions are increasingly damaged."""
