"""Unique against correct captions: heatmaps and words."""
