"""Other people's methods behind our interface, to compare with."""
