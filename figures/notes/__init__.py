"""Notes next to numbers: faults of runs, comparisons with people, seeds, hidden runs, and numbers from a bundle."""
