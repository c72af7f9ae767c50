"""The frozen records that all packages share. No behaviour beyond what a record itself can tell."""
