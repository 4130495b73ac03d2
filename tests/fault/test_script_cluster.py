#!/usr/bin/env python3
"""script/cluster: says where it is, works, and leaves nothing however it is ended."""

import pathlib
import re
import signal
import sys
import unittest

import cluster
import harness
from harness import RIGHT, ROOT, Process


class Script(unittest.TestCase):
    def start(self, *options):
        process = Process([ROOT / "script/cluster", "--no-build", *options], "script/cluster")
        self.addCleanup(lambda: process.popen.poll() is None and process.stop(60))
        return process

    def assert_nothing_left(self, process, folders):
        self.assertTrue(folders)
        for folder in folders:
            self.assertEqual(cluster.processes_below(folder), [])
            self.assertFalse(pathlib.Path(folder).exists(), folder)

    def test_it_judges_and_ends_with_ctrl_c(self):
        process = self.start("--servers", "2", "--nodes", "1")
        world = harness.World()
        self.addCleanup(world.close)
        world.url = process.wait_for(r"Address: +(\S+)", 120)[1]
        world.password = process.wait_for(r"Sign in: +admin, password (\S+)", 5)[1]
        folder = process.wait_for(r"Files: +(\S+)", 5)[1]
        self.assertEqual(world.verdict(world.submit("aplusb", RIGHT)), "ACCEPTED")
        process.signal(signal.SIGINT)
        self.assertEqual(process.popen.wait(60), 0)
        process.wait_for("everything is ended", 5)
        self.assert_nothing_left(process, [folder])

    def test_ended_while_it_starts_it_leaves_nothing_either(self):
        made_by_others = set(pathlib.Path("/tmp").glob("assize-fault-*"))
        process = self.start("--nodes", "0")
        process.wait_for("starting MariaDB", 30)
        process.signal(signal.SIGTERM)
        process.popen.wait(90)
        left = set(pathlib.Path("/tmp").glob("assize-fault-*")) - made_by_others
        self.assertEqual(left, set())

    def test_help_says_what_it_is(self):
        process = self.start("--help")
        self.assertEqual(process.popen.wait(20), 0)
        process.reader.join(5)
        self.assertTrue(re.search("Ctrl-C", "\n".join(process.lines)))


if __name__ == "__main__":
    if reason := cluster.missing():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
