"""Study bundles: zip files that contain a study, its settings and its computed numbers."""
