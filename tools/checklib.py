"""What the check_*.py scripts share: arguments, files, masked C text and the report.

A check prints one line a problem, `file:line: problem: what to do`, and exits 1; a clean tree
prints one line and exits 0. Exit 77 means skipped, with the reason printed.
"""

import argparse
import pathlib
import re
import sys

SKIPPED = 77

# Programs of contestants: they are data for the judge, not code of this project.
FOREIGN_C = ("tests/fixtures/", "tests/judge/languages/", "languages/")
SKIPPED_FOLDERS = {"node_modules", "dist", "subprojects", "__pycache__"}

_COMMENT_OR_STRING = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S
)


class Report:
    """Collects problems and turns them into output and an exit code."""

    def __init__(self, name):
        self.name = name
        self.problems = []

    def add(self, path, line, problem, advice):
        self.problems.append((str(path), line, f"{path}:{line}: {problem}: {advice}"))

    def finish(self, looked_at):
        """Prints everything found and leaves the program."""
        for _, _, text in sorted(self.problems):
            print(text)
        if self.problems:
            print(f"{self.name}: {len(self.problems)} problem(s) in {looked_at}")
            sys.exit(1)
        print(f"{self.name}: ok, {looked_at}")
        sys.exit(0)


def skip(name, reason):
    print(f"{name}: skipped: {reason}")
    sys.exit(SKIPPED)


def arguments(doc, extra=None):
    """Parses --root (default: the checkout this script lies in) and what `extra` adds."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--root", type=pathlib.Path, default=here, metavar="DIR")
    if extra:
        extra(parser)
    args = parser.parse_args()
    args.root = args.root.resolve()
    if not args.root.is_dir():
        parser.error(f"--root {args.root} is no folder")
    return args


def is_generated(relative):
    name = relative.rsplit("/", 1)[-1]
    return ".pb-c." in name or "/generated/" in f"/{relative}"


def files(root, folders, suffixes):
    """Paths relative to root, as text, sorted: files below `folders` with one of `suffixes`."""
    found = []
    for folder in folders:
        base = root / folder
        if not base.is_dir():
            continue
        for path in base.rglob("*"):
            if path.suffix not in suffixes or SKIPPED_FOLDERS & set(path.parts):
                continue
            if path.is_file():
                found.append(path.relative_to(root).as_posix())
    return sorted(found)


def c_files(root, suffixes=(".c", ".h"), folders=("src", "tests")):
    """Our own hand-written C: no generated files, no contestants' programs."""
    return [
        f
        for f in files(root, folders, suffixes)
        if not is_generated(f) and not f.startswith(FOREIGN_C)
    ]


def read(root, relative):
    return (root / relative).read_text(encoding="utf-8", errors="replace")


def _blank(text):
    return "".join(c if c == "\n" else " " for c in text)


def mask(text, strings=True):
    """The same text with comments blanked, and the insides of strings too; lines stay in place."""

    def replace(match):
        found = match[0]
        if found.startswith("/"):
            return _blank(found)
        return found[0] + _blank(found[1:-1]) + found[-1] if strings else found

    return _COMMENT_OR_STRING.sub(replace, text)


def comments(text):
    """(line, text) of each comment, both kinds."""
    for match in _COMMENT_OR_STRING.finditer(text):
        if match[0].startswith("/"):
            yield text.count("\n", 0, match.start()) + 1, match[0]


def table(root, relative, columns):
    """Rows of a `a | b | c` table file: (line, [cells]); `#` begins a comment line."""
    path = root / relative
    if not path.is_file():
        return []
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        rows.append((number, cells + [""] * (columns - len(cells))))
    return rows
