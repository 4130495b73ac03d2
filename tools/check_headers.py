#!/usr/bin/env python3
"""Refuses a header that does not compile alone, or twice, or whose guard is not MODULE_FILE_H.

The compiler and its warnings are the project's: $CC or gcc, and every -W flag named in the root
meson.build that it knows.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess

import checklib

# A header alone defines static inline functions and tables that nobody uses yet.
EXTRA = ["-std=gnu17", "-D_GNU_SOURCE", '-DASSIZE_VERSION="0"', "-Wno-unused", "-Wno-unknown-warning-option"]
MESSAGE = re.compile(r"^(.*?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.M)


def project_flags(root):
    build = root / "meson.build"
    text = build.read_text(encoding="utf-8") if build.is_file() else ""
    return re.findall(r"'(-W(?!l,)[\w=-]+)'", text) or ["-Wall", "-Wextra"]


def guard_of(relative):
    return re.sub(r"\W", "_", relative.removeprefix("src/")).upper()


def check_guard(root, relative, report):
    text = checklib.read(root, relative)
    found = re.search(r"^\s*#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+\1\s*$", text, re.M)
    wanted = guard_of(relative)
    if not found:
        report.add(relative, 1, "no include guard", f"begin with #ifndef {wanted}")
    elif found[1] != wanted:
        line = text.count("\n", 0, found.start(1)) + 1
        report.add(relative, line, f"the include guard is {found[1]}", f"name it {wanted}")


def compile_alone(root, compiler, flags, relative):
    """(relative, the compiler's messages); empty when it compiles, alone and included twice."""
    name = relative.removeprefix("src/")
    done = subprocess.run(
        [compiler, "-fsyntax-only", "-x", "c", "-Isrc", "-Werror", *flags, *EXTRA, "-"],
        input=f'#include "{name}"\n#include "{name}"\ntypedef int not_empty;\n',
        cwd=root, capture_output=True, text=True, check=False,
    )
    return relative, "" if done.returncode == 0 else done.stderr


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("headers")
    compiler = os.environ.get("CC", "gcc").split()[0]
    if not shutil.which(compiler):
        checklib.skip("headers", f"no {compiler} here")
    flags = project_flags(args.root)
    headers = checklib.c_files(args.root, (".h",), ("src",))
    for relative in headers:
        check_guard(args.root, relative, report)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for relative, messages in pool.map(
            lambda h: compile_alone(args.root, compiler, flags, h), headers
        ):
            if not messages:
                continue
            first = MESSAGE.search(messages)
            path, line, text = first.groups() if first else (relative, 1, messages.strip()[:200])
            report.add(path, line, f"{relative} does not compile alone: {text}",
                       "include what it uses, declare what it only names")
    report.finish(f"{len(headers)} headers")


if __name__ == "__main__":
    main()
