"""Kinds of findings: the severity, the message and the remedy of each."""
