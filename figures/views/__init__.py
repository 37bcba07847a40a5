"""Views: one question about a study each, decided once and shown as a page, a section of the report and a command."""
