"""The engine: from a study and metrics to results, through the cache, here or on a cluster."""

from metrics.engine.scoring import Results, plan, score

__all__ = ["Results", "plan", "score"]
