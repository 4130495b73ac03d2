#!/usr/bin/env python3
"""Refuses a list of invariants (docs/invariants.md) that code, simulator and model do not follow.

- each row's number stands in every file that the row names, and the file exists;
- a number in one of those files has a row;
- rows count S1, S2, ... without a gap.
"""

import re

import checklib

LIST = "docs/invariants.md"
ROW = re.compile(r"^\| (S\d+) \|(.*)$", re.M)
PATH = re.compile(r"`((?:src|tests)/[\w./-]+)`")
NUMBER = re.compile(r"\bS\d+\b")


def numbers_in(path, known, report, root):
    """The numbers that a file names; unknown ones are told."""
    found = set()
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        for name in NUMBER.findall(line):
            found.add(name)
            if name not in known:
                report.add(path, number, f"{name} is no invariant", f"give it a row in {LIST}")
    return found


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("invariants")
    text = (args.root / LIST).read_text(encoding="utf-8")
    rows = [(m[1], m[2], text.count("\n", 0, m.start()) + 1) for m in ROW.finditer(text)]
    known = [name for name, _, _ in rows]
    if known != [f"S{i + 1}" for i in range(len(known))] or not known:
        report.add(LIST, 1, "the numbers are not S1, S2, ...", "count without a gap")
    paths = sorted({path for _, rest, _ in rows for path in PATH.findall(rest)})
    there = {p: numbers_in(p, set(known), report, args.root)
             for p in paths if (args.root / p).is_file()}
    for name, rest, line in rows:
        for path in PATH.findall(rest):
            if name not in there.get(path, set()):
                report.add(LIST, line, f"{path} does not name {name}",
                           "mark there what keeps or checks it, or correct the row")
    report.finish(f"{len(rows)} invariants in {len(paths)} files")


if __name__ == "__main__":
    main()
