"""Whether looking into outliers moves what is measured."""
