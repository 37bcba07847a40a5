"""Figures and words about the agreement of metrics with each other."""
