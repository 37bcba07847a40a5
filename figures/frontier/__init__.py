"""The quality-diversity frontier: its chart and labels, models, ranks by single metrics, and words."""
