#!/usr/bin/env python3
"""The packaged nginx configuration, asked rule by rule with the real nginx."""

import concurrent.futures
import http.client
import re
import socket
import sys
import tempfile
import threading
import unittest

import proxies
from harness import free_port
from proxies import Upstream


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="assize-nginx-")
        self.addCleanup(self.folder.cleanup)

    def start(self, public, machine=None):
        for upstream in [*public, *(machine or [])]:
            self.addCleanup(upstream.close)
        machine = machine or public[:1]
        self.nginx = proxies.Nginx(self.folder.name, [u.address for u in public],
                                   [u.address for u in machine], free_port(), free_port())
        self.nginx.machine = int(self.nginx.whole().split("judge nodes")[1]
                                 .split("listen 127.0.0.1:")[1].split(";")[0])
        self.addCleanup(self.nginx.kill)
        self.nginx.start()

    def ask(self, method, path, body=None, headers=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.nginx.port, timeout=30)
        self.addCleanup(connection.close)
        connection.putrequest(method, path, skip_host="Host" in (headers or {}),
                              skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()

    # ---- who may ask for what ----

    def test_the_inner_addresses_are_nobody_s_business_however_they_are_written(self):
        upstream = Upstream()
        self.start([upstream])
        for path in ("/api/v1/internal/judgers/join", "/api/v1/internal", "/api/v1/internal/",
                     "/api/v1//internal/judgers/join", "/api/v1/%69nternal/judgers/join",
                     "/api/v1/x/../internal/judgers/join", "/api%2fv1%2finternal%2fjudgers/join",
                     "/api/v1/./internal/x", "//api/v1/internal/x", "/metrics", "/metrics?x=1",
                     "/%6detrics", "/readyz", "/x/../readyz"):
            for method in ("GET", "POST"):
                status, _ = self.ask(method, path, b"" if method == "POST" else None)
                self.assertEqual(status, 404, f"{method} {path}")
        self.assertEqual(upstream.paths(), [])

    def test_everything_else_passes_as_it_was_written(self):
        upstream = Upstream()
        self.start([upstream])
        paths = ["/", "/problems/1", "/healthz", "/api/v1/problems?limit=5", "/api/v1/x%2Fy",
                 "/api/v1/submissions/7/events"]
        for path in paths:
            self.assertEqual(self.ask("GET", path)[0], 200, path)
        self.assertEqual(upstream.paths(), paths)

    def test_the_machine_listener_has_the_machine_api_and_nothing_else(self):
        public = Upstream()
        machine = Upstream()
        self.start([public], [machine])
        port = self.nginx.machine
        self.assertEqual(self.ask("POST", "/api/v1/internal/judgers/join", b"{}", port=port)[0], 200)
        for path in ("/", "/api/v1/problems", "/metrics", "/api/v1/internal/../problems"):
            self.assertEqual(self.ask("GET", path, port=port)[0], 404, path)
        self.assertEqual(machine.paths(), ["/api/v1/internal/judgers/join"])
        self.assertEqual(public.paths(), [])

    def test_who_asks_is_what_nginx_saw(self):
        upstream = Upstream()
        self.start([upstream])
        self.ask("GET", "/", headers={"X-Forwarded-For": "6.6.6.6", "X-Forwarded-Proto": "https",
                                      "Host": "judge.example:8000"})
        head = upstream.requests[0][0]
        self.assertIn("X-Forwarded-For: 127.0.0.1\r\n", head)
        self.assertIn("X-Forwarded-Proto: http\r\n", head)
        self.assertIn("Host: judge.example:8000\r\n", head)
        self.assertNotIn("6.6.6.6", head)

    # ---- sizes ----

    def test_bodies_are_as_large_as_their_address_needs(self):
        upstream = Upstream()
        self.start([upstream])
        mib = 1024 * 1024
        for path, size, expected in (("/api/v1/submissions", mib, 200),
                                     ("/api/v1/submissions", 2 * mib + 1, 413),
                                     ("/api/v1/admin/problems", 8 * mib, 200)):
            status, _ = self.ask("POST", path, b"x" * size)
            self.assertEqual(status, expected, f"{path} {size}")
        status, _ = self.ask("POST", "/api/v1/internal/judgers/jobs/1/result", b"x" * 4 * mib,
                             port=self.nginx.machine)
        self.assertEqual(status, 200)

    # ---- time ----

    def test_events_come_while_the_answer_is_still_open(self):
        go_on = threading.Event()

        def events(_, __, connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               b"Connection: close\r\n\r\ndata: one\n\n")
            go_on.wait(30)
            connection.sendall(b"data: two\n\n")
            return False

        self.start([Upstream(events)])
        for path in ("/api/v1/submissions/7/events", "/api/v1/remote/submissions/7/events"):
            go_on.clear()
            with socket.create_connection(("127.0.0.1", self.nginx.port), timeout=20) as client:
                client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                seen = b""
                while b"data: one" not in seen:  # times out when nginx keeps it back
                    seen += client.recv(4096)
                self.assertNotIn(b"data: two", seen)
                go_on.set()
                while b"data: two" not in seen:
                    seen += client.recv(4096)

    def test_waiting_is_allowed_for_as_long_as_the_servers_need(self):
        self.start([Upstream()])
        text = self.nginx.whole()
        public, machine = text.split("# ---- judge nodes")
        seconds = lambda part: [int(n) for n in re.findall(r"proxy_read_timeout (\d+)s;", part)]
        self.assertIn("proxy_read_timeout 1h;", public)
        self.assertGreater(seconds(public)[0], 60)   # ?wait= of a minute
        self.assertGreater(seconds(machine)[0], 25)  # CLAIM_WAIT_MS_MAX

    # ---- several servers ----

    def test_a_post_that_a_server_has_read_is_never_sent_again_and_a_get_is(self):
        def hang_up(_, __, ___):
            return False

        for method, reached, expected in (("POST", 1, 502), ("PATCH", 1, 502), ("GET", 2, 502)):
            upstreams = [Upstream(hang_up), Upstream(hang_up)]
            self.start(upstreams)
            status, _ = self.ask(method, "/api/v1/submissions", b"{}" if method != "GET" else None)
            self.assertEqual(status, expected)
            self.assertEqual(sum(len(u.paths()) for u in upstreams), reached, method)
            self.nginx.kill()

    def test_nor_is_a_claim_or_a_result(self):
        upstreams = [Upstream(lambda *_: False), Upstream(lambda *_: False)]
        self.start(upstreams, upstreams)
        for path in ("jobs/claim", "jobs/5/result"):
            before = sum(len(u.paths()) for u in upstreams)
            self.ask("POST", f"/api/v1/internal/judgers/{path}", b"{}", port=self.nginx.machine)
            self.assertLessEqual(sum(len(u.paths()) for u in upstreams) - before, 1)

    def test_a_server_that_is_gone_is_passed_over_by_posts_too(self):
        gone = Upstream()
        there = Upstream()
        self.start([gone, there])
        gone.close()
        for _ in range(10):
            self.assertEqual(self.ask("POST", "/api/v1/submissions", b"{}")[0], 200)
        self.assertEqual(len(there.paths()), 10)

    def test_the_server_with_the_fewest_requests_is_taken(self):
        go_on = threading.Event()

        def hold(upstream, _, connection):
            go_on.wait(30)
            upstream.fine(connection)

        busy = Upstream(hold)
        free = Upstream()
        self.start([busy, free])
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            asked = []
            for number in range(1, 13):
                asked.append(pool.submit(self.ask, "GET", "/"))
                while len(busy.paths()) + len(free.paths()) < number:
                    pass
            held = len(busy.paths())
            go_on.set()
            self.assertTrue(all(answer.result()[0] == 200 for answer in asked))
        # Each of nginx's two workers counts its own requests; by turns it would be six.
        self.assertLessEqual(held, 2)

    def test_what_people_search_for_is_not_logged(self):
        self.start([Upstream()])
        self.ask("GET", "/api/v1/problems?search=private")
        self.nginx.kill()
        with open(f"{self.folder.name}/assize.log", encoding="utf-8") as log:
            text = log.read()
        self.assertIn("/api/v1/problems", text)
        self.assertNotIn("private", text)


if __name__ == "__main__":
    if not proxies.is_installed("nginx"):
        print("skipped: nginx is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
