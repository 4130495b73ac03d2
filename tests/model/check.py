#!/usr/bin/env python3
"""Checks the model of the leases, and that no guard of it is idle.

usage: check.py [--long] [--only GUARD]

First the model as it is, exhaustively: no assertion may fail. Then once for each guard that is left
out by -D: an assertion must fail, or the guard is redundant for the reason that its row gives, and
then none may. Prints TAP. --long allows more leases. Needs spin and a C compiler.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MODEL = pathlib.Path(__file__).resolve().parent / "lease.pml"
MEGABYTES = 6000

# -D | what is left out | None, or why that changes nothing
GUARDS = [
    ("NO_TOKEN", "settle does not compare the token", None),
    ("NO_EPOCH", "a grant does not raise the epoch",
     "the token is another with each grant; the epoch tells people and logs which came first"),
    ("NO_EPOCH_CHECK", "settle does not compare the epoch",
     "as above: the token alone names the grant"),
    ("NO_EPOCH_CHECK NO_TOKEN", "settle compares neither", None),
    ("NO_SESSION", "an old session may act", None),
    ("NO_EXPIRY", "settle accepts an expired lease", None),
    ("EARLY_CLOCK", "the clock is read before the lock", None),
    ("NO_LOOK", "reaping without a second look", None),
    ("NO_COUNT", "slots are not counted", None),
    ("EARLY_COUNT", "slots are counted before the lock", None),
    ("NO_DRAIN", "a draining node claims", None),
    ("EARLY_DRAIN", "whether it drains is read before the lock", None),
    ("NO_CLAIM_ID SLOTS=2", "a claim asked again is answered anew", None),
    ("NO_POINTER", "settle does not look at the current generation",
     "a rejudge closes the older job and revokes its lease in its own transaction"),
    ("NO_POINTER NO_SUPERSEDE", "nor does a rejudge close the older judging", None),
    ("NO_STATE", "settle does not look at the job's state",
     "whoever closes a job removes or revokes its lease in the same transaction"),
    ("KEEP_LEASE", "a settled job keeps its lease", None),
    ("KEEP_PLACE", "a cancelled job keeps its ready row", None),
    ("KEEP_PLACE NO_CLAIM_LOOK", "and the claim does not look at its state", None),
    ("NO_PROMOTE_LOOK", "promoting without a second look",
     "the state is looked at, and a ready row is there once or not at all: its key is the job's"),
    ("NO_PROMOTE_STATE", "promoting without a look at the state",
     "whoever closes a job removes its delayed row in the same transaction"),
    ("NO_PROMOTE_LOOK NO_PROMOTE_STATE", "promoting without either", None),
    ("NO_ATTEMPTS", "attempts never run out", None),
    ("NO_TAKEOVER_END", "a new session keeps the old one's leases", None),
    ("NO_ALREADY", "a settled result is refused when it comes again", None),
    ("NO_EVENT", "a settlement without its event", None),
    ("NO_EFFECT", "an event is dropped without its effect", None),
]


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def explore(defines, grants):
    """(number of errors, states, the failed assertion or what went wrong)."""
    with tempfile.TemporaryDirectory() as folder:
        switches = [f"-D{name}" for name in defines.split()]
        made = run(["spin", *switches, f"-DGRANTS_MAX={grants}", "-a", str(MODEL)], folder)
        if made.returncode != 0 or "Error" in made.stdout:
            return None, 0, made.stdout + made.stderr
        built = run(["cc", "-O2", "-w", "-DSAFETY", f"-DMEMLIM={MEGABYTES}", "-o", "pan", "pan.c"],
                    folder)
        if built.returncode != 0:
            return None, 0, built.stderr
        said = run(["./pan", "-m200000", "-E"], folder).stdout
    errors = re.search(r"errors: (\d+)", said)
    states = re.search(r"(\d+)(?:\.\d+)?(?:e\+\d+)? states, stored", said)
    failed = re.search(r"assertion violated (.*?) \(at", said)
    whole = "Search not completed" not in said and "max search depth too small" not in said
    if errors is None or (errors.group(1) == "0" and not whole):
        return None, 0, said[-600:]
    return int(errors.group(1)), int(states.group(1)) if states else 0, failed and failed.group(1)


def judge(row, grants):
    defines, what, redundant = row
    errors, states, why = explore(defines, grants)
    if errors is None:
        return False, f"{defines}: {what}", f"it did not run to its end: {why}"
    if not defines:
        return errors == 0, what, f"{states} states" + (f", {why}" if errors else "")
    if redundant:
        return errors == 0, f"{defines}: {what}: redundant", why if errors else redundant
    return errors > 0, f"{defines}: {what}", why or "no assertion fails: who guards it?"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", default="", help="guards whose name holds this text")
    args = parser.parse_args()
    if shutil.which("spin") is None:
        print("1..0 # SKIP spin is not installed")
        return 77
    long = args.long or os.environ.get("ASSIZE_LONG") == "1"
    rows = [("", "no assertion fails in the model as it is", None), *GUARDS]
    rows = [row for row in rows if args.only in row[0]]
    print(f"1..{len(rows)}", flush=True)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        grants = [6 if long and not row[0] else 4 for row in rows]
        for number, (right, what, note) in enumerate(pool.map(judge, rows, grants), 1):
            failures += not right
            print(f"{'ok' if right else 'not ok'} {number} - {what}\n#   {note}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
