"""Numbers beside captions: metrics' scores, people's ratings and preferences, and judges' answers."""
