"""How many references are enough: scores against subsets of them, the order of runs, and errors for a budget."""

DRAWS = 100
"""Draws per number of references, for the page, the report and the command; Zhu et al. 2020 use 20."""
