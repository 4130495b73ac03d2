#!/usr/bin/env python3
"""Refuses an #include that goes against tools/layers.txt.

- a module of src/ includes only itself and the modules of its row; tests/unit/<module>/ likewise;
- own headers are written "module/x.h", those of tests relative to the test; x_internal.h stays inside its module;
- a foreign header is included only where its row says; one without a row must be part of libc.
"""

import re

import checklib

TABLE = "tools/layers.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])')

# What libc and the kernel bring, below no folder of its own.
LIBC = set(
    """aio alloca assert byteswap complex cpuid crypt ctype dirent dlfcn elf endian err errno error
    execinfo fcntl features fenv float fnmatch fts ftw getopt glob gnu-versions grp iconv ifaddrs
    inttypes iso646 langinfo libgen limits link locale malloc math mntent mqueue netdb nl_types
    paths poll pthread pty pwd regex sched search semaphore setjmp shadow signal spawn stdalign
    stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings stropts syscall
    sysexits syslog termios tgmath threads time uchar ucontext unistd utime utmp wait wchar wctype
    wordexp""".split()
)
LIBC_FOLDERS = {"sys", "linux", "asm", "bits", "net", "netinet", "arpa"}
TEST_HEADERS = {"<cmocka.h>"}


def read_layers(root, report):
    """(row of each module, places of each foreign header)."""
    may, foreign = {}, {}
    text = (root / TABLE).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        name, colon, rest = line.split("#")[0].partition(":")
        name, targets = name.strip(), rest.split()
        if not colon:
            continue
        if name.startswith("<"):
            foreign[name] = targets
            continue
        for target in targets:
            if target not in may:
                report.add(
                    TABLE, number, f"{name} names {target}, which is not above it",
                    "list a module below everything that it may include",
                )
        may[name] = set(targets)
    return may, foreign


def foreign_advice(header, here, foreign):
    """None when `header` may be included by the file `here`, relative to src/."""
    if header in foreign:
        allowed = foreign[header]
        inside = any(here == a or (a.endswith("/") and here.startswith(a)) for a in allowed)
        return None if inside else f"only {' '.join(allowed)} may; go through that module's header"
    folder, slash, _ = header[1:-1].partition("/")
    stem = header[1:-1].removesuffix(".h")
    if (slash and folder in LIBC_FOLDERS) or stem in LIBC:
        return None
    return f"it is not part of libc; add a row for it to {TABLE} that says where it may be used"


def own_advice(header, module, may):
    """None when `module` may include the own header, else (problem, advice)."""
    path = header[1:-1]
    target, slash, _ = path.partition("/")
    if not slash or path.startswith("."):
        return f"{header} does not say its module", f'write #include "module/{path.split("/")[-1]}"'
    if target == module:
        return None
    if target not in may.get(module, ()):
        row = " ".join(sorted(may.get(module, ()))) or "nothing but itself"
        return f"{module} may not include {target}", f"{TABLE} gives {module}: {row}"
    if path.endswith("_internal.h"):
        return f"{header} is private to {target}", f"use what {target}'s public headers offer"
    return None


def check_file(root, relative, may, foreign, report):
    in_tests = relative.startswith("tests/unit/")
    here = relative.removeprefix("tests/unit/" if in_tests else "src/")
    module = here.split("/")[0]
    if module not in may:
        report.add(relative, 1, f"module {module} has no row", f"add it to {TABLE}")
        return
    text = checklib.mask(checklib.read(root, relative), strings=False)
    for number, line in enumerate(text.splitlines(), 1):
        if not (match := INCLUDE.match(line)):
            continue
        header = match[1]
        if header.startswith("<"):
            if in_tests and header in TEST_HEADERS:
                continue
            if advice := foreign_advice(header, here, foreign):
                report.add(relative, number, f"{header} is foreign here", advice)
        elif in_tests and (root / relative).parent.joinpath(header[1:-1]).is_file():
            continue  # a helper of the tests, beside them
        elif found := own_advice(header, module, may):
            report.add(relative, number, *found)


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("layers")
    may, foreign = read_layers(args.root, report)
    files = [
        f
        for f in checklib.c_files(args.root, folders=("src", "tests/unit"))
        if f.removeprefix("tests/unit/").count("/")  # a file beside the modules belongs to none
    ]
    for relative in files:
        check_file(args.root, relative, may, foreign, report)
    report.finish(f"{len(files)} files, {len(may)} modules")


if __name__ == "__main__":
    main()
