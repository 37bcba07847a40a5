"""Tables of captions: their headers, blank cells and ids, and the records that their rows form."""
