#!/usr/bin/env python3
"""TLS to a real MariaDB with a certificate: who is believed, and what is refused in words."""

import os
import pathlib
import subprocess
import sys
import unittest

import harness
from harness import ASSIZE, ROOT

sys.path.insert(0, str(ROOT / "tools"))
import test_mariadb  # noqa: E402 (the folder is not one of Python's)

SETTINGS = """
skip-networking=OFF
bind-address=127.0.0.1
port={port}
ssl-cert={folder}/cert.pem
ssl-key={folder}/key.pem
"""


def make_certificate(folder, name):
    """One that signs itself, so it is its own authority."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
                    "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
                   check=True, capture_output=True)
    for part in ("key.pem", "cert.pem"):
        (folder / part).chmod(0o644)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.port = harness.free_port()
        cls.database = test_mariadb.MariaDB()
        cls.addClassCleanup(cls.database.stop)
        folder = cls.database.folder
        with cls.database.settings.open("a", encoding="utf-8") as settings:
            settings.write(SETTINGS.format(port=cls.port, folder=folder))
        make_certificate(folder, "localhost")
        cls.stranger = folder / "stranger"
        cls.stranger.mkdir()
        make_certificate(cls.stranger, "localhost")
        cls.database.install()
        cls.database.start()
        cls.database.sql("CREATE DATABASE a CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;"
                         "CREATE USER 'u'@'127.0.0.1' IDENTIFIED BY 'pw' REQUIRE SSL;"
                         "GRANT ALL ON a.* TO 'u'@'127.0.0.1'")
        cls.ca = folder / "cert.pem"

    def migrate(self, options, host="localhost"):
        """Exit code and what was said."""
        data = self.database.folder / "data-of-assize"
        address = f"mysql://u@{host}:{self.port}/a?{options}"
        said = subprocess.run(
            [ASSIZE, "migrate", "--data", str(data), "--user", "nobody", "--database", address],
            capture_output=True, text=True, check=False, timeout=60,
            env={**os.environ, "ASSIZE_DATABASE_PASSWORD": "pw"})
        return said.returncode, said.stdout + said.stderr

    def assert_refused(self, options, word, host="localhost"):
        code, said = self.migrate(options, host)
        self.assertNotEqual(code, 0, said)
        self.assertRegex(said, word)
        self.assertNotIn("pw", said.replace("password", ""))

    def test_the_right_authority_is_believed(self):
        code, said = self.migrate(f"tls=verify&ca={self.ca}")
        self.assertEqual(code, 0, said)

    def test_without_verifying_it_is_encrypted_all_the_same(self):
        code, said = self.migrate("tls=on")
        self.assertEqual(code, 0, said)

    def test_another_authority_is_not(self):
        self.assert_refused(f"tls=verify&ca={self.stranger}/cert.pem", "(?i)certificate|tls|ssl")

    def test_the_systems_authorities_do_not_know_it(self):
        self.assert_refused("tls=verify", "(?i)certificate|tls|ssl")

    def test_a_name_that_is_not_the_certificates_is_refused(self):
        self.assert_refused(f"tls=verify&ca={self.ca}", "(?i)certificate|tls|ssl|name",
                            host="127.0.0.1")

    def test_in_the_clear_the_database_refuses(self):
        self.assert_refused("tls=off", "(?i)denied")


if __name__ == "__main__":
    for program in ("mariadbd", "openssl"):
        if not any((pathlib.Path(p) / program).exists()
                   for p in (*os.environ["PATH"].split(":"), "/usr/sbin")):
            print(f"skipped: there is no {program}")
            sys.exit(77)
    if os.geteuid() != 0:
        print("skipped: the database runs as a user of its own, which takes root")
        sys.exit(77)
    unittest.main(verbosity=2)
