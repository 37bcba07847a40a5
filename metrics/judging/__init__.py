"""A judge: a model on a server of the user's choice that is asked about captions."""
