"""Saved models: one file, JSON plus arrays, no pickle, written whole or not at all."""
