"""Caption clouds: embedded captions, their layout in the plane, and selections in it."""
