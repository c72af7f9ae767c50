"""An answer as a picture: one specification for every format. What draws it is imported only then."""

from threadping.views.charts.files import write_picture

__all__ = ["write_picture"]
