#!/usr/bin/env python3
"""Refuses the calls that tools/banned.txt lists, and says what to use instead."""

import re

import checklib

TABLE = "tools/banned.txt"


def read_table(root, report):
    """name -> (what to use instead, places, whether the places are where it is banned)."""
    banned = {}
    for number, (name, instead, places) in checklib.table(root, TABLE, 3):
        if not instead:
            report.add(TABLE, number, f"{name} has no second column", "say what to use instead")
        if name in banned:
            report.add(TABLE, number, f"{name} is listed twice", "keep one row")
        words = places.split()
        only = words[:1] == ["only"]
        banned[name] = (instead, words[1:] if only else words, only)
        for place in words[only:]:
            if not place.endswith("/") and (root / "src").is_dir() and not (root / place).exists():
                report.add(TABLE, number, f"{place} does not exist", "correct the last column")
    return banned


def is_refused(relative, places, only):
    inside = any(relative == p or (p.endswith("/") and relative.startswith(p)) for p in places)
    return inside == only


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("banned")
    banned = read_table(args.root, report)
    names = "|".join(sorted(map(re.escape, banned), key=len, reverse=True))
    # Not after . or ->: `clock->time(...)` calls a member, which is how such things are replaced.
    call = re.compile(rf"(?<![\w.])(?<!->)(?<!#define )({names})\s*\(")
    files = checklib.c_files(args.root)
    for relative in files:
        text = checklib.mask(checklib.read(args.root, relative))
        for match in call.finditer(text):
            instead, places, only = banned[match[1]]
            if is_refused(relative, places, only):
                line = text.count("\n", 0, match.start()) + 1
                report.add(relative, line, f"{match[1]}() is banned", f"use {instead}"
                           if not instead.startswith(("return", "nothing", "pass")) else instead)
    report.finish(f"{len(files)} files, {len(banned)} banned calls")


if __name__ == "__main__":
    main()
