#!/usr/bin/env python3
"""Problems of every kind through a server and a node: the bundled submissions of the fixtures, and
answers as one text, handed in like anybody's."""

import os
import subprocess
import sys
import tempfile
import zipfile

import harness
from harness import PROBLEMS, World

ROWS = [
    ("guess", "accepted/bisect.cpp", "cpp"),
    ("guess", "wrong_answer/gives_up.c", "c"),
    ("guess", "time_limit_exceeded/no_flush.c", "c"),
    ("guess", "run_time_error/crash.c", "c"),
    ("largest", "accepted/largest.cpp", "cpp"),
    ("largest", "compile_error/another_name.cpp", "cpp"),
    ("orders", "accepted/all", "text"),
    ("orders", "wrong_answer/one_missing", "text"),
]
VERDICTS = {"run_time_error": "RUNTIME_ERROR"}


def source_of(path):
    if path.is_file():
        return path.read_text()
    return "".join(f"=== {file.name} ===\n{file.read_text()}" for file in sorted(path.iterdir()))


def each_kind_gets_its_verdict(world):
    handed_in = [(world.submit(code, source_of(PROBLEMS / code / "submissions" / path), language),
                  code, path) for code, path, language in ROWS]
    for number, code, path in handed_in:
        folder = path.split("/")[0]
        verdict = world.verdict(number)
        expected = VERDICTS.get(folder, folder.upper())
        assert verdict == expected, f"{code}/{path}: {verdict}, not {expected}"


def a_zip_of_answers_is_handed_in(world):
    with tempfile.NamedTemporaryFile(suffix=".zip") as file:
        with zipfile.ZipFile(file, "w") as archive:
            for answer in (PROBLEMS / "orders/submissions/accepted/all").iterdir():
                archive.write(answer, f"answers/{answer.name}")
        file.flush()
        done = subprocess.run([harness.ASSIZE, "submit", file.name, "--problem", "orders",
                               "--server", world.url, "--user", "admin"],
                              env={**os.environ, "ASSIZE_PASSWORD": world.password},
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}"


def main():
    if os.geteuid() != 0:
        print("skipped: the sandbox needs root")
        return 77
    world = World()
    try:
        world.start_server()
        world.start_node("cpp")
        for test in (each_kind_gets_its_verdict, a_zip_of_answers_is_handed_in):
            test(world)
            print(f"ok - {test.__name__}", flush=True)
    finally:
        world.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
