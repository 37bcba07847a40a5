"""The files of a study and the findings about them, as markup and words."""
