#!/usr/bin/env python3
"""`assize bench box` and `judge` measure: each number is there and can be true. How small it is, is not asked.

usage: bench.py ASSIZE
"""

import json
import os
import subprocess
import sys
import unittest


def bench(name, *options):
    said = subprocess.run([ASSIZE, "bench", name, "--json", *options], check=True,
                          capture_output=True, text=True)
    return json.loads(said.stdout)


class Bench(unittest.TestCase):
    def test_what_a_run_adds_is_said_for_each_way(self):
        report = bench("box", "--runs", "5")

        self.assertLessEqual({"run", "placed", "fresh"}, set(report["overheadMs"]))
        for name, times in report["ms"].items():
            self.assertEqual(times["count"], 5, name)
            self.assertLessEqual(times["min"], times["median"], name)
        self.assertGreater(report["runsPerSecond"]["ratio"], 0)

    def test_known_programs_are_measured_idle_and_busy(self):
        report = bench("box", "--accuracy", "--repeat", "1", "--verdicts", "1", "--amounts", "1")

        loads = {row["load"] for row in report["accuracy"]}
        self.assertEqual(loads, {"idle", "busy"})
        self.assertEqual(len(report["accuracy"]), 2 * (3 + 5))
        self.assertEqual(len(report["verdicts"]), 2 * 5 * 2)
        for row in report["verdicts"]:
            fixed = row["kind"].startswith("fixed ")
            self.assertTrue(fixed or row["right"] == row["measured"]["count"], row)
        for row in report["accuracy"]:
            self.assertGreater(row["measured"]["min"], row["known"] / 2, row)

    def test_judging_is_measured_program_by_program(self):
        report = bench("judge", "--rounds", "1", "--programs", "pythonSum cases",
                       "--compare", "1")

        python = report["submissionMs"]["pythonSum"]
        self.assertEqual(set(python), {"ours", "again"})
        self.assertEqual(python["ours"]["count"], 1)
        self.assertEqual(report["submissionMs"]["javaSum"], {})
        self.assertEqual(set(report["caseOverheadMs"]), {"builtIn", "validator"})
        for name, row in report["compare"].items():
            self.assertGreater(row["megabytesPerSecond"], 0, name)


if __name__ == "__main__":
    ASSIZE = sys.argv.pop(1)
    if os.geteuid() != 0:
        print("1..0 # SKIP the box needs root")
        sys.exit(77)
    unittest.main()
