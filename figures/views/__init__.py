"""Views: each answers one question about a study and is shown as a page, a section of the report and a command."""
