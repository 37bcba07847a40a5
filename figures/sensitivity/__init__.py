"""Figures of the Sensitivity page: p by the number of captions, and the power to distinguish two runs."""
