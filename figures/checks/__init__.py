"""The files of a study and what was found in them, as markup and words."""
