"""Embeddings, distances and answers computed elsewhere, matched to the captions of a study."""
