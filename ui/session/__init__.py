"""Session state: the open study, its uploads and the address of its views."""
