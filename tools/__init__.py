"""Programs that regenerate the shipped files; no part of the app."""
