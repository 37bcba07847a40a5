"""Critique page: critiques' scores of people, runs, artificial captions, single words and single captions."""
