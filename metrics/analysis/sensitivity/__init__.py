"""How much data it takes to detect a difference: p by the number of captions, uniformity of p for people, and power."""
