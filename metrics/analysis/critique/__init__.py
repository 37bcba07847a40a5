"""Scores that critiques give to people, runs, artificial captions, single words and single captions."""
