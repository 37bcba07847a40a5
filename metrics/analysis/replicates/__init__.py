"""Replicates: runs that differ only in a seed are one setting, with a spread between seeds beside that over items."""
