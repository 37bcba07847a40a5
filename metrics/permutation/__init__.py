"""Permutation tests: compiled kernels, the choice of route to a p-value, and sign flips."""

from metrics.permutation.item_test import PermutationResult, permutation_test

__all__ = ["PermutationResult", "permutation_test"]
