"""The caption cloud: its chart, maps, runs by spread and nearness, two runs' differences, one image, and words."""
