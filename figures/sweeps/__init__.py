"""The temperature sweeps: chart and words."""
