"""Merge the data in files about the same item, run and caption."""
