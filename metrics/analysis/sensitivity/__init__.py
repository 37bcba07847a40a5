"""How much data a difference takes: p against the number of captions, whether p is uniform for people, and power."""
