#!/usr/bin/env python3
"""Refuses files, functions and lines over the numbers of docs' C style.

Limits: .c file 800 lines, header 250; function 70 lines, nesting 3, parameters 6, cognitive
complexity 20 (as Sonar counts it, approximately); line 100 columns, 120 between
`clang-format off` and `on`; src/box 3,500 lines in all, so that it can be audited in a day.
"""

import checklib
import cshape

FILE_LINES = {".c": 800, ".h": 250}
BOX_LINES = 3500
COLUMNS, TABLE_COLUMNS = 100, 120
FUNCTION = [
    # field, limit, what it is called, what to do
    ("lines", 70, "lines long", "split it into steps with names"),
    ("nesting", 3, "levels deep", "return early, or move the inside into a function"),
    ("parameters", 6, "parameters", "pass a const struct x_options *"),
    ("complexity", 20, "in cognitive complexity", "split it, or turn branches into a table"),
]


def check_lines(relative, lines, report):
    limit = COLUMNS
    for number, line in enumerate(lines, 1):
        if "clang-format off" in line:
            limit = TABLE_COLUMNS
        elif "clang-format on" in line:
            limit = COLUMNS
        if len(line) > limit:
            advice = "wrap it" if limit == TABLE_COLUMNS else "wrap it (tables may have 120)"
            report.add(relative, number, f"{len(line)} columns, at most {limit}", advice)


# Functions whose type a library dictates: their parameters are not ours to count.
DICTATED = {
    ("src/net/http_server.c", "request_step"),  # MHD_AccessHandlerCallback
    ("src/base/raw.h", "raw6"),  # a system call and its six arguments
}


def check_functions(relative, text, report):
    for function in cshape.functions(text):
        for field, limit, what, advice in FUNCTION:
            if field == "parameters" and (relative, function.name) in DICTATED:
                continue
            value = getattr(function, field)
            if value > limit:
                line = function.nesting_line if field == "nesting" else function.line
                report.add(relative, line, f"{function.name} is {value} {what}, at most {limit}"
                           if field != "parameters"
                           else f"{function.name} has {value} {what}, at most {limit}", advice)


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("sizes")
    files = checklib.c_files(args.root)
    total = box_total = 0
    for relative in files:
        text = checklib.read(args.root, relative)
        lines = text.splitlines()
        total += len(lines)
        box_total += len(lines) if relative.startswith("src/box/") else 0
        limit = FILE_LINES[relative[-2:]]
        if len(lines) > limit:
            report.add(relative, limit + 1, f"{len(lines)} lines, at most {limit}",
                       "split it by what its parts know")
        check_lines(relative, lines, report)
        check_functions(relative, text, report)
    if box_total > BOX_LINES:
        report.add("src/box", 1, f"{box_total} lines, at most {BOX_LINES}",
                   "move out what needs no privilege")
    report.finish(f"{len(files)} files, {total} lines")


if __name__ == "__main__":
    main()
