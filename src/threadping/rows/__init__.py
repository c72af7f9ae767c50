"""What the rows of a run are shown as: tables, side by side, curves, distributions; and what stands around them."""
