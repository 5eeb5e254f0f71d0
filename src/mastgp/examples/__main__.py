"""Write the example's files anew."""

from . import write_files

write_files()
