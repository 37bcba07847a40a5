"""Files as bytes: archives, arrays, pictures and CSV, all within bounds."""
