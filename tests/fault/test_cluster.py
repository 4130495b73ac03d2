#!/usr/bin/env python3
"""Several servers, nodes, MariaDB, Redis and nginx; each killed, stopped, cut off or filled up in turn.
In each fault submissions with known verdicts go through; at the end every accepted one has one verdict,
the right one, and nothing is left over.

One cluster for all faults. --long, or ASSIZE_LONG=1: also a full disk below the database, and twenty
minutes of random kills.
"""

import atexit
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

import cluster
import harness
import proxies
import routes
from harness import ASSIZE, RIGHT, SLOW, WRONG

KNOWN = [(RIGHT, "ACCEPTED"), (WRONG, "WRONG_ANSWER")]


class FakeNode:
    """A node that says what a test wants, over the machine API."""

    def __init__(self, world, pool="cpp"):
        self.world = world
        self.name = f"fake-{secrets.token_hex(4)}"
        code = world.post("/api/v1/admin/judgers",
                          {"name": self.name, "pool": pool, "slots": 1})["joinCode"]
        self.credential = None
        self.credential = self.call("join", {"joinCode": code, "protocolVersion": 1,
                                             "name": self.name, "version": "0"})["credential"]
        self.epoch = self.call("session", {
            "protocolVersion": 1, "version": "0", "slots": 1, "configDigest": "0" * 64,
            "languages": [{"id": "cpp", "version": "fake"}],
            "selfTest": {"passed": True, "detail": ""}})["sessionEpoch"]
        world.enable(self.name)
        self.beat()

    def call(self, path, body):
        headers = {"Content-Type": "application/json"}
        if self.credential is not None:
            headers["Authorization"] = f"Bearer {self.credential}"
        request = urllib.request.Request(
            f"{self.world.node_url}/api/v1/internal/judgers/{path}", json.dumps(body).encode(),
            headers, method="POST")
        with urllib.request.urlopen(request, timeout=40) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def beat(self):
        self.call("heartbeat", {"sessionEpoch": self.epoch, "busySlots": 1, "loadPermille": 0})

    def claim(self):
        """Waits as a node does, whose heartbeats go on meanwhile."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            self.beat()
            jobs = self.call("jobs/claim", {"sessionEpoch": self.epoch, "freeSlots": 1,
                                            "waitMs": 500, "claimId": secrets.token_hex(8)})["jobs"]
            if jobs:
                return jobs
        raise AssertionError("no job for a minute")

    def renew(self, job):
        self.beat()
        lease = {name: job[name] for name in ("jobId", "leaseEpoch", "leaseToken")}
        return self.call("jobs/renew", {"sessionEpoch": self.epoch, "leases": [lease]})


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Twenty minutes of killing nodes cost more attempts than the usual three; nothing else may.
        rhythm = [*harness.RHYTHM, *(["--attempts", "20"] if os.environ.get("ASSIZE_LONG") else [])]
        cls.world = cluster.Cluster(rhythm=rhythm, small_disks=True)
        cls.addClassCleanup(cls.world.close)
        cls.world.only_languages("cpp")
        atexit.register(cls.world.close)  # ended from outside: nothing stays mounted or running
        cls.world.start(nodes=3)
        cls.expected = {}

    # ---- what is sent, and what must come of it ----

    def submit(self, source=RIGHT, verdict="ACCEPTED"):
        number = self.world.submit_surely("aplusb", source)
        self.expected[number] = verdict
        return number

    def submit_known(self):
        return [self.submit(source, verdict) for source, verdict in KNOWN]

    def assert_judged(self, numbers, seconds=90):
        for number in numbers:
            self.assertEqual(self.world.verdict_surely(number, seconds), self.expected[number],
                             f"submission {number}")

    def replace_node(self, node):
        """The same node started again, as systemd would."""
        self.world.nodes.remove(node)
        return self.world.patiently(
            lambda: self.world.start_node(name=node.node_name, join_code=""))

    # ---- killed ----

    def test_01_a_node(self):
        slow = self.submit(SLOW)
        victim = self.world.node_of(slow)
        victim.kill()
        numbers = self.submit_known()
        self.assert_judged([slow, *numbers])
        self.replace_node(victim)

    def test_02_a_server_in_the_middle_of_everything(self):
        numbers = self.submit_known()
        for server in self.world.servers:
            server.process.kill()
            numbers += self.submit_known()
            self.world.run_server(server)
        self.assert_judged(numbers)

    def test_03_all_servers_at_once(self):
        slow = self.submit(SLOW)
        self.world.node_of(slow)
        for server in self.world.servers:
            server.process.kill()
        for server in self.world.servers:
            self.world.run_server(server, wait=False)
        for server in self.world.servers:
            server.process.wait_for("Assize is ready", 60)
        self.assert_judged([slow, *self.submit_known()])

    def test_04_the_database(self):
        numbers = self.submit_known()
        self.world.database.kill()
        status, headers, _ = self.world.raw("GET", "/api/v1/submissions/1", headers={
            "Authorization": f"Bearer {self.world.token}"})
        self.assertEqual(status, 503)
        self.assertTrue(headers["Retry-After"])
        self.world.database.start()
        self.assert_judged([*numbers, *self.submit_known()])

    def ask(self, node, token, method, template, body):
        """Status, Retry-After and body of one operation at the first server."""
        server = self.world.servers[0]
        internal = routes.is_internal(template)
        port = server.machine_port if internal else server.port
        bearer = node.credential if template.startswith("/api/v1/internal/") else token
        data = None if method in ("GET", "DELETE") else json.dumps(
            body if body is not None else {"noSuchField": 1}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{routes.path_of(template)}", data, method=method,
            headers={"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers.get("Retry-After"), ""
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers.get("Retry-After"), answer.read(400).decode()

    def ask_all(self, node, token):
        bodies = routes.bodies(node.epoch)
        return {(method, path): self.ask(node, token, method, path, bodies.get((method, path)))
                for method, path in routes.operations()}

    def test_04a_every_route_while_the_database_is_away(self):
        node = FakeNode(self.world)
        self.set_state(node.name, "DRAINING")
        tokens = [self.world.patiently(self.world.sign_in) for _ in range(3)]
        before = self.ask_all(node, tokens[0])
        self.assertFalse([asked for asked, (status, _, _) in before.items() if status >= 500])
        self.world.database.kill()
        try:
            away = self.ask_all(node, tokens[1])
        finally:
            self.world.database.start()
        for asked, (status, retry_after, _) in away.items():
            with self.subTest(asked):
                self.assertIn(status, (503, before[asked][0]))
                self.assertTrue(status != 503 or int(retry_after) >= 1, "no Retry-After")
        self.assertGreater(sum(status == 503 for status, _, _ in away.values()), 25)
        self.assert_judged(self.submit_known())  # it is back by itself
        again = self.ask_all(node, tokens[2])
        changed = {asked: answer for asked, answer in again.items()
                   if answer[0] != before[asked][0]}
        self.assertEqual(changed, {}, "answered otherwise than before")

    def test_04b_an_outage_longer_than_all_attempts(self):
        """Three attempts of three seconds: nobody could renew, so none of them is used up."""
        slow = self.submit(SLOW)
        self.world.node_of(slow)
        self.world.database.kill()
        time.sleep(10)
        self.world.database.start()
        self.assert_judged([slow, *self.submit_known()])
        attempts = self.world.sql("SELECT attempts FROM job WHERE subject_id = %d" % slow).strip()
        self.assertEqual(attempts, "1")

    def redis_is(self, word, seconds=30):
        end = time.monotonic() + seconds
        for server in self.world.servers:
            while True:
                with urllib.request.urlopen(
                        f"http://127.0.0.1:{server.port}/api/system/health", timeout=10) as answer:
                    now = json.load(answer)["redis"]
                if now == word:
                    break
                self.assertLess(time.monotonic(), end, f"server {server.number}: redis is {now}")
                time.sleep(0.05)

    def test_05_redis_and_everything_goes_on_without_it(self):
        self.redis_is("ok")
        self.world.redis.kill()
        self.assert_judged(self.submit_known())
        self.redis_is("down")
        self.world.redis.start()
        self.redis_is("ok")
        self.assert_judged(self.submit_known())

    def test_06_nginx(self):
        numbers = self.submit_known()
        self.world.nginx.kill()
        time.sleep(1)
        self.world.nginx.start()
        self.assert_judged([*numbers, *self.submit_known()])

    # ---- stopped, cut off, answers lost ----

    def test_07_a_node_asleep_past_its_lease(self):
        slow = self.submit(SLOW)
        sleeper = self.world.node_of(slow)
        sleeper.signal(signal.SIGSTOP)
        self.assert_judged([slow])
        sleeper.signal(signal.SIGCONT)
        self.assert_judged([slow, *self.submit_known()])

    def only_node(self, **options):
        """A node that gets the next job: the others drain meanwhile."""
        for node in self.world.nodes:
            self.set_state(node.node_name, "DRAINING")
        return self.world.start_node(**options)

    def set_state(self, name, state):
        def change():
            judger = self.world.judger(name)
            if judger["configState"] != state:
                self.world.call("PATCH", f"/api/v1/admin/judgers/{judger['id']}",
                                {"revision": judger["revision"], "configState": state})
        self.world.patiently(change)

    def all_nodes_again(self, without=None):
        if without is not None:
            without.kill()
            self.world.nodes.remove(without)
        for node in self.world.nodes:
            self.set_state(node.node_name, "ENABLED")

    def through_losing_proxy(self, request, answer):
        proxy = proxies.Losing(self.world.machine_port)
        self.addCleanup(proxy.close)
        node = self.only_node(url=f"http://127.0.0.1:{proxy.port}")
        proxy.lose_next(request, answer)
        numbers = self.submit_known()
        self.assertTrue(proxy.lost.wait(30), "no such answer came by")
        self.assert_judged(numbers)
        self.all_nodes_again(without=node)

    def test_08_the_answer_to_a_claim(self):
        self.through_losing_proxy(b"/jobs/claim ", b'"leaseToken"')

    def test_09_the_answer_to_a_result(self):
        self.through_losing_proxy(b"/result ", b"200 OK")

    def test_10_the_network_between_a_node_and_the_servers(self):
        name = f"assize{os.getpid() % 10000}"
        run = lambda *words: subprocess.run(words, check=True, capture_output=True)
        run("ip", "netns", "add", name)
        self.addCleanup(subprocess.run, ["ip", "netns", "del", name], check=False)
        run("ip", "link", "add", f"{name}h", "type", "veth", "peer", "name", f"{name}n")
        self.addCleanup(subprocess.run, ["ip", "link", "del", f"{name}h"], check=False,
                        capture_output=True)
        run("ip", "link", "set", f"{name}n", "netns", name)
        run("ip", "addr", "add", "10.97.53.1/30", "dev", f"{name}h")
        run("ip", "link", "set", f"{name}h", "up")
        run("ip", "-n", name, "addr", "add", "10.97.53.2/30", "dev", f"{name}n")
        run("ip", "-n", name, "link", "set", f"{name}n", "up")
        bridge = proxies.Losing(self.world.machine_port, "10.97.53.1")
        self.addCleanup(bridge.close)
        node = self.only_node(url=f"http://10.97.53.1:{bridge.port}",
                              before=("nsenter", f"--net=/run/netns/{name}"))
        slow = self.submit(SLOW)
        self.world.node_of(slow)
        run("ip", "link", "set", f"{name}h", "down")
        self.all_nodes_again()
        self.assert_judged([slow])  # by another
        run("ip", "link", "set", f"{name}h", "up")
        for other in self.world.nodes:
            if other is not node:
                self.set_state(other.node_name, "DRAINING")
        self.assert_judged(self.submit_known())  # by the one that was cut off
        self.all_nodes_again(without=node)

    def test_11_a_node_that_renews_for_ever_and_never_ends(self):
        for node in self.world.nodes:
            self.set_state(node.node_name, "DRAINING")
        fake = FakeNode(self.world)
        number = self.submit()
        job = fake.claim()[0]
        self.assertEqual(job["submissionId"], number)
        self.assertEqual(fake.renew(job)["leases"][0]["answer"], "GO")
        # Its time is over: minutes pass in the only clock that counts.
        self.world.sql(f"UPDATE job_lease SET stop_at_ms = 1 WHERE job_id = {job['jobId']}")
        self.set_state(fake.name, "DRAINING")
        self.all_nodes_again()
        end = time.monotonic() + 60
        while self.world.submission(number)["state"] != "DONE":
            self.assertLess(time.monotonic(), end)
            answer = fake.renew(job)["leases"][0]["answer"]
            self.assertNotEqual(answer, "GO")
            time.sleep(0.2)
        self.assert_judged([number])

    # ---- disks ----

    def test_12_the_disk_of_a_server_is_full(self):
        disk = self.world.disks["server"]
        disk.fill()
        self.assert_judged(self.submit_known())
        disk.free()
        self.assert_judged(self.submit_known())

    def test_13_the_disk_of_a_node_is_full(self):
        """It fails its jobs at once and is free for the next one, before all others. They go on to
        another, at no cost; while there is none they wait, and are judged when there is room."""
        disk = self.world.disks["node"]
        node = self.only_node(workspace=disk.folder)
        disk.fill()
        waiting = self.submit_known()
        end = time.monotonic() + 30
        while int(self.world.sql("SELECT count(*) FROM job_avoid").strip()) < len(waiting):
            self.assertLess(time.monotonic(), end, "the node fails nothing")
            time.sleep(0.1)
        self.all_nodes_again()
        numbers = [number for _ in range(3) for number in self.submit_known()]
        self.assert_judged([*waiting, *numbers])
        attempts = self.world.sql("SELECT max(attempts) FROM job WHERE subject_id IN (%s)" %
                                  ",".join(map(str, [*waiting, *numbers]))).strip()
        self.assertEqual(attempts, "1")
        disk.free()
        self.assert_judged(self.submit_known())
        self.all_nodes_again(without=node)

    @unittest.skipUnless(os.environ.get("ASSIZE_LONG"), "--long: MariaDB waits a minute for room")
    def test_14_the_disk_of_the_database_is_full(self):
        numbers = self.submit_known()
        disk = self.world.disks["database"]
        disk.fill()
        late = []
        sender = threading.Thread(target=lambda: late.extend(self.submit_known()))
        sender.start()
        time.sleep(5)
        disk.free()
        sender.join(120)
        self.assertEqual(len(late), len(KNOWN))
        self.assert_judged([*numbers, *late, *self.submit_known()], 150)

    def test_15_the_database_only_reads(self):
        numbers = self.submit_known()
        self.world.database.sql("SET GLOBAL read_only = 1")
        try:
            status, headers, body = self.world.raw(
                "POST", "/api/v1/submissions",
                json.dumps({"problemId": self.world.problem("aplusb"), "language": "cpp",
                            "source": RIGHT}).encode(),
                {"Authorization": f"Bearer {self.world.token}", "Content-Type": "application/json"})
            self.assertEqual(status, 503, body)
            self.assertTrue(headers["Retry-After"])
            self.assertEqual(self.world.get("/api/v1/submissions?limit=1")["items"][0]["id"],
                             max(self.expected))
        finally:
            self.world.database.sql("SET GLOBAL read_only = 0")
        self.assert_judged([*numbers, *self.submit_known()])

    # ---- progress ----

    def test_16_progress_reaches_a_viewer_at_another_server(self):
        """The node talks to the first server alone, the viewer listens at the last."""
        self.see_progress_elsewhere()

    def test_16b_without_redis_too(self):
        self.redis_is("ok")
        self.world.redis.kill()
        self.redis_is("down")
        try:
            self.see_progress_elsewhere()
        finally:
            self.world.redis.start()

    def see_progress_elsewhere(self):
        first, last = self.world.servers[0], self.world.servers[-1]
        node = self.only_node(url=f"http://127.0.0.1:{first.machine_port}")
        number = self.submit(SLOW)
        request = urllib.request.Request(
            f"http://127.0.0.1:{last.port}/api/v1/submissions/{number}/events",
            headers={"Authorization": f"Bearer {self.world.token}"})
        cases = set()
        with urllib.request.urlopen(request, timeout=60) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    view = json.loads(line[5:])
                    if view.get("state") == "JUDGING":
                        cases.add(view.get("caseIndex"))
                    if view.get("state") == "DONE":
                        break
        self.assertGreater(len(cases - {None}), 1, "no case by case progress")
        self.all_nodes_again(without=node)

    # ---- at random ----

    @unittest.skipUnless(os.environ.get("ASSIZE_LONG"), "--long")
    def test_17_whatever_is_killed_for_twenty_minutes(self):
        chance = random.Random(int(os.environ.get("ASSIZE_SEED", "1")))
        end = time.monotonic() + float(os.environ.get("ASSIZE_CHAOS_SECONDS", "1200"))
        while time.monotonic() < end:
            for _ in range(chance.randint(1, 4)):
                self.submit(*chance.choice([*KNOWN, (SLOW, "ACCEPTED")]))
            time.sleep(chance.uniform(0.1, 1.0))
            self.kill_something(chance)
        self.assert_judged(self.expected, 300)

    def kill_something(self, chance):
        kind = chance.choice(["node", "node", "server", "server", "database", "redis", "nginx",
                              "sleep"])
        if kind == "node":
            node = chance.choice(self.world.nodes)
            node.kill()
            self.replace_node(node)
        elif kind == "server":
            server = chance.choice(self.world.servers)
            server.process.kill()
            self.world.run_server(server)
        elif kind == "sleep":
            node = chance.choice(self.world.nodes)
            node.signal(signal.SIGSTOP)
            time.sleep(4)
            node.signal(signal.SIGCONT)
        else:
            part = getattr(self.world, kind)
            part.kill()
            time.sleep(chance.uniform(0, 2))
            part.start()

    # ---- the end ----

    def test_99_every_accepted_submission_has_one_verdict_and_nothing_is_left(self):
        self.assert_judged(self.expected)
        answer = subprocess.run(
            ["timeout", "60", ASSIZE, "admin", "reconcile", "--settled", "--server", self.world.url, "--json"],
            capture_output=True, text=True, check=False,
            env={**os.environ, "ASSIZE_USER": "admin", "ASSIZE_PASSWORD": self.world.password})
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        for place in ("job_ready", "job_delayed", "job_lease"):
            self.assertEqual(self.world.sql(f"SELECT count(*) FROM {place}").strip(), "0", place)
        self.assertEqual(self.world.sql("SELECT count(*) FROM submission").strip(),
                         str(len(self.expected)), "a request with one key was taken twice")
        self.assertEqual(self.world.sql(
            "SELECT count(*) FROM submission s JOIN job_result r ON r.job_id = s.current_job_id"
        ).strip(), str(len(self.expected)))


if __name__ == "__main__":
    if reason := cluster.missing():
        print(f"skipped: {reason}")
        sys.exit(77)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if "--long" in sys.argv:
        sys.argv.remove("--long")
        os.environ["ASSIZE_LONG"] = "1"
    unittest.main(verbosity=2, failfast=False)
