#!/usr/bin/env python3
"""Refuses a src/<module>/<file>.c without tests/unit/<module>/test_<file>.c.

Exceptions stand in tools/untested.txt (`file | why`), and each must exist and be needed. A unit
test must belong to a file of its module (test_<file>.c or test_<file>_<topic>.c) and register
at least one test, and each test must assert something, itself or by a helper.
"""

import re

import checklib
import cshape

TABLE = "tools/untested.txt"
ASSERTS = re.compile(r"\b(assert_\w+|expect_\w+|fail|fail_msg|skip|CHECK)\s*\(")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(((?:[^\n\\]|\\\n|\\.)*)", re.M)


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


def words_of(text):
    """name -> (words of its body, whether it asserts by itself), of each function and macro."""
    masked = checklib.mask(text)
    lines = masked.split("\n")
    bodies = MACRO.findall(masked)
    for function in cshape.functions(text):
        body = "\n".join(lines[function.line - 1 : function.line - 1 + function.lines])
        bodies.append((function.name, body.partition("{")[2]))
    found = {}
    for name, body in bodies:
        words, asserts = found.get(name, (set(), False))
        found[name] = (words | set(re.findall(r"\w+", body)), asserts or bool(ASSERTS.search(body)))
    return found


def asserting_names(known):
    """Those of words_of that assert, by themselves or by each other."""
    names = {name for name, (_, asserts) in known.items() if asserts}
    while more := {n for n, (words, _) in known.items() if n not in names and words & names}:
        names |= more
    return names


def listing_macros(text):
    """Macros around cmocka_unit_test."""
    return {name for name, body in MACRO.findall(text) if "cmocka_unit_test" in body}


def registered_tests(text, macros):
    """(name, line) of each test listed by cmocka_unit_test... or by one of `macros`."""
    names = "|".join(map(re.escape, macros | listing_macros(text) | {"cmocka_unit_test"}))
    call = re.compile(rf"\b(?:{names}|cmocka_unit_test\w+)\s*\(\s*(\w+)")
    code = cshape.drop_preprocessor(checklib.mask(text))
    return [(m[1], code.count("\n", 0, m.start()) + 1) for m in call.finditer(code)]


class Helpers:
    """What the headers beside the tests offer them, read once."""

    def __init__(self, root):
        self.words, self.macros = {}, set()
        for header in checklib.c_files(root, (".h",), ("tests/unit",)):
            text = checklib.read(root, header)
            self.words.update(words_of(text))
            self.macros |= listing_macros(text)


def check_test(root, relative, helpers, report):
    folder, _, name = relative.removeprefix("tests/unit/").rpartition("/")
    if not folder or not name.startswith("test_"):
        return
    stem = name.removeprefix("test_").removesuffix(".c")
    parts = stem.split("_")
    names = ["_".join(parts[:n]) for n in range(len(parts), 0, -1)]
    if not any((root / "src" / folder / f"{n}{s}").exists() for n in names for s in (".c", ".h")):
        report.add(relative, 1, f"src/{folder}/ has no file {stem}",
                   "name the test test_<file>.c or test_<file>_<topic>.c")
    text = checklib.read(root, relative)
    tests = registered_tests(text, helpers.macros)
    if not tests:
        report.add(relative, 1, "registers no test", "list its tests with cmocka_unit_test(...)")
    names = asserting_names({**helpers.words, **words_of(text)})
    for test, line in tests:
        if test not in names:
            report.add(relative, line, f"{test} asserts nothing, so it cannot fail",
                       "assert what it shows")


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
    helpers = Helpers(args.root)
    for relative in tests:
        check_test(args.root, relative, helpers, report)
    report.finish(f"{len(sources)} source files, {len(tests)} unit tests")


if __name__ == "__main__":
    main()
