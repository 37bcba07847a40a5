"""Programs that regenerate the shipped files; not part of the app."""
