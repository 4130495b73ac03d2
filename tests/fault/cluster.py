"""MariaDB, Redis, nginx, several servers and several nodes on loopback ports: for trying (script/cluster)
and for tests. Everything runs below one temporary folder and is ended by close(), whatever happened.
"""

import contextlib
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error

import harness
import proxies
from harness import ASSIZE, PROBLEMS, RHYTHM, ROOT, Process, free_port

sys.path.insert(0, str(ROOT / "tools"))
import test_mariadb  # noqa: E402 (the folder is not one of Python's)

NEEDS = ("mariadbd", "mariadb-install-db", "redis-server", "nginx")


def missing():
    """Why a cluster cannot be started here, or None."""
    if os.geteuid() != 0:
        return "the sandbox needs root"
    said = subprocess.run([ASSIZE, "server", "--help"], capture_output=True, text=True, check=False)
    if "--database" not in said.stdout:
        return "this build's server has no --database"
    absent = [program for program in NEEDS if not proxies.is_installed(program)]
    return f"not installed: {' '.join(absent)}" if absent else None


class Redis:
    def __init__(self, folder):
        self.folder = folder
        self.password = secrets.token_hex(8)
        self.socket = folder / "redis.sock"
        self.process = None

    def start(self):
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o755)
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm",
             "777", "--save", "", "--requirepass", self.password], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not self.socket.exists():
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError("redis-server did not start")
            time.sleep(0.02)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
            self.socket.unlink(missing_ok=True)


class Server:
    """What a server is started with; `process` is the one that runs now."""

    def __init__(self, number):
        self.number = number
        self.port = free_port()
        self.machine_port = free_port()
        self.process = None


class SmallDisk:
    """A file system that a test can fill."""

    def __init__(self, folder, size, owner=0):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},uid={owner},mode=755", "tmpfs",
                        str(self.folder)], check=True)

    def fill(self):
        with open(self.folder / "filler", "wb", buffering=0) as filler:
            with contextlib.suppress(OSError):
                while True:
                    filler.write(bytes(1 << 20))
            with contextlib.suppress(OSError):
                while True:
                    filler.write(bytes(4096))

    def free(self):
        (self.folder / "filler").unlink()

    def close(self):
        subprocess.run(["umount", "-l", str(self.folder)], check=False)


class Cluster(harness.World):
    def __init__(self, servers=3, rhythm=RHYTHM, folder=None, small_disks=False):
        super().__init__(folder)
        self.rhythm = rhythm
        self.servers = [Server(i + 1) for i in range(servers)]
        self.machine_port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.node_url = f"http://127.0.0.1:{self.machine_port}"
        self.database = None
        self.small_disks = small_disks
        self.disks = {}
        self.redis = Redis(self.folder / "redis")
        self.nginx = proxies.Nginx(
            self.folder / "nginx", [f"127.0.0.1:{s.port}" for s in self.servers],
            [f"127.0.0.1:{s.machine_port}" for s in self.servers], self.port, self.machine_port)
        self.database_password = secrets.token_hex(8)
        self.closing = contextlib.ExitStack()

    # ---- starting and ending ----

    def start(self, nodes=3, pool="cpp"):
        self.start_database()
        self.redis.start()
        self.start_servers()
        self.nginx.start()
        for _ in range(nodes):
            self.start_node(pool)

    def start_database(self):
        self.database = test_mariadb.MariaDB(durable=True)
        if self.small_disks:
            owner = self.database.user.pw_uid
            self.disks["database"] = SmallDisk(self.database.folder / "data", "600m", owner)
            self.disks["server"] = SmallDisk(self.folder / "server-2", "32m")
            self.disks["node"] = SmallDisk(self.folder / "small-node", "64m")
            for disk in self.disks.values():
                self.closing.callback(disk.close)
        self.database.install()
        self.database.start()
        self.database.sql(
            "CREATE DATABASE assize CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;"
            f"CREATE USER assize@localhost IDENTIFIED BY '{self.database_password}';"
            "GRANT ALL ON assize.* TO assize@localhost;")
        secret = self.folder / "database-password"
        secret.write_text(self.database_password + "\n", encoding="utf-8")
        secret.chmod(0o444)

    def start_servers(self):
        """The first one alone: it makes the tables, the administrator and the problems."""
        self.run_server(self.servers[0])
        for server in self.servers[1:]:
            self.run_server(server, wait=False)
        for server in self.servers[1:]:
            server.process.wait_for("Assize is ready", 60)

    def server_command(self, server, *more):
        data = self.folder / f"server-{server.number}"
        socket = self.database.socket
        url = (f"mysql://assize@localhost/assize?socket={socket}"
               f"&password_file={self.folder}/database-password")
        return [ASSIZE, "server", "--listen", f"127.0.0.1:{server.port}", "--machine-listen",
                f"127.0.0.1:{server.machine_port}", "--data", data, "--web", self.web_folder(),
                "--languages-dir", self.languages, "--log-format", "json", "--database", url,
                "--redis", f"unix:{self.redis.socket}", "--trusted-proxies", "127.0.0.1",
                "--demo", PROBLEMS, *self.rhythm, *more]

    def web_folder(self):
        return ROOT / "web/dist"

    def run_server(self, server, *more, wait=True):
        server.process = Process(self.server_command(server, *more), f"server-{server.number}",
                                 {**os.environ, "ASSIZE_REDIS_PASSWORD": self.redis.password})
        if wait:
            server.process.wait_for("Assize is ready", 60)
            if self.password is None:
                self.password = server.process.wait_for(r"password (\S+)")[1]

    def close(self):
        for server in self.servers:
            if server.process is not None and server.process.popen.poll() is None:
                server.process.signal(signal.SIGCONT)
                server.process.kill()
        for node in self.nodes:
            end_group(node)
        self.nginx.kill()
        self.redis.kill()
        if self.database is not None and self.database.process is not None:
            self.database.kill()
        self.closing.close()
        if self.database is not None:
            self.database.stop()
        super().close()

    def log_tail(self):
        return [line for server in self.servers if server.process is not None
                for line in server.process.lines[-12:]]

    # ---- calls that a server or nginx may be away for ----

    def patiently(self, call, *arguments, seconds=60):
        """As a page or a node would: tried again while the answer is 502, 503 or none."""
        end = time.monotonic() + seconds
        while True:
            try:
                return call(*arguments)
            except (harness.Refused, OSError, urllib.error.URLError) as failure:
                status = getattr(failure, "status", 503)
                if status not in (502, 503, 504) or time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def submit_surely(self, code, source, language="cpp"):
        """With one key for all tries: what was taken although its answer was lost is not taken twice."""
        key = secrets.token_hex(16)
        problem = self.patiently(self.problem, code)
        return self.patiently(
            lambda: self.post("/api/v1/submissions",
                              {"problemId": problem, "language": language, "source": source},
                              {"Idempotency-Key": key}))["id"]

    def verdict_surely(self, number, seconds=90):
        end = time.monotonic() + seconds
        while True:
            view = self.patiently(self.submission, number)
            if view["state"] == "DONE":
                return view["verdict"]
            if time.monotonic() > end:
                raise AssertionError(f"submission {number} is {view['state']} {view['reason']}\n" +
                                     "\n".join(self.log_tail()))
            time.sleep(0.1)

    def node_of(self, number, seconds=30):
        """The living node that judges a submission now. One that was killed a moment ago may have
        been given it; after its lease another has it."""
        end = time.monotonic() + seconds
        while True:
            name = self.sql("SELECT n.name FROM job_lease l JOIN job j ON j.id = l.job_id JOIN node n "
                            f"ON n.id = l.node_id WHERE j.subject_id = {number}").strip()
            for node in self.nodes:
                if node.node_name == name and node.popen.poll() is None:
                    return node
            if time.monotonic() > end:
                raise AssertionError(f"nobody judges submission {number}")
            time.sleep(0.05)

    def sql(self, text):
        return self.database.sql(f"USE assize; {text}")


def end_group(node):
    if node.popen.poll() is None:
        node.signal(signal.SIGCONT)
        node.kill()


def processes_below(folder):
    """Command lines that name the folder: what a cluster started and has not ended."""
    said = subprocess.run(["pgrep", "-fa", str(folder)], capture_output=True, text=True, check=False)
    return [line for line in said.stdout.splitlines() if "pgrep" not in line]


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)


def temporary():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assize-cluster-"))
    folder.chmod(0o755)
    return folder
