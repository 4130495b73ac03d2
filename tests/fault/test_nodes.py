#!/usr/bin/env python3
"""Nodes of every pool: registered by the admin API, checked, enabled, judging, drained and revoked. No job
is lost and none is ever judged by another pool's node, asserted over the whole database.
"""

import contextlib
import os
import sqlite3
import sys
import threading
import time
import unittest

from harness import RIGHT, World

PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"
SLOW = "x = 0\nfor i in range(2_000_000):\n    x += i\n" + PYTHON
JAVA = ("import java.util.Scanner; public class Main { public static void main(String[] a) { "
        "Scanner s = new Scanner(System.in); System.out.println(s.nextLong() + s.nextLong()); } }")
TYPESCRIPT = ("import * as fs from 'fs';\n"
              "const w: number[] = fs.readFileSync(0, 'utf8').trim().split(/\\s+/).map(Number);\n"
              "console.log(w[0] + w[1]);\n")
POOLS = ["python", "python", "cpp", "java", "arkts"]
SUBMISSIONS = [("python3", PYTHON), ("cpp", RIGHT), ("java", JAVA), ("typescript", TYPESCRIPT)]
API = "/api/v1/admin/judgers"


class Nodes(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.close)
        self.world.start_server()

    def query(self, sql):
        path = f"file:{self.world.folder}/data/assize.db?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True, timeout=20)) as database:
            return database.execute(sql).fetchall()

    def start_all(self, pools):
        """All at once: their self-tests take the longest."""
        threads = [threading.Thread(target=self.world.start_node, args=(pool,),
                                    kwargs={"name": f"{pool}-{i}"})
                   for i, pool in enumerate(pools)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(self.world.nodes), len(pools))

    def change(self, name, state):
        judger = self.world.judger(name)
        self.world.call("PATCH", f"{API}/{judger['id']}",
                        {"revision": judger["revision"], "configState": state})

    def wait_until(self, what, seconds=60):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, "it never came to that")
            time.sleep(0.05)

    def busy(self):
        return {name for (name,) in self.query(
            "SELECT n.name FROM job_lease l JOIN node n ON n.id = l.node_id")}

    def test_the_life_of_nodes_of_every_pool(self):
        world = self.world
        self.start_all(POOLS)
        self.each_has_proved_itself()
        self.each_pool_judges_its_own()
        self.a_drained_node_loses_nothing()
        self.a_revoked_nodes_job_comes_back()
        self.nothing_ever_crossed()
        self.assertEqual([i for i in world.get("/api/v1/admin/pool-warnings")["items"]
                          if i["code"] == "out_of_service"], [])

    def each_has_proved_itself(self):
        for node in self.world.get(API)["items"]:
            self.assertEqual(node["configState"], "ENABLED")
            self.assertTrue(node["selfTestPassed"])
            self.assertGreater(node["speedPermille"], 0, node)
            check = self.world.get(f"{API}/{node['id']}/checks")["items"][0]
            self.assertEqual(check["state"], "PASSED", check)
            self.assertIn("memory", [step["step"] for step in check["steps"]])

    def each_pool_judges_its_own(self):
        numbers = [self.world.submit("aplusb", source, language) for language, source in SUBMISSIONS]
        for number in numbers:
            self.assertEqual(self.world.verdict(number, 120), "ACCEPTED")

    def a_drained_node_loses_nothing(self):
        """Both python nodes have work at once; one goes, and all is judged at the first attempt."""
        numbers = [self.world.submit("aplusb", SLOW, "python3") for _ in range(6)]
        self.wait_until(lambda: {"python-0", "python-1"} <= self.busy())
        self.change("python-0", "DRAINING")
        for number in numbers:
            self.assertEqual(self.world.verdict(number, 120), "ACCEPTED")
        self.assertEqual(self.world.judger("python-0")["busySlots"], 0)
        attempts = self.query("SELECT max(attempts) FROM job")
        self.assertEqual(attempts, [(1,)])

    def a_revoked_nodes_job_comes_back(self):
        number = self.world.submit("aplusb", SLOW, "python3")
        self.wait_until(lambda: "python-1" in self.busy())
        judger = self.world.judger("python-1")
        self.world.post(f"{API}/{judger['id']}/revoke", {"revision": judger["revision"]})
        self.assertEqual(self.world.judger("python-1")["configState"], "DISABLED")
        self.change("python-0", "ENABLED")
        self.assertEqual(self.world.verdict(number, 120), "ACCEPTED")
        self.assertEqual(self.query(f"SELECT n.name FROM job j JOIN node n ON n.id = j.node_id "
                                    f"WHERE j.subject_id = {number}"), [("python-0",)])

    def nothing_ever_crossed(self):
        """Whoever judged a job serves the queue that its snapshot names."""
        crossed = self.query(
            "SELECT j.id, b.pool, q.pool FROM job j JOIN job_body b ON b.job_id = j.id "
            "JOIN node n ON n.id = j.node_id JOIN queue q ON q.id = n.queue_id "
            "WHERE q.pool <> b.pool OR q.runtime_spec <> b.runtime_spec OR j.queue_id <> q.id")
        self.assertEqual(crossed, [])
        judged = dict(self.query("SELECT b.pool, count(*) FROM job j JOIN job_body b "
                                 "ON b.job_id = j.id WHERE j.node_id > 0 GROUP BY b.pool"))
        self.assertEqual(set(judged), {"python", "cpp", "java", "arkts"})
        self.assertEqual(self.query("SELECT count(*) FROM job WHERE state IN (1, 2)"), [(0,)])


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: the sandbox needs root")
        sys.exit(77)
    unittest.main(verbosity=2)
