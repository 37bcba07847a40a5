"""What users add: plug-ins, encoders and word vectors."""
