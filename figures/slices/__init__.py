"""Slices: one row per slice with the difference of two runs, captions of one slice, and scores by length."""
