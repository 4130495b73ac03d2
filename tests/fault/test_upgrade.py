#!/usr/bin/env python3
"""A rolling upgrade: an older build's database and nodes under this build's server, nothing lost.

The older build is the commit below, made once into a folder beside the build. That commit knows SQLite
only, so the two versions follow each other on one database file instead of sharing it.
"""

import os
import subprocess
import sys
import unittest

import harness
from harness import RIGHT, ROOT, SLOW, WRONG

OLDER = "a13dcb4"
BUILD_S = 600


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True,
                          check=False)


def older_folder():
    return harness.BUILD.parent / f"build-older-{OLDER}"


def older_program():
    """The older `assize`, built when it is not there yet; None without its commit."""
    folder = older_folder()
    program = folder / "build/src/main/assize"
    if program.exists():
        return program
    if git("cat-file", "-e", f"{OLDER}^{{commit}}").returncode != 0:
        return None
    (folder / "source").mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", OLDER], capture_output=True,
                             check=True)
    subprocess.run(["tar", "-x", "-C", str(folder / "source")], input=archive.stdout, check=True)
    subprocess.run(["meson", "setup", str(folder / "build"), str(folder / "source"),
                    "-Dwerror=false"], check=True, capture_output=True)
    subprocess.run(["ninja", "-C", str(folder / "build"), "--quiet", "programs"], check=True,
                   timeout=BUILD_S)
    return program


class Upgrade(unittest.TestCase):
    def setUp(self):
        self.world = harness.World()
        self.addCleanup(self.world.close)

    def test_the_server_first_then_the_nodes(self):
        world = self.world
        world.start_server(program=older_program())
        old_node = world.start_node(program=older_program())
        judged = world.submit("aplusb", WRONG)
        self.assertEqual(world.verdict(judged), "WRONG_ANSWER")
        running = world.submit("aplusb", SLOW)
        waiting = [world.submit("aplusb", RIGHT) for _ in range(3)]
        world.wait_state(running, ("JUDGING",))

        world.server.kill()
        world.start_server()

        self.assertEqual(world.submission(judged)["verdict"], "WRONG_ANSWER")
        for number in (running, *waiting):
            self.assertEqual(world.verdict(number), "ACCEPTED")
        self.assertIsNone(old_node.popen.poll())
        by_old = world.submit("aplusb", WRONG)
        self.assertEqual(world.verdict(by_old), "WRONG_ANSWER")
        old_node.kill()
        world.start_node(name=old_node.node_name, join_code="")
        self.assertEqual(world.verdict(world.submit("aplusb", RIGHT)), "ACCEPTED")


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: the sandbox needs root")
        sys.exit(77)
    if not os.environ.get("ASSIZE_LONG") and not older_folder().exists():
        print("skipped: building the older commit takes minutes: --long")
        sys.exit(77)
    if older_program() is None:
        print(f"skipped: this clone has no commit {OLDER}")
        sys.exit(77)
    unittest.main(verbosity=2)
