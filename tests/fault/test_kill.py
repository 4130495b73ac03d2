#!/usr/bin/env python3
"""Processes killed in the middle: what was received is judged, once, and rightly."""

import concurrent.futures
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

import harness
from harness import RIGHT, SLOW, WRONG


class Kill(unittest.TestCase):
    def setUp(self):
        self.world = harness.World()
        self.world.only_languages("cpp")
        self.addCleanup(self.world.close)

    def assert_settled_once(self):
        """Every submission has one settled job of its current generation and no place left."""
        self.world.server.stop()
        with sqlite3.connect(self.world.folder / "data/assize.db") as database:
            count = lambda sql: database.execute(sql).fetchone()[0]
            for place in ("job_ready", "job_delayed", "job_lease"):
                self.assertEqual(count(f"select count(*) from {place}"), 0, place)
            self.assertEqual(count("select count(*) from submission"),
                             count("select count(*) from job_result"))
        database.close()

    def test_a_killed_node_s_job_is_judged_after_the_lease_by_another(self):
        world = self.world
        world.start_server()
        first = world.start_node()
        number = world.submit("aplusb", SLOW)
        world.wait_state(number, ("JUDGING",))

        first.kill()
        world.start_node()

        self.assertEqual(world.verdict(number), "ACCEPTED")
        self.assert_settled_once()

    def test_a_killed_node_comes_back_as_itself(self):
        world = self.world
        world.start_server()
        node = world.start_node()
        number = world.submit("aplusb", SLOW)
        world.wait_state(number, ("JUDGING",))

        node.kill()
        again = world.start_node(name=node.node_name, join_code="")

        self.assertEqual(world.verdict(number), "ACCEPTED")
        self.assertGreater(world.judger(again.node_name)["sessionEpoch"], 1)
        self.assert_settled_once()

    def test_a_killed_server_loses_nothing_and_nodes_carry_on(self):
        world = self.world
        world.start_server()
        node = world.start_node()
        numbers = [world.submit("aplusb", source) for source in (SLOW, RIGHT, WRONG, RIGHT)]
        world.wait_state(numbers[0], ("JUDGING",))

        world.server.kill()
        time.sleep(0.5)
        world.start_server()

        self.assertEqual([world.verdict(number) for number in numbers],
                         ["ACCEPTED", "ACCEPTED", "WRONG_ANSWER", "ACCEPTED"])
        self.assertIsNone(node.popen.poll())
        self.assertEqual(world.judger(node.node_name)["sessionEpoch"], 1)
        self.assert_settled_once()

    def test_a_server_away_for_longer_than_the_lease_loses_nothing(self):
        world = self.world
        world.start_server()
        node = world.start_node()
        number = world.submit("aplusb", SLOW)
        world.wait_state(number, ("JUDGING",))

        world.server.kill()
        time.sleep(4)
        world.start_server()

        self.assertEqual(world.verdict(number), "ACCEPTED")
        self.assertIsNone(node.popen.poll())
        self.assert_settled_once()

    def test_a_node_asleep_past_its_lease_does_not_settle_twice(self):
        world = self.world
        world.start_server()
        sleeper = world.start_node()
        number = world.submit("aplusb", SLOW)
        world.wait_state(number, ("JUDGING",))

        sleeper.signal(signal.SIGSTOP)
        world.start_node()
        self.assertEqual(world.verdict(number), "ACCEPTED")
        sleeper.signal(signal.SIGCONT)
        time.sleep(2)

        self.assertEqual(world.submission(number)["verdict"], "ACCEPTED")
        later = world.submit("aplusb", WRONG)
        self.assertEqual(world.verdict(later), "WRONG_ANSWER")
        self.assert_settled_once()

    def test_a_node_that_stops_in_good_order_hands_its_job_back(self):
        world = self.world
        world.start_server("--lease", "60s", "--renew", "1s")
        node = world.start_node()
        number = world.submit("aplusb", SLOW)
        world.wait_state(number, ("JUDGING",))

        self.assertEqual(node.stop(), 0)
        view = world.wait_state(number, ("PENDING",), 5)  # long before the lease would run out
        self.assertIsNotNone(view["reason"])
        world.start_node()

        self.assertEqual(world.verdict(number), "ACCEPTED")
        self.assert_settled_once()

    def test_a_second_server_is_refused_by_the_holder_s_name(self):
        world = self.world
        world.start_server()

        second = harness.Process([harness.ASSIZE, "server", "--listen", "127.0.0.1:0", "--data",
                                  world.folder / "data", "--languages-dir",
                                  world.languages], "second")

        self.assertEqual(second.popen.wait(20), 3)
        second.wait_for(rf"pid {world.server.popen.pid}\b", 5)
        self.assertIsNone(world.server.popen.poll())

    def test_fifty_at_once_with_one_key_are_one_submission(self):
        world = self.world
        world.start_server()
        world.get("/api/v1/problems")
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            numbers = list(pool.map(lambda _: world.submit("aplusb", RIGHT, key="same-key"),
                                    range(50)))
        self.assertEqual(len(set(numbers)), 1)
        self.assertEqual(len(world.get("/api/v1/submissions")["items"]), 1)

        with self.assertRaises(harness.Refused) as refused:
            world.submit("aplusb", WRONG, key="same-key")
        self.assertEqual(refused.exception.status, 422)
        self.assertEqual(refused.exception.problem["code"], "idempotency_mismatch")

    def test_whatever_is_killed_every_submission_gets_its_verdict(self):
        """Random kills of node and server while submissions come in; --long: for ten minutes."""
        world = self.world
        chance = random.Random(int(os.environ.get("ASSIZE_SEED", "1")))
        seconds = 600 if os.environ.get("ASSIZE_LONG") else 12
        expected = {}
        world.start_server("--attempts", "20")
        node = world.start_node(slots=2)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(chance.randint(1, 3)):
                source, verdict = chance.choice([(RIGHT, "ACCEPTED"), (WRONG, "WRONG_ANSWER"),
                                                 (SLOW, "ACCEPTED")])
                expected[world.submit("aplusb", source)] = verdict
            time.sleep(chance.uniform(0.2, 1.5))
            if chance.random() < 0.5:
                node.kill()
                node = world.start_node(slots=2, name=node.node_name, join_code="")
            else:
                world.server.kill()
                world.start_server("--attempts", "20")

        for number, verdict in expected.items():
            self.assertEqual(world.verdict(number, 120), verdict, f"submission {number}")
        self.assert_settled_once()


class Up(unittest.TestCase):
    """`assize up`: one command, several processes."""

    def setUp(self):
        self.world = harness.World()
        self.world.only_languages("cpp", "python3")
        self.addCleanup(self.world.close)

    def start_up(self):
        world = self.world
        world.server = harness.Process(
            [harness.ASSIZE, "up", "--listen", f"127.0.0.1:{world.port}", "--data",
             world.folder / "data", "--web", "/nonexistent", "--languages-dir",
             world.languages, "--demo", harness.PROBLEMS, "--log-format", "json",
             *harness.RHYTHM], "up")
        world.server.wait_for("Assize is ready")
        if world.password is None:
            world.password = world.server.wait_for(r"password (\S+)")[1]

    def children(self):
        names = {}
        listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid",
                                 str(self.world.server.popen.pid)], capture_output=True, text=True)
        for line in listed.stdout.splitlines():
            pid, name = line.split(None, 1)
            names.setdefault(name.strip(), []).append(int(pid))
        return names

    def test_one_command_judges_and_stops_without_a_trace(self):
        world = self.world
        self.start_up()
        python = "a,b=map(int,input().split())\nprint(a+b)\n"
        self.assertEqual(world.verdict(world.submit("aplusb", RIGHT)), "ACCEPTED")
        self.assertEqual(world.verdict(world.submit("aplusb", python, "python3")), "ACCEPTED")
        self.assertEqual(len(self.children()["assize-server"]), 1)
        self.assertGreaterEqual(len(self.children()["assize-node"]), 2)

        self.assertEqual(world.server.stop(), 0)

        left = subprocess.run(["pgrep", "-fa", str(world.folder)], capture_output=True, text=True)
        self.assertEqual(left.stdout, "")

    def test_a_killed_child_is_started_again(self):
        world = self.world
        self.start_up()
        number = world.submit("aplusb", SLOW)
        world.wait_state(number, ("JUDGING",))

        for pids in self.children().values():
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
        time.sleep(1.5)

        for attempt in range(100):
            try:
                self.assertEqual(world.verdict(number), "ACCEPTED")
                break
            except OSError:
                time.sleep(0.1)
        self.assertEqual(world.server.stop(), 0)

    def test_a_second_start_needs_no_new_password_and_keeps_everything(self):
        world = self.world
        self.start_up()
        number = world.submit("aplusb", RIGHT)
        self.assertEqual(world.verdict(number), "ACCEPTED")
        self.assertEqual(world.server.stop(), 0)

        self.start_up()

        self.assertFalse(any("password" in line for line in world.server.lines))
        self.assertEqual(world.submission(number)["verdict"], "ACCEPTED")
        self.assertEqual(world.verdict(world.submit("aplusb", WRONG)), "WRONG_ANSWER")

    def test_a_forgotten_password_is_reset_beside_the_running_server(self):
        world = self.world
        self.start_up()
        reset = harness.Process(["env", "-C", "/", harness.ASSIZE, "admin", "reset-password",
                                 "--local", "--data", world.folder / "data"], "reset")

        fresh = reset.wait_for(r"New password of admin: (\S+)")[1]

        self.assertEqual(reset.popen.wait(10), 0)
        with self.assertRaises(harness.Refused):
            world.sign_in(password=world.password)
        self.assertTrue(world.sign_in(password=fresh))


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: the sandbox needs root")
        sys.exit(77)
    unittest.main(verbosity=2)
