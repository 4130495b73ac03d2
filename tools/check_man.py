#!/usr/bin/env python3
"""Refuses a command without a manual page, and a page that lacks an option or names another.

The page of `assize admin node` is docs/man/assize-admin-node.1. Its options are the `.flag` rows of
the file that declares the command and of the tables and macros that this file names.
"""

import re

import checklib

COMMAND = re.compile(r'struct command (command_\w+) = \{\s*"([a-z -]+)"')
FLAG = re.compile(r'\.flag = "([\w-]+)"')
TABLE = re.compile(r"struct config_row (\w+)\[\] = \{(.*?)^\};", re.S | re.M)
MACRO = re.compile(r"^#define (\w+_ROWS?)\b((?:.*\\\n)*.*)", re.M)
NAMED = re.compile(r"^\.BI? \\-\\-((?:[\w]|\\-)+)", re.M)
# What functions add that read a command's options.
READERS = {"cli_read(": "cli_rows", "ask_run(": "cli_rows"}
SERVICE = ("settings_read(", {"config", "print-config"})
# Commands whose options stand in further files.
MORE = {"bench": "src/bench/bench_*.c"}
ALWAYS = {"help"}


def options_of_page(text):
    return {name.replace("\\-", "-") for name in NAMED.findall(text)} - ALWAYS


def shared_tables(root):
    """The flags of each table of options and each macro of rows, by its name."""
    tables = {}
    for path in sorted((root / "src").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        for pattern in (TABLE, MACRO):
            for name, rows in pattern.findall(text):
                if name != "rows":
                    tables[name] = set(FLAG.findall(rows)) | set(re.findall(r"\b[A-Z_]+_ROWS?\b", rows))
    return tables


def flags_of(text, tables):
    """The flags that stand in the text, and those of what it names, to the end."""
    flags = set(FLAG.findall(text))
    named = set(re.findall(r"\b\w+\b", text))
    named |= {table for reader, table in READERS.items() if reader in text}
    while named:
        name = named.pop()
        for flag in tables.get(name, ()):
            if flag in tables:
                named.add(flag)
            else:
                flags.add(flag)
    return flags | (SERVICE[1] if SERVICE[0] in text else set())


def commands(root):
    """The file that declares each command, by the command's name."""
    found = {}
    for path in sorted((root / "src").rglob("cmd_*.c")):
        for _, name in COMMAND.findall(path.read_text(encoding="utf-8")):
            found[name] = path
    return found


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("man")
    tables = shared_tables(args.root)
    declared = commands(args.root)
    pages = {page.stem.removeprefix("assize-"): page for page in (args.root / "docs/man").glob("assize-*.1")}
    for name, source in sorted(declared.items()):
        page = pages.pop(name.replace(" ", "-"), None)
        parent = name.split(" ")[0]
        if page is None and not (parent != name and declared.get(parent) == source):
            report.add(source.relative_to(args.root), 1, f"`assize {name}` has no manual page",
                       f"write docs/man/assize-{name.replace(' ', '-')}.1")
        if page is None:
            continue
        text = source.read_text(encoding="utf-8")
        for more in sorted(args.root.glob(MORE[name])) if name in MORE else ():
            text += more.read_text(encoding="utf-8")
        real = flags_of(text, tables)
        named = options_of_page(page.read_text(encoding="utf-8"))
        path = page.relative_to(args.root)
        for flag in sorted(real - named):
            report.add(path, 1, f"--{flag} is missing", "describe it under OPTIONS, as `.BI \\-\\-...`")
        for flag in sorted(named - real):
            report.add(path, 1, f"--{flag} is no option of {source.relative_to(args.root)}", "remove it")
    for name, page in sorted(pages.items()):
        report.add(page.relative_to(args.root), 1, f"there is no command `assize {name}`",
                   "name the page after its command")
    report.finish(f"{len(declared)} commands")


if __name__ == "__main__":
    main()
