"""The metrics themselves: quality, diversity, distributions, and numbers that files state."""
