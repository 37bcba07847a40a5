"""The experiment of unique against correct captions, and the shares of variance it explains."""
