#!/usr/bin/env python3
"""Bad input over HTTP: the right status and words, and nothing lost or half-stored."""

import io
import json
import os
import sqlite3
import sys
import unittest
import zipfile

import harness
from harness import RIGHT

YAML = "problem_format_version: 2023-07-draft\nname: A test\ntype: pass-fail\n"
GOOD = {
    "problem.yaml": YAML,
    ".timelimit": "1\n",
    "statement/problem.en.md": "Say what you read.\n",
    "data/sample/1.in": "1\n",
    "data/sample/1.ans": "1\n",
    "data/secret/1.in": "2\n",
    "data/secret/1.ans": "2\n",
    "submissions/accepted/a.py": "print(input())\n",
}


def package(changes):
    """A good package as a zip, with members changed; None leaves one out."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in {**GOOD, **changes}.items():
            if text is not None:
                archive.writestr(name, text)
    return content.getvalue()


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = harness.World()
        cls.addClassCleanup(cls.world.close)
        cls.world.start_server()
        cls.aplusb = cls.world.problem("aplusb")
        cls.token = cls.world.token

    def rows(self):
        """How many of everything the database has."""
        with sqlite3.connect(f"file:{self.world.folder}/data/assize.db?mode=ro", uri=True) as database:
            tables = [row[0] for row in database.execute(
                "select name from sqlite_master where type='table'")]
            counts = {table: database.execute(f'select count(*) from "{table}"').fetchone()[0]
                      for table in tables}
        for changing in ("audit_log", "node_beat", "server_beat", "clock_guard", "id_block",
                         "maintenance_lease", "sign_in_failure"):
            counts.pop(changing, None)
        return counts

    def assert_refused(self, expected, method, path, body, headers=None, **more):
        before = self.rows()
        full = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                **(headers or {})}
        full = {name: value for name, value in full.items() if value is not None}
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        status, answer_headers, answer = self.world.raw(method, path, body, full)
        problem = json.loads(answer)
        self.assertEqual((status, problem["code"]), expected, problem)
        self.assertEqual(answer_headers["Content-Type"], "application/problem+json")
        self.assertTrue(problem["detail"])
        self.assertEqual(self.rows(), before, "something was stored")
        return problem

    def submit(self, expected, **changes):
        body = {"problemId": self.aplusb, "language": "cpp", "source": RIGHT, **changes}
        return self.assert_refused(expected, "POST", "/api/v1/submissions", body)

    # ---- submissions ----

    def test_source_over_128_kib(self):
        self.submit((413, "source_too_large"), source="x" * (128 * 1024 + 1))

    def test_source_of_exactly_128_kib_is_taken(self):
        source = RIGHT + " " * (128 * 1024 - len(RIGHT))
        number = self.world.submit("aplusb", source)
        self.assertEqual(self.world.submission(number)["source"], source)

    def test_source_far_over_every_limit(self):
        self.submit((413, "too_large"), source="x" * (2 * 1024 * 1024))

    def test_empty_source(self):
        self.submit((400, "empty_source"), source="")

    def test_source_of_white_space_is_empty(self):
        self.submit((400, "empty_source"), source=" \n\t")

    def test_unknown_language(self):
        self.submit((400, "unknown_language"), language="cobol")

    def test_unknown_problem(self):
        self.submit((404, "no_problem"), problemId=999999)

    def test_unknown_field(self):
        problem = self.submit((400, "unknown_field"), speed="fast")
        self.assertIn("speed", problem["detail"])

    def test_missing_field(self):
        body = {"problemId": self.aplusb, "language": "cpp"}
        problem = self.assert_refused((400, "bad_field"), "POST", "/api/v1/submissions", body)
        self.assertIn("source", problem["detail"])

    def test_field_of_another_type(self):
        self.submit((400, "bad_field"), problemId="one")

    def test_no_session(self):
        self.assert_refused((401, "no_session"), "POST", "/api/v1/submissions",
                            {"problemId": self.aplusb, "language": "cpp", "source": RIGHT},
                            {"Authorization": None})

    def test_made_up_token(self):
        self.assert_refused((401, "no_session"), "POST", "/api/v1/submissions",
                            {"problemId": self.aplusb, "language": "cpp", "source": RIGHT},
                            {"Authorization": "Bearer eyJhbGciOiJub25lIn0.e30."})

    def test_broken_json(self):
        problem = self.assert_refused((400, "bad_json"), "POST", "/api/v1/submissions",
                                      b'{"problemId": 1,\n "language": cpp}')
        self.assertIn("line 2", problem["detail"])

    def test_json_that_is_no_object(self):
        self.assert_refused((400, "bad_field"), "POST", "/api/v1/submissions", b"[]")

    def test_json_with_a_key_twice(self):
        self.assert_refused((400, "bad_json"), "POST", "/api/v1/submissions",
                            b'{"problemId": 1, "problemId": 2}')

    def test_wrong_content_type(self):
        for content_type in ("text/plain", "application/x-www-form-urlencoded", None):
            self.assert_refused((415, "wrong_content_type"), "POST", "/api/v1/submissions",
                                {"problemId": self.aplusb}, {"Content-Type": content_type}
                                if content_type else {"Content-Type": ""})

    def test_a_page_of_another_site(self):
        status, headers, _ = self.world.raw(
            "POST", "/api/v1/session",
            json.dumps({"username": "admin", "password": self.world.password}).encode(),
            {"Content-Type": "application/json"})
        self.assertEqual(status, 200)
        cookies = "; ".join(value.split(";")[0] for value in headers.get_all("Set-Cookie"))
        self.assert_refused((403, "cross_site"), "POST", "/api/v1/submissions",
                            {"problemId": self.aplusb, "language": "cpp", "source": RIGHT},
                            {"Authorization": None, "Cookie": cookies,
                             "Origin": "http://evil.example"})

    def test_the_same_key_with_another_body(self):
        self.world.submit("aplusb", RIGHT, key="used-key")
        self.assert_refused((422, "idempotency_mismatch"), "POST", "/api/v1/submissions",
                            {"problemId": self.aplusb, "language": "cpp", "source": RIGHT + " "},
                            {"Idempotency-Key": "used-key"})

    def test_the_same_key_with_the_same_body_is_the_first_answer(self):
        first = self.world.submit("aplusb", RIGHT, key="twice")
        self.assertEqual(self.world.submit("aplusb", RIGHT, key="twice"), first)

    def test_somebody_else_s_submission_does_not_exist(self):
        number = self.world.submit("aplusb", RIGHT)
        created = self.world.post("/api/v1/admin/users", {
            "username": "student", "displayName": "Student", "role": "student"})
        token = self.world.sign_in("student", created["password"])
        self.assert_refused((404, "no_submission"), "GET", f"/api/v1/submissions/{number}", None,
                            {"Authorization": f"Bearer {token}"})
        self.assert_refused((403, "not_allowed"), "GET", "/api/v1/admin/users", None,
                            {"Authorization": f"Bearer {token}"})
        self.assert_refused((403, "not_allowed"), "POST", "/api/v1/admin/problems", b"PK",
                            {"Authorization": f"Bearer {token}", "Content-Type": "application/zip"})

    def test_nothing_at_the_address(self):
        self.assert_refused((404, "not_found"), "GET", "/api/v1/nothing", None)
        self.assert_refused((404, "no_submission"), "GET", "/api/v1/submissions/999999", None)
        self.assert_refused((404, "no_submission"), "GET", "/api/v1/submissions/abc", None)
        self.assert_refused((405, "method_not_allowed"), "DELETE", "/api/v1/problems", None)

    # ---- packages ----

    def refuse_package(self, changes, *words, expected=(422, "bad_package")):
        problem = self.assert_refused(expected, "POST", "/api/v1/admin/problems",
                                      package(changes), {"Content-Type": "application/zip"})
        text = json.dumps(problem)
        for word in words:
            self.assertIn(word, text)
        self.assertEqual(len(self.world.get("/api/v1/problems")["items"]), self.problems)

    def setUp(self):
        self.problems = len(self.world.get("/api/v1/problems")["items"])

    def test_package_without_problem_yaml(self):
        self.refuse_package({"problem.yaml": None}, "problem.yaml")

    def test_package_with_an_in_lacking_its_ans(self):
        self.refuse_package({"data/secret/1.ans": None}, "data/secret/1", ".ans")

    def test_package_with_dots_in_a_zip_path(self):
        self.refuse_package({"../outside.txt": "x"}, "..")

    def test_package_with_an_absolute_zip_path(self):
        self.refuse_package({"/etc/cron.d/x": "x"}, "/etc/cron.d/x")

    def test_package_with_a_broken_yaml(self):
        self.refuse_package({"problem.yaml": "name: A\nlimits:\n  memory: [1\n"}, "problem.yaml:")

    def test_package_with_a_wrong_value_in_its_yaml(self):
        self.refuse_package({"problem.yaml": YAML + "limits:\n  memory: much\n"}, "problem.yaml:5")

    def test_package_that_is_no_zip(self):
        self.assert_refused((422, "bad_package"), "POST", "/api/v1/admin/problems", b"not a zip",
                            {"Content-Type": "application/zip"})

    def test_package_that_is_empty(self):
        self.assert_refused((422, "bad_package"), "POST", "/api/v1/admin/problems", b"",
                            {"Content-Type": "application/zip"})

    def test_package_of_another_type(self):
        self.assert_refused((415, "wrong_content_type"), "POST", "/api/v1/admin/problems",
                            package({}), {"Content-Type": "text/plain"})

    def test_package_cut_off(self):
        self.assert_refused((422, "bad_package"), "POST", "/api/v1/admin/problems",
                            package({})[:-30], {"Content-Type": "application/zip"})

    def test_good_package_twice_is_one_problem(self):
        for created in (True, False):
            status, _, answer = self.world.raw(
                "POST", "/api/v1/admin/problems?code=goodone", package({}),
                {"Authorization": f"Bearer {self.token}", "Content-Type": "application/zip"})
            self.assertEqual(status, 201, answer)
            self.assertEqual(json.loads(answer)["created"], created)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: starting a server as an unprivileged user needs root")
        sys.exit(77)
    unittest.main(verbosity=2)
