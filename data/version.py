"""The version that files say they were made by; CHANGELOG.md says what is in it."""

VERSION = "0.1.0"
