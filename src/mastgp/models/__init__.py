"""Methods of ours: one file each, on one estimator base."""
