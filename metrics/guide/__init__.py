"""What readers learn about metrics: cards, tasks and docs/metrics.md."""
