"""The caption cloud: chart, one image, and words."""
