"""Medoids: the most central captions of an image, and of a study's images."""
