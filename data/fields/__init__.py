"""The names of fields that programs and people use: roles, places, criteria, metrics, and misspellings."""
