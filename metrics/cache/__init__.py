"""Results on disk and in memory."""

from metrics.cache.disk import Cache, entry_key

__all__ = ["Cache", "entry_key"]
