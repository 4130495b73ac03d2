#!/usr/bin/env python3
"""Writes a C file that holds the bytes of files, for programs that bring other programs along.

usage: embed.py OUTPUT NAME=FILE...

Each file becomes `embedded_NAME` and `embedded_NAME_end`. Its digest stands in the text, so that a
compiler cache sees the change of a file that it does not read itself.
"""

import hashlib
import pathlib
import sys

TEXT = """
/* {digest} */
__asm__(".section .rodata\\n"
        ".balign 16\\n"
        ".globl embedded_{name}\\n"
        ".hidden embedded_{name}\\n"
        "embedded_{name}:\\n"
        ".incbin \\"{path}\\"\\n"
        ".globl embedded_{name}_end\\n"
        ".hidden embedded_{name}_end\\n"
        "embedded_{name}_end:\\n"
        ".previous\\n");
"""


def main():
    output = pathlib.Path(sys.argv[1])
    text = "/* Made by tools/embed.py. */\n"
    for pair in sys.argv[2:]:
        name, _, path = pair.partition("=")
        content = pathlib.Path(path).read_bytes()
        text += TEXT.format(name=name, path=pathlib.Path(path).resolve(),
                            digest=hashlib.sha256(content).hexdigest())
    output.write_text(text)


if __name__ == "__main__":
    main()
