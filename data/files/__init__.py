"""Read and write files as bytes, within limits: archives, arrays, pictures and CSV."""
