"""The engine, which scores the metrics of a study through the cache, on this machine or on a cluster."""

from metrics.engine.scoring import Results, plan, score

__all__ = ["Results", "plan", "score"]
