"""Study bundles: one zip that holds a study, its settings and its computed numbers."""
