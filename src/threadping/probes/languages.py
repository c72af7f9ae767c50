"""The languages whose probes are launched."""

from threadping.probes.cpp import CPP
from threadping.probes.java import JAVA
from threadping.probes.language import Language

LANGUAGES: dict[str, Language] = {"cpp": CPP, "java": JAVA}
"""In the order in which they are shown: a new one is a folder in probes/, a module, and a line here."""
