"""What leaves the package: saved models, summaries, figures."""
