"""Ratings and preferences by people and by judges, and labels of coherence."""
