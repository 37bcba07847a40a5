"""Study bundles: zip files that hold a study, its settings and its computed numbers."""
