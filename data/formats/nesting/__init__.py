"""JSON of any shape as records: objects and lists are turned into rows with fields by path."""
