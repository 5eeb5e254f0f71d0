"""``python -m mastgp`` is the ``mast`` command."""

from .cli.main import main

main()
