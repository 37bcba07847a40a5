"""Agreement of metrics with each other: over runs, settings, systems, items of a run, and captions."""
