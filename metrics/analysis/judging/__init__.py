"""How far a judge's answers can be trusted: whether they repeat, and whether position, length or model sway them."""
