"""Additions by users: plug-ins, encoders and word vectors."""
