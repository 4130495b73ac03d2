#!/usr/bin/env python3
"""Refuses temporary notes: `//` comments in C, and words that promise work for later."""

import re

import checklib

LATER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("notes")
    files = checklib.c_files(args.root)
    for relative in files:
        for line, text in checklib.comments(checklib.read(args.root, relative)):
            if text.startswith("//"):
                report.add(relative, line, "// marks a temporary note",
                           "remove it, or write /* */ when it shall stay")
            elif match := LATER.search(text):
                report.add(relative, line + text.count("\n", 0, match.start()),
                           f"{match[1]} in a comment", "do it, or file an issue and say what is")
    report.finish(f"{len(files)} files")


if __name__ == "__main__":
    main()
