#!/usr/bin/env python3
"""Refuses shell scripts that do not parse, do not stop at errors, or that shellcheck refuses.

Scripts are files in script/, tools/, .ci/, tests/ and packaging/ that begin with a bash or sh
line. Those of script/ must answer --help. shellcheck is asked when it is installed.
"""

import re
import shutil
import subprocess

import checklib

FOLDERS = ("script", "tools", ".ci", "tests", "packaging")
FIRST_LINE = re.compile(r"#!\s*\S*[/ ](bash|sh)\b")
SHELLCHECK = re.compile(r"^(.*?):(\d+):\d+: \w+: (.*)$", re.M)
BASH = re.compile(r"line (\d+): (.*)")


def shell_scripts(root):
    """(path, whether bash) of each script."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if checklib.SKIPPED_FOLDERS & set(path.parts) or not path.is_file():
                continue
            with path.open("rb") as opened:
                first = opened.readline(80).decode("utf-8", "replace")
            if match := FIRST_LINE.match(first):
                yield path.relative_to(root).as_posix(), match[1] == "bash"


def check_script(root, relative, is_bash, report):
    text = checklib.read(root, relative)
    shell = "bash" if is_bash else "sh"
    parsed = subprocess.run([shell, "-n", relative], cwd=root, capture_output=True, text=True,
                            check=False)
    if parsed.returncode:
        found = BASH.search(parsed.stderr)
        line, what = found.groups() if found else (1, parsed.stderr.strip())
        report.add(relative, line, what, f"make it parse: {shell} -n {relative}")
    if is_bash and not re.search(r"^set -euo pipefail$", text, re.M):
        report.add(relative, 1, "goes on after an error", "write `set -euo pipefail` near the top")
    if relative.startswith("script/") and "--help" not in text:
        report.add(relative, 1, "does not answer --help", "say what it does and its options")


def run_shellcheck(root, scripts, report):
    if not scripts:
        return
    done = subprocess.run(
        ["shellcheck", "--format=gcc", "--severity=style", "--external-sources", *scripts],
        cwd=root, capture_output=True, text=True, check=False,
    )
    for path, line, what in SHELLCHECK.findall(done.stdout):
        report.add(path, line, f"shellcheck: {what}", "follow it, or say why not beside the line")


def main():
    args = checklib.arguments(__doc__)
    report = checklib.Report("shell")
    scripts = list(shell_scripts(args.root))
    for relative, is_bash in scripts:
        check_script(args.root, relative, is_bash, report)
    has_shellcheck = shutil.which("shellcheck") is not None
    if has_shellcheck:
        run_shellcheck(args.root, [path for path, _ in scripts], report)
    report.finish(f"{len(scripts)} scripts" + ("" if has_shellcheck else ", without shellcheck"))


if __name__ == "__main__":
    main()
