#!/usr/bin/env python3
"""Copies problem packages with longer time limits, for a machine that is N times slower.

usage: slow_packages.py FROM TO FACTOR

Time limits are multiplied, the compile time is raised to its maximum; all else stays.
"""

import pathlib
import re
import shutil
import sys

COMPILE_SECONDS = 60
DEFAULT_SECONDS = 1


def scaled(text, factor):
    limit = re.compile(r"^(  time_limit: )([\d.]+)$", re.M)
    text = limit.sub(lambda found: f"{found[1]}{float(found[2]) * factor:g}", text)
    text = re.sub(r"^  compilation_time: .*\n", "", text, flags=re.M)
    return re.sub(r"^limits:\n", f"limits:\n  compilation_time: {COMPILE_SECONDS}\n", text,
                  flags=re.M)


def main():
    source, target, factor = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    for problem in sorted(path for path in source.iterdir() if path.is_dir()):
        copy = target / problem.name
        shutil.copytree(problem, copy)
        for hidden in problem.glob(".timelimit"):
            seconds = float(hidden.read_text().strip()) * factor
            (copy / ".timelimit").write_text(f"{seconds:g}\n")
        text = (problem / "problem.yaml").read_text()
        (copy / "problem.yaml").write_text(scaled(text, factor))
        if "time_limit" not in text and not (problem / ".timelimit").exists():
            (copy / ".timelimit").write_text(f"{DEFAULT_SECONDS * factor}\n")


if __name__ == "__main__":
    main()
