# SPDX-License-Identifier: BSD-3-Clause
"""Runs the Python blocks of a page, one after the other, in one process.

    python3 tests/python/manual_test.py docs/python.md
"""

import linecache
import re
import sys


def main(page):
    with open(page, encoding="utf-8") as text:
        blocks = re.findall(r"^```python\n(.*?)^```", text.read(), re.S | re.M)
    names = {"__name__": "manual"}
    for number, block in enumerate(blocks, 1):
        file = f"{page} block {number}"
        linecache.cache[file] = (len(block), None, block.splitlines(True), file)  # inspect finds its functions
        exec(compile(block, file, "exec"), names)
    print(f"{len(blocks)} blocks ran")
    return 0 if blocks else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
