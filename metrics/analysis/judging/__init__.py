"""How far the answers of a judge can be trusted: whether they repeat, and what else they follow than the captions."""
