#!/usr/bin/env python3
"""Refuses C that clang-format 14 would lay out differently. `script/format` repairs it.

Another version of clang-format breaks lines elsewhere, so exactly this one is asked.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess

import checklib

VERSION = "14"
MESSAGE = re.compile(r"^(\S+?):(\d+):\d+: (?:error|warning): ", re.M)


def find_formatter():
    """Path of clang-format 14, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            if f"version {VERSION}." in said.stdout:
                return path
    return None


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("format")
    formatter = find_formatter()
    if not formatter:
        checklib.skip("format", f"no clang-format {VERSION} here: apt-get install clang-format-{VERSION}")
    files = checklib.c_files(args.root)
    workers = os.cpu_count() or 1
    parts = [files[i::workers] for i in range(workers) if files[i::workers]]

    def run(part):
        return subprocess.run(
            [formatter, "--dry-run", "-Werror", "--style=file", *part],
            cwd=args.root, capture_output=True, text=True, check=False,
        )

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for done in pool.map(run, parts):
            first = {}
            for path, line in MESSAGE.findall(done.stderr):
                first.setdefault(path, line)
            for path, line in first.items():
                report.add(path, line, "not laid out as .clang-format says", "run script/format")
            if done.returncode and not first:
                report.add(".clang-format", 1, done.stderr.strip()[:300], "make it readable")
    report.finish(f"{len(files)} files")


if __name__ == "__main__":
    main()
