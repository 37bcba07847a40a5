"""Ratings and preferences by people and judges, and coherence labels."""
