#!/usr/bin/env python3
"""Judges the programs of every language that is installed here: accepted, and one for each verdict
that a language's own runtime decides how to show.

    run_languages.py ASSIZE [--only ID,...] [--need ID,...] [--languages-dir FOLDER]

A language whose toolchain is missing is skipped, with the command that installs it, unless it is
named by --need. Prints TAP. Needs root, because the sandbox does: exits 77 with the reason otherwise.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VERDICTS = {
    "accepted": "ACCEPTED",
    "compile_error": "COMPILE_ERROR",
    "run_time_error": "RUNTIME_ERROR",
    "time_limit_exceeded": "TIME_LIMIT_EXCEEDED",
    "memory_limit_exceeded": "MEMORY_LIMIT_EXCEEDED",
}
SYSTEM_FAILURE = 3
SECONDS = 300


def spec_word(folder, name):
    found = re.search(rf"^{name}: *(.+)$", (folder / "language.yaml").read_text(), re.MULTILINE)
    return found.group(1) if found else None


def programs(folder):
    """The programs of a language: its own, or those of the language it is a variant of."""
    own = HERE / "languages" / folder.name
    if not own.is_dir():
        own = HERE / "languages" / (spec_word(folder, "variant_of") or "none")
    return {path.stem: path for path in sorted(own.glob("*"))} if own.is_dir() else {}


def judge(args, language, path):
    command = [args.assize, "run", "--json", "--language", language, "--languages-dir",
               str(args.languages_dir), str(HERE / "languages/problem"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False,
                          stdin=subprocess.DEVNULL)


def complaint(done, kind):
    """What is wrong; None when all is well."""
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return f"no JSON, exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    if result["verdict"] == VERDICTS[kind]:
        return None
    cases = "; ".join(f"{case['name']} {case['verdict']} {case['message']}"
                      for case in result.get("cases", []))
    return f"verdict {result['verdict']}: {cases} {result['compile']['log'][:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assize")
    parser.add_argument("--only", default="")
    parser.add_argument("--need", default="")
    parser.add_argument("--languages-dir", type=pathlib.Path, default=ROOT / "languages")
    args = parser.parse_args()
    if os.geteuid() != 0:
        print("1..0 # SKIP the sandbox needs root")
        return 77
    only = args.only.split(",") if args.only else []
    need = args.need.split(",") if args.need else []
    number = failed = 0
    for folder in sorted(path for path in args.languages_dir.iterdir() if path.is_dir()):
        if only and folder.name not in only:
            continue
        if spec_word(folder, "sql"):
            continue  # statements need a problem of their own: examples/sql
        if folder.name == "text":
            continue  # answers, which nothing runs: fixtures/problems/orders
        rows = programs(folder)
        missing = sorted(set(VERDICTS) - set(rows))
        if missing:
            number, failed = number + 1, failed + 1
            print(f"not ok {number} - {folder.name}: no program for {', '.join(missing)}")
        for kind, path in sorted(rows.items()):
            number += 1
            done = judge(args, folder.name, path)
            if done.returncode == SYSTEM_FAILURE and "is not installed" in done.stderr:
                if folder.name not in need:
                    print(f"ok {number} - {folder.name} # SKIP {spec_word(folder, 'package')}",
                          flush=True)
                    break
            wrong = complaint(done, kind)
            failed += wrong is not None
            print(f"{'ok' if wrong is None else 'not ok'} {number} - {folder.name}/{kind}",
                  flush=True)
            if wrong:
                print(f"#   {wrong}", flush=True)
    print(f"1..{number}")
    return 1 if failed or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
