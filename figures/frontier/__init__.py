"""The quality-diversity frontier: chart, labels, ranks and words."""
