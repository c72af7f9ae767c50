"""The classes of a C++ header, by reading it: which of them is a mechanism only a compiler can say."""

import re

NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
"""What stands in parentheses, up to three in each other."""

CLASS = re.compile(
    rf"(?:class|struct)\s+(?:(?:(?:alignas|__attribute__)\s*{NESTED}|\[\[.*?\]\])\s*)*"
    r"(\w+)\s*(?:final\b\s*)?(?=\{|:(?!:))"
)
NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*\{")
WORD = re.compile(r"\b(?:template|namespace|class|struct|enum|friend|using)\b|[{}]")
UNREAD = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<![\w'])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*",
    re.DOTALL | re.MULTILINE,
)
"""Comments, texts, and what is for the preprocessor."""


def classes_of(text: str) -> list[str]:
    """The classes, and class templates of one type, that stand in namespaces or in none; with their namespaces."""
    text = UNREAD.sub(" ", text)
    found: list[str] = []
    scopes: list[str | None] = []  # a namespace's name; None of any other block
    place, parameters = 0, None
    while word := WORD.search(text, place):
        place = word.end()
        match word[0]:
            case "{":
                scopes.append(None)
            case "}":
                scopes = scopes[:-1]
            case "template":
                place, parameters = _parameters(text, place)
                continue
            case "namespace":
                if named := NAMESPACE.match(text, word.start()):
                    scopes.append(named[1])
                    place = named.end()
            case "enum":
                place = (re.compile(r"\s+(?:class|struct)\b").match(text, place) or word).end()
            case "class" | "struct":
                named = CLASS.match(text, word.start())
                if named and None not in scopes and (parameters is None or _is_one_type(parameters)):
                    found.append("::".join(filter(None, (*scopes, named[1]))))
        parameters = None
    return found


def _parameters(text: str, place: int) -> tuple[int, str]:
    """Where a list of template parameters ends, and what it says."""
    depth, begins = 0, place
    for at in range(place, len(text)):
        depth += {"<": 1, ">": -1}.get(text[at], 0)
        if depth == 0 and text[at] == ">":
            return at + 1, text[text.index("<", begins) + 1 : at]
    return len(text), ""


def _is_one_type(parameters: str) -> bool:
    """Whether they are a type, and others that have defaults."""
    outside = re.sub(r"<[^<>]*>", "", parameters)
    first, *others = outside.split(",")
    return bool(re.match(r"\s*(?:class|typename)\b(?!\s*\.)", first)) and all("=" in one for one in others)
