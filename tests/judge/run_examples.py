#!/usr/bin/env python3
"""Judges every bundled submission of the example problems by `assize problem check --json`.

    run_examples.py ASSIZE FOLDER

Each problem must have accepted and wrong submissions, and each submission the verdict that its
folder promises. Problems for MariaDB are skipped where it is not installed. Prints TAP. Needs root,
because the sandbox does: exits 77 with the reason otherwise.
"""

import json
import os
import pathlib
import subprocess
import sys

SECONDS = 120


def complaint(done, problem):
    """What is wrong with one problem; None when all is well."""
    try:
        rows = json.loads(done.stdout)["submissions"]
    except (ValueError, KeyError, TypeError):
        return f"no JSON, exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    for kind in ("accepted", "wrong_answer"):
        if not list((problem / "submissions" / kind).glob("*.sql")):
            return f"there is no submission of the kind {kind}"
    bundled = len(list((problem / "submissions").glob("*/*.sql")))
    if len(rows) != bundled:
        return f"{len(rows)} of {bundled} submissions were judged"
    wrong = [f"{row['path']}: {row.get('verdict')} {row.get('message', '')}" for row in rows
             if not row.get("agrees")]
    return "; ".join(wrong) or (f"exit status {done.returncode}" if done.returncode else None)


def bench_complaint(assize):
    """How fast it is, is not asked: only whether it measures."""
    done = subprocess.run([assize, "bench", "sql", "--json", "--jobs", "3", "--dialect", "sqlite"],
                          capture_output=True, text=True, timeout=SECONDS, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return f"no JSON, exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    good = report["overheadMs"]["count"] == 3 and report["overheadMs"]["median"] > 0
    return None if good else str(report)


def main():
    assize, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if os.geteuid() != 0:
        print("1..0 # SKIP the sandbox needs root")
        return 77
    problems = sorted(path.parent for path in folder.glob("*/problem.yaml"))
    print(f"1..{len(problems) + 1}", flush=True)
    failed = 0 if problems else 1
    for number, problem in enumerate(problems, 1):
        needs_server = "dialect: mysql" in (problem / "problem.yaml").read_text()
        if needs_server and not os.access("/usr/sbin/mariadbd", os.X_OK):
            print(f"ok {number} - {problem.name} # SKIP mariadb-server is not installed")
            continue
        done = subprocess.run([assize, "problem", "check", "--json", str(problem)],
                              capture_output=True, text=True, timeout=SECONDS, check=False,
                              stdin=subprocess.DEVNULL)
        wrong = complaint(done, problem)
        failed += wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {number} - {problem.name}", flush=True)
        if wrong:
            print(f"#   {wrong}", flush=True)
    wrong = bench_complaint(assize)
    print(f"{'ok' if wrong is None else 'not ok'} {len(problems) + 1} - assize bench sql")
    if wrong:
        print(f"#   {wrong}")
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
