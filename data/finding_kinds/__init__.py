"""Kinds of findings, with the severity, message and remedy of each."""
