"""One image: its triangles, strips of captions, and pictures."""
