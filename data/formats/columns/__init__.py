"""The roles of columns, according to a person, to their names and to their contents."""
