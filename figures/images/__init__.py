"""Images: pictures, captions and values, contact sheets, and a table of all images."""
