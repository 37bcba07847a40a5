"""The quality-diversity frontier: its chart and labels, models, ranks by single numbers, and words."""
