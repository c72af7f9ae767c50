"""The frozen records that all rooms share. No behaviour beyond what a record itself can tell."""
