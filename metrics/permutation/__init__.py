"""Permutation tests: the kernels, the routes by which p-values are found, and sign flips."""

from metrics.permutation.exact import PermutationResult, permutation_test

__all__ = ["PermutationResult", "permutation_test"]
