"""Figures and words about references: how many are enough, how to spend a budget, and how well people agree."""
