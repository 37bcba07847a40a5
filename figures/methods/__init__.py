"""Methods: the table of contents, and the picture of the triangle-rank metric."""
