"""Robustness of metrics: people's captions are damaged to increasing degrees, and metrics keep a share of the score."""
