#!/usr/bin/env python3
"""A node and what is around it: a server behind TLS by the real nginx, whose certificate must hold; the
limits of its machine; and what a killed one leaves behind.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import proxies
import test_sql
from harness import ASSIZE, PROBLEMS, Process, World, free_port

PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"

CONFIG = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_max_body_size 64m;
{servers}
}}
"""
SERVER = """
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {name}.pem;
        ssl_certificate_key {name}.key;
        location / {{ proxy_pass {url}; proxy_read_timeout 60s; }}
    }}
"""


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


class Tls:
    """An authority of the test's own and nginx with one listener for each certificate."""

    def __init__(self, folder, url):
        self.folder = folder
        folder.mkdir()
        folder.chmod(0o755)
        for name in ("ca", "other-ca"):
            openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}",
                    "-days", "30")
        self.ports = {"good": self.certificate("good", "IP:127.0.0.1", "30"),
                      "name": self.certificate("name", "DNS:other.example.org", "30"),
                      "late": self.certificate("late", "IP:127.0.0.1", "-1")}
        self.start(url)

    def certificate(self, name, names, days):
        (self.folder / f"{name}.ext").write_text(f"subjectAltName={names}\n")
        openssl(self.folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl(self.folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", f"{name}.pem", "-days", days, "-extfile", f"{name}.ext")
        return free_port()

    def start(self, url):
        servers = "".join(SERVER.format(name=f"{self.folder}/{name}", port=port, url=url)
                          for name, port in self.ports.items())
        path = self.folder / "nginx.conf"
        path.write_text(CONFIG.format(folder=self.folder, user="user root;", servers=servers))
        # A group of its own, so that its workers go with it.
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-c", path, "-e",
                                         self.folder / "error.log"], start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for port in self.ports.values():
            proxies.wait_for_port(port, self.process)

    def url(self, name):
        return f"https://127.0.0.1:{self.ports[name]}"

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Machine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.addClassCleanup(cls.world.close)
        cls.world.only_languages("python3", "mysql", "sqlite")
        problems = cls.world.folder / "problems"
        for folder in (PROBLEMS / "aplusb", PROBLEMS / "gap", test_sql.EXAMPLES / "select-join"):
            shutil.copytree(folder, problems / folder.name)
        text = (problems / "gap/problem.yaml").read_text()
        assert "time_limit: 2\n" in text
        (problems / "gap/problem.yaml").write_text(text.replace("time_limit: 2\n", "time_limit: 20\n"))
        cls.world.start_server("--demo", problems)

    def refused(self, url, *more):
        """What a node says that ends by itself before it has joined."""
        node = Process([ASSIZE, "node", "--pool", "python", "--server", url, "--join-code", "x",
                        "--data", self.world.folder / "data", "--slots", "1",
                        "--workspace", self.world.folder / "node-refused",
                        "--languages-dir", self.world.languages, "--log-format", "json", *more], "refused")
        self.addCleanup(node.kill)
        self.assertNotEqual(node.popen.wait(60), 0)
        node.reader.join()
        return "\n".join(node.lines)

    def test_a_certificate_must_hold(self):
        tls = Tls(self.world.folder / "tls", self.world.url)
        self.addCleanup(tls.close)
        authority = ["--ca-file", tls.folder / "ca.pem"]
        rows = [("good", [], "self-signed|issuer|unable to get"),
                ("good", ["--ca-file", tls.folder / "other-ca.pem"], "issuer|unable to get|signature"),
                ("good", ["--ca-file", tls.folder / "none.pem"], "none.pem"),
                ("name", authority, "name|subject|127.0.0.1"),
                ("late", authority, "expired")]
        for name, more, words in rows:
            said = self.refused(tls.url(name), *more)
            self.assertIn(f"the certificate of {tls.url(name)} is not trusted", said)
            self.assertRegex(said.lower(), words)
        world = self.world
        node = world.start_node("python", url=tls.url("good"), more=authority)
        self.assertEqual(world.verdict(world.submit("aplusb", PYTHON, "python3")), "ACCEPTED")
        self.assertEqual(node.stop(), 0)

    def test_a_problem_that_needs_more_than_the_machine_gives_waits_for_another(self):
        """Refused by the small node with words, judged by the large one; the verdict is the usual."""
        world = self.world
        small = world.start_node("python", more=["--run-time", "10s"])
        number = world.submit("gap", PYTHON, "python3")
        small.wait_for(r"job\.failed.*judge\.run_time", 60)
        large = world.start_node("python")
        self.assertIn(world.verdict(number, 90), ("WRONG_ANSWER", "RUNTIME_ERROR"))
        self.assertEqual([small.stop(), large.stop()], [0, 0])

    def test_what_a_killed_node_left_is_gone_at_the_next_start(self):
        """The node and its box at once, in the middle of a statement: nobody is there to clean up."""
        world = self.world
        node = world.start_node("mysql", name="sql")
        number = world.submit("select-join", test_sql.source(
            "select-join", "time_limit_exceeded/cross.sql"), "mysql")
        world.wait_state(number, ("JUDGING",))
        test_sql.database()
        old = set(test_sql.databases())
        for pid in [node.popen.pid, *boxes_of(node.popen.pid)]:
            os.kill(pid, signal.SIGKILL)
        node.popen.wait()
        half = world.folder / "node-sql/artifacts" / ("new-" + "0" * 64)
        half.write_text("half of a file")
        shutil.chown(half, (world.folder / "node-sql/artifacts").stat().st_uid)

        again = world.start_node("mysql", name="sql", join_code="")

        self.assertEqual(world.verdict(number, 90), "TIME_LIMIT_EXCEEDED")
        self.assertEqual(old & set(test_sql.databases()), set())
        self.assertFalse(half.exists())
        self.assertEqual(again.stop(), 0)
        self.assertEqual(test_sql.databases(), [])
        self.assertEqual(cgroups("assize-mysql"), [])


def boxes_of(pid):
    """The children of a node that are called assize-box."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue  # it has ended
        if words[0].split("(", 1)[1].startswith("assize-box") and int(words[1].split()[1]) == pid:
            found.append(int(folder.name))
    assert found, "the node has no box"
    return found


def cgroups(name):
    root = pathlib.Path("/sys/fs/cgroup")
    return [path for depth in ("", "*/", "*/*/", "*/*/*/") for path in root.glob(depth + name)]


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: the sandbox needs root")
        sys.exit(77)
    unittest.main(verbosity=2)
