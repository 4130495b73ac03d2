#!/usr/bin/env python3
"""Refuses documents that name what is not there.

- relative links, and file paths in back-ticks, of README*, ARCHITECTURE, CONTRIBUTING, SECURITY
  and docs/ must exist;
- a test that follows the path of its file, both in back-ticks, must be in that file;
- docs/decisions/NNNN-title.md are numbered from 0001 without a gap or a double;
- README.md and README.zh-CN.md have the same headings, level by level.

A path in back-ticks is checked when it begins with a folder of this repository. `<name>`, `*`
and `{a,b}` in it stand for anything.
"""

import re

import checklib

TOP = ("README.md", "README.zh-CN.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")
ROOTS = ("src", "tests", "tools", "script", "docs", "languages", "web", "proto", "packaging", ".ci")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
TICKED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.@-]+(?:/[\w.@*<>{},-]+)+/?")
NAMED_TEST = re.compile(r"`(tests/[\w/]+\.c)` `(\w+)`")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.M | re.S)
HEADING = re.compile(r"^(#{1,6}) ", re.M)
# Made by a build or a run, so not in a fresh clone.
MADE = re.compile(r"^(web/(dist|node_modules|src/api/schema\.d\.ts)|src/[\w/]*generated)")


def without_fences(text):
    """Code blocks blanked; lines stay in place."""
    return FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def exists(root, base, path):
    """Whether `path`, relative to the folder `base`, is there; patterns match anything."""
    path = path.split("#")[0].split("?")[0]
    path = re.sub(r"<[^>]*>|\{[^}]*\}", "*", path).rstrip("/")
    if not path:
        return True
    if "*" in path:
        return any(base.glob(path))
    target = (base / path).resolve()
    return target.is_relative_to(root) and target.exists()


def check_links(root, relative, text, report):
    for match in LINK.finditer(text):
        target = match[1].strip("<>")
        if re.match(r"[a-z][a-z0-9+.-]*:|#|//", target):
            continue
        if not exists(root, (root / relative).parent, target):
            report.add(relative, line_of(text, match), f"link to {target}, which does not exist",
                       "correct it, or remove it")


def check_tests(root, relative, text, report):
    """`tests/….c` `name`: the test of that name is in that file."""
    for match in NAMED_TEST.finditer(text):
        path = root / match[1]
        if path.exists() and f"static void {match[2]}(" not in path.read_text(encoding="utf-8"):
            report.add(relative, line_of(text, match), f"no test {match[2]} in {match[1]}",
                       "name the test that is there")


def check_ticked(root, relative, text, report):
    for match in TICKED.finditer(text):
        for word in re.sub(r"<[^>]*>", "*", match[1]).split():
            path = word.rstrip(".,;:)").split(":")[0]
            if not PATH.fullmatch(path) or path.split("/")[0] not in ROOTS or MADE.match(path):
                continue
            if not exists(root, root, path):
                report.add(relative, line_of(text, match), f"`{path}` does not exist",
                           "correct it, or remove it")


def check_decisions(root, report):
    folder = root / "docs/decisions"
    numbers = {}
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else []:
        relative = path.relative_to(root).as_posix()
        match = re.match(r"(\d{4})-[a-z0-9][a-z0-9-]*\.md$", path.name)
        if not match:
            if path.name != "README.md":
                report.add(relative, 1, "not a decision's name", "name it NNNN-title.md")
            continue
        number = int(match[1])
        if number in numbers:
            report.add(relative, 1, f"{match[1]} is taken by {numbers[number]}", "take the next one")
        numbers.setdefault(number, path.name)
    for expected in range(1, max(numbers, default=0) + 1):
        if expected not in numbers:
            after = min(n for n in numbers if n > expected)
            report.add(f"docs/decisions/{numbers[after]}", 1, f"no decision {expected:04d} before it",
                       "number decisions without a gap")


def check_readmes(root, report):
    pair = ("README.md", "README.zh-CN.md")
    if not all((root / name).is_file() for name in pair):
        return
    english, chinese = (
        [(m[1], line_of(t, m)) for m in HEADING.finditer(t)]
        for t in (without_fences(checklib.read(root, name)) for name in pair)
    )
    for (level, _), (other, line) in zip(english, chinese):
        if level != other:
            report.add(pair[1], line, f"heading {other} where README.md has {level}",
                       "give both the same headings")
            return
    if len(english) != len(chinese):
        line = chinese[-1][1] if chinese else 1
        report.add(pair[1], line, f"{len(chinese)} headings, README.md has {len(english)}",
                   "give both the same headings")


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("docs")
    documents = [name for name in TOP if (args.root / name).is_file()]
    documents += checklib.files(args.root, ("docs",), (".md",))
    for relative in documents:
        text = without_fences(checklib.read(args.root, relative))
        check_links(args.root, relative, text, report)
        check_ticked(args.root, relative, text, report)
        check_tests(args.root, relative, text, report)
    check_decisions(args.root, report)
    check_readmes(args.root, report)
    report.finish(f"{len(documents)} documents")


if __name__ == "__main__":
    main()
