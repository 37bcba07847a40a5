"""The pictures of the app in docs/screens."""
