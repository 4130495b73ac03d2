#!/usr/bin/env python3
"""Runs the test suites of a built tree, one after the other, and counts test cases, not programs.

The virtual machine's suite goes on beside the others: it has its own kernel, so nothing that runs on
this one disturbs it, and it waits for one emulated processor most of its time.

Called by script/test. Shows the log of what failed, then a table of the suites, and ends with the
line `N passed, N failed, N skipped`. Exit code 1 when something failed or nothing ran.

A program's cases are read from what it prints: cmocka, Python's unittest, TAP, vitest, or the
plain line `N passed, N failed`. A program that prints none of these is one case.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import test_mariadb

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Cheap ones first. Suites that are not named here run after these, by name.
ORDER = ["style", "unit", "mysql", "fuzz", "store", "sim", "box", "judge", "fault", "e2e", "vm"]
BESIDE = "vm"  # the suite that runs beside those that come after the build
ON_MARIADB = {"mysql"}  # suites that get a MariaDB of their own
THREADED = {"wake", "net", "app", "server", "node", "store"}  # under the thread sanitizer
LOG_LINES = 150

CMOCKA_SKIPPED = re.compile(r"^\[  SKIPPED \] (?!tests?:|\d)(.+?)\s*$", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n\n(?:OK|FAILED|NO TESTS RAN)(.*)$", re.M)
TAP = re.compile(r"^(not )?ok \d+\b(.*)$", re.M)
PLAIN = re.compile(r"^(?:\w+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Count(self.passed + other.passed, self.failed + other.failed,
                     self.skipped + other.skipped)

    @property
    def total(self):
        return self.passed + self.failed + self.skipped


@dataclasses.dataclass
class Suite:
    name: str
    count: Count
    seconds: float


def count_cmocka(text):
    run, passed = text.count("[ RUN      ]"), text.count("[       OK ]")
    if not run:
        return None
    skipped = len(set(CMOCKA_SKIPPED.findall(text)))
    return Count(passed, max(run - passed - skipped, 0), skipped)


def count_unittest(text):
    found = UNITTEST.findall(text)
    if not found:
        return None
    total = Count()
    for ran, notes in found:
        numbers = {k: int(v) for k, v in re.findall(r"(\w[\w ]*)=(\d+)", notes)}
        bad = sum(numbers.get(k, 0) for k in ("failures", "errors", "unexpected successes"))
        skipped = numbers.get("skipped", 0)
        total += Count(max(int(ran) - bad - skipped, 0), bad, skipped)
    return total


def count_tap(text):
    found = TAP.findall(text)
    if not found:
        return None
    skipped = sum(not bad and "# SKIP" in rest.upper() for bad, rest in found)
    failed = sum(bool(bad) for bad, _ in found)
    return Count(len(found) - failed - skipped, failed, skipped)


def count_plain(text):
    found = PLAIN.findall(text)
    return Count(*(int(n or 0) for n in found[-1])) if found else None


def count_cases(text, result):
    """What one program's output says, held against how it ended: OK, SKIP, or a failure."""
    if result == "SKIP":
        return Count(skipped=1)
    for reader in (count_cmocka, count_unittest, count_tap, count_plain):
        if (count := reader(text)) is not None:
            break
    else:
        count = Count(passed=1) if result == "OK" else Count()
    if result != "OK" and not count.failed:
        count += Count(failed=1)  # it crashed, hung or lied after its last case
    return count


def heading(text, out=None):
    print(f"\n==> {text}", file=out, flush=True)


def show_log(name, text, out=None):
    lines = text.rstrip().splitlines()
    cut = len(lines) - LOG_LINES
    print(f"\n--- {name}" + (f", last {LOG_LINES} lines" if cut > 0 else ""), file=out)
    print("\n".join(lines[-LOG_LINES:]), file=out, flush=True)


def succeeds(command, folder=ROOT, out=None):
    """Runs it with its output shown. A program or folder that is absent is a failure like others."""
    try:
        return subprocess.run(command, cwd=folder, check=False, stdout=out,
                              stderr=out, stdin=subprocess.DEVNULL).returncode == 0
    except OSError as problem:
        print(f"{command[0]}: {problem}", file=out, flush=True)
        return False


def run_meson_suite(build, suite, names=(), label=None, long=False, out=None):
    """Runs one suite of a build folder and returns what its programs say. Shown on `out`, a file
    that has a descriptor; by default on this program's own output."""
    label = label or suite
    heading(label, out)
    started = time.monotonic()
    log = "log-" + re.sub(r"\W+", "-", label)
    command = ["meson", "test", "-C", str(build), "--no-rebuild", "--logbase", log]
    command += ["--timeout-multiplier", "10" if long else "1"]
    passed = succeeds([*command, "--suite", suite, *names], out=out)
    path = build / "meson-logs" / f"{log}.json"
    total = Count()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        test = json.loads(line)
        text = test.get("stdout", "") + "\n" + test.get("stderr", "")
        count = count_cases(text, test["result"])
        total += count
        if count.failed or test["result"] not in ("OK", "SKIP"):
            show_log(f"{test['name']}: {test['result']}", text, out)
        elif test["result"] == "SKIP":
            print(f"{test['name']} skipped: {text.strip().splitlines()[-1:]}", file=out)
    if not passed and not total.failed:
        total += Count(failed=1)
    return Suite(label, total, time.monotonic() - started)


def introspect(build, what):
    said = subprocess.run(["meson", "introspect", f"--{what}", str(build)], check=True,
                          capture_output=True, text=True)
    return json.loads(said.stdout)


def meson_tests(build):
    return introspect(build, "tests")


def run_on_mariadb(build, suite, long=False):
    """With a database server for the suite's programs, ended whatever happens."""
    started = time.monotonic()
    try:
        with test_mariadb.running() as database:
            os.environ["ASSIZE_TEST_MYSQL"] = str(database.socket)
            said = run_meson_suite(build, suite, long=long)
    except (OSError, RuntimeError) as problem:
        print(f"{suite}: {problem}", flush=True)
        said = Suite(suite, Count(failed=1), 0)
    return dataclasses.replace(said, seconds=time.monotonic() - started)


def needed_files(build, tests):
    """What ninja must make for these tests: their programs, and those that they run."""
    wanted = {target for test in tests for target in test["depends"]}
    return sorted(os.path.relpath(target["filename"][0], build)
                  for target in introspect(build, "targets") if target["id"] in wanted)


def suites_of(tests):
    """The suites there are, cheap ones first."""
    names = {suite.split(":")[-1] for test in tests for suite in test["suite"]}
    return [s for s in ORDER if s in names] + sorted(names - set(ORDER))


def run_sanitized(build, label, plain, modules=None, long=False):
    """The unit tests of a sanitizer's build folder; only what they need is compiled.

    Programs that start the sandbox get the one of the plain build: a run is cloned sharing memory with
    its launcher, which a sanitizer's own memory does not survive.
    """
    tests = [t for t in meson_tests(build) if any(s.endswith(":unit") for s in t["suite"])]
    if modules:
        tests = [t for t in tests if t["name"].split("/")[0] in modules]
    if not tests:
        return None
    heading(f"build for: {label}")
    started = time.monotonic()
    if not succeeds(["ninja", "-C", str(build), "--quiet", *needed_files(build, tests)]):
        return Suite(label, Count(failed=1), time.monotonic() - started)
    names = [t["name"] for t in tests] if modules else []
    for program in ("assize-box", "assize-sqlite"):
        shutil.copy2(plain / "src/main" / program, build / "src/main" / program)
    suite = run_meson_suite(build, "unit", names, label, long)
    return dataclasses.replace(suite, seconds=time.monotonic() - started)


def run_build(build, web):
    """Compiles everything; None when that worked, so that the table shows failures only."""
    heading("build")
    started = time.monotonic()
    built = succeeds(["ninja", "-C", str(build), "-k", "0", "--quiet", "all", "meson-test-prereq"])
    if web and not succeeds([ROOT / "tools/build_web.sh"]):
        built = False
    seconds = time.monotonic() - started
    print(f"build: {seconds:.1f} s")
    return None if built else Suite("build", Count(failed=1), seconds)


def run_web_types(web):
    heading("web types")
    started = time.monotonic()
    passed = succeeds(["npm", "run", "--silent", "check"], web)
    count = Count(passed=1) if passed else Count(failed=1)
    return Suite("web types", count, time.monotonic() - started)


def run_web_tests(web, report):
    heading("web")
    started = time.monotonic()
    report.unlink(missing_ok=True)
    passed = succeeds(["npm", "run", "--silent", "test", "--", "--reporter=default",
                       "--reporter=json", f"--outputFile={report}"], web)
    count = Count()
    if report.is_file():
        said = json.loads(report.read_text(encoding="utf-8"))
        count = Count(said["numPassedTests"], said["numFailedTests"], said["numPendingTests"])
    if not passed and not count.failed:
        count += Count(failed=1)
    return Suite("web", count, time.monotonic() - started)


def print_table(suites):
    width = max(len(s.name) for s in suites)
    print(f"\n{'suite':{width}}  {'tests':>6} {'passed':>7} {'failed':>7} {'skipped':>8} {'s':>7}")
    for suite in suites:
        c = suite.count
        print(f"{suite.name:{width}}  {c.total:6} {c.passed:7} {c.failed:7} {c.skipped:8} "
              f"{suite.seconds:7.1f}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--address", type=pathlib.Path, help="build folder with ASan and UBSan")
    parser.add_argument("--thread", type=pathlib.Path, help="build folder with TSan")
    parser.add_argument("--web", type=pathlib.Path, help="folder of the pages")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("suites", nargs="*", help="only these (default: all)")
    return parser.parse_args()


def chosen_suites(args):
    present = suites_of(meson_tests(args.build))
    known = set(present) | {"web", "sanitize"}
    for name in args.suites:
        if name not in known:
            sys.exit(f"no suite {name}: there are {' '.join(sorted(known))}")
    if args.suites:
        return [name for name in present if name in args.suites]
    return [name for name in present if name != "long" or args.long]


def run_beside(build, long):
    """Runs the suite BESIDE; its output comes when it has ended. Returns it and what it said."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        suite = run_meson_suite(build, BESIDE, long=long, out=out)
        out.seek(0)
        return suite, out.read()


def run_all(args):
    """Each suite in turn; style goes first, since it needs nothing compiled."""
    names = chosen_suites(args)
    if "style" in names:
        yield run_meson_suite(args.build, "style", long=args.long)
        names.remove("style")
    if names:
        yield run_build(args.build, args.web)
    if BESIDE not in names:
        yield from run_in_turn(args, names)
        return
    names.remove(BESIDE)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        beside = pool.submit(run_beside, args.build, args.long)
        yield from run_in_turn(args, names)
        suite, text = beside.result()
    print(text, end="", flush=True)
    yield suite


def run_in_turn(args, names):
    for name in names:
        run = run_on_mariadb if name in ON_MARIADB else run_meson_suite
        yield run(args.build, name, long=args.long)
    if args.web and (not args.suites or "web" in args.suites):
        yield run_web_types(args.web)
        yield run_web_tests(args.web, args.build / "meson-logs/web.json")
    if args.address:
        yield run_sanitized(args.address, "unit under ASan and UBSan", args.build, long=args.long)
    if args.thread:
        yield run_sanitized(args.thread, "unit under TSan", args.build, THREADED, long=args.long)


def main():
    args = parse_arguments()
    suites = [suite for suite in run_all(args) if suite]
    total = sum((suite.count for suite in suites), Count())
    if suites:
        print_table(suites)
    line = f"{total.passed} passed, {total.failed} failed"
    print(f"\n{line}" + (f", {total.skipped} skipped" if total.skipped else ""), flush=True)
    sys.exit(1 if total.failed or not total.passed else 0)


if __name__ == "__main__":
    main()
