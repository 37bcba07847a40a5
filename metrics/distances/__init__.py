"""Distances between texts, and the pooled (N, N) matrices of items."""
