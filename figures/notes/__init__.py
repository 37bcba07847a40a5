"""Notes next to numbers: hazards, comparisons with people, and numbers from a bundle."""
