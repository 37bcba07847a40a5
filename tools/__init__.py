"""Programs that regenerate shipped files; they are not part of the app."""
