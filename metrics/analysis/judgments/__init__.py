"""Agreement of metrics with people: of captions, within an item, of pairs and of whole systems."""
