#!/usr/bin/env python3
"""A node of the pool `mysql` from end to end: examples imported, judged, its database killed."""

import os
import pathlib
import sys
import time
import unittest

import harness

EXAMPLES = harness.ROOT / "examples/sql"


def source(problem, path):
    return (EXAMPLES / problem / "submissions" / path).read_text()


def databases():
    """Processes called mariadbd in the box of a node of the pool."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if ((folder / "comm").read_text().strip() == "mariadbd"
                    and "/assize-mysql" in (folder / "cgroup").read_text()):
                found.append(int(folder.name))
        except OSError:
            continue  # it has ended
    return found


def database(seconds=20):
    """The one that is there; it may just be starting."""
    end = time.monotonic() + seconds
    while not (found := databases()):
        if time.monotonic() > end:
            raise AssertionError("no database runs")
        time.sleep(0.05)
    return found[0]


class Sql(unittest.TestCase):
    def setUp(self):
        self.world = harness.World()
        self.addCleanup(self.world.close)

    def test_statements_are_judged_and_a_killed_database_costs_no_submission(self):
        world = self.world
        world.start_server("--demo", EXAMPLES)
        node = world.start_node(pool="mysql")

        expected = {}
        for problem, language, path, verdict in (
                ("select-join", "mysql", "accepted/1.sql", "ACCEPTED"),
                ("select-join", "mysql", "wrong_answer/1.sql", "WRONG_ANSWER"),
                ("select-join", "mysql", "compile_error/sleep.sql", "COMPILE_ERROR"),
                ("update-raise", "mysql", "accepted/1.sql", "ACCEPTED"),
                ("trigger-log", "mysql", "accepted/1.sql", "ACCEPTED"),
                ("sqlite-chain", "sqlite", "accepted/1.sql", "ACCEPTED"),
                ("sqlite-chain", "sqlite", "wrong_answer/1.sql", "WRONG_ANSWER")):
            expected[world.submit(problem, source(problem, path), language)] = verdict
        self.assertEqual({number: world.verdict(number) for number in expected}, expected)
        self.assertEqual(world.submission(next(iter(expected)))["kind"], "SQL")

        with self.assertRaises(harness.Refused):
            world.submit("select-join", "SELECT 1", "sqlite")

        os.kill(database(), 9)
        number = world.submit("select-join", source("select-join", "accepted/1.sql"), "mysql")
        self.assertEqual(world.verdict(number), "ACCEPTED")
        self.assertIsNone(node.popen.poll())

        # In the middle of a statement: the job goes back, and is judged by the next database.
        number = world.submit("select-join", source("select-join", "time_limit_exceeded/cross.sql"),
                              "mysql")
        world.wait_state(number, ("JUDGING",))
        node.wait_for(r"job\.claimed")
        os.kill(database(), 9)
        node.wait_for(r"sql_server_lost")
        self.assertEqual(world.verdict(number), "TIME_LIMIT_EXCEEDED")


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: the sandbox needs root")
        sys.exit(77)
    if not os.access("/usr/sbin/mariadbd", os.X_OK):
        print("skipped: mariadb-server is not installed")
        sys.exit(77)
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
