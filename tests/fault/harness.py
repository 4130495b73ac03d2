"""Real servers and nodes on loopback ports, for tests that kill them.

Needs root (the sandbox) and the built programs: ASSIZE_BUILD names the build folder. Everything runs in
a temporary folder and is ended by close(), whatever a test did.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ASSIZE_BUILD", ROOT / "build"))
ASSIZE = BUILD / "src/main/assize"
PROBLEMS = ROOT / "tests/fixtures/problems"

# Leases of three seconds: what takes a minute with the defaults takes seconds here.
RHYTHM = ["--lease", "3s", "--renew", "700ms", "--heartbeat", "500ms", "--offline", "2s",
          "--reap", "300ms"]


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A started program whose output is kept."""

    def __init__(self, arguments, name, environment=None):
        self.name = name
        self.lines = []
        self.popen = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      stdin=subprocess.DEVNULL, text=True, errors="replace",
                                      # No compiling of headers beside what is tested.
                                      env={"JUDGE_WARM": "false", **(environment or os.environ)})
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        with self.popen.stdout as output:
            for line in output:
                self.lines.append(line.rstrip("\n"))

    def wait_for(self, pattern, seconds=30):
        """The first match of a regular expression in the output, now or within some seconds."""
        end = time.monotonic() + seconds
        seen = 0
        while True:
            lines = self.lines
            for line in lines[seen:]:
                if match := re.search(pattern, line):
                    return match
            seen = len(lines)
            if time.monotonic() > end or (self.popen.poll() is not None and seen == len(self.lines)):
                raise AssertionError(f"{self.name} never said {pattern!r}:\n" +
                                     "\n".join(self.lines[-40:]))
            time.sleep(0.02)

    def signal(self, number):
        self.popen.send_signal(number)

    def kill(self):
        self.popen.kill()
        self.popen.wait()

    def stop(self, seconds=30):
        """SIGTERM, and the exit status."""
        if self.popen.poll() is None:
            self.popen.terminate()
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            raise AssertionError(f"{self.name} did not stop:\n" + "\n".join(self.lines[-40:]))


class Refused(Exception):
    """An answer of the server that is no success."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem}")
        self.status = status
        self.problem = problem


def problem_of(body):
    """What an error says; a proxy's own page is no JSON."""
    try:
        return json.loads(body or b"{}")
    except ValueError:
        return {"detail": body[:200].decode(errors="replace")}


class World:
    """One server on one database, and nodes."""

    def __init__(self, folder=None):
        self.folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="assize-fault-"))
        self.folder.chmod(0o755)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.node_url = self.url
        self.languages = ROOT / "languages"
        self.server = None
        self.nodes = []
        self.password = None
        self.token = None

    def close(self):
        for process in [*self.nodes, self.server]:
            if process is not None and process.popen.poll() is None:
                process.signal(signal.SIGCONT)
                process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- processes ----

    def only_languages(self, *names):
        """Each fresh node proves every language of its pool; most tests speak of none."""
        self.languages = self.folder / "languages"
        for name in names:
            shutil.copytree(ROOT / "languages" / name, self.languages / name)

    def start_server(self, *more, program=None):
        self.server = Process([program or ASSIZE, "server", "--listen", f"127.0.0.1:{self.port}",
                               "--data", self.folder / "data", "--web", "/nonexistent",
                               "--languages-dir", self.languages, "--log-format", "json",
                               "--demo", PROBLEMS, *RHYTHM, *more], "server")
        self.server.wait_for("Assize is ready")
        if self.password is None:
            self.password = self.server.wait_for(r"password (\S+)")[1]
        return self.server

    def start_node(self, pool="cpp", slots=1, name=None, join_code=None, url=None, before=(),
                   workspace=None, program=None, enable=True, more=()):
        """A node that is enrolled and enabled; join_code "" starts one that has its credential.
        `before`: what its command line begins with, such as another network namespace."""
        name = name or f"{pool}-{uuid.uuid4().hex[:8]}"
        if join_code is None:
            created = self.post("/api/v1/admin/judgers", {"name": name, "pool": pool, "slots": slots})
            join_code = created["joinCode"]
        node = Process([*before, program or ASSIZE, "node", "--pool", pool, "--server", url or self.node_url, "--name", name,
                        "--join-code", join_code, "--slots", str(slots), "--drain", "1s",
                        "--data", self.folder / "data", "--workspace", workspace or self.folder / f"node-{name}",
                        "--languages-dir", self.languages, "--log-format", "json", *more], name)
        node.node_name = name
        self.nodes.append(node)
        node.wait_for("session.opened", 60)
        if enable:
            self.enable(name)
        return node

    def judger(self, name):
        for item in self.get("/api/v1/admin/judgers")["items"]:
            if item["name"] == name:
                return item
        raise AssertionError(f"no node {name}")

    def enable(self, name, seconds=180):
        """Once its self-test has passed."""
        end = time.monotonic() + seconds
        while True:
            judger = self.judger(name)
            if judger["configState"] == "ENABLED":
                return
            if not judger.get("checkWaiting"):
                try:
                    self.call("PATCH", f"/api/v1/admin/judgers/{judger['id']}",
                              {"revision": judger["revision"], "configState": "ENABLED"})
                    return
                except Refused as refused:
                    if "self-test failed" in str(refused) or time.monotonic() > end:
                        raise AssertionError(f"cannot enable {name}: {refused} {judger['message']}") from refused
            if time.monotonic() > end:
                raise AssertionError(f"{name} has not answered its self-test: {judger['message']}")
            time.sleep(0.3)

    # ---- calls ----

    def raw(self, method, path, body=None, headers=None, timeout=30):
        """Status, headers and bytes of an answer, whatever it is."""
        request = urllib.request.Request(self.url + path, data=body, method=method,
                                         headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers, answer.read()

    def sign_in(self, user="admin", password=None):
        status, _, body = self.raw("POST", "/api/v1/session",
                                   json.dumps({"username": user,
                                               "password": password or self.password}).encode(),
                                   {"Content-Type": "application/json"})
        if status != 200:
            raise Refused(status, body)
        return json.loads(body)["accessToken"]

    def call(self, method, path, body=None, headers=None, token=None):
        """JSON in and out as administrator; signs in again when the token has run out."""
        for attempt in (1, 2):
            if token is None and self.token is None:
                self.token = self.sign_in()
            full = {"Authorization": f"Bearer {token or self.token}", **(headers or {})}
            data = None
            if body is not None:
                data = json.dumps(body).encode()
                full.setdefault("Content-Type", "application/json")
            status, _, answer = self.raw(method, path, data, full)
            if status == 401 and token is None and attempt == 1:
                self.token = None
                continue
            if status >= 300:
                raise Refused(status, problem_of(answer))
            return json.loads(answer) if answer else None

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body, headers=None):
        return self.call("POST", path, body, headers)

    # ---- submissions ----

    def problem(self, code):
        for item in self.get("/api/v1/problems?limit=200")["items"]:
            if item["code"] == code:
                return item["id"]
        raise AssertionError(f"no problem {code}")

    def submit(self, code, source, language="cpp", key=None):
        return self.post("/api/v1/submissions",
                         {"problemId": self.problem(code), "language": language, "source": source},
                         {"Idempotency-Key": key or uuid.uuid4().hex})["id"]

    def submission(self, number):
        return self.get(f"/api/v1/submissions/{number}")

    def wait_state(self, number, states, seconds=30):
        end = time.monotonic() + seconds
        while True:
            view = self.submission(number)
            if view["state"] in states:
                return view
            if time.monotonic() > end:
                raise AssertionError(f"submission {number} is {view['state']} {view['reason']}\n" +
                                     "\n".join(self.log_tail()) +
                                     "".join("\n-- " + node.name + "\n" + "\n".join(node.lines[-20:])
                                             for node in self.nodes))
            time.sleep(0.05)

    def log_tail(self):
        return self.server.lines[-20:] if self.server else []

    def verdict(self, number, seconds=60):
        return self.wait_state(number, ("DONE",), seconds)["verdict"]


# A right and a wrong answer to A+B, and a right one that takes its time (asleep: no CPU is used up).
RIGHT = "#include <iostream>\nint main(){long long a,b;std::cin>>a>>b;std::cout<<a+b<<'\\n';}\n"
WRONG = "#include <iostream>\nint main(){long long a,b;std::cin>>a>>b;std::cout<<a-b<<'\\n';}\n"
SLOW = ("#include <iostream>\n#include <unistd.h>\n"
        "int main(){long long a,b;std::cin>>a>>b;usleep(700000);std::cout<<a+b<<'\\n';}\n")
