"""Images: pictures, captions and values, contact sheets, a table of all images, and the triangles of one."""
