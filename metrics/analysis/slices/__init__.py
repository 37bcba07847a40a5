"""Slices: groups of items, and the slices on which the difference between two runs departs from that on other items."""
