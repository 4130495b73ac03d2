/* Environments of TeX. */
#include "tex_fixture.h"

static void environments_become_markdown(void **state) {
    (void)state;
    static const struct tex_row rows[] = {
        {"\\begin{itemize}\\item a\\item b\\end{itemize}", "- a\n- b"},
        {"\\begin{enumerate}\n\\item a\n\\begin{itemize}\\item x\\end{itemize}\n\\item b\n"
         "\\end{enumerate}",
         "1. a\n   - x\n2. b"},
        {"\\begin{description}\\item[k] v\\end{description}", "- **k** v"},
        {"\\begin{verbatim}\nx < y_1 \\foo\n\\end{verbatim}", "```\nx < y_1 \\foo\n```"},
        {"\\begin{lstlisting}[language=C]\na\n\\end{lstlisting}", "```\na\n```"},
        {"\\begin{tabular}{|c|c|}\\hline a & b\\\\ \\hline 1 & $x|y$ \\\\ \\end{tabular}",
         "| a | b |\n| --- | --- |\n| 1 | $x\\vert y$ |"},
        {"\\begin{equation}x\\end{equation}", "$$\nx\n$$"},
        {"\\begin{align*}a&=b\\end{align*}", "$$\n\\begin{aligned}\na&=b\n\\end{aligned}\n$$"},
        {"\\begin{center}c\\end{center}", "c"},
        {"\\begin{quote}q\\end{quote}", "> q"},
        {"\\begin{problem}{A}{B}{C}{D}{E}text\\end{problem}", "text"},
        {"\\begin{theorem}t\\end{theorem}", "\\\\begin{theorem}\n\nt\n\n\\\\end{theorem}"},
        {"\\begin{itemize}\\item never closed", "- never closed"},
    };
    tex_check(rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environments_become_markdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
