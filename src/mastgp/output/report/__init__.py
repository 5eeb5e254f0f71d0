"""One page that a colleague can open: what a model is, how good it is, and the model itself."""
