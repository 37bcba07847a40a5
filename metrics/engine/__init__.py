"""The engine: from a study and metrics to results, through the cache, here or on a cluster."""
