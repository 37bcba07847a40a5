"""The Critique page: figures and sentences about captions that could be taken for people's."""
