#!/usr/bin/env python3
"""Runs a command as an ordinary user with a delegated cgroup, as a systemd unit with Delegate=yes has.

usage: rootless.py [--without delegation|ids] COMMAND [ARGUMENT]...

Needs root itself. The user is made for this once: it has subordinate ids and one group in each tree of
cgroups; both are gone afterwards, and a group that does not become empty is a failure. COMMAND and the
programs named by ASSIZE_BOX and ASSIZE_ATTACK are copied to where everybody may read.
--without: what the user does not get, to see the sandbox refuse.
"""

import contextlib
import ctypes
import os
import pathlib
import resource
import shutil
import sys
import tempfile
import traceback

NAME, UID = "assize-test", 64999
SUBORDINATE = f"{NAME}:200000000:65536\n"
CLONE_NEWNS, MS_BIND, MS_REC, MS_SLAVE, MS_SHARED = 0x20000, 0x1000, 0x4000, 0x80000, 0x100000
VERSION1 = ["memory", "pids", "cpuacct"]
TOP = pathlib.Path("/sys/fs/cgroup")
libc = ctypes.CDLL(None, use_errno=True)


def need(answer, what):
    if answer != 0:
        raise OSError(ctypes.get_errno(), what)


def mount(source, target, flags):
    need(libc.mount(source.encode(), target.encode(), None, flags, None), f"mount {target}")


def cover(path, text, folder):
    """In this process's mounts alone, `path` holds `text`."""
    file = folder / pathlib.Path(path).name
    file.write_text(text)
    file.chmod(0o644)
    pathlib.Path(path).touch()
    mount(str(file), path, MS_BIND)


def make_user(folder, ids):
    need(libc.unshare(CLONE_NEWNS), "unshare")
    # Slave, then shared: a mount that the box lets out of a launcher is seen here, and goes no further.
    mount("", "/", MS_REC | MS_SLAVE)
    mount("", "/", MS_REC | MS_SHARED)
    users = pathlib.Path("/etc/passwd")
    known = users.read_text() if users.exists() else "root:x:0:0::/root:/bin/sh\n"
    cover("/etc/passwd", f"{known}{NAME}:x:{UID}:{UID}::/tmp:/bin/sh\n", folder)
    for path in ("/etc/subuid", "/etc/subgid"):
        cover(path, SUBORDINATE if ids else "", folder)


def tops():
    """The tops of the trees that the sandbox uses."""
    unified = TOP if (TOP / "cgroup.controllers").exists() else TOP / "unified"
    there = [TOP / name for name in VERSION1 if (TOP / name / "cgroup.procs").exists()]
    return there + [unified] if (unified / "cgroup.controllers").exists() else there


def make_groups():
    groups = []
    for top in tops():
        given = top / "cgroup.subtree_control"
        has = (top / "cgroup.controllers").read_text().split() if given.exists() else []
        for controller in {"memory", "pids", "cpu"}.intersection(has):
            given.write_text(f"+{controller}")
        group = top / f"rootless-{os.getpid()}"
        group.mkdir()
        groups.append(group)
        for path in (group, *(group / name for name in ("cgroup.procs", "cgroup.subtree_control"))):
            if path.exists():
                os.chown(path, UID, UID)
    return groups


def become(groups):
    for group in groups:
        (group / "cgroup.procs").write_text("0")
    with contextlib.suppress(ValueError):  # as the doctor advises, where this root may give it
        resource.setrlimit(resource.RLIMIT_RTPRIO, (1, 1))
    os.setgroups([])
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)


def remove(group):
    """From below; what still holds a process stays and raises."""
    for child in group.iterdir():
        if child.is_dir():
            remove(child)
    group.rmdir()


def copies(command, folder):
    """The command and its environment with copies of the programs."""
    environment = dict(os.environ, ASSIZE_BOX_TEST_ROOTLESS="1", HOME="/tmp")
    for name in ("ASSIZE_BOX", "ASSIZE_ATTACK"):
        if name in environment:
            environment[name] = shutil.copy(environment[name], folder)
    beside = pathlib.Path(command[0]).parent / "assize-box"
    if beside.exists():
        shutil.copy(beside, folder)
    return [shutil.copy(command[0], folder), *command[1:]], environment


def be_child(folder, groups, without, command):
    try:
        make_user(folder, without != "ids")
        command, environment = copies(command, folder)
        become(groups)
        os.chdir("/tmp")
        os.execve(command[0], command, environment)
    except OSError:
        traceback.print_exc()
    finally:
        os._exit(70)


def main():
    words = sys.argv[1:]
    without = words[1] if words[:1] == ["--without"] else None
    command = words[2:] if without else words
    if not command or command[0].startswith("-"):
        print(__doc__)
        return 0 if command[:1] in (["--help"], ["-h"]) else 2
    if os.geteuid() != 0 or not pathlib.Path("/usr/bin/newuidmap").exists():
        print("skipped: needs root, to make an ordinary user, and newuidmap (apt-get install uidmap)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        groups = make_groups() if without != "delegation" else []
        try:
            child = os.fork()
            if child == 0:
                be_child(folder, groups, without, command)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        finally:
            for group in groups:
                remove(group)


if __name__ == "__main__":
    sys.exit(main())
