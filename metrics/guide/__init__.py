"""What Trilens tells readers about its metrics: cards, tasks and the table of docs/metrics.md."""
