"""Slices: one row per slice with the difference between two runs, captions of one slice, and scores by length."""
