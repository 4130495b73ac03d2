/* assize problem init FOLDER: a package to begin with. */
#include "base/file.h"
#include "base/limits.h"
#include "local/arguments.h"
#include "local/commands.h"
#include "local/terminal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int run(const struct command *command, int count, char **args);

const struct command command_problem_init = {"problem init", "make a problem package to begin with",
                                             run};

static const char usage[] =
    "Usage: assize problem init FOLDER\n\n"
    "Makes the new folder FOLDER with a small problem in the ICPC form of 2025-09: statement, "
    "data, a\n"
    "validator of inputs, an accepted and a wrong submission. `assize problem check FOLDER` "
    "accepts\n"
    "it as it is; change it from there.\n\n"
    "Exit status: 0 made, 2 usage or the folder is there already, 3 system failure.";

/* clang-format off */
static const struct config_row rows[] = {{0}};

static const struct skeleton {
    const char *name, *content;
} skeleton[] = {
    {"problem.yaml",
     "# https://www.kattis.com/problem-package-format/spec/2025-09\n"
     "problem_format_version: 2025-09\n"
     "name:\n  en: Sum\n  zh: 求和\n"
     "uuid: 00000000-0000-4000-8000-000000000000 # give it one of its own\n"
     "limits:\n  time_limit: 1\n  memory: 256\n"},
    {"statement/problem.en.md",
     "Two numbers $a$ and $b$ are given. Print their sum.\n\n"
     "## Input\n\nOne line with $a$ and $b$ ($0 \\le a, b \\le 10^9$).\n\n"
     "## Output\n\nOne line with $a + b$.\n"},
    {"statement/problem.zh.md",
     "给定两个数 $a$ 和 $b$，输出它们的和。\n\n"
     "## 输入格式\n\n一行，两个整数 $a$ 和 $b$（$0 \\le a, b \\le 10^9$）。\n\n"
     "## 输出格式\n\n一行，$a + b$。\n"},
    {"data/sample/1.in", "1 2\n"},
    {"data/sample/1.ans", "3\n"},
    {"data/secret/01-zero.in", "0 0\n"},
    {"data/secret/01-zero.ans", "0\n"},
    {"data/secret/02-large.in", "1000000000 1000000000\n"},
    {"data/secret/02-large.ans", "2000000000\n"},
    {"input_validators/validate.py",
     "# Exit status 42: this input is valid. Anything else: it is not.\n"
     "import re\nimport sys\n\n"
     "line = sys.stdin.read()\n"
     "if not re.fullmatch(r\"(0|[1-9][0-9]*) (0|[1-9][0-9]*)\\n\", line):\n"
     "    sys.exit(\"one line with two numbers and one space\")\n"
     "if any(int(word) > 10**9 for word in line.split()):\n"
     "    sys.exit(\"a number is too large\")\n"
     "sys.exit(42)\n"},
    {"submissions/accepted/sum.py", "a, b = map(int, input().split())\nprint(a + b)\n"},
    {"submissions/wrong_answer/minus.py", "a, b = map(int, input().split())\nprint(a - b)\n"},
};
/* clang-format on */

static bool put(const char *folder, const struct skeleton *file, struct err *err) {
    char path[4096];
    own_fd fd = -1;
    int len = snprintf(path, sizeof(path), "%s/%s", folder, file->name);
    if (len < 0 || (size_t)len >= sizeof(path)) {
        return err_set(err, ERR_INVALID, "bad_path", "the folder's name is too long");
    }
    char *slash = strrchr(path, '/');
    *slash = '\0';
    if (!file_make_dirs(path, 0755, err)) {
        return false;
    }
    *slash = '/';
    return file_open_at(AT_FDCWD, path, O_CREAT | O_EXCL | O_WRONLY, 0644, &fd, err) &&
           file_write_all(fd, str_from(file->content), err);
}

static bool make(const char *folder, struct err *err) {
    if (mkdir(folder, 0755) != 0) {
        return errno == EEXIST ? err_set(err, ERR_CONFLICT, "exists", "%s is there already", folder)
                               : err_system(err, "write_failed", "cannot make %s", folder);
    }
    for (size_t i = 0; i < sizeof(skeleton) / sizeof(skeleton[0]); i++) {
        if (!put(folder, &skeleton[i], err)) {
            return false;
        }
    }
    return true;
}

static int init(const char *folder) {
    struct err err = {0};
    if (make(folder, &err)) {
        (void)printf("made %s; next: assize problem check %s\n", folder, folder);
        return EXIT_STATUS_OK;
    }
    (void)fprintf(stderr, "assize problem init: ");
    terminal_print(stderr, str_from(err.text));
    (void)fputc('\n', stderr);
    return err.kind == ERR_SYSTEM ? EXIT_STATUS_FAILED : EXIT_STATUS_USAGE;
}

static int run(const struct command *command, int count, char **args) {
    struct arguments arguments;
    int status = EXIT_STATUS_USAGE;
    switch (arguments_read(&arguments, usage, rows, count, args)) {
    case ARGUMENTS_GO:
        status = arguments.count != 1 ? arguments_refuse(command->name, "it needs one new folder")
                                      : init(arguments.rest[0]);
        break;
    case ARGUMENTS_HELP_SHOWN: status = EXIT_STATUS_OK; break;
    case ARGUMENTS_BAD: break;
    }
    arguments_done(&arguments);
    return status;
}
