"""Plant delays of a known cause, and compare the causes that are found with them."""
