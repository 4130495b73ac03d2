#!/usr/bin/env python3
"""Packages of other kinds through `assize problem check --json`: what only the sandbox can do.

Test data by generators and the main solution, validators on all inputs, a time limit by Kattis'
rule. The packages are written here. Prints TAP; exits 77 without
root.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUM = "print(sum(map(int, input().split())))\n"
POLYGON = """<?xml version='1.0'?><problem short-name='sum'>
<names><name language='english' value='Sum'/></names>
<judging><testset name='tests'><time-limit>2000</time-limit><memory-limit>268435456</memory-limit>
<input-path-pattern>tests/%02d</input-path-pattern>
<answer-path-pattern>tests/%02d.a</answer-path-pattern>
<tests><test method='manual' sample='true'/><test cmd='gen 3 4' method='generated'/>
<test cmd='gen 70 4' method='generated'/></tests></testset></judging>
<files><executables><executable><source path='files/gen.py' type='python.3'/></executable>
</executables></files>
<assets><checker name='std::ncmp.cpp'><source path='files/no.cpp' type='cpp.g++17'/></checker>
<validators><validator><source path='files/val.py' type='python.3'/></validator></validators>
<solutions><solution tag='main'><source path='main.py' type='python.3'/></solution>
<solution tag='wrong-answer'><source path='wa.py' type='python.3'/></solution>
</solutions></assets></problem>"""
PACKAGES = {
    "polygon": {
        "problem.xml": POLYGON,
        "tests/01": "1 2\n",
        "files/gen.py": "import sys\nprint(*sys.argv[1:])\n",
        "files/val.py": "import sys\nif int(input().split()[0]) > 50:\n"
                        "    print('too large', file=sys.stderr)\n    sys.exit(3)\n",
        "main.py": SUM,
        "wa.py": "print(3)\n",
    },
    "dmoj": {
        "init.yml": "generator: gen.py\ntest_cases:\n- {generator_args: [1, 2], points: 1}\n"
                    "- {generator_args: [5, 6], points: 1}\n",
        "gen.py": "import sys\na, b = map(int, sys.argv[1:])\nprint(a, b)\n"
                  "print(a + b, file=sys.stderr)\n",
        "tests/good/test.yml": "language: PY3\nsource: a.py\nexpect: AC\n",
        "tests/good/a.py": SUM,
        "tests/half/test.yml": "language: PY3\nsource: b.py\ncases: [AC, WA]\n",
        "tests/half/b.py": "print(3)\n",
    },
    "kattis": {
        "problem.yaml": "name: Sum\nlimits: {time_multiplier: 3}\n",
        "data/secret/1.in": "1 2\n",
        "data/secret/1.ans": "3\n",
        "input_validators/v.py": "import sys\nsys.exit(42)\n",
        "submissions/accepted/a.py": SUM,
        "submissions/time_limit_exceeded/b.py": "while True:\n    pass\n",
    },
    # Points: 25 for halves, each case of it by the validator's share, 75 for all or nothing.
    "scored": {
        "problem.yaml": "problem_format_version: 2025-09\nname: Sum\ntype: scoring\n"
                        "limits: {time_limit: 2}\nconstants: {HALF: 0.5}\n",
        "statement/problem.en.md": "Half is {{HALF}}.\n",
        "data/sample/1.in": "1 1\n",
        "data/sample/1.ans": "2\n",
        "data/secret/halves/test_group.yaml": "max_score: 25\nscore_aggregation: sum\n",
        "data/secret/halves/1.in": "1 2\n",
        "data/secret/halves/1.ans": "3\n",
        "data/secret/halves/2.in": "1 3\n",
        "data/secret/halves/2.ans": "4\n",
        "data/secret/rest/test_group.yaml": "max_score: 75\nrequire_pass: halves\n",
        "data/secret/rest/1.in": "50 60\n",
        "data/secret/rest/1.ans": "110\n",
        # One off is half right, where the case has points.
        "output_validator/v.py":
            "import sys\nright = int(open(sys.argv[2]).read())\ngot = int(sys.stdin.read())\n"
            "if got != right and abs(got - right) == 1 and right < 10:\n"
            "    open(sys.argv[3] + 'score_multiplier.txt', 'w').write('{{HALF}}')\n"
            "    sys.exit(42)\n"
            "sys.exit(42 if got == right else 43)\n",
        "submissions/submissions.yaml":
            "accepted: {score: 100}\npartially_accepted/half.py: {score: 12.5}\n"
            "partially_accepted/small.py: {score: [25, 25]}\nrejected/zero.py: {score: 0}\n",
        "submissions/accepted/a.py": SUM,
        "submissions/partially_accepted/half.py": "print(sum(map(int, input().split())) + 1)\n",
        "submissions/partially_accepted/small.py": "print(min(4, sum(map(int, input().split()))))\n",
        "submissions/rejected/zero.py": "print(0)\n",
    },
    # The same in Kattis' older form: an average of 20 and 10, and a minimum of 30.
    "graded": {
        "problem.yaml": "name: Sum\ntype: scoring\nlimits: {time_limit: 2}\n",
        ".timelimit": "2\n",
        "data/testdata.yaml": "grader_flags: ignore_sample\non_reject: continue\n",
        "data/secret/a/testdata.yaml": "grader_flags: avg\n",
        "data/secret/a/x/testdata.yaml": "grader_flags: min\naccept_score: 20\n",
        "data/secret/a/x/1.in": "1 2\n",
        "data/secret/a/x/1.ans": "3\n",
        "data/secret/a/y/testdata.yaml": "grader_flags: max\naccept_score: 10\n",
        "data/secret/a/y/1.in": "1 3\n",
        "data/secret/a/y/1.ans": "4\n",
        "data/secret/b/testdata.yaml": "grader_flags: min\non_reject: break\naccept_score: 30\n",
        "data/secret/b/1.in": "5 5\n",
        "data/secret/b/1.ans": "10\n",
        "data/secret/b/2.in": "5 6\n",
        "data/secret/b/2.ans": "11\n",
        "submissions/submissions.yaml":
            "accepted: {score: 45}\npartially_accepted/three.py: {score: 10}\n"
            "partially_accepted/most.py: {score: 15}\n",
        "submissions/accepted/a.py": SUM,
        "submissions/partially_accepted/three.py": "print(3)\n",
        "submissions/partially_accepted/most.py": "print(min(10, sum(map(int, input().split()))))\n",
    },
}
SCORED = ("scored", "graded")


def round_trip(assize, folder, name):
    """The ids of a package's manifest and of what its export is read as."""
    out = f"{folder}/{name}.out"
    subprocess.run([assize, "problem", "export", f"{folder}/{name}", out], check=True,
                   capture_output=True)
    done = [subprocess.run([assize, "problem", "import", "--dry-run", "--json", path], check=True,
                           capture_output=True, text=True) for path in (f"{folder}/{name}", out)]
    return [json.loads(one.stdout)["problems"][0]["manifestId"] for one in done]


def check(assize, languages, folder):
    command = [assize, "problem", "check", "--json", "--quiet", "--languages-dir", languages, folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False,
                          stdin=subprocess.DEVNULL)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        sys.exit(f"no JSON; exit status {done.returncode}: {done.stderr}")


def results(status, report, ids):
    """name -> whether it holds."""
    problems = {row["code"]: row for row in report["problems"]}
    agrees = [row["agrees"] for row in report["submissions"]]
    polygon = problems.get("polygon", {})
    invalid = polygon.get("invalidInputs", [])
    return {
        "each problem is judged": set(problems) == set(PACKAGES) and len(agrees) == 13,
        "test data are made and every verdict is as promised": all(agrees),
        "an input that is not valid is named":
            [row["case"] for row in invalid] == ["secret/03"]
            and invalid[0]["message"] == "too large",
        "and makes the status 1": status == {"polygon": 1, "dmoj": 0, "kattis": 0,
                                               "scored": 0, "graded": 0},
        "a time limit is found by Kattis' rule":
            problems.get("kattis", {}).get("timeLimitFound") is True
            and problems["kattis"]["timeLimitMs"] % 1000 == 0,
        "an exported scoring problem is the same": all(a == b for a, b in ids),
        "a given one is kept": polygon.get("timeLimitMs") == 2000
            and polygon.get("timeLimitFound") is False,
    }


def main():
    if os.geteuid() != 0:
        print("1..0 # SKIP the sandbox needs root")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name, files in PACKAGES.items():
            for path, content in files.items():
                file = pathlib.Path(folder) / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
        report = {"problems": [], "submissions": []}
        status = {}
        for name in PACKAGES:
            path = str(pathlib.Path(folder) / name)
            status[name], one = check(sys.argv[1], str(ROOT / "languages"), path)
            report["problems"] += [row | {"code": name} for row in one["problems"]]
            report["submissions"] += one["submissions"]
        ids = [round_trip(sys.argv[1], folder, name) for name in SCORED]
    found = results(status, report, ids)
    print(f"1..{len(found)}")
    for number, (name, holds) in enumerate(found.items(), 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {name}")
    if not all(found.values()):
        print("# " + json.dumps(report))
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
