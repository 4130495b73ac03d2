#!/usr/bin/env python3
"""A MariaDB of its own for tests: an unprivileged process on a Unix socket, its files below /tmp.

    tools/test_mariadb.py [--durable] COMMAND...

starts one, runs the command with ASSIZE_TEST_MYSQL set to the socket's path, and ends it. Tests make
databases of their own in it (tests/unit/test_database.h). tools/run_tests.py shares one for a run.

By default it keeps nothing over a crash of the machine, which is quick; --durable flushes every
commit and its binary log as production must, for tests that kill it.
"""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

START_S = 60
STOP_S = 20

SETTINGS = """
[mariadbd]
datadir={folder}/data
socket={folder}/mariadb.sock
pid-file={folder}/mariadb.pid
log-error={folder}/mariadb.log
tmpdir={folder}/tmp
skip-networking
skip-name-resolve
performance-schema=OFF
character-set-server=utf8mb4
collation-server=utf8mb4_bin
max-connections=400
innodb-buffer-pool-size=128M
innodb-log-file-size=64M
innodb-print-all-deadlocks=OFF
binlog-format=ROW
log-bin={folder}/data/binlog

expire-logs-days=1
max-binlog-size=64M
innodb-flush-log-at-trx-commit={flush}
sync-binlog={sync}
{quick}
"""
QUICK = "innodb-doublewrite=OFF\ninnodb-flush-method=nosync\ndebug-no-sync"


def owner():
    """Whom the process runs as: MariaDB refuses root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    for name in ("mysql", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("there is no user mysql or nobody for a test database")


class MariaDB:
    def __init__(self, durable=False, extra=""):
        self.user = owner()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assize-mariadb-", dir="/tmp"))
        self.settings = self.folder / "my.cnf"
        self.process = None
        text = SETTINGS.format(folder=self.folder, flush=1 if durable else 0,
                               sync=1 if durable else 0, quick="" if durable else QUICK)
        self.settings.write_text(text + extra,
                                 encoding="utf-8")
        for path in (self.folder, self.folder / "data", self.folder / "tmp"):
            path.mkdir(exist_ok=True)
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        self.folder.chmod(0o755)

    @property
    def socket(self):
        return self.folder / "mariadb.sock"

    def rights(self):
        return {} if os.geteuid() != 0 else {
            "user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def install(self):
        command = ["mariadb-install-db", f"--defaults-file={self.settings}", "--skip-test-db",
                   "--auth-root-authentication-method=normal"]
        said = subprocess.run(command, capture_output=True, text=True, check=False,
                              cwd=self.folder, **self.rights())
        if said.returncode != 0:
            raise RuntimeError(f"mariadb-install-db failed:\n{said.stdout}{said.stderr}")

    def start(self):
        """Also after kill: the same files again."""
        self.process = subprocess.Popen(
            ["mariadbd", f"--defaults-file={self.settings}"], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            **self.rights())
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            ping = subprocess.run(["mariadb-admin", f"--socket={self.socket}", "--user=root",
                                   "ping"], capture_output=True, check=False)
            if ping.returncode == 0:
                return
            time.sleep(0.1)
        log = self.folder / "mariadb.log"
        raise RuntimeError(f"mariadbd did not start:\n{log.read_text(errors='replace')[-3000:]}")

    def sql(self, text):
        return subprocess.run(["mariadb", f"--socket={self.socket}", "--user=root", "-N", "-B",
                               "-e", text], capture_output=True, text=True, check=True).stdout

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)  # nothing in it is worth an orderly end
            self.process.wait(STOP_S)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def running(durable=False):
    database = MariaDB(durable)
    try:
        database.install()
        database.start()
        yield database
    finally:
        database.stop()


def main():
    args = sys.argv[1:]
    durable = args[:1] == ["--durable"]
    command = args[1:] if durable else args
    if not command or command[0] in ("-h", "--help"):
        sys.exit(__doc__)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    with running(durable) as database:
        environment = {**os.environ, "ASSIZE_TEST_MYSQL": str(database.socket)}
        status = subprocess.run(command, env=environment, check=False).returncode
    sys.exit(status)


if __name__ == "__main__":
    main()
