#!/usr/bin/env python3
"""The whole of Assize in a real browser: starts `assize up` with the built pages, then runs the scripts.

usage: tests/e2e/run.py [SCRIPT.mjs...]      all of tests/e2e when none is named

Needs root (the sandbox), Chromium, node, and web/dist. ASSIZE_BUILD names the build folder,
ASSIZE_SCREENSHOTS a folder for pictures of the pages at three widths.
"""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fault"))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WEB = harness.ROOT / "web"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def start(world):
    world.server = harness.Process(
        [harness.ASSIZE, "up", "--listen", f"127.0.0.1:{world.port}", "--data",
         world.folder / "data", "--web", WEB / "dist", "--languages-dir",
         harness.ROOT / "languages", "--demo", harness.PROBLEMS, "--log-format", "json"], "up")
    world.server.wait_for("Assize is ready")
    world.password = world.server.wait_for(r"password (\S+)")[1]
    world.token = world.sign_in()


def run(world, script, node):
    environment = {**os.environ, "ASSIZE_URL": world.url, "ASSIZE_USER": "admin",
                   "ASSIZE_PASSWORD": world.password,
                   "ASSIZE_CHROMIUM": shutil.which("chromium") or "/usr/bin/chromium"}
    print(f"# {script.name}", flush=True)
    return subprocess.run([node, script], cwd=harness.ROOT, env=environment, timeout=200).returncode


def main():
    node = shutil.which("node")
    if os.geteuid() != 0:
        skip("the sandbox needs root")
    if node is None or shutil.which("chromium") is None:
        skip("node and chromium are needed: script/bootstrap --test")
    if not (WEB / "dist/index.html").exists() or not (WEB / "node_modules").exists():
        skip("the pages are not built: script/server or script/test builds them")
    scripts = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or sorted(HERE.glob("test_*.mjs"))
    world = harness.World()
    failed = []
    try:
        start(world)
        for script in scripts:
            if run(world, script, node) != 0:
                failed.append(script.name)
        if failed:
            print("\n".join(world.server.lines[-60:]))
    finally:
        world.close()
    print(f"{len(scripts) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
