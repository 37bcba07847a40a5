"""Slices: groups of items, and the slices on which the difference between two runs is unlike that on other items."""
