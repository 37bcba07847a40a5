"""How many references are enough: scores by subsets of them, the order of runs, and the error for a given budget."""

DRAWS = 100
"""Draws per number of references, on the page, in the report and by the command; Zhu et al. 2020 use 20."""
