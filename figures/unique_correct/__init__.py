"""Unique vs correct captions: heatmaps, lines and words."""
