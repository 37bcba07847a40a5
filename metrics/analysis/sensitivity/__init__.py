"""How much data it takes to detect a difference: p by number of captions, uniformity of people's p, and power."""
