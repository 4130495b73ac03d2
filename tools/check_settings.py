#!/usr/bin/env python3
"""Holds docs/operations/settings.md against the tables of settings in src/main/settings.c.

Every setting of a table stands in the page once, with its default, limits, flag and variable, and
the page names no other. `--write` writes the page's tables anew; what stands before the first table
is kept.
"""

import re

import checklib

SOURCE = "src/main/settings.c"
PAGE = "docs/operations/settings.md"
TABLE = re.compile(r"^const struct config_row (settings_\w+)\[\] = \{\n(.*?)^\};", re.M | re.S)
ROW = re.compile(r"\{(\.name = .*?)\},\n", re.S)
FIELD = re.compile(r"\.(\w+) = ((?:\"(?:[^\"\\]|\\.)*\"\s*)+|[^,{}]+)")
UNITS = {"CONFIG_DURATION": "duration", "CONFIG_SIZE": "size", "CONFIG_INT": "number",
         "CONFIG_TEXT": "text", "CONFIG_BOOL": "yes or no"}
COLUMNS = "| name | default | unit | flag, variable | what it does |\n| --- | --- | --- | --- | --- |\n"


def text_of(value):
    return "".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", value)).replace('\\"', '"')


def rows_of(body):
    for match in ROW.finditer(body):
        fields = {name: value.strip() for name, value in FIELD.findall(match[1])}
        yield {name: text_of(value) if value.startswith('"') else value
               for name, value in fields.items()}


def unit_of(row):
    unit = UNITS[row["type"]]
    if row.get("choices"):
        return "one of " + ", ".join(f"`{word}`" for word in row["choices"].split())
    return unit


def line_of(row):
    names = [f"`--{row['flag']}`"] if "flag" in row else []
    names += [f"`{row['env']}`"] if "env" in row else []
    default = f"`{row['fallback']}`" if row.get("fallback") else "none"
    return (f"| `{row['name']}` | {default} | {unit_of(row)} | {' '.join(names)} | "
            f"{row['help']} |\n")


def tables_of(source):
    parts = []
    for match in TABLE.finditer(source):
        title = match[1].removeprefix("settings_")
        lines = "".join(line_of(row) for row in rows_of(match[2]))
        parts.append(f"## {title}\n\n{COLUMNS}{lines}")
    return "\n".join(parts)


def rows_by_name(text):
    """Line number and text of each row, by the name of its setting and the table it stands in."""
    rows, title = {}, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            title = line
        elif line.startswith("| `"):
            rows[title, line.split("|")[1].strip()] = (number, line)
    return rows


def compare(expected, found, report):
    wanted, there = rows_by_name(expected), rows_by_name(found)
    for (title, name), (number, line) in there.items():
        if wanted.get((title, name), (0, ""))[1] != line:
            report.add(PAGE, number, f"{name} is not so in {SOURCE}",
                       "run tools/check_settings.py --write")
    for title, name in sorted(wanted.keys() - there.keys()):
        report.add(PAGE, 1, f"{name} is missing under {title}",
                   "run tools/check_settings.py --write")


def main():
    args = checklib.arguments(
        __doc__, lambda parser: parser.add_argument("--write", action="store_true"))
    report = checklib.Report("settings")
    expected = tables_of((args.root / SOURCE).read_text(encoding="utf-8"))
    page = args.root / PAGE
    found = page.read_text(encoding="utf-8") if page.exists() else ""
    if args.write:
        page.write_text(found.split("## ")[0] + expected, encoding="utf-8")
        found = page.read_text(encoding="utf-8")
    compare(expected, found, report)
    report.finish(f"{len(re.findall(r'^[|] `', expected, re.M))} settings")


if __name__ == "__main__":
    main()
