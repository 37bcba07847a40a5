"""Slices: groups of items, and where the difference between two runs is unlike that on the other items."""
