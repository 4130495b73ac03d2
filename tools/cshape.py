"""Enough of C's shape to measure functions: where they are, how deep they nest, how they branch.

No C parser: it reads masked text (no comments, no insides of strings, no preprocessor lines) into
tokens, finds function bodies at the top level, and walks their statements. Macros that look like
a loop, `name (...) {`, count as one.
"""

import dataclasses
import re

import checklib

TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d[\w.]*|&&|\|\||->|[^\s\w]")
LOOPS = {"for", "while"}
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


@dataclasses.dataclass
class Function:
    name: str
    line: int
    lines: int = 0
    parameters: int = 0
    nesting: int = 0
    nesting_line: int = 0
    complexity: int = 0


def drop_preprocessor(text):
    """Blanks directives with their continuation lines, and the #else side of each #if."""
    out, skipping, continued = [], [], False
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(\w+)", line)
        if continued or directive:
            word = directive[1] if directive and not continued else ""
            if word in ("if", "ifdef", "ifndef"):
                skipping.append(False)
            elif word in ("else", "elif") and skipping:
                skipping[-1] = True
            elif word == "endif" and skipping:
                skipping.pop()
            continued = line.endswith("\\")
            out.append("")
        else:
            out.append("" if any(skipping) else line)
    return "\n".join(out)


def tokens_of(text):
    """[(word, line)] of what the compiler would see."""
    result = []
    for number, line in enumerate(drop_preprocessor(checklib.mask(text)).split("\n"), 1):
        result += [(word, number) for word in TOKEN.findall(line)]
    return result


def matching(tokens, start):
    """Index of the bracket that closes the one at `start`, or the last index."""
    depth = 0
    for index in range(start, len(tokens)):
        word = tokens[index][0]
        if word in OPEN:
            depth += 1
        elif word in CLOSE:
            depth -= 1
            if depth == 0:
                return index
    return len(tokens) - 1


def functions(text):
    """Every function definition of a C file, measured."""
    tokens = tokens_of(text)
    found, index, group = [], 0, None  # group: the last (...) since the last ; or }, as (start, end)
    assigned = False
    while index < len(tokens):
        word = tokens[index][0]
        if word == "(":
            end = matching(tokens, index)
            if index and tokens[index - 1][0] != "__attribute__":
                group = (index, end)
            index = end
        elif word == "{":
            end = matching(tokens, index)
            if group and group[1] == index - 1 and not assigned:
                found.append(_measure(tokens, group, index, end))
            index = end
            if not assigned:
                group = None
        elif word == ";":
            group, assigned = None, False
        elif word == "=":
            assigned = True
        index += 1
    return found


def _measure(tokens, group, start, end):
    name, line = tokens[group[0] - 1]
    function = Function(name, line, lines=tokens[end][1] - line + 1)
    function.parameters = _parameters(tokens[group[0] + 1 : group[1]])
    body = _Body(tokens, function)
    body.block(start + 1, end, 0)
    function.complexity += any(
        tokens[i][0] == name and tokens[i + 1][0] == "(" for i in range(start, end)
    )
    return function


def _parameters(tokens):
    words = " ".join(word for word, _ in tokens).replace(", . . .", "").split()
    if words in ([], ["void"]):
        return 0
    depth, count = 0, 1
    for word in words:
        depth += (word in OPEN) - (word in CLOSE)
        count += word == "," and depth == 0
    return count


class _Body:
    """Walks statements, adding nesting depth and cognitive complexity to a Function.

    Cognitive complexity follows Sonar's rule: +1 for each if, loop, switch and ?: and one more for
    each level it is nested in; +1 for each else, goto and each run of equal && or ||; and +1 when
    the function calls itself.
    """

    def __init__(self, tokens, function):
        self.tokens = tokens
        self.function = function

    def word(self, index):
        return self.tokens[index][0] if index < len(self.tokens) else ""

    def enter(self, index, depth):
        """A control structure at `depth`: counts it and returns the depth of what is inside."""
        self.function.complexity += 1 + depth
        if depth + 1 > self.function.nesting:
            self.function.nesting = depth + 1
            self.function.nesting_line = self.tokens[index][1]
        return depth + 1

    def block(self, index, end, depth):
        while index < end:
            index = self.statement(index, end, depth)

    def statement(self, index, end, depth):
        """Walks one statement and returns the index after it."""
        word = self.word(index)
        if word == "{":
            close = matching(self.tokens, index)
            self.block(index + 1, close, depth)
            return close + 1
        if word == "if":
            return self.branch(index, end, depth, self.enter(index, depth))
        if word == "do":
            after = self.statement(index + 1, end, self.enter(index, depth))
            return self.expression(after, end, depth)
        if self.is_loop(index):
            inner = self.enter(index, depth)
            close = matching(self.tokens, index + 1)
            self.operators(index + 2, close, depth)
            return self.statement(close + 1, end, inner)
        if word in ("case", "default"):
            while index < end and self.word(index) != ":":
                index += 1
            return index + 1
        if word.isidentifier() and self.word(index + 1) == ":":
            return index + 2
        self.function.complexity += word == "goto"
        return self.expression(index, end, depth)

    def is_loop(self, index):
        word = self.word(index)
        if word in LOOPS or word == "switch":
            return True
        if not word.isidentifier() or self.word(index + 1) != "(":
            return False
        return self.word(matching(self.tokens, index + 1) + 1) == "{"

    def branch(self, index, end, depth, inner):
        """An if whose own cost is counted; its else and else-if cost 1 each, without nesting."""
        close = matching(self.tokens, index + 1)
        self.operators(index + 2, close, depth)
        index = self.statement(close + 1, end, inner)
        if self.word(index) != "else" or index >= end:
            return index
        self.function.complexity += 1
        if self.word(index + 1) == "if":
            return self.branch(index + 1, end, depth, inner)
        return self.statement(index + 1, end, inner)

    def expression(self, index, end, depth):
        """Up to the ; that ends it, whatever brackets it holds."""
        start = index
        while index < end and self.word(index) != ";":
            index = matching(self.tokens, index) if self.word(index) in OPEN else index
            index += 1
        self.operators(start, index, depth)
        return index + 1

    def operators(self, start, end, depth):
        """Runs of && and ||, and ?: with those it lies in, of one expression."""
        levels = [["", 0]]  # a bracket level: [last logical operator, open ?: in it]
        for index in range(start, end):
            word = self.word(index)
            if word in OPEN:
                levels.append(["", 0])
            elif word in CLOSE and len(levels) > 1:
                levels.pop()
            elif word in ("&&", "||"):
                self.function.complexity += word != levels[-1][0]
                levels[-1][0] = word
            elif word == "?":
                self.function.complexity += 1 + depth + sum(level[1] for level in levels)
                levels[-1] = ["", levels[-1][1] + 1]
            elif word in (",", ";"):
                levels[-1] = ["", 0]
            elif word == ":":
                levels[-1][0] = ""
