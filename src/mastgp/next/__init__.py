"""What to run next: suggestions, optima, and the bridge to other people's acquisition functions."""
