"""Programs that make shipped files anew; no part of the app."""
