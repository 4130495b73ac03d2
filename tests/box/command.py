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


    def test_the_run_is_told_what_others_took(self):
        said = result("--cpu=100ms", "--", "/bin/sh", "-c", "while :; do :; done")

        self.assertGreaterEqual(said["stealMs"], 0)
        self.assertTrue(said["pressureMs"] is None or said["pressureMs"] >= 0)
        self.assertIs(said["pinned"], False)

    def test_a_pinned_run_has_one_processor(self):
        program = "import os; print(len(os.sched_getaffinity(0)))"

        for pin, wanted in (("--pin", "1"), ("--no-pin", str(len(os.sched_getaffinity(0))))):
            done = box(pin, "--", "/usr/bin/python3", "-c", program)

            self.assertEqual((done.returncode, done.stdout.strip()), (0, wanted), done.stderr)
        self.assertIs(result("--pin", "--", "/bin/true")["pinned"], True)


class Rootless(unittest.TestCase):
    """As an ordinary user, to whom root has given a group and subordinate ids."""

    def run_as_user(self, *arguments, without=None):
        wrapper = [pathlib.Path(__file__).with_name("rootless.py")]
        wrapper += ["--without", without] if without else []
        done = subprocess.run([*wrapper, ASSIZE, "box", *arguments], text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode == 77:
            self.skipTest(done.stdout)
        return done

    def test_a_command_runs_and_the_doctor_is_content(self):
        done = self.run_as_user("--json", "--memory=16MiB", "--", "/bin/sh", "-c",
                                "cat /dev/zero | tail")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["end"], "memory")
        doctor = self.run_as_user("doctor")
        self.assertEqual(doctor.returncode, 0, doctor.stdout)

    def test_without_a_group_or_ids_it_refuses_and_says_how_to_get_them(self):
        for without, words in (("delegation", "Delegate=yes"), ("ids", "apt-get install uidmap")):
            done = self.run_as_user("--", "/bin/true", without=without)
            doctor = self.run_as_user("doctor", without=without)

            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(doctor.returncode, 1)
            self.assertIn(words, doctor.stdout)


if __name__ == "__main__":
    ASSIZE = sys.argv.pop(1)
    if os.geteuid() != 0:
        print("1..0 # SKIP the box needs root")
        sys.exit(77)
    unittest.main()
