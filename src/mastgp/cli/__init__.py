"""The ``mast`` command: thin, one file per group of commands."""
