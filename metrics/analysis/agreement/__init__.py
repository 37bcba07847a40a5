"""Agreement between metrics: over runs, settings, systems, the items of a run, and captions."""
