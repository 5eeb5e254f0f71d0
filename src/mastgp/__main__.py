"""``python -m mastgp`` is the ``mast`` command."""

from .cli import main

main()
