#!/usr/bin/env python3
"""`assize box` as others use it: its JSON result, its exit status, where the output goes.

usage: command.py ASSIZE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest


def box(*arguments, text=""):
    return subprocess.run([ASSIZE, "box", *arguments], input=text, capture_output=True, text=True,
                          check=False)


def result(*arguments, text=""):
    done = box("--json", *arguments, text=text)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Command(unittest.TestCase):
    def test_output_is_passed_on_and_the_end_told(self):
        done = box("--", "/bin/cat", text="1 2\n")

        self.assertEqual((done.returncode, done.stdout), (0, "1 2\n"))
        self.assertIn("ended: by itself, exit code 0", done.stderr)

    def test_the_exit_status_is_not_the_commands(self):
        self.assertEqual(box("--", "/bin/false").returncode, 0)
        self.assertEqual(box("--cpu=x", "--", "/bin/true").returncode, 2)
        self.assertEqual(box().returncode, 2)

    def test_each_end_has_its_word(self):
        shell = ["--", "/bin/sh", "-c"]
        rows = [
            (["--", "/bin/false"], {"end": "exit", "exitCode": 1}),
            ([*shell, "kill -SEGV $$"], {"end": "signal", "signal": "SEGV", "exitCode": None}),
            (["--cpu=100ms", *shell, "while :; do :; done"], {"end": "cpu"}),
            (["--wall=200ms", "--", "/bin/sleep", "100"], {"end": "wall"}),
            (["--memory=16MiB", *shell, "cat /dev/zero | tail"], {"end": "memory"}),
            (["--output=1000B", "--", "/usr/bin/yes"], {"end": "output"}),
            (["--", "/bin/there-is-none"], {"end": "start", "startError": "ENOENT"}),
            ([*shell, "sleep 100 >/dev/null 2>&1 & sleep 0.1"], {"leftoverProcesses": 1}),
        ]
        for arguments, expected in rows:
            said = result(*arguments)
            self.assertLessEqual(expected.items(), said.items(), f"{arguments}: {said}")

    def test_output_goes_to_files(self):
        with tempfile.TemporaryDirectory() as folder:
            out, errors = pathlib.Path(folder, "out"), pathlib.Path(folder, "errors")

            said = result("--stdout", out, "--stderr", errors, "--", "/bin/sh", "-c",
                          "echo right; echo wrong >&2")

            self.assertEqual((out.read_text(), errors.read_text()), ("right\n", "wrong\n"))
            self.assertEqual((said["stdoutBytes"], said["stderrBytes"]), (6, 6))


if __name__ == "__main__":
    ASSIZE = sys.argv.pop(1)
    if os.geteuid() != 0:
        print("1..0 # SKIP the box needs root")
        sys.exit(77)
    unittest.main()
