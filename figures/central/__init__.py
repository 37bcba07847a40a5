"""Central captions: chart and words."""
