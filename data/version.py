"""The version written to files; CHANGELOG.md describes each version."""

VERSION = "0.1.0"
