"""The version that is written to files; CHANGELOG.md describes each one."""

VERSION = "0.1.0"
