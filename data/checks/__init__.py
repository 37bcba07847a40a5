"""Check a study's captions and runs, and repair them."""
