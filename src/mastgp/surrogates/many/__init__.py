"""Very many rows of one response: several tools, and held-out rows that choose."""
