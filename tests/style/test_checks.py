#!/usr/bin/env python3
"""Plants one fault a rule into a small clean tree and asks that the check names it.

A check that has never been seen to fail does not count.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tools"

CLEAN = {
    "meson.build": "add_project_arguments('-Wall', '-Wextra', '-Wl,-z,now', language: 'c')\n",
    "tools/layers.txt": "base:\nstore: base\napp: base store\nbox: base\nmain: base app\n"
    "<sqlite3.h>: store/sqlite.c\n<seccomp.h>: box/\n",
    "tools/banned.txt": "# name | instead | except\ntime | clock_utc_ms | src/base/str.c\n"
    "sprintf | buf_printf |\nlog_info | return an error | only src/store/\n",
    "tools/untested.txt": "src/main/main.c | wiring only, run by every e2e test\n",
    "src/base/str.h": "#ifndef BASE_STR_H\n#define BASE_STR_H\n\n#include <stddef.h>\n\n"
    "size_t str_len(const char *text);\n\n#endif\n",
    "src/base/str.c": '#include "base/str.h"\n#include <time.h>\n\n'
    "size_t str_len(const char *text) {\n    return text[0] + (size_t)time(NULL);\n}\n",
    "src/store/db_internal.h": "#ifndef STORE_DB_INTERNAL_H\n#define STORE_DB_INTERNAL_H\n\n#endif\n",
    "src/store/sqlite.c": '#include "base/str.h"\n#include "store/db_internal.h"\n'
    "#include <sqlite3.h>\n#include <sys/stat.h>\n\n/* sprintf(it) and \"time(\" are words. */\n"
    'static const char *const words = "// time(NULL) sprintf(x)";\n',
    "src/main/main.c": '#include "base/str.h"\n\nint main(void) {\n    return 0;\n}\n',
    "tests/unit/base/test_str.c": "#include \"base/str.h\"\n#include <cmocka.h>\n\n"
    "static void one(void **state) {\n    (void)state;\n    assert_int_equal(1, 1);\n}\n"
    "static const int tests[] = {cmocka_unit_test(one)};\n",
    "tests/unit/store/test_sqlite.c": "#include \"store/db_internal.h\"\n#include <cmocka.h>\n\n"
    "static void one(void **state) {\n    (void)state;\n    assert_int_equal(1, 1);\n}\n"
    "static const int tests[] = {cmocka_unit_test(one)};\n",
    "tests/fixtures/bad/wrong.c": "// a contestant may write anything\nint main() { system(0); }\n",
    "script/hello": "#!/usr/bin/env bash\nset -euo pipefail\n"
    "[ \"${1:-}\" = --help ] && echo hello\necho \"hello\"\n",
    "README.md": "# Title\n\n## One\n\nSee [code](src/base/str.c#L1) and `src/base/str.h:3`,\n"
    "`languages/` later, `src/<module>/`.\n\n```\n## no heading, `src/none.c` no path\n```\n",
    "README.zh-CN.md": "# 题目\n\n## 一\n",
    "docs/decisions/0001-first.md": "# First\n\nSee [the readme](../../README.md).\n",
}


class Planted(unittest.TestCase):
    """Each test changes the clean tree a little and looks at what one check says."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="assize-style-"))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "languages").mkdir()
        for path, text in CLEAN.items():
            self.write(path, text)
        shutil.copy(ROOT / ".clang-format", self.root)

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def append(self, path, text):
        self.write(path, (self.root / path).read_text(encoding="utf-8") + text)

    def run_check(self, name, *arguments):
        done = subprocess.run(
            [sys.executable, TOOLS / f"check_{name}.py", "--root", self.root, *arguments],
            capture_output=True, text=True, check=False,
        )
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        return done

    def passes(self, name, *arguments):
        done = self.run_check(name, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def refuses(self, name, place, problem, advice, *arguments):
        """One line begins with `place`, then tells `problem` and what to do."""
        done = self.run_check(name, *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.startswith(f"{place}: ")]
        self.assertTrue(lines, f"nothing about {place} in:\n{done.stdout}")
        self.assertTrue(any(problem in line and advice in line for line in lines), done.stdout)
        self.assertIn("1 problem(s)", done.stdout)


class Layers(Planted):
    def test_the_clean_tree_passes(self):
        self.passes("layers")

    def test_a_module_may_not_include_what_its_row_lacks(self):
        self.append("src/base/str.h", '#include "store/db.h"\n')
        self.refuses("layers", "src/base/str.h:9", "base may not include store", "nothing but itself")

    def test_a_unit_test_keeps_to_the_row_of_its_module(self):
        self.append("tests/unit/base/test_str.c", '#include "app/submit.h"\n')
        self.refuses("layers", "tests/unit/base/test_str.c:9", "base may not include app", "gives")

    def test_a_row_may_not_name_a_module_below_it(self):
        self.write("tools/layers.txt", "box: base\n" + CLEAN["tools/layers.txt"].replace("box: base\n", ""))
        self.refuses("layers", "tools/layers.txt:1", "not above it", "below everything")

    def test_a_foreign_header_stays_in_its_file(self):
        self.append("src/main/main.c", "#include <sqlite3.h>\n")
        self.refuses("layers", "src/main/main.c:6", "<sqlite3.h> is foreign", "store/sqlite.c")

    def test_a_foreign_header_without_a_row_is_refused(self):
        self.append("src/main/main.c", "#include <zlib.h>\n")
        self.refuses("layers", "src/main/main.c:6", "<zlib.h>", "add a row")

    def test_a_private_header_stays_in_its_module(self):
        self.write("src/app/a.c", '#include "store/db_internal.h"\n')
        self.refuses("layers", "src/app/a.c:1", "private to store", "public headers")

    def test_an_own_header_says_its_module(self):
        self.append("src/base/str.c", '#include "str.h"\n')
        self.refuses("layers", "src/base/str.c:7", "does not say its module", '"module/str.h"')

    def test_a_relative_include_is_refused(self):
        self.append("src/main/main.c", '#include "../base/str.h"\n')
        self.refuses("layers", "src/main/main.c:6", "does not say its module", '"module/str.h"')

    def test_a_unit_test_may_include_a_helper_beside_it(self):
        self.write("tests/unit/helper.h", "\n")
        self.append("tests/unit/base/test_str.c", '#include "../helper.h"\n')
        self.passes("layers")
        self.append("tests/unit/base/test_str.c", '#include "../gone.h"\n')
        self.refuses("layers", "tests/unit/base/test_str.c:10", "does not say", '"module/gone.h"')

    def test_a_module_without_a_row_is_refused(self):
        self.write("src/new/a.c", "\n")
        self.refuses("layers", "src/new/a.c:1", "no row", "tools/layers.txt")


class Banned(Planted):
    def test_the_clean_tree_passes(self):
        self.passes("banned")

    def test_a_banned_call_is_told_with_what_to_use(self):
        self.append("src/main/main.c", "int now(void) {\n    return time(0);\n}\n")
        self.refuses("banned", "src/main/main.c:7", "time() is banned", "use clock_utc_ms")

    def test_a_banned_call_in_a_test_is_refused_too(self):
        self.append("tests/unit/base/test_str.c", "int x = sprintf (0);\n")
        self.refuses("banned", "tests/unit/base/test_str.c:9", "sprintf()", "buf_printf")

    def test_a_member_of_that_name_may_be_called(self):
        self.append("src/main/main.c", "int a = clock->time(0) + c.time(0) + my_time(0);\n")
        self.passes("banned")

    def test_a_row_with_only_bans_in_those_places_alone(self):
        self.append("src/main/main.c", "int a = log_info(0);\n")
        self.passes("banned")
        self.append("src/store/sqlite.c", "int a = log_info(0);\n")
        self.refuses("banned", "src/store/sqlite.c:8", "log_info()", "return an error")

    def test_an_exception_that_does_not_exist_is_told(self):
        self.append("tools/banned.txt", "rand | random_u64 | src/base/gone.c\n")
        self.refuses("banned", "tools/banned.txt:5", "does not exist", "last column")

    def test_a_row_without_advice_is_told(self):
        self.append("tools/banned.txt", "rand\n")
        self.refuses("banned", "tools/banned.txt:5", "no second column", "what to use")


class Sizes(Planted):
    def function(self, body, head="int f(int a)"):
        self.write("src/app/a.c", f"{head} {{\n{body}}}\n")

    def test_the_clean_tree_passes(self):
        self.passes("sizes")

    def test_a_file_of_801_lines_is_too_long(self):
        self.write("src/app/a.c", "\n" * 800)
        self.passes("sizes")
        self.write("src/app/a.c", "\n" * 801)
        self.refuses("sizes", "src/app/a.c:801", "801 lines", "split")

    def test_a_header_of_251_lines_is_too_long(self):
        self.write("src/app/a.h", "\n" * 251)
        self.refuses("sizes", "src/app/a.h:251", "at most 250", "split")

    def test_a_function_of_71_lines_is_too_long(self):
        self.function("    a++;\n" * 68)
        self.passes("sizes")
        self.function("    a++;\n" * 69)
        self.refuses("sizes", "src/app/a.c:1", "f is 71 lines long", "split it into steps")

    def test_four_levels_are_too_deep(self):
        self.function("    for (;;) {\n        if (a) {\n            while (a) {\n"
                      "            }\n        }\n    }\n")
        self.passes("sizes")
        self.function("    for (;;) {\n        if (a) {\n            while (a) {\n"
                      "                switch (a) {\n                }\n"
                      "            }\n        }\n    }\n")
        self.refuses("sizes", "src/app/a.c:5", "4 levels deep", "return early")

    def test_seven_parameters_are_too_many(self):
        self.function("", "int f(int a, int b, int c, int d, int (*e)(int, int), int g, ...)")
        self.passes("sizes")
        self.function("", "int f(int a, int b, int c, int d, int (*e)(int, int), int g,\n      int h)")
        self.refuses("sizes", "src/app/a.c:1", "f has 7 parameters", "struct")

    def test_complexity_counts_nesting_and_operators(self):
        # 1 + 2 + 3 for the levels, 2 for && then ||: 8, twice is 16, and ?: and else make 18.
        nest = ("    if (a && a && a || a) {\n        for (;;) {\n            while (a) {\n"
                "            }\n        }\n    }\n")
        self.function(nest * 2 + "    a = a ? 1 : 2;\n    if (a) {\n    } else {\n    }\n"
                      "    goto end;\nend:\n")
        self.passes("sizes")
        self.function(nest * 2 + "    a = a ? 1 : 2;\n    if (a) {\n    } else if (a) {\n"
                      "    } else {\n    }\n    goto end;\nend:\n")
        self.refuses("sizes", "src/app/a.c:1", "f is 21 in cognitive complexity", "split")

    def test_a_line_of_101_columns_is_too_wide(self):
        self.append("src/main/main.c", "/* " + "x" * 98 + "\n */\n")
        self.refuses("sizes", "src/main/main.c:6", "101 columns, at most 100", "wrap")

    def test_a_table_may_have_120_columns(self):
        off, on = "/* clang-format off */\n", "/* clang-format on */\n"
        self.write("src/app/a.c", off + "x" * 120 + "\n" + on)
        self.passes("sizes")
        self.write("src/app/a.c", off + "x" * 121 + "\n" + on)
        self.refuses("sizes", "src/app/a.c:2", "121 columns, at most 120", "wrap")

    def test_the_box_may_have_3500_lines(self):
        for number in range(5):
            self.write(f"src/box/b{number}.c", "\n" * 700)
        self.passes("sizes")
        self.write("src/box/b5.c", "\n")
        self.refuses("sizes", "src/box:1", "3501 lines, at most 3500", "privilege")


class Notes(Planted):
    def test_the_clean_tree_passes(self):
        self.passes("notes")

    def test_a_double_slash_comment_is_refused(self):
        self.append("src/base/str.c", 'int x; // "later"\n')
        self.refuses("notes", "src/base/str.c:7", "temporary note", "/* */")

    def test_a_promise_for_later_is_refused(self):
        self.append("src/base/str.c", "/* First line.\n * TODO: the rest. */\n")
        self.refuses("notes", "src/base/str.c:8", "TODO", "do it")


class Migrations(Planted):
    FOLDER = "src/store/migrations"

    def plant(self, sql, name="20261201T1000_more.sql"):
        self.write(f"{self.FOLDER}/{name}", sql)

    def test_what_only_adds_passes(self):
        self.plant("CREATE TABLE a (id @i64);\nCREATE UNIQUE INDEX a_id ON a (id);\n"
                   "ALTER TABLE b ADD COLUMN c @i64 NOT NULL DEFAULT 0; -- never DROP it\n")
        self.plant("DROP TABLE old;\n", "20261202T1000_contract_old.sql")
        self.passes("migrations")

    def test_what_takes_away_is_refused(self):
        for sql in ("ALTER TABLE a DROP COLUMN b", "ALTER TABLE a RENAME TO b",
                    "ALTER TABLE a MODIFY b INT"):
            self.plant(f"CREATE TABLE z (id @i64);\n{sql};\n")
            self.refuses("migrations", f"{self.FOLDER}/20261201T1000_more.sql:2", "only adds",
                         "_contract_")

    def test_a_column_that_older_programs_cannot_fill_is_refused(self):
        self.plant("ALTER TABLE a ADD COLUMN b @i64 NOT NULL;\n")
        self.refuses("migrations", f"{self.FOLDER}/20261201T1000_more.sql:1", "without a default",
                     "give it one")

    def test_a_unique_index_on_rows_that_are_there_is_refused(self):
        self.plant("CREATE UNIQUE INDEX a_b ON a (b);\n")
        self.refuses("migrations", f"{self.FOLDER}/20261201T1000_more.sql:1", "a unique index on a",
                     "_contract_")

    def test_another_name_is_refused(self):
        self.plant("CREATE TABLE a (id @i64);\n", "more.sql")
        self.refuses("migrations", f"{self.FOLDER}/more.sql:1", "not named by its UTC time",
                     "20261130T1000")


class Tests(Planted):
    def test_the_clean_tree_passes(self):
        self.passes("tests")

    def test_a_source_file_without_a_test_is_refused(self):
        self.write("src/app/submit.c", "\n")
        self.refuses("tests", "src/app/submit.c:1", "no unit test", "tests/unit/app/test_submit.c")

    def test_an_exception_must_exist(self):
        self.append("tools/untested.txt", "src/main/gone.c | was there once upon a time\n")
        self.refuses("tests", "tools/untested.txt:2", "no source file", "remove the row")

    def test_an_exception_must_be_needed(self):
        self.append("tools/untested.txt", "src/base/str.c | was hard to test once\n")
        self.refuses("tests", "tools/untested.txt:2", "has a test now", "remove the row")

    def test_an_exception_has_a_reason(self):
        self.write("src/app/a.c", "\n")
        self.append("tools/untested.txt", "src/app/a.c\n")
        self.refuses("tests", "tools/untested.txt:2", "no reason", "why")

    def test_a_test_belongs_to_a_file(self):
        self.write("tests/unit/base/test_str_cut.c", CLEAN["tests/unit/base/test_str.c"])
        self.passes("tests")
        self.write("tests/unit/base/test_gone.c", CLEAN["tests/unit/base/test_str.c"])
        self.refuses("tests", "tests/unit/base/test_gone.c:1", "no file gone", "test_<file>.c")

    def test_a_test_asserts_something(self):
        path = "tests/unit/base/test_str.c"
        helper = "static void holds(void) {\n    assert_true(1);\n}\n#define HOLDS() holds()\n"
        test = "static void one(void **state) {\n    %s;\n}\nint a = cmocka_unit_test(one);\n"
        for body in ("holds()", "HOLDS()", "assert_true(1)"):
            self.write(path, helper + test % body)
            self.passes("tests")
        self.write(path, helper + test % "str_len(0)")
        self.refuses("tests", f"{path}:8", "one asserts nothing", "assert what it shows")

    def test_a_macro_may_register_tests(self):
        path = "tests/unit/base/test_str.c"
        self.write("tests/unit/helper.h", "#define LISTED(t) \\\n    cmocka_unit_test(t)\n")
        self.write(path, "static void one(void **state) {\n    %s;\n}\nint a = LISTED(one);\n"
                   % "assert_true(1)")
        self.passes("tests")
        self.write(path, "static void one(void **state) {\n}\nint a = LISTED(one);\n")
        self.refuses("tests", f"{path}:3", "one asserts nothing", "assert")

    def test_a_test_file_registers_tests(self):
        self.write("tests/unit/base/test_str.c", "/* cmocka_unit_test(one) */\n")
        self.refuses("tests", "tests/unit/base/test_str.c:1", "registers no test", "cmocka_unit_test")


class Headers(Planted):
    def test_the_clean_tree_passes(self):
        self.passes("headers")

    def test_a_header_includes_what_it_uses(self):
        self.write("src/app/a.h", "#ifndef APP_A_H\n#define APP_A_H\n\nint64_t a(void);\n\n#endif\n")
        self.refuses("headers", "src/app/a.h:4", "does not compile alone", "include what it uses")

    def test_a_header_may_be_included_twice(self):
        self.write("src/app/a.h", "#ifndef APP_A_H\n#define APP_A_H\n#endif\nstruct a {\n};\n")
        self.refuses("headers", "src/app/a.h:4", "redefinition", "include")

    def test_the_project_warnings_are_asked(self):
        self.write("src/app/a.h", "#ifndef APP_A_H\n#define APP_A_H\n\n"
                   "static inline int a(int x, unsigned y) {\n    return x < y;\n}\n\n#endif\n")
        self.refuses("headers", "src/app/a.h:5", "signedness", "include")

    def test_a_guard_is_named_after_the_file(self):
        self.write("src/app/a.h", "#ifndef A_H\n#define A_H\n\n#endif\n")
        self.refuses("headers", "src/app/a.h:1", "guard is A_H", "APP_A_H")

    def test_a_header_has_a_guard(self):
        self.write("src/app/a.h", "int a(void);\n")
        self.refuses("headers", "src/app/a.h:1", "no include guard", "#ifndef APP_A_H")


class Format(Planted):
    def test_the_clean_tree_passes(self):
        for path in ("tests/unit/base/test_str.c", "tests/unit/store/test_sqlite.c"):
            self.write(path, "\n")
        self.passes("format")

    def test_an_indentation_of_two_is_refused(self):
        for path in ("tests/unit/base/test_str.c", "tests/unit/store/test_sqlite.c"):
            self.write(path, "\n")
        self.write("src/app/a.c", "int a(void) {\n  return 1;\n}\n")
        self.refuses("format", "src/app/a.c:1", "not laid out", "script/format")


class Shell(Planted):
    def test_the_clean_tree_passes(self):
        self.passes("shell")

    def test_a_script_that_does_not_parse_is_refused(self):
        self.append("script/hello", "if true; then\n")
        done = self.run_check("shell")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"script/hello:\d+: syntax error.*: make it parse")

    def test_a_script_stops_at_errors(self):
        self.write(".ci/run", "#!/bin/bash\necho hello\n")
        self.refuses("shell", ".ci/run:1", "goes on after an error", "set -euo pipefail")

    def test_a_script_answers_help(self):
        self.write("script/new", "#!/usr/bin/env bash\nset -euo pipefail\necho hello\n")
        self.refuses("shell", "script/new:1", "--help", "say what it does")

    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck here")
    def test_shellcheck_is_asked(self):
        self.append("script/hello", "cd $1\n")
        done = self.run_check("shell")
        self.assertEqual(done.returncode, 1)
        self.assertIn("script/hello:5: shellcheck: Double quote", done.stdout)


class Invariants(Planted):
    def setUp(self):
        super().setUp()
        self.write("docs/invariants.md", "# Rules\n\n| S1 | one | `src/base/str.c` | |\n")
        self.append("src/base/str.c", "/* S1 */\n")

    def test_the_clean_tree_passes(self):
        self.passes("invariants")

    def test_a_named_file_names_the_rule(self):
        self.write("src/base/str.c", CLEAN["src/base/str.c"])
        self.refuses("invariants", "docs/invariants.md:3", "src/base/str.c does not name S1", "mark")

    def test_a_number_has_a_row(self):
        self.append("src/base/str.c", "/* S7 */\n")
        self.refuses("invariants", "src/base/str.c:8", "S7 is no invariant", "give it a row")

    def test_rows_count_without_a_gap(self):
        self.append("docs/invariants.md", "| S3 | three | | |\n")
        self.refuses("invariants", "docs/invariants.md:1", "not S1, S2", "without a gap")


class Docs(Planted):
    def test_the_clean_tree_passes(self):
        self.passes("docs")

    def test_a_link_leads_somewhere(self):
        self.append("docs/decisions/0001-first.md", "[x](../gone.md)\n")
        self.refuses("docs", "docs/decisions/0001-first.md:4", "link to ../gone.md", "correct it")

    def test_a_path_in_ticks_exists(self):
        self.append("README.md", "Run `script/gone --fast`.\n")
        self.refuses("docs", "README.md:11", "`script/gone` does not exist", "correct it")

    def test_a_pattern_in_ticks_matches_something(self):
        self.append("README.md", "Each `src/<any module>/str.c`.\n")
        self.passes("docs")
        self.write("README.md", CLEAN["README.md"] + "Each `src/<module>/none_*.c`.\n")
        self.refuses("docs", "README.md:11", "does not exist", "correct it")

    def test_a_test_that_is_named_must_be_there(self):
        self.append("docs/decisions/0001-first.md", "`tests/unit/base/test_str.c` `one`\n")
        self.passes("docs")
        self.append("docs/decisions/0001-first.md", "`tests/unit/base/test_str.c` `two`\n")
        self.refuses("docs", "docs/decisions/0001-first.md:5", "no test two", "that is there")

    def test_decisions_are_numbered_without_a_gap(self):
        self.write("docs/decisions/0003-third.md", "# Third\n")
        self.refuses("docs", "docs/decisions/0003-third.md:1", "no decision 0002", "without a gap")

    def test_a_number_is_taken_once(self):
        self.write("docs/decisions/0001-other.md", "# Other\n")
        self.refuses("docs", "docs/decisions/0001-other.md:1", "is taken by 0001-first.md", "next one")

    def test_a_decision_has_a_number(self):
        self.write("docs/decisions/why.md", "# Why\n")
        self.refuses("docs", "docs/decisions/why.md:1", "not a decision's name", "NNNN-title.md")

    def test_the_readmes_have_the_same_headings(self):
        self.append("README.zh-CN.md", "\n## 二\n")
        self.refuses("docs", "README.zh-CN.md:5", "3 headings, README.md has 2", "same headings")

    def test_the_readmes_have_the_same_levels(self):
        self.write("README.zh-CN.md", "# 题目\n\n### 一\n")
        self.refuses("docs", "README.zh-CN.md:3", "heading ### where README.md has ##", "same")


class Attacks(Planted):
    def setUp(self):
        super().setUp()
        self.write("tests/box/test_runs.c", "static void a_fork_bomb_ends(void **state) {\n}\n"
                   'static const struct row rows[] = {\n    {"a daemon", "x"},\n};\n')
        self.write("tests/box/mutations.py", 'MUTATIONS = [\n    ("what is left lives", 1),\n]\n')
        self.write("tests/box/attacks.txt", "# A\n1 | bomb | runs: a_fork_bomb_ends; a daemon | "
                   "what is left lives\n2 | nothing | absent: there is no such language yet\n")

    def test_the_clean_table_passes(self):
        self.passes("attacks")

    def test_a_test_that_is_not_there_is_refused(self):
        self.append("tests/box/attacks.txt", "3 | x | runs: a_spoon_bends | none: nothing to protect\n")
        self.refuses("attacks", "tests/box/attacks.txt:4", "no test 'a_spoon_bends'", "write the test")

    def test_a_row_without_a_test_is_refused(self):
        self.append("tests/box/attacks.txt", "3 | x |  | none: nothing to protect\n")
        self.refuses("attacks", "tests/box/attacks.txt:4", "there is no test ''", "write the test")

    def test_a_mutation_that_is_not_there_is_refused(self):
        self.append("tests/box/attacks.txt", "3 | x | runs: a daemon | no gravity\n")
        self.refuses("attacks", "tests/box/attacks.txt:4", "no mutation 'no gravity'", "none: why")

    def test_a_number_twice_is_refused(self):
        self.append("tests/box/attacks.txt", "2 | x | runs: a daemon | none: nothing to protect\n")
        self.refuses("attacks", "tests/box/attacks.txt:1", "do not rise", "one row a number")


class Man(Planted):
    def setUp(self):
        super().setUp()
        self.write("src/local/cmd_box.c", 'const struct command command_box = {\n    "box", "runs", run};\n'
                   'rows = {{.flag = "cpu"}, {.flag = "open-files"}};\n')
        self.write("docs/man/assize-box.1", ".TH X 1\n.BI \\-\\-cpu \" DURATION\"\n"
                   ".BI \\-\\-open\\-files \" N\"\n.BR \\-h \", \" \\-\\-help\n")

    def test_the_clean_page_passes(self):
        self.passes("man")

    def test_an_option_that_is_not_described_is_refused(self):
        self.append("src/local/cmd_box.c", 'more = {{.flag = "wall"}};\n')
        self.refuses("man", "docs/man/assize-box.1:1", "--wall is missing", "describe it")

    def test_an_option_of_a_table_that_others_use_is_refused(self):
        self.write("src/cli/options.c", "const struct config_row cli_rows[] = {\n"
                   '    {.flag = "server"},\n};\n')
        self.append("src/local/cmd_box.c", "status = cli_read(&cli);\n")
        self.refuses("man", "docs/man/assize-box.1:1", "--server is missing", "describe it")

    def test_an_option_of_a_macro_is_refused(self):
        self.write("src/cli/selection.h", "#define SELECTION_ROWS  \\\n    {.flag = \"all\"}\n")
        self.append("src/local/cmd_box.c", "rows = {SELECTION_ROWS};\n")
        self.refuses("man", "docs/man/assize-box.1:1", "--all is missing", "describe it")

    def test_an_option_that_is_none_is_refused(self):
        self.append("docs/man/assize-box.1", ".B \\-\\-speed\n")
        self.refuses("man", "docs/man/assize-box.1:1", "--speed is no option", "remove it")

    def test_a_page_without_its_command_is_refused(self):
        self.write("docs/man/assize-moon.1", ".TH X 1\n")
        self.refuses("man", "docs/man/assize-moon.1:1", "no command `assize moon`", "name the page")

    def test_a_command_without_its_page_is_refused(self):
        self.write("src/local/cmd_moon.c", 'const struct command command_moon = {\n    "moon", "x", run};\n')
        self.refuses("man", "src/local/cmd_moon.c:1", "has no manual page", "assize-moon.1")


class PutTable(unittest.TestCase):
    def put(self, document, table):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(document)
            done = subprocess.run([sys.executable, TOOLS / "put_table.py", page, "speed"], input=table,
                                  capture_output=True, text=True, check=False)
            return done.returncode, page.read_text()

    def test_a_table_takes_the_place_of_the_one_before(self):
        page = "a\n<!-- table: speed -->\nold\n<!-- end -->\nb <!-- table: x -->\nkept\n<!-- end -->\n"
        self.assertEqual(self.put(page, "| new |\n"),
                         (0, page.replace("\nold\n", "\n\n| new |\n\n")))

    def test_a_page_without_the_place_stays(self):
        for page, table in (("nothing\n", "| new |\n"), ("<!-- table: speed -->\n<!-- end -->\n", " \n")):
            code, text = self.put(page, table)
            self.assertNotEqual(code, 0)
            self.assertEqual(text, page)


class BoxLinks(Planted):
    def build(self, *link):
        self.write("src/box/b.c", "int main(void) {\n    return 0;\n}\n")
        subprocess.run(["gcc", "-g", "-o", "box", "src/box/b.c", *link], cwd=self.root, check=True)
        return str(self.root / "box")

    def test_libc_alone_passes(self):
        self.passes("box_links", self.build())

    def test_another_library_is_refused(self):
        program = self.build("-Wl,--no-as-needed", "-lm")
        self.refuses("box_links", "box:1", "links libm.so.6", "libc and libseccomp only", program)

    def test_a_file_of_another_module_is_refused(self):
        self.write("src/store/x.c", "int x(void) {\n    return 0;\n}\n")
        program = self.build("src/store/x.c")
        self.refuses("box_links", "box:1", "contains src/store/x.c", "src/box and src/base", program)

    def test_a_program_that_is_not_built_is_skipped(self):
        done = subprocess.run(
            [sys.executable, TOOLS / "check_box_links.py", "--root", self.root, "nowhere/assize-box"],
            capture_output=True, text=True, check=False,
        )
        self.assertEqual(done.returncode, 77)
        self.assertIn("not built yet", done.stdout)


class EveryCheck(unittest.TestCase):
    def test_has_a_fault_planted_here(self):
        checks = {path.stem.removeprefix("check_") for path in TOOLS.glob("check_*.py")}
        tested = {name.__name__ for name in Planted.__subclasses__()}
        self.assertEqual({"".join(part.title() for part in c.split("_")) for c in checks}, tested)


class Settings(Planted):
    def setUp(self):
        super().setUp()
        self.write("src/main/settings.c",
                   "const struct config_row settings_toy[] = {\n"
                   '    {.name = "toy.size", .type = CONFIG_SIZE, .fallback = "4KiB", .flag = "size",\n'
                   '     .min = 1, .help = "how large"},\n    {0},\n};\n')
        self.write("docs/operations/settings.md",
                   "# Settings\n\n## toy\n\n"
                   "| name | default | unit | flag, variable | what it does |\n"
                   "| --- | --- | --- | --- | --- |\n"
                   "| `toy.size` | `4KiB` | size | `--size` | how large |\n")

    def test_a_page_that_says_what_the_table_says_passes(self):
        self.passes("settings")

    def test_another_default_is_refused(self):
        self.write("docs/operations/settings.md",
                   (self.root / "docs/operations/settings.md").read_text().replace("4KiB", "8KiB"))
        self.refuses("settings", "docs/operations/settings.md:7", "is not so in", "--write")

    def test_a_setting_that_is_not_told_is_refused(self):
        self.append("src/main/settings.c",
                    "const struct config_row settings_more[] = {\n"
                    '    {.name = "more.x", .type = CONFIG_INT, .help = "x"},\n    {0},\n};\n')
        self.refuses("settings", "docs/operations/settings.md:1", "`more.x` is missing", "--write")


if __name__ == "__main__":
    unittest.main()
