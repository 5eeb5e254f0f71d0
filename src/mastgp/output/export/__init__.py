"""The predictor of a model for other programs: JSON, C and an FMU."""
