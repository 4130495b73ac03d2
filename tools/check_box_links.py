#!/usr/bin/env python3
"""Holds what the privileged program is made of.

assize-box links libc and libseccomp and nothing else, and every compiled file in it comes from
src/box or src/base: what runs as root stays small enough to audit.
"""

import pathlib
import re
import shutil
import subprocess

import checklib

LIBRARIES = re.compile(r"^(libc\.so|libseccomp\.so|ld-linux[\w-]*\.so)\.")
NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]")
UNIT = re.compile(r"DW_TAG_compile_unit.*?DW_AT_name\s*:\s*(?:\(.*?\): )?(\S+)", re.S)


def readelf(*arguments):
    return subprocess.run(["readelf", *arguments], capture_output=True, text=True, check=True).stdout


def main():
    def extra(parser):
        parser.add_argument("program", type=pathlib.Path, help="the built assize-box, or a folder to find it in")

    args = checklib.arguments(__doc__, extra)
    report = checklib.Report("box links")
    program = args.program
    if program.is_dir():
        program = next(program.rglob("assize-box"), program / "assize-box")
    if not program.is_file():
        checklib.skip("box links", f"{program} is not built yet")
    if not shutil.which("readelf"):
        checklib.skip("box links", "no readelf here: apt-get install binutils")
    needed = NEEDED.findall(readelf("--dynamic", "--wide", str(program)))
    for library in needed:
        if not LIBRARIES.match(library):
            report.add(program.name, 1, f"links {library}",
                       "the box may use libc and libseccomp only")
    units = UNIT.findall(readelf("--debug-dump=info", "--dwarf-depth=1", str(program)))
    if not units:
        report.add(program.name, 1, "has no debug information",
                   "build it with -g, so that its parts can be listed")
    for unit in units:
        if not re.search(r"(^|/)src/(box|base)/", unit):
            report.add(program.name, 1, f"contains {unit}",
                       "build the box from src/box and src/base only")
    report.finish(f"{len(units)} compiled files, {' '.join(needed)}")


if __name__ == "__main__":
    main()
