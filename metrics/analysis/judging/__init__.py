"""How far a judge's answers can be trusted: repeatability, and biases of position, length and the judge's own model."""
