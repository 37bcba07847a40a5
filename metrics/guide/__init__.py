"""Information about metrics for readers: cards, tasks and docs/metrics.md."""
