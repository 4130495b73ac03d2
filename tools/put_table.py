#!/usr/bin/env python3
"""Puts standard input into a document, between `<!-- table: NAME -->` and the next `<!-- end -->`.

usage: put_table.py DOCUMENT NAME

The document stays as it is when the place is not there or nothing was read.
"""

import pathlib
import re
import sys


def put(document, name, table):
    """The document with the table in its place; None when there is no such place."""
    place = re.compile(rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
    text, count = place.subn(lambda found: f"{found[1]}\n{table.strip()}\n\n{found[2]}", document)
    return text if count == 1 else None


def main():
    path, name, table = pathlib.Path(sys.argv[1]), sys.argv[2], sys.stdin.read()
    if not table.strip():
        sys.exit(f"nothing was measured: {path} stays as it is")
    text = put(path.read_text(encoding="utf-8"), name, table)
    if text is None:
        sys.exit(f"{path} has no place for one table {name}")
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
