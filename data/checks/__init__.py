"""Checks of a study's captions and runs, with their repairs."""
