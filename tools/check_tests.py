#!/usr/bin/env python3
"""Refuses a src/<module>/<file>.c without tests/unit/<module>/test_<file>.c.

Exceptions stand in tools/untested.txt (`file | why`), and each must exist and be needed. A unit
test must belong to a file of its module (test_<file>.c or test_<file>_<topic>.c) and register
at least one test.
"""

import re

import checklib

TABLE = "tools/untested.txt"
REGISTERED = re.compile(r"\bcmocka_unit_test\w*\s*\(")


def test_of(source):
    module, _, name = source.removeprefix("src/").rpartition("/")
    return f"tests/unit/{module}/test_{name}"


def read_exceptions(root, sources, report):
    excused = set()
    for number, (path, reason) in checklib.table(root, TABLE, 2):
        excused.add(path)
        if path not in sources:
            report.add(TABLE, number, f"{path} is no source file", "remove the row")
        elif (root / test_of(path)).exists():
            report.add(TABLE, number, f"{path} has a test now", "remove the row")
        elif len(reason) < 10:
            report.add(TABLE, number, f"{path} has no reason", "write `file | why no unit test`")
    return excused


def check_test(root, relative, report):
    folder, _, name = relative.removeprefix("tests/unit/").rpartition("/")
    if not folder or not name.startswith("test_"):
        return
    stem = name.removeprefix("test_").removesuffix(".c")
    parts = stem.split("_")
    names = ["_".join(parts[:n]) for n in range(len(parts), 0, -1)]
    if not any((root / "src" / folder / f"{n}{s}").exists() for n in names for s in (".c", ".h")):
        report.add(relative, 1, f"src/{folder}/ has no file {stem}",
                   "name the test test_<file>.c or test_<file>_<topic>.c")
    if not REGISTERED.search(checklib.mask(checklib.read(root, relative))):
        report.add(relative, 1, "registers no test", "list its tests with cmocka_unit_test(...)")


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("tests")
    sources = checklib.c_files(args.root, (".c",), ("src",))
    excused = read_exceptions(args.root, sources, report)
    for source in sources:
        wanted = test_of(source)
        if source not in excused and not (args.root / wanted).exists():
            report.add(source, 1, "no unit test",
                       f"write {wanted}, or give the reason in {TABLE}")
    tests = checklib.c_files(args.root, (".c",), ("tests/unit",))
    for relative in tests:
        check_test(args.root, relative, report)
    report.finish(f"{len(sources)} source files, {len(tests)} unit tests")


if __name__ == "__main__":
    main()
