#!/usr/bin/env python3
"""Hostile sources for the compilers of Java and TypeScript, with the languages' own compile commands.

usage: compilers.py ASSIZE [--languages-dir FOLDER] [--only TEXT]

Each is judged by `assize run`: the verdict is one of those allowed and never a system failure, the log
stays short and shows nothing of the host, and a right program compiles afterwards. Prints TAP.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROBLEM = ROOT / "tests/judge/languages/problem"
LOG_BYTES_MAX = 70_000
COMPILE_SECONDS = 5  # of CPU time
SECONDS = 120
NO, ANY = {"COMPILE_ERROR"}, {"COMPILE_ERROR", "WRONG_ANSWER", "RUNTIME_ERROR"}
MADE = ANY - NO
MAIN = "public class Main { public static void main(String[] a) { System.out.println(1); } }\n"
PROCESSOR = """
import java.util.Set;
import javax.annotation.processing.*;
import javax.lang.model.element.TypeElement;
@SupportedAnnotationTypes("*")
public class Evil extends AbstractProcessor {
    static { System.err.println("processor ran"); System.exit(0); }
    public boolean process(Set<? extends TypeElement> a, RoundEnvironment e) { return false; }
}
"""
SERVICES = "META-INF/services/javax.annotation.processing.Processor"


def nested_lambdas(depth):
    body = "() -> " * depth + "null"
    return (f"interface F {{ F f(); }}\npublic class Main {{ static F f = {body};\n"
            "public static void main(String[] a) {} }\n")


def sum_of_texts(count):
    return ("public class Main { public static void main(String[] a) { System.out.println("
            + "+".join(f'"{i}"+a.length' for i in range(count)) + "); } }\n")


def overloads(count):
    rows = "\n".join(f"function f(a: {i}): {i};" for i in range(count))
    return f"{rows}\nfunction f(a: number): number {{ return a; }}\nconst x: string = f(-1);\n"


TYPES = """
type Grow<T extends unknown[]> = T['length'] extends 99999 ? T : Grow<[...T, ...T, 0]>;
type Two<T> = T extends [infer A, ...infer B] ? Two<B> | [A, Two<B>] : T;
const a: Grow<[0]> = 1;
const b: Two<Grow<[0, 1, 2, 3]>> = 1;
"""
# The number of unions multiplies with each part.
TEXTS = """
type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type N = `${D}${D}${D}${D}${D}${D}${D}${D}`;
const n: N = 'x';
"""
# The first is there, in a folder that the compiler's root shows.
REFERENCES = """
/// <reference path="/usr/local/lib/assize/node_modules/typescript/lib/lib.dom.d.ts"/>
/// <reference path="/etc/passwd"/>
/// <reference path="../etc/passwd"/>
/// <reference types="../../etc/passwd"/>
import a from '/etc/passwd';
import b from '../../etc/passwd';
import c from './../etc/passwd';
console.log(a, b, c);
"""
TSCONFIG = '{"extends": "/etc/passwd", "compilerOptions": {"plugins": [{"name": "./evil"}], "noEmit": true}}'

# name | language | sources by name | verdicts | words that the log must hold, and must not
ROWS = [
    ("Java: an annotation processor", "java", {"Main.java": MAIN, "Evil.java": PROCESSOR}, MADE,
     None, "processor ran"),
    ("Java: names like options", "java", {"Main.java": MAIN, "-J-version.java": "class B { }\n",
                                          "@Main.java": "class C { }\n"}, NO,
     "A file may not be called", "openjdk"),
    ("Java: constants without end", "java", {"Main.java": sum_of_texts(4000)}, ANY, None, None),
    ("Java: nested lambdas", "java", {"Main.java": nested_lambdas(60)}, ANY, None, None),
    ("Java: nesting without end", "java",
     {"Main.java": MAIN.replace("1", "(" * 3000 + "1" + ")" * 3000)}, ANY, None, None),
    ("TypeScript: types without end", "typescript", {"main.ts": TYPES}, NO, "too large", None),
    ("TypeScript: texts without end", "typescript", {"main.ts": TEXTS}, NO, "too complex", None),
    ("TypeScript: overloads without end", "typescript", {"main.ts": overloads(4000)}, NO, "No overload", None),
    ("TypeScript: references out of the folder", "typescript", {"main.ts": REFERENCES}, NO,
     "lib.dom.d.ts' not found", "root:"),
    ("TypeScript: settings beside the source", "typescript",
     {"main.ts": "console.log(1)\n", "tsconfig.json.ts": TSCONFIG}, NO, "expected", "root:"),
]
# The others show the same of other sources: ASSIZE_LONG=1 takes all.
USUAL = ("Java: an annotation processor", "Java: nesting without end", "TypeScript: types without end",
         "TypeScript: references out of the folder")
RIGHT = {"java": ("Main.java", MAIN), "typescript": ("main.ts", "console.log(1);\n")}


def judge(args, language, sources):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        paths = []
        for name, text in sources.items():
            path = pathlib.Path(folder, name)
            path.write_text(text)
            paths.append(path)
        command = [args.assize, "run", "--json", "--language", language, "--languages-dir",
                   args.languages_dir, args.problem, *paths]
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False,
                              stdin=subprocess.DEVNULL)


def complaint(done, verdicts, wanted, never):
    """What is wrong; None when all is well."""
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return f"no result, exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    log = result["message"] + result["compile"]["log"]
    if result["verdict"] not in verdicts:
        return f"verdict {result['verdict']}: {log[:300]}"
    if len(log) > LOG_BYTES_MAX:
        return f"a log of {len(log)} bytes"
    if wanted and wanted not in log:
        return f"the log does not hold {wanted!r}: {log[:300]}"
    return f"the log holds {never!r}" if never and never in log else None


def make_problem(folder):
    """The usual problem, with less time for compilers."""
    copy = pathlib.Path(folder, "problem")
    shutil.copytree(PROBLEM, copy)
    text = (copy / "problem.yaml").read_text()
    (copy / "problem.yaml").write_text(
        text.replace("limits:\n", f"limits:\n  compilation_time: {COMPILE_SECONDS}\n"))
    os.chmod(folder, 0o755)
    return copy


def run_rows(args, rows):
    failed = 0
    print(f"1..{len(rows)}")
    for number, (name, language, sources, verdicts, wanted, never) in enumerate(rows, 1):
        wrong = complaint(judge(args, language, sources), verdicts, wanted, never)
        failed += wrong is not None
        print(f"{'ok' if wrong is None else 'not ok'} {number} - {name}", flush=True)
        if wrong:
            print(f"#   {wrong}", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assize")
    parser.add_argument("--languages-dir", type=pathlib.Path, default=ROOT / "languages")
    parser.add_argument("--only", default=os.environ.get("ONLY", ""))
    args = parser.parse_args()
    if os.geteuid() != 0:
        print("1..0 # SKIP the sandbox needs root")
        return 77
    rows = [row for row in ROWS if args.only in row[0]]
    if not args.only and not os.environ.get("ASSIZE_LONG"):
        rows = [row for row in rows if row[0] in USUAL]
    rows += [(f"{language}: right afterwards", language, dict([right]), MADE, None, None)
             for language, right in RIGHT.items()]
    with tempfile.TemporaryDirectory() as folder:
        args.problem = make_problem(folder)
        return run_rows(args, rows)


if __name__ == "__main__":
    sys.exit(main())
