"""Notes that stand beside numbers: hazards, people, and numbers from a bundle."""
