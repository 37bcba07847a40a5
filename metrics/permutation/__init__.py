"""Permutation tests: the kernels, the routes by which p-values are found, and sign flips."""
