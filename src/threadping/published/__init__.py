"""The published figures, what repeats them here, and what becomes of them and of what was concluded from them."""
