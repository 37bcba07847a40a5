"""How many references are enough: scores by subsets of them, the order of runs, and what a budget buys."""
