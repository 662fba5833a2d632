#!/usr/bin/env python3
"""shifted_cases.py ROOT [N] - in a copy of op folders, tensors begin N elements later (1)

Cases for timing stay as they are.
"""
import glob
import re
import sys

TENSOR = re.compile(r"T\((\[[^]]*\], [\w{}]+(?:, (?:stride=)?\([^)]*\))?)\)")


def shifted(cases, n):
    """In the text of a gen_input.json."""
    head, mark, tail = cases.partition('"performance"')
    return TENSOR.sub(r"T(\1, offset=%d)" % n, head) + mark + tail


def main(root, n=1):
    for path in glob.glob(root + "/*/gen_input.json"):
        with open(path) as f:
            cases = f.read()
        with open(path, "w") as out:
            out.write(shifted(cases, int(n)))


main(*sys.argv[1:])
