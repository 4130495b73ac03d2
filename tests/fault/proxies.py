"""What stands between nodes, servers and people: the real nginx with the packaged configuration, and a
proxy of the tests' own that loses answers."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time

PACKAGED = pathlib.Path(__file__).resolve().parents[2] / "packaging/nginx/assize.conf"

MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log notice;
worker_processes 2;
{user}
events {{ worker_connections 2048; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/assize.conf;
}}
"""


def upstream(text, name, addresses):
    """The configuration with these servers in one upstream, options of the packaged line kept."""
    block = re.search(rf"upstream {name} {{.*?\n}}", text, re.S)[0]
    line = re.search(r"\n( *server )\S+( [^;]*;)[^\n]*", block)
    lines = "".join(f"\n{line[1]}{address}{line[2]}" for address in addresses)
    return text.replace(block, block.replace(line[0], lines))


class Nginx:
    """The packaged configuration on loopback ports."""

    def __init__(self, folder, public, machine, public_port, machine_port):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        text = PACKAGED.read_text(encoding="utf-8")
        text = upstream(text, "assize_public", public)
        text = upstream(text, "assize_machine", machine)
        text, changed = re.subn(r"listen 80;", f"listen 127.0.0.1:{public_port};", text)
        assert changed == 1
        text, changed = re.subn(r"listen 127\.0\.0\.1:8443;", f"listen {machine_port};"
                                if ":" in str(machine_port) else
                                f"listen 127.0.0.1:{machine_port};", text)
        assert changed == 1
        text = text.replace("/var/log/nginx/", f"{self.folder}/")
        (self.folder / "assize.conf").write_text(text, encoding="utf-8")
        user = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(MAIN.format(folder=self.folder, user=user),
                                                encoding="utf-8")
        self.command = ["nginx", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"),
                        "-e", str(self.folder / "error.log")]
        self.port = public_port
        self.process = None

    def whole(self):
        """The configuration as nginx reads it; fails when it is not valid."""
        said = subprocess.run([*self.command, "-T"], capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr
        return said.stdout

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)

    def kill(self):
        """SIGKILL to all its processes: workers outlive a master that was killed."""
        if self.process is not None:
            children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True,
                                      text=True, check=False).stdout.split()
            self.process.kill()
            for pid in children:
                subprocess.run(["kill", "-9", pid], check=False, stderr=subprocess.DEVNULL)
            self.process.wait()
            self.process = None


def wait_for_port(port, process=None, seconds=20):
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end or (process is not None and process.poll() is not None):
                raise
            time.sleep(0.02)


def close_listener(listener):
    """A thread that accepts would keep the port open."""
    try:
        listener.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    listener.close()


def read_head(connection, data=b""):
    """Up to the end of the headers, and what came behind them."""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None, b""
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head + b"\r\n\r\n", rest


def body_length(head):
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return int(found[1]) if found else 0


class Upstream:
    """A server of the test's own. answer(request, connection) gets the head and body of each request."""

    def __init__(self, answer=None):
        self.answer = answer or (lambda upstream, head, connection: upstream.fine(connection))
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        data = b""
        try:
            while True:
                head, data = read_head(connection, data)
                if head is None:
                    return
                need = body_length(head)
                while len(data) < need:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    data += piece
                body, data = data[:need], data[need:]
                with self.lock:
                    self.requests.append((head.decode(), len(body)))
                if self.answer(self, head.decode(), connection) is False:
                    return
        except OSError:
            pass
        finally:
            connection.close()

    def fine(self, connection, body=b"fine"):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    def paths(self):
        with self.lock:
            return [head.split(" ")[1] for head, _ in self.requests]

    def close(self):
        close_listener(self.listener)


class Losing:
    """Carries a node's connections to the servers, and loses the answers that a test asks it to: the
    request arrives, the answer does not."""

    def __init__(self, target_port, address="127.0.0.1"):
        self.target_port = target_port
        self.listener = socket.create_server((address, 0))
        self.port = self.listener.getsockname()[1]
        self.lose = None    # (bytes in the request's head, bytes in the answer)
        self.lost = threading.Event()
        self.cut = False    # new and open connections end at once
        self.open = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_next(self, request, answer=b""):
        self.lost.clear()
        self.lose = (request, answer)

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client):
        try:
            if self.cut:
                return
            server = socket.create_connection(("127.0.0.1", self.target_port))
        except OSError:
            client.close()
            return
        self.open |= {client, server}
        try:
            self._exchange(client, server)
        except OSError:
            pass
        finally:
            self.open -= {client, server}
            for end in (client, server):
                end.close()

    def _exchange(self, client, server):
        """One request and its answer after the other, as nodes send them."""
        request_rest = answer_rest = b""
        while True:
            head, request_rest = read_head(client, request_rest)
            if head is None:
                return
            request_rest = forward(client, server, head, request_rest)
            answer, answer_rest = read_head(server, answer_rest)
            if answer is None:
                return
            wanted = self.lose
            if wanted is not None and wanted[0] in head:
                body, _ = read_body(server, answer, answer_rest)
                if wanted[1] in answer + body:
                    self.lose = None
                    self.lost.set()
                    return
                client.sendall(answer + body)
                answer_rest = b""
                continue
            answer_rest = forward(server, client, answer, answer_rest)

    def close(self):
        self.cut = True
        close_listener(self.listener)
        for end in list(self.open):
            end.close()


def read_body(source, head, rest):
    need = body_length(head)
    while len(rest) < need:
        piece = source.recv(65536)
        if not piece:
            break
        rest += piece
    return rest[:need], rest[need:]


def forward(source, target, head, rest):
    body, rest = read_body(source, head, rest)
    target.sendall(head + body)
    return rest


def is_installed(program):
    return shutil.which(program) is not None
