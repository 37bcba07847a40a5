"""Figures and words about references: how many are enough, what a budget buys, and how far people agree."""
