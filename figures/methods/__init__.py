"""Methods: the list of contents, and the picture of the triangle-rank metric."""
