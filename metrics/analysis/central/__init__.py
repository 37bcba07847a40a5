"""Medoids: the most central captions of one image, and of all images of a study."""
