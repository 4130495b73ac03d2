#!/usr/bin/env python3
"""Judges every bundled submission of the fixture packages by `assize run --json`.

The folder below submissions/ names the verdict. Checked for each: the verdict, the exit status,
that standard output holds one JSON object and nothing else, and that its parts are there.

    run_fixtures.py ASSIZE [--problems FOLDER] [--only TEXT] [--languages-dir FOLDER]

Prints TAP. Needs root, because the sandbox does: exits 77 with the reason otherwise. Needs nothing
but Python's own library, so that it also runs inside a virtual machine.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VERDICTS = {
    "accepted": {"ACCEPTED"},
    "wrong_answer": {"WRONG_ANSWER"},
    "time_limit_exceeded": {"TIME_LIMIT_EXCEEDED"},
    "memory_limit_exceeded": {"MEMORY_LIMIT_EXCEEDED"},
    "output_limit_exceeded": {"OUTPUT_LIMIT_EXCEEDED"},
    # A stack that grows into the memory limit is a crash or too much memory.
    "run_time_error": {"RUNTIME_ERROR", "MEMORY_LIMIT_EXCEEDED"},
    "compile_error": {"COMPILE_ERROR"},
    # Stopped by one limit or another.
    "rejected": {"TIME_LIMIT_EXCEEDED", "MEMORY_LIMIT_EXCEEDED", "RUNTIME_ERROR"},
}
CASE_KEYS = {"name", "verdict", "cpuMs", "wallMs", "memoryKb", "message"}
OTHER_RUN = {"otherCpuMs", "otherWallMs"}  # of a case that was run twice
STAFF = {"staffMessage"}  # of a case whose checker said something
EXIT = {True: 0, False: 1}
SECONDS = 180


def sources(path):
    if path.is_file():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file())


def complaints(done, folder):
    """What is wrong with one run; nothing when all is well."""
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return [f"no JSON on standard output; exit status {done.returncode}",
                *done.stderr.splitlines()[-5:]]
    wrong = []
    verdict = result.get("verdict")
    if verdict not in VERDICTS[folder]:
        wrong.append(f"verdict {verdict}")
        wrong += [f"{case['name']}: {case['verdict']}: {case['message']}"
                  for case in result.get("cases", []) if case["verdict"] != "ACCEPTED"]
        wrong += result.get("compile", {}).get("log", "").splitlines()[:5]
    if done.returncode != EXIT[verdict == "ACCEPTED"]:
        wrong.append(f"exit status {done.returncode}")
    if (verdict == "ACCEPTED") != (result.get("score") == 100):
        wrong.append(f"score {result.get('score')}")
    if (verdict == "COMPILE_ERROR") == bool(result.get("compile", {}).get("ok")):
        wrong.append("compile.ok does not go with the verdict")
    if verdict == "COMPILE_ERROR" and not result["compile"]["log"]:
        wrong.append("a compile error without a log")
    if (verdict == "COMPILE_ERROR") != (result.get("cases") == []):
        wrong.append(f"{len(result.get('cases', []))} cases")
    if any(set(case) - OTHER_RUN - STAFF != CASE_KEYS for case in result.get("cases", [])):
        wrong.append("a case has other keys")
    if verdict == "ACCEPTED" and any(case["verdict"] != verdict for case in result["cases"]):
        wrong.append("accepted with a rejected case")
    return wrong


def submissions(problems, only):
    for problem in sorted(path for path in problems.iterdir() if path.is_dir()):
        for path in sorted(problem.glob("submissions/*/*")):
            name = f"{problem.name}/{path.parent.name}/{path.name}"
            if only in name:
                yield problem, path, name


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assize")
    parser.add_argument("--problems", type=pathlib.Path, default=ROOT / "tests/fixtures/problems")
    parser.add_argument("--only", default="", help="those whose name holds this text")
    parser.add_argument("--languages-dir", default=str(ROOT / "languages"))
    args = parser.parse_args()
    if os.geteuid() != 0:
        print("1..0 # SKIP the sandbox needs root")
        return 77
    rows = list(submissions(args.problems, args.only))
    print(f"1..{len(rows)}", flush=True)
    failed = 0 if rows else 1
    for number, (problem, path, name) in enumerate(rows, 1):
        command = [args.assize, "run", "--json", "--languages-dir", args.languages_dir,
                   str(problem), *map(str, sources(path))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS,
                              check=False, stdin=subprocess.DEVNULL)
        wrong = complaints(done, path.parent.name)
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
        for line in wrong:
            print(f"#   {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
