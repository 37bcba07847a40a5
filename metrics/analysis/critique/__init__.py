"""The Critique page: what critiques say of people, runs and made captions, and of single words and captions."""
