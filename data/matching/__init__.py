"""Combine the data of several files on the same item, run and caption."""
