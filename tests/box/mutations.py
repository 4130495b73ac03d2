#!/usr/bin/env python3
"""Switches single protections of the box off and looks whether a test notices.

usage: mutations.py BUILD [--only TEXT]

Each mutation is an edit of a source of src/box or src/box_filter's product, compiled as the build
compiles it and linked into an assize-box of its own; src/box itself holds no switch. Then one test
runs against it: `fails` says that the test is worth something, `holds` that another protection
stands behind the one that was taken away. Prints TAP. Needs root.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 25

NO_FILTER = ("program.c", "    need(record, STAGE_FILTER, raw3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter));\n", "    (void)filter;\n")
HOST_FILE = ("root.c", "devices[] = {\"dev/null\",", "devices[] = {\"etc/passwd\", \"dev/null\",")
LEFT_LIVES = ("run_init.c", "        raw2(SYS_kill, -1, SIGKILL);\n", "")
HOST_SOURCES = ("languages/typescript/compile.js", "sources.has(name)\n                ? ts.createSourceFile(name, sources.get(name),", "fs.existsSync(name)\n                ? ts.createSourceFile(name, fs.readFileSync(name, 'utf8'),")
HOST_LOOKS = ("languages/typescript/compile.js", "fileExists: (name) => parsed.has(name) || sources.has(name),", "fileExists: (name) => parsed.has(name) || fs.existsSync(name),")
FAILS, HOLDS = "fails", "holds"

# what | expected | test program | its test | edits: file, old, new
MUTATIONS = [
    ("no filter", FAILS, "attacks", "refused system calls", [NO_FILTER]),
    ("no filter", FAILS, "attacks", "calls of i386", [NO_FILTER]),
    ("no filter", FAILS, "attacks", "no network", [NO_FILTER]),
    ("no filter", HOLDS, "attacks", "no way out", [NO_FILTER]),
    ("no filter", HOLDS, "attacks", "no connection", [NO_FILTER]),
    ("no filter, the host's network", FAILS, "attacks", "no connection",
     [NO_FILTER, ("launcher.c", "CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC", "CLONE_NEWNS | CLONE_NEWIPC")]),
    ("the user of the namespace", FAILS, "attacks", "the user exactly",
     [("program.c", "raw3(SYS_setresuid, LAUNCH_UID, LAUNCH_UID, LAUNCH_UID)", "raw0(SYS_getpid)")]),
    ("no filter, all rights", FAILS, "attacks", "no way out",
     [NO_FILTER, ("program.c", "    drop_rights(record);\n", "")]),
    ("a /proc to write to", FAILS, "attacks", "the own /proc is read-only",
     [("run_init.c", "flags | MS_RDONLY | MS_NOEXEC", "flags | MS_NOEXEC")]),
    ("the whole /proc", FAILS, "attacks", "nothing of the host",
     [("run_init.c", "hidepid=invisible,subset=pid", "hidepid=invisible")]),
    ("no hidden processes", FAILS, "attacks", "the processes",
     [("run_init.c", "hidepid=invisible,subset=pid", "subset=pid")]),
    ("setuid programs", FAILS, "attacks", "setuid counts nowhere",
     [("root.c", "MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV", "MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV")]),
    ("inherited descriptors", FAILS, "attacks", "the descriptors exactly",
     [("program.c", "raw3(SYS_close_range, 3 + count, ~0u, 0)", "raw0(SYS_getpid)")]),
    ("the host's cgroup names", FAILS, "attacks", "the own cgroup tells nothing",
     [("program.c", "raw1(SYS_unshare, CLONE_NEWCGROUP)", "raw0(SYS_getpid)")]),
    ("the box's signals", FAILS, "attacks", "signals as a new process",
     [("base/process.c", "    raw4(SYS_rt_sigprocmask, SIG_SETMASK, &action.mask, NULL, sizeof(action.mask));\n", "")]),
    ("no limit of memory", FAILS, "attacks", "memory without end",
     [("cgroup_leaf.c", "file_set_i64_at(dir, \"memory.limit_in_bytes\", bytes, err)", "file_set_i64_at(dir, \"memory.limit_in_bytes\", 16 * bytes, err)"),
      ("cgroup_leaf.c", "set_if_there(dir, \"memory.memsw.limit_in_bytes\", bytes, err)", "true"),
      ("cgroup_leaf.c", "file_set_i64_at(dir, \"memory.max\", bytes, err)", "file_set_i64_at(dir, \"memory.max\", 16 * bytes, err)")]),
    ("deaf to out of memory", FAILS, "attacks", "a child out of memory",
     [("cgroup_leaf.c", "    return read(leaf->oom_fd, &count, sizeof(count)) == (ssize_t)sizeof(count) &&", "    return count == 1 &&"),
      ("run_end.c", "usage->oom_kills > 0 || ", ""),
      ("cgroup_leaf.c", "file_set_i64_at(dir, \"memory.oom.group\", 1, err)", "true")]),
    ("no limit of processes", FAILS, "attacks", "exactly the processes",
     [("cgroup_leaf.c", "\"pids.max\", limits->pids_max, err", "\"pids.max\", limits->pids_max + 40, err")]),
    ("no limit of CPU time", FAILS, "attacks", "an endless loop, short limit",
     [("run.c", "    if (left_ns <= 0) {", "    if (left_ns <= -60000000000) {")]),
    ("a slow look at CPU time", FAILS, "attacks", "an endless loop, short limit",
     [("run.c", "#define CPU_LOOK_NS_MIN (1 * MS_NS)", "#define CPU_LOOK_NS_MIN (100 * MS_NS)")]),
    ("no limit of wall time", FAILS, "attacks", "sleep",
     [("run.c", "    if (now_ns >= wall_end_ns) {", "    if (now_ns >= wall_end_ns + 60000000000) {")]),
    ("output without a maximum", FAILS, "attacks", "output without end",
     [("run.c", "&& number == 1", "&& number == 9")]),
    ("errors not drained", FAILS, "attacks", "errors without end",
     [("run.c", "    if (!stream_drain(&run->streams[number])", "    if (number == 1 && !stream_drain(&run->streams[number])")]),
    ("a work folder without size", FAILS, "attacks", "the work folder full",
     [("launcher.c", "size=%lld,nr_inodes", "size=%lldk,nr_inodes")]),
    ("a work folder without count", FAILS, "attacks", "inodes of /w",
     [("launcher.c", "nr_inodes=%lld,mode=%s", "nr_inodes=%lld0,mode=%s")]),
    ("descriptors without end", FAILS, "attacks", "descriptors to the limit",
     [("launcher.c", "{RLIMIT_NOFILE, limits->open_files_max},", "{RLIMIT_NOFILE, 2 * limits->open_files_max},")]),
    ("files without end", FAILS, "attacks", "a file over its limit",
     [("launcher.c", "{RLIMIT_FSIZE, limits->file_bytes},", "{RLIMIT_FSIZE, 64 * limits->file_bytes},")]),
    ("a core limit to lower", FAILS, "attacks", "limits raised", [NO_FILTER]),
    ("inputs not sealed", FAILS, "attacks", "input cannot be changed",
     [("base/frozen.c", "fcntl(fd, F_ADD_SEALS, SEALS) == 0", "seals >= 0")]),
    ("what is left lives", FAILS, "attacks", "a daemon",
     [("run_init.c", "        raw2(SYS_kill, -1, SIGKILL);\n", "")]),
    ("links followed out of the box", FAILS, "runs", "only_plain_files_come_out",
     [("run_init.c", "O_RDONLY | O_NOFOLLOW | O_NONBLOCK", "O_RDONLY | O_NONBLOCK"),
      ("run_init.c", "RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV", "0")]),
    ("FIFOs taken out by run-init", HOLDS, "runs", "an_output_is_what_was_written*",
     [("run_init.c", "S_ISREG(stat.st_mode)", "true")]),
    ("outputs of any size", FAILS, "runs", "only_plain_files_come_out",
     [("run_init.c", "stat.st_size <= record->order.start.output_file_bytes_max", "true"),
      ("run_end.c", "           stat.st_size <= run->output_file_bytes_max &&\n", "")]),
    ("memory shared with the next run", FAILS, "runs", "runs_leave_nothing_to_the_next",
     [("launcher.c", "CLONE_NEWNS | CLONE_NEWIPC | CLONE_PIDFD", "CLONE_NEWNS | CLONE_PIDFD")]),
    ("any root", FAILS, "runs", "a_root_outside_the_list_is_refused",
     [("supervisor.c", "        if (!root_is_allowed(&box->setup, asked->roots[i])) {", "        if (!root_is_allowed(&box->setup, asked->roots[i]) && i > 9) {")]),
    ("no filter", FAILS, "attacks", "priorities", [NO_FILTER]),
    ("no filter", FAILS, "neighbours", "two_runs*", [NO_FILTER]),
    ("no filter, all rights", FAILS, "attacks", "chroot and up",
     [NO_FILTER, ("program.c", "    drop_rights(record);\n", "")]),
    ("the user of the namespace", FAILS, "attacks", "signals to the parent",
     [("program.c", "raw3(SYS_setresuid, LAUNCH_UID, LAUNCH_UID, LAUNCH_UID)", "raw0(SYS_getpid)")]),
    ("a file of the host", FAILS, "attacks", "nothing of the host", [HOST_FILE]),
    ("a file of the host", FAILS, "attacks", "the whole root", [HOST_FILE]),
    ("a file of the host", FAILS, "compiles", "the users of the host", [HOST_FILE]),
    ("a stack without end", FAILS, "attacks", "recursion in a small stack",
     [("launcher.c", "limits->stack_bytes > 0 ? limits->stack_bytes : limits->memory_bytes", "limits->memory_bytes")]),
    ("memory to lock", FAILS, "attacks", "locked memory",
     [("launcher.c", "{RLIMIT_MEMLOCK, 0},", "{RLIMIT_MEMLOCK, at_most_ours(RLIMIT_MEMLOCK, 64 << 20)},")]),
    ("cores handed out", FAILS, "attacks", "no core",
     [("launcher.c", "at_most_ours(RLIMIT_CORE, 1)", "at_most_ours(RLIMIT_CORE, 1 << 30)")]),
    ("what is left lives", FAILS, "compiles", "helpers_and_links", [LEFT_LIVES]),
    ("no bound through pipes", FAILS, "runs", "too_much_through_a_pipe*",
     [("pipe.c", "return pipe->bytes_max == 0 || pipe->bytes <= pipe->bytes_max;", "return true;")]),
    ("no processor of its own", FAILS, "machine", "each_pinned*",
     [("slot.c", "(setup->pinned != 0 && !process_pin(", "(setup->pinned > 1 && !process_pin(")]),
    ("limits of 32 bits", FAILS, "machine", "limits_of_many*",
     [("cgroup_leaf.c", "    int memory = leaf->dirs[groups->memory];\n", "    int memory = leaf->dirs[groups->memory];\n    bytes = (int64_t)(uint32_t)bytes;\n")]),
    ("a compiler that reads any file", FAILS, "compilers", "TypeScript: references", [HOST_SOURCES, HOST_LOOKS]),
]


def edit_language(folder, name, old, new):
    """In a copy of all languages beside the program."""
    if not (folder / "languages").exists():
        shutil.copytree(ROOT / "languages", folder / "languages")
    text = (folder / name).read_text()
    if old not in text:
        raise ValueError(f"{name} no longer holds {old.strip()!r}")
    (folder / name).write_text(text.replace(old, new))


class Builder:
    """Compiles changed sources as the build does and links them before the archives."""

    def __init__(self, build):
        self.build = build
        self.commands = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            if path.parent == ROOT / "src/box" and re.search(r"libbox(_raw)?\.a", entry["command"]) or \
                    path.name == "assize_box_main.c":
                self.commands[path.name] = entry
            elif path.parent == ROOT / "src/base" and "libbase.a" in entry["command"]:
                self.commands["base/" + path.name] = entry

    def compile(self, name, text, folder):
        entry = self.commands[name]
        source = folder / name.replace("/", "-")
        source.write_text(text)
        target = source.with_suffix(".o")
        words = shlex.split(entry["command"])
        kept = []
        skip = 0
        for word in words:
            if skip:
                skip -= 1
            elif word in ("-o", "-MF", "-MQ", "-c"):
                skip = 1
            elif word not in ("-MD", "-Werror"):
                kept.append(word)
        subprocess.run([*kept, "-w", "-c", str(source), "-o", str(target)], cwd=entry["directory"],
                       check=True)
        return target

    def link(self, edits, folder):
        texts = {"assize_box_main.c": (ROOT / "src/box/assize_box_main.c").read_text()}
        for name, old, new in edits:
            if name.startswith("languages/"):
                edit_language(folder, name, old, new)
                continue
            path = ROOT / "src" / name if "/" in name else ROOT / "src/box" / name
            text = texts.get(name) or path.read_text()
            if old not in text:
                raise ValueError(f"{path} no longer holds {old.strip()!r}")
            texts[name] = text.replace(old, new)
        objects = [self.compile(name, text, folder) for name, text in texts.items()]
        program = folder / "assize-box"
        subprocess.run(["cc", "-pie", "-o", program, *objects, self.build / "src/libbox.a",
                        self.build / "src/libbase.a", "-lpthread"], check=True)
        return program


def run_compilers(build, program, only):
    """`assize run` takes the box that lies beside it."""
    shutil.copy(build / "src/main/assize", program.parent)
    languages = program.parent / "languages"
    done = subprocess.run([sys.executable, ROOT / "tests/box/compilers.py", program.parent / "assize",
                           "--languages-dir", languages if languages.exists() else ROOT / "languages",
                           "--only", only], capture_output=True, text=True, check=False)
    said = re.search(r"^(not )?ok 1 - (.*)$", done.stdout, re.M)
    if not said or only not in said[2]:
        return None, (done.stdout + done.stderr)[-300:]
    return not said[1], done.stdout


def run(build, program, test, only):
    """Whether the test passed; None when it could not be run."""
    if test == "compilers":
        return run_compilers(build, program, only)
    environment = dict(os.environ, ASSIZE_BOX=str(program), ONLY=only,
                       ASSIZE_ATTACK=str(build / "tests/box/attack"))
    try:
        done = subprocess.run([build / f"tests/box/box_test_{test}"], env=environment,
                              capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False, "no end"
    if done.returncode == 77 or "[ RUN" not in done.stdout:
        return None, (done.stdout + done.stderr)[-300:]
    return done.returncode == 0, ""


def first_of_each(rows):
    """One row for each edit; the others show the same protection by another test."""
    seen = {}
    for row in rows:
        seen.setdefault((row[0], str(row[4])), row)
    return list(seen.values())


class Mutants:
    """Each edit is built once, however many tests run against it."""

    def __init__(self, builder, folder):
        self.builder, self.folder, self.programs = builder, pathlib.Path(folder), {}

    def program(self, edits):
        key = str(edits)
        if key not in self.programs:
            place = self.folder / str(len(self.programs))
            place.mkdir()
            self.programs[key] = self.builder.link(edits, place)
        return self.programs[key]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="those whose name holds this text")
    parser.add_argument("--long", action="store_true", default=bool(os.environ.get("ASSIZE_LONG")),
                        help="every row, not one a mutation (also ASSIZE_LONG=1)")
    args = parser.parse_args()
    if os.geteuid() != 0:
        print("1..0 # SKIP the box needs root to be tested")
        return 77
    rows = [row for row in MUTATIONS if args.only in row[0]]
    if not args.long and not args.only:
        rows = first_of_each(rows)
    with tempfile.TemporaryDirectory() as folder:
        return see(Mutants(Builder(args.build.resolve()), folder), rows)


def see(mutants, rows):
    """Runs them and prints TAP; the exit code."""
    print(f"1..{len(rows)}", flush=True)
    failures = 0
    for number, (what, expected, test, only, edits) in enumerate(rows, 1):
        try:
            passed, why = run(mutants.builder.build, mutants.program(edits), test, only)
        except (ValueError, subprocess.CalledProcessError) as error:
            passed, why = None, str(error)
        right = passed is not None and passed == (expected == HOLDS)
        failures += not right
        print(f"{'ok' if right else 'not ok'} {number} - {what}: `{only}` {expected}", flush=True)
        if not right:
            print(f"#   {'passed' if passed else 'failed' if passed is False else 'did not run'} {why}",
                  flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
