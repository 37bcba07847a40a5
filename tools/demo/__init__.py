"""The small synthetic world behind the demo study: scenes, a grammar, models, pictures."""
