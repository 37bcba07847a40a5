"""How many references are enough: scores by subsets of them, the order of runs, and what a budget buys."""

DRAWS = 100
"""Draws of references for each number of them, on the page, in the report and by the command; Zhu et al. 2020: 20."""
