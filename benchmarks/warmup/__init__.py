"""Are trials of compiled-as-they-run code warm?"""
