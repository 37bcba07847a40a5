"""Unique vs correct captions: heatmaps and words."""
