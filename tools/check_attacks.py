#!/usr/bin/env python3
"""Refuses a row of tests/box/attacks.txt whose tests or mutations do not exist.

A row without a test says `absent: why`; one that no mutation shows to be needed, `none: why`.
"""

import ast
import re

import checklib

TABLE = "tests/box/attacks.txt"
MUTATIONS = "tests/box/mutations.py"
REASON = 10  # letters that a reason has at least


def mutation_names(text):
    """The first word of each row of MUTATIONS."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "MUTATIONS":
            return {row.elts[0].value for row in node.value.elts}
    return set()


def test_names(root, where):
    """Functions and quoted names of a test program, C or Python; None when there is no such file."""
    path = root / (where if "/" in where else f"tests/box/test_{where}.c")
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    return set(re.findall(r"^static void (\w+)\(", text, re.M)) | set(
        re.findall(r'^\s*[{(]"([^"]+)",', text, re.M))


def check_tests(root, number, tests, report):
    where = None
    for part in tests.split(";"):
        part = part.strip()
        found = re.match(r"([a-z]+|tests/\S+): (.+)$", part)
        known = found and test_names(root, found[1])
        if found and known is not None:
            where, part = found[1], found[2]
        if where is None or part not in test_names(root, where):
            report.add(TABLE, number, f"there is no test {part!r}",
                       "write `program: name`, as in tests/box/test_<program>.c, or write the test")


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("attacks")
    text = checklib.read(args.root, TABLE)
    mutations = mutation_names(checklib.read(args.root, MUTATIONS))
    numbers = []
    for line_number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("|")]
        numbers.append(int(cells[0]))
        tests, off = cells[2], cells[3] if len(cells) == 4 else ""
        if tests.startswith("absent: ") and len(cells) == 3:
            if len(tests) < REASON + 8:
                report.add(TABLE, line_number, "no reason", "say why there is no test")
            continue
        check_tests(args.root, line_number, tests, report)
        if off.startswith("none: ") and len(off) >= REASON + 6:
            continue
        for name in off.split(";"):
            if name.strip() not in mutations:
                report.add(TABLE, line_number, f"there is no mutation {name.strip()!r}",
                           f"name one of {MUTATIONS}, or `none: why`")
    if numbers != sorted(set(numbers)):
        report.add(TABLE, 1, "the numbers do not rise", "one row a number, in order")
    report.finish(f"{len(numbers)} attacks, {len(mutations)} mutations")


if __name__ == "__main__":
    main()
