"""A judge: a model at an endpoint of the user's own that is asked about captions."""
