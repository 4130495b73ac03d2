#!/usr/bin/env python3
"""Nodes of every pool: registered by the admin API, checked, enabled, judging, drained and revoked. No job
is lost and none is ever judged by another pool's node, asserted over the whole database.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import sys
import threading
import time
import unittest

from harness import PROBLEMS, RIGHT, ROOT, World

EXAMPLES = ROOT / "examples/sql"
PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"
SLOW = "x = 0\nfor i in range(2_000_000):\n    x += i\n" + PYTHON
JAVA = ("import java.util.Scanner; public class Main { public static void main(String[] a) { "
        "Scanner s = new Scanner(System.in); System.out.println(s.nextLong() + s.nextLong()); } }")
TYPESCRIPT = ("import * as fs from 'fs';\n"
              "const w: number[] = fs.readFileSync(0, 'utf8').trim().split(/\\s+/).map(Number);\n"
              "console.log(w[0] + w[1]);\n")
POOLS = ["python", "python", "cpp", "java", "arkts", "mysql"]
LATER = "python-1"  # proved, but not enabled at first


def statements(problem, path):
    return (EXAMPLES / problem / "submissions" / path).read_text()


SUBMISSIONS = [
    ("aplusb", "python3", PYTHON, "ACCEPTED"),
    ("aplusb", "cpp", RIGHT, "ACCEPTED"),
    ("aplusb", "java", JAVA, "ACCEPTED"),
    ("aplusb", "typescript", TYPESCRIPT, "ACCEPTED"),
    ("select-join", "mysql", statements("select-join", "accepted/1.sql"), "ACCEPTED"),
    ("select-join", "mysql", statements("select-join", "wrong_answer/1.sql"), "WRONG_ANSWER"),
    ("sqlite-chain", "sqlite", statements("sqlite-chain", "accepted/1.sql"), "ACCEPTED"),
]
API = "/api/v1/admin/judgers"


class Nodes(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.close)
        self.world.only_languages("python3", "cpp", "java", "typescript", "mysql", "sqlite")
        problems = self.world.folder / "problems"
        shutil.copytree(PROBLEMS / "aplusb", problems / "aplusb")
        for name in ("select-join", "sqlite-chain"):
            shutil.copytree(EXAMPLES / name, problems / name)
        self.world.start_server("--demo", problems)

    def query(self, sql):
        path = f"file:{self.world.folder}/data/assize.db?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True, timeout=20)) as database:
            return database.execute(sql).fetchall()

    def start_all(self, pools):
        """All at once: their self-tests take the longest."""
        names = [f"{pool}-{i}" for i, pool in enumerate(pools)]
        threads = [threading.Thread(target=self.world.start_node, args=(pool,),
                                    kwargs={"name": name, "enable": name != LATER})
                   for pool, name in zip(pools, names)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(self.world.nodes), len(pools))
        self.wait_until(lambda: self.world.judger(LATER)["selfTestPassed"], 180)

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

    def judged_by(self, name):
        """Jobs whose newest lease is, or was, the node's."""
        return {job for (job,) in self.query("SELECT j.id FROM job j JOIN node n ON n.id = j.node_id "
                                             f"WHERE n.name = '{name}'")}

    def test_the_life_of_nodes_of_every_pool(self):
        world = self.world
        self.start_all(POOLS)
        self.each_has_proved_itself()
        self.each_pool_judges_its_own()
        self.a_second_node_gets_work_at_once()
        self.a_drained_node_loses_nothing()
        self.a_revoked_nodes_job_comes_back()
        self.nothing_ever_crossed()
        self.assertEqual([i for i in world.get("/api/v1/admin/pool-warnings")["items"]
                          if i["code"] == "out_of_service"], [])

    def each_has_proved_itself(self):
        for node in self.world.get(API)["items"]:
            self.assertEqual(node["configState"], "PENDING" if node["name"] == LATER else "ENABLED")
            self.assertTrue(node["selfTestPassed"])
            self.assertGreater(node["speedPermille"], 0, node)
            check = self.world.get(f"{API}/{node['id']}/checks")["items"][0]
            self.assertEqual(check["state"], "PASSED", check)
            steps = {step["step"] for step in check["steps"]}
            self.assertLessEqual({"accepted", "wrong", "time", "memory", "crash", "forbidden", "speed"},
                                 steps)
            if node["pool"] == "mysql":
                self.assertLessEqual({"writing", "again"}, steps)
                self.assertEqual({step["language"] for step in check["steps"]}, {"mysql", "sqlite"})

    def each_pool_judges_its_own(self):
        numbers = [self.world.submit(problem, source, language)
                   for problem, language, source, _ in SUBMISSIONS]
        for number, (problem, language, _, verdict) in zip(numbers, SUBMISSIONS):
            self.assertEqual(self.world.verdict(number, 120), verdict, f"{problem} in {language}")

    def a_second_node_gets_work_at_once(self):
        """What waits behind the first one goes to the second as soon as it is enabled."""
        numbers = [self.world.submit("aplusb", SLOW, "python3") for _ in range(8)]
        self.wait_until(lambda: "python-0" in self.busy())
        self.assertEqual(self.judged_by(LATER), set())
        self.change(LATER, "ENABLED")
        for number in numbers:
            self.assertEqual(self.world.verdict(number, 120), "ACCEPTED")
        self.assertTrue(self.judged_by(LATER))

    def a_drained_node_loses_nothing(self):
        """Both python nodes have work at once; one goes, and all is judged at the first attempt."""
        numbers = [self.world.submit("aplusb", SLOW, "python3") for _ in range(6)]
        self.wait_until(lambda: {"python-0", "python-1"} <= self.busy())
        self.change("python-0", "DRAINING")
        had = self.judged_by("python-0")
        for number in numbers:
            self.assertEqual(self.world.verdict(number, 120), "ACCEPTED")
        self.assertEqual(self.judged_by("python-0"), had)
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
        """Whoever judged a job serves the queue that its snapshot names; nor was a job ever given
        to another, as the nodes themselves tell."""
        crossed = self.query(
            "SELECT j.id, b.pool, q.pool FROM job j JOIN job_body b ON b.job_id = j.id "
            "JOIN node n ON n.id = j.node_id JOIN queue q ON q.id = n.queue_id "
            "WHERE q.pool <> b.pool OR q.runtime_spec <> b.runtime_spec OR j.queue_id <> q.id")
        self.assertEqual(crossed, [])
        pools = dict(self.query("SELECT job_id, pool FROM job_body"))
        claimed = {(line["job"], node.node_name.rsplit("-", 1)[0])
                   for node in self.world.nodes for line in map(json.loads, node.lines)
                   if line["event"] == "job.claimed"}
        self.assertEqual({job for job, _ in claimed}, set(pools))
        self.assertEqual([pair for pair in claimed if pools[pair[0]] != pair[1]], [])
        judged = dict(self.query("SELECT b.pool, count(*) FROM job j JOIN job_body b "
                                 "ON b.job_id = j.id WHERE j.node_id > 0 GROUP BY b.pool"))
        self.assertEqual(set(judged), set(POOLS))
        self.assertEqual(self.query("SELECT count(*) FROM job WHERE state IN (1, 2)"), [(0,)])


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: the sandbox needs root")
        sys.exit(77)
    unittest.main(verbosity=2)
