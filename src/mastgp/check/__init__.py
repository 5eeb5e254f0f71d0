"""How good a model is, on expensive points that it has not seen."""
