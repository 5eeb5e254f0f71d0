"""Data in: tables and arrays become a checked set of named fidelities in the unit cube."""
