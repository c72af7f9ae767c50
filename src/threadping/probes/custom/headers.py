"""The classes of a C++ header, by reading it: which of them is a mechanism only a compiler can say."""

import re
from collections.abc import Sequence

from msgspec import Struct

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


PARAMETER = re.compile(
    r"\s*(?:(?P<type>(?:class|typename)\b(?!\s*\.).*)"
    r"|(?P<concept>(?!(?:\w+ +)*(?:std::)?(?:auto|bool|char|int|long|\w+_t)\b)[\w:]+\s+\w+\s*))",
    re.DOTALL,
)
"""A template parameter that is a type, or may be one by a concept: only a compiler knows such a name."""

OPERATION = re.compile(
    r"(?<![~\w])(?!(?:alignas|noexcept|requires|decltype|explicit|operator)\b)([a-z]\w*[a-z0-9])\s*\("
)


class HeaderClass(Struct, frozen=True):
    """A class, or a class template.

    Attributes:
        name: with its namespaces.
        parameters: of the template; None where it is none.
        operations: names of its functions.
    """

    name: str
    parameters: str | None
    operations: tuple[str, ...]

    def takes(self, *kinds: str) -> bool:
        """Whether it is a template of one parameter of these kinds, `type` or `concept`: others have defaults."""
        first, *others = re.sub(r"<[^<>]*>", "", self.parameters or "").split(",")
        found = PARAMETER.fullmatch(first)
        return bool(found and any(map(found.group, kinds))) and all("=" in one for one in others)

    def __str__(self) -> str:
        """Say what it is, and what it has, in a sentence of an error."""
        template = "" if self.parameters is None else f"template <{' '.join(self.parameters.split())}> "
        has = f" with {', '.join(self.operations)}" if self.operations else ""
        return f"{template}class {self.name}{has}"


def candidates(classes: Sequence[HeaderClass]) -> list[str]:
    """The names of those that may be mechanisms: a compiler can look at a class, and at a template of one type."""
    certain = [one.name for one in classes if one.parameters is None or one.takes("type")]
    return certain or [one.name for one in classes if one.takes("concept")]


def classes_of(text: str) -> list[HeaderClass]:
    """The classes and class templates that stand in namespaces or in none."""
    text = UNREAD.sub(" ", text)
    found: list[HeaderClass] = []
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
                if named and None not in scopes:
                    name = "::".join(filter(None, (*scopes, named[1])))
                    found.append(HeaderClass(name, parameters, _operations(text, named)))
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


def _operations(text: str, named: re.Match[str]) -> tuple[str, ...]:
    """The names before a parenthesis in the body of a class, but not in what is nested there."""
    depth, outside = 0, []
    for part in re.split(r"([{}])", text[named.end() :]):
        depth += {"{": 1, "}": -1}.get(part, 0)
        if part == "}" and depth == 0:
            break
        outside += [part] if depth == 1 else []
    return tuple(dict.fromkeys(one for one in OPERATION.findall(" ".join(outside)) if one != named[1]))
