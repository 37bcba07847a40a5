"""Slices: a row each with the difference of two runs, captions of one, and scores by length."""
