"""Agreement of metrics with people: over captions, within items, over pairs and over whole systems."""
