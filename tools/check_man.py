#!/usr/bin/env python3
"""Refuses a manual page that does not name every option of its command, or names another.

docs/man/assize-NAME.1 belongs to src/local/cmd_NAME.c, whose table of options it is held against.
"""

import re

import checklib

FLAG = re.compile(r'\.flag = "([\w-]+)"')
NAMED = re.compile(r"^\.B[IR]? \\-\\-((?:[\w]|\\-)+)", re.M)
ALWAYS = {"help"}


def options_of_page(text):
    return {name.replace("\\-", "-") for name in NAMED.findall(text)} - ALWAYS


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("man")
    pages = sorted((args.root / "docs/man").glob("assize-*.1"))
    for page in pages:
        path = page.relative_to(args.root)
        source = f"src/local/cmd_{page.stem.removeprefix('assize-').replace('-', '_')}.c"
        if not (args.root / source).is_file():
            report.add(path, 1, f"there is no {source}", "name the page after its command")
            continue
        real = set(FLAG.findall(checklib.read(args.root, source)))
        named = options_of_page(checklib.read(args.root, path))
        for name in sorted(real - named):
            report.add(path, 1, f"--{name} is missing", "describe it under OPTIONS, as `.BI \\-\\-...`")
        for name in sorted(named - real):
            report.add(path, 1, f"--{name} is no option of {source}", "remove it")
    report.finish(f"{len(pages)} manual pages")


if __name__ == "__main__":
    main()
