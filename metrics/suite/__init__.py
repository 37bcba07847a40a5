"""The metrics themselves: quality, diversity, distributions, and numbers that are read from files."""
