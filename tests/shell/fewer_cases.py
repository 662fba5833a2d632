#!/usr/bin/env python3
"""fewer_cases.py ROOT - fewer and smaller cases for timing, in a copy of op folders

Of an op's "performance" two cases stay: the smallest one, and the smallest one with
strides.  The others run the same code for longer.  So would the two most common
shapes as they are: fewer of their rows are enough for several blocks.
"""
import glob
import itertools
import json
import math
import re
import sys

SMALLER = [("[64, 128, 256]", "[9, 128, 256]"), ("[8, 12, 128, 128]", "[2, 12, 128, 128]"),
           ("[8, 1, 1, 128]", "[2, 1, 1, 128]"), ("[8, 1, 128, 128]", "[2, 1, 128, 128]")]


def expanded(entry):
    """The cases of an entry, each as an entry of its own."""
    if isinstance(entry, str):
        entry = {"case": entry}
    values = entry.get("for", {})
    rest = {k: v for k, v in entry.items() if k != "for"}
    for row in itertools.product(*values.values()):
        case = rest["case"]
        for name, value in zip(values, row):
            case = case.replace("{%s}" % name, str(value))
        yield {**rest, "case": case}


def elements(entry):
    shapes = re.findall(r"T\(\[([^]]*)\]", entry["case"])
    return sum(math.prod(int(n) for n in s.split(",") if n.strip()) for s in shapes)


def smaller(entry):
    """As it is, where arguments beside tensors may be sizes, too."""
    case = entry["case"]
    for old, new in SMALLER:
        case = case.replace(old, new)
    others = re.sub(r"T\([^)]*(\([^)]*\))?\)|\[[29], 1[^]]*\]", "", case)
    sizes = [int(n) for n in re.findall(r"\d+", others)]
    return entry if max(sizes, default=0) > 8 else {**entry, "case": case}


def main(root):
    for path in glob.glob(root + "/*/gen_input.json"):
        cases = json.load(open(path))
        timed = [c for e in cases.get("performance", []) for c in expanded(e)]
        strided = [c for c in timed if "stride" in c["case"]]
        dense = [c for c in timed if c not in strided]
        cases["performance"] = [smaller(min(group, key=elements))
                                for group in (dense, strided) if group]
        with open(path, "w") as out:
            json.dump(cases, out)


main(sys.argv[1])
