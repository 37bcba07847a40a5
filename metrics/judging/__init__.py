"""A judge: a model, on a server that the user chooses, that answers questions about captions."""
