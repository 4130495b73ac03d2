#!/usr/bin/env python3
"""Holds migrations to what src/store/migrate.h promises: named by their UTC time, and only adding, so
that programs of the version before go on beside the new schema. One that takes something away has
"_contract_" in its name."""

import re

import checklib

FOLDER = "src/store/migrations"
NAME = re.compile(r"\d{8}T\d{4}_[a-z0-9_]+\.sql")
TAKES = re.compile(r"\b(DROP|RENAME|MODIFY|CHANGE|TRUNCATE)\b", re.IGNORECASE)
COLUMN = re.compile(r"\bADD\s+(?:COLUMN\s+)?\w+[^;]*", re.IGNORECASE)
UNIQUE = re.compile(r"\bCREATE\s+UNIQUE\s+INDEX\s+\w+\s+ON\s+(\w+)", re.IGNORECASE)
TABLE = re.compile(r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", re.IGNORECASE)


def without_comments(text):
    return re.sub(r"--[^\n]*", lambda found: " " * len(found[0]), text)


def look(report, relative, text):
    def add(at, problem, remedy):
        report.add(relative, 1 + text.count("\n", 0, at), problem, remedy)

    for found in TAKES.finditer(text):
        add(found.start(), f"{found[1].upper()} in a migration that only adds",
            "put it into a later one whose name holds _contract_")
    for found in COLUMN.finditer(text):
        if not re.search(r"\bDEFAULT\b", found[0], re.IGNORECASE):
            add(found.start(), "a column without a default",
                "give it one: older programs insert without it")
    made = set(TABLE.findall(text))
    for found in UNIQUE.finditer(text):
        if found[1] not in made:
            add(found.start(), f"a unique index on {found[1]}, which is not made here",
                "older programs may insert what it refuses: _contract_")


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("migrations")
    files = sorted((args.root / FOLDER).glob("*"))
    for path in files:
        relative = f"{FOLDER}/{path.name}"
        if not NAME.fullmatch(path.name):
            report.add(relative, 1, "not named by its UTC time", "as 20261130T1000_what_it_adds.sql")
        elif "_contract_" not in path.name:
            look(report, relative, without_comments(checklib.read(args.root, relative)))
    report.finish(f"{len(files)} migrations")


if __name__ == "__main__":
    main()
