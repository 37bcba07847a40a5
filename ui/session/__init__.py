"""What a session has open: its study, its uploads and the address of its views."""
