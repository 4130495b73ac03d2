#!/usr/bin/env python3
"""Writes C that holds the migrations: embed_sql.py FOLDER OUTPUT.

Every *.sql of FOLDER, in the order of the names, which must begin with a UTC time
(20261130T1000_what_it_does.sql).
"""

import pathlib
import re
import sys

NAME = re.compile(r"\d{8}T\d{4}_[a-z0-9_]+")


def literal(text):
    lines = []
    for line in text.splitlines():
        escaped = line.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'     "{escaped}\\n"')
    return "\n".join(lines)


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows = []
    for path in sorted(folder.glob("*.sql")):
        if not NAME.fullmatch(path.stem):
            sys.exit(f"{path}: name it by its UTC time, 20261130T1000_what_it_does.sql")
        rows.append(f'    {{"{path.stem}",\n{literal(path.read_text(encoding="ascii"))}}},')
    output.write_text(
        '#include "store/migrate.h"\n\nconst struct migration migrations[] = {\n'
        + "\n".join(rows)
        + "\n    {0},\n};\n"
    )


if __name__ == "__main__":
    main()
