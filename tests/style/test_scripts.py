#!/usr/bin/env python3
"""Tests of script/ and tools/run_tests.py that need nothing built."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import run_tests  # pylint: disable=wrong-import-position
from run_tests import Count


class Counting(unittest.TestCase):
    CMOCKA = textwrap.dedent(
        """\
        [==========] tests: Running 4 test(s).
        [ RUN      ] one_is_one
        [       OK ] one_is_one
        [ RUN      ] two_is_one
        [  ERROR   ] --- 2 != 1
        [  FAILED  ] two_is_one
        [ RUN      ] needs_root
        [  SKIPPED ] needs_root
        [ RUN      ] three_is_three
        [       OK ] three_is_three
        [==========] tests: 4 test(s) run.
        [  PASSED  ] 2 test(s).
        [  SKIPPED ] tests: 1 test(s), listed below:
        [  SKIPPED ] needs_root
        [  FAILED  ] tests: 1 test(s), listed below:
        [  FAILED  ] two_is_one

         1 FAILED TEST(S)
        """
    )

    def test_cmocka_cases_are_counted_once(self):
        self.assertEqual(run_tests.count_cases(self.CMOCKA, "FAIL"), Count(2, 1, 1))

    def test_a_case_that_crashes_its_program_has_failed(self):
        text = "[ RUN      ] one\n[       OK ] one\n[ RUN      ] two\nSegmentation fault\n"
        self.assertEqual(run_tests.count_cases(text, "FAIL"), Count(1, 1))

    def test_a_program_that_fails_after_its_last_case_has_failed(self):
        text = "[ RUN      ] one\n[       OK ] one\n"
        self.assertEqual(run_tests.count_cases(text, "FAIL"), Count(1, 1))
        self.assertEqual(run_tests.count_cases(text, "OK"), Count(1, 0))

    def test_unittest_cases_are_counted(self):
        text = "....\nRan 9 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=3)\n"
        self.assertEqual(run_tests.count_cases(text, "FAIL"), Count(3, 3, 3))
        self.assertEqual(run_tests.count_cases("Ran 1 test in 0.1s\n\nOK\n", "OK"), Count(1))

    def test_tap_and_the_plain_line_are_counted(self):
        text = "1..3\nok 1 a\nnot ok 2 b\nok 3 # skip no root\n"
        self.assertEqual(run_tests.count_cases(text, "FAIL"), Count(1, 1, 1))
        self.assertEqual(run_tests.count_cases("7 passed, 0 failed, 2 skipped\n", "OK"),
                         Count(7, 0, 2))

    def test_a_silent_program_is_one_case(self):
        self.assertEqual(run_tests.count_cases("", "OK"), Count(1))
        self.assertEqual(run_tests.count_cases("", "TIMEOUT"), Count(0, 1))
        self.assertEqual(run_tests.count_cases("", "SKIP"), Count(0, 0, 1))

    def test_cheap_suites_come_first_and_unknown_ones_last(self):
        tests = [{"suite": [f"assize:{s}"]} for s in ("zoo", "e2e", "unit", "apple", "style")]
        self.assertEqual(run_tests.suites_of(tests), ["style", "unit", "e2e", "apple", "zoo"])


class Summary(unittest.TestCase):
    """Runs the summary over a tiny meson project whose tests are known."""

    PROJECT = """\
        project('tiny')
        python = import('python').find_installation()
        test('good', python, suite: 'unit', args: ['-c', 'print("3 passed, 0 failed")'])
        test('bad', python, suite: 'e2e', args: ['-c', 'import sys; print("the reason"); sys.exit(%d)'])
        """

    def run_project(self, exit_code):
        with tempfile.TemporaryDirectory(prefix="assize-summary-") as folder:
            source = pathlib.Path(folder)
            (source / "meson.build").write_text(textwrap.dedent(self.PROJECT) % exit_code)
            subprocess.run(["meson", "setup", "build"], cwd=source, check=True, capture_output=True)
            return subprocess.run(
                [sys.executable, ROOT / "tools/run_tests.py", "--build", source / "build"],
                capture_output=True, text=True, check=False,
            )

    def test_a_failure_is_shown_counted_and_told_by_the_exit_code(self):
        done = self.run_project(1)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "3 passed, 1 failed")
        self.assertIn("the reason", done.stdout)

    def test_a_skip_is_no_failure(self):
        done = self.run_project(77)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "3 passed, 0 failed, 1 skipped")


class Sourced(unittest.TestCase):
    """A script is sourced with its outside world replaced by programs that a test makes."""

    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assize-bootstrap-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def program(self, name, text):
        path = self.bin / name
        path.write_text("#!/bin/bash\n" + text, encoding="utf-8")
        path.chmod(0o755)

    def bash(self, script, path=None):
        """Runs `script` after the sourced one, with the fake programs before all others."""
        path = path or f"{self.bin}:/usr/bin:/bin"
        # PATH again: a checkout that has brought its own Node puts that before all others.
        prepare = (f'. "{ROOT}/script/{self.script}"; TOOLS="{self.folder}/tools"; '
                   f'PATH="{path}"; ')
        return subprocess.run(
            ["/bin/bash", "-c", prepare + script],
            env={**os.environ, "PATH": path},
            capture_output=True, text=True, check=False,
        )


class Bootstrap(Sourced):
    script = "bootstrap"

    def test_only_a_node_that_the_web_build_works_with_fits(self):
        versions = {
            "v18.20.4": False, "v20.18.3": False, "v20.19.0": True, "v20.20.2": True,
            "v21.7.0": False, "v22.11.0": False, "v22.12.0": True, "v24.1.0": True,
            "v9.0.0": False, "": False, "nonsense": False,
        }
        script = "".join(f"node_fits '{v}' && echo yes || echo no; " for v in versions)
        done = self.bash(script)
        said = [line == "yes" for line in done.stdout.split()]
        self.assertEqual(dict(zip(versions, said)), versions, done.stderr)

    def bring(self, system_version):
        """need_node beside a system Node of that version, and an npm that installs a fake one."""
        self.program("node", f"echo v{system_version}\n")
        self.program("npm", textwrap.dedent(
            """\
            echo "npm $*"
            while [ $# -gt 0 ]; do
                [ "$1" = --prefix ] && prefix=$2
                case "$1" in node-linux-*@*) package=${1%@*} version=${1##*@} ;; esac
                shift
            done
            mkdir -p "$prefix/node_modules/$package/bin"
            printf '#!/bin/bash\\necho v%s\\n' "$version" > "$prefix/node_modules/$package/bin/node"
            chmod +x "$prefix/node_modules/$package/bin/node"
            """
        ))
        return self.bash("need_node && node --version && command -v node")

    def test_a_system_node_of_18_is_passed_over_for_one_from_npm(self):
        done = self.bring("18.20.4")
        self.assertEqual(done.returncode, 0, done.stderr)
        version, where = done.stdout.split()[-2:]
        self.assertRegex(version, r"^v22\.")
        self.assertEqual(where, f"{self.folder}/tools/bin/node")
        self.assertIn("Node here is v18.20.4", done.stderr)

    def test_a_system_node_that_fits_is_used(self):
        done = self.bring("20.19.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(), ["v20.19.1", f"{self.bin}/node"])

    def fake_dpkg(self, installed):
        rows = "".join(f"echo '{name} install ok installed'\n" for name in installed)
        self.program("dpkg-query", rows + "echo 'gone deinstall ok config-files'\nexit 1\n")

    def test_only_missing_packages_are_named(self):
        self.fake_dpkg(["gcc", "make"])
        done = self.bash("missing_packages gcc gone never make")
        self.assertEqual(done.stdout.split(), ["gone", "never"], done.stderr)

    def test_nothing_is_installed_when_nothing_is_missing(self):
        self.fake_dpkg(["gcc"])
        self.program("apt-get", "echo apt-get was called\n")
        self.program("sudo", "echo sudo was called\n")
        done = self.bash("need_packages gcc")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_an_ordinary_user_is_asked_by_sudo_and_told_why(self):
        self.fake_dpkg(["gcc"])
        self.program("id", "echo 1000\n")
        self.program("sudo", 'echo "sudo: $*"\n')
        done = self.bash("need_packages gcc meson")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("missing Debian packages: meson", done.stderr)
        self.assertIn("sudo is asked for once", done.stderr)
        self.assertRegex(done.stdout, r"sudo: .*apt-get install .*meson")

    def test_without_sudo_the_command_to_run_is_named(self):
        self.fake_dpkg(["gcc"])
        self.program("id", "echo 1000\n")
        for name in ("bash", "dirname", "sed", "sort", "comm", "basename"):
            (self.bin / name).symlink_to(f"/usr/bin/{name}")
        done = self.bash("need_packages gcc meson", path=str(self.bin))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"apt-get install .* meson")
        self.assertIn("Run as root", done.stderr)

    def test_a_language_brings_its_toolchain_only_when_asked(self):
        done = self.bash("languages=python3; wanted_packages")
        self.assertNotIn("g++", done.stdout.split(), done.stderr)
        done = self.bash("languages=cpp,python3; wanted_packages")
        self.assertIn("g++", done.stdout.split(), done.stderr)
        self.assertNotIn("chromium", done.stdout.split())
        done = self.bash("with_test=yes; languages=all; wanted_packages")
        self.assertLess({"g++", "chromium"}, set(done.stdout.split()), done.stderr)

    def test_root_makes_the_system_user_once(self):
        self.program("useradd", 'echo "useradd: $*"; touch "${0%/*}/made"\n')
        self.program("id", '[ "$1" = -u ] && echo 0 && exit; [ -e "${0%/*}/made" ]\n')
        done = self.bash("need_user; need_user")
        self.assertEqual(done.stdout.count("useradd: --system"), 1, done.stderr)

    def test_an_ordinary_user_makes_no_system_user(self):
        self.program("useradd", 'echo "useradd: $*"\n')
        self.program("id", '[ "$1" = -u ] && echo 1000 && exit; exit 1\n')
        done = self.bash("need_user")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_what_the_first_build_step_needs_is_named(self):
        done = self.bash("languages=python3; wanted_packages")
        self.assertLess({"gcc", "libc6-dev", "meson", "ninja-build", "python3"},
                        set(done.stdout.split()), done.stderr)

    def test_each_line_of_the_list_is_a_comment_or_has_a_known_group(self):
        lines = (ROOT / "tools/packages.txt").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            with self.subTest(f"tools/packages.txt:{number}"):
                if line.startswith("#"):
                    self.assertNotRegex(line, r"\b(build|run|test) *\|", "packages in a comment")
                else:
                    group, packages, why = (part.strip() for part in line.split("|"))
                    self.assertIn(group, ("build", "run", "test"))
                    self.assertTrue(packages and why)

    def test_an_unknown_language_is_told_with_those_there_are(self):
        done = self.bash("main --languages c,klingon")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no language klingon", done.stderr)
        self.assertIn("python3", done.stderr)


class Server(Sourced):
    script = "server"

    def test_an_option_is_found_in_both_its_forms(self):
        done = self.bash("value_of --data --listen :1 --data a; value_of --data --data=b; "
                         "value_of --data --database c || echo none")
        self.assertEqual(done.stdout.split(), ["a", "b", "none"], done.stderr)

    def data_folder(self, user_id, can_enter):
        self.program("id", f'[ "$1" = -u ] && echo {user_id} && exit; echo 4242\n')
        self.program("setpriv", f"exit {0 if can_enter else 1}\n")
        return self.bash("data_folder")

    def test_data_is_in_the_checkout_where_its_user_gets_there(self):
        for user_id, can_enter in ((0, True), (1000, False)):
            done = self.data_folder(user_id, can_enter)
            self.assertEqual(done.stdout.strip(), f"{ROOT}/var", done.stderr)

    def test_a_checkout_that_is_closed_to_the_servers_user_keeps_no_data(self):
        done = self.data_folder(0, False)
        self.assertEqual(done.stdout.strip(), "/var/lib/assize", done.stderr)
        self.assertIn(f"{ROOT} is closed", done.stderr)

    def test_roots_server_runs_as_who_called_sudo_or_the_system_user(self):
        self.program("id", "exit 0\n")
        self.program("stat", "exit 1\n")
        done = self.bash("server_user; SUDO_USER=alice server_user; server_user --user bob; "
                         "SUDO_USER=root server_user")
        self.assertEqual(done.stdout.split(), ["assize", "alice", "bob", "assize"], done.stderr)

    def test_roots_server_goes_on_as_the_owner_of_its_data(self):
        self.program("id", "exit 0\n")
        self.program("stat", "echo carol\n")
        done = self.bash("SUDO_USER=alice server_user")
        self.assertEqual(done.stdout.split(), ["carol"], done.stderr)

    def test_what_a_strict_umask_closed_is_opened_once(self):
        closed = self.folder / "languages" / "c"
        closed.mkdir(parents=True)
        (closed / "language.yaml").write_text("name: C\n", encoding="utf-8")
        (closed / "language.yaml").chmod(0o600)
        closed.chmod(0o700)
        done = self.bash(f"open_to_all {self.folder}/languages; open_to_all {self.folder}/languages")
        self.assertEqual(done.stderr.count("is opened to the server's user"), 1, done.stderr)
        self.assertEqual(closed.stat().st_mode & 0o777, 0o705)
        self.assertEqual((closed / "language.yaml").stat().st_mode & 0o777, 0o604)

    def test_sudo_by_the_owner_of_the_checkout_goes_on_as_the_owner(self):
        self.program("sudo", 'echo "sudo: $*"\n')
        self.program("stat", "echo alice\n")
        self.program("id", "echo 0\n")
        done = self.bash("SUDO_USER=alice; go_on_as_owner --listen :1; echo stayed")
        self.assertEqual(done.stdout.strip(), f"sudo: -H -u alice -- {ROOT}/script/server --listen :1",
                         done.stderr)
        done = self.bash("SUDO_USER=bob; go_on_as_owner; unset SUDO_USER; go_on_as_owner; echo stayed")
        self.assertEqual(done.stdout.strip(), "stayed", done.stderr)

    def test_a_build_of_another_user_is_refused_with_the_way_out(self):
        self.program("id", "echo alice\n")
        self.program("find", f"echo {self.folder}/build/assize\n")
        done = self.bash("need_own_files")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.folder}/build/assize was built by another user", done.stderr)
        self.assertIn(f"sudo chown -R alice {ROOT}", done.stderr)
        self.program("find", "echo 'no such folder' >&2; exit 1\n")
        self.assertEqual(self.bash("need_own_files; echo fine").stdout.strip(), "fine")

    def test_settings_from_the_environment_pass_sudo(self):
        done = self.bash("export JUDGE_NAME=a LOG_LEVEL=debug OTHER=b; kept_variables")
        self.assertEqual(done.stdout.strip(), "JUDGE_NAME,LOG_LEVEL", done.stderr)

    def test_sudo_is_asked_for_once_and_left_to_itself_at_the_end(self):
        self.program("sudo", 'echo "sudo: $*"\n')
        self.program("sleep", f"echo $$ >> {self.folder}/naps; exec /bin/sleep 60\n")
        done = self.bash('open_sudo "for a test"; bash -c \'. "$ROOT/tools/env.sh"; open_sudo again\'; '
                         f"until [ -s {self.folder}/naps ]; do /bin/sleep 0.01; done")
        self.assertEqual(done.stdout.split("\n"), ["sudo: true", ""], done.stderr)
        self.assertEqual(done.stderr.count("sudo is asked for once"), 1)
        for _ in range(500):
            if not pathlib.Path("/proc", (self.folder / "naps").read_text().strip()).exists():
                return
            time.sleep(0.01)
        self.fail("the loop that keeps sudo open outlived its script")


class Help(unittest.TestCase):
    def test_every_script_answers_help_from_any_folder(self):
        for script in sorted((ROOT / "script").iterdir()):
            with self.subTest(script.name):
                done = subprocess.run([script, "--help"], cwd="/", capture_output=True, text=True,
                                      check=False, timeout=10)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"usage: script/{script.name}", done.stdout)

    def test_every_script_refuses_an_unknown_option_by_name(self):
        for script in sorted((ROOT / "script").iterdir()):
            if script.name == "server":
                continue  # passes on what it does not know to `assize up`
            with self.subTest(script.name):
                done = subprocess.run([script, "--no-such-option"], cwd="/", capture_output=True,
                                      text=True, check=False, timeout=10)
                self.assertEqual(done.returncode, 1)
                self.assertIn("--no-such-option", done.stderr)


class WebPackage(unittest.TestCase):
    def test_the_pages_ask_for_the_node_that_bootstrap_accepts(self):
        package = ROOT / "web/package.json"
        if not package.is_file():
            self.skipTest("no web/package.json")
        engines = json.loads(package.read_text(encoding="utf-8"))["engines"]["node"]
        self.assertEqual(engines, "^20.19.0 || >=22.12.0", "change node_fits in tools/env.sh too")


if __name__ == "__main__":
    unittest.main()
