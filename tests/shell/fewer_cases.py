#!/usr/bin/env python3
"""fewer_cases.py ROOT - fewer and smaller cases for timing, in a copy of op folders

Of an op's "performance" two cases stay: the smallest one, and the smallest one with
strides.  The others run the same code for longer.  So would common shapes as they
are: fewer of their rows are enough for several blocks.  Of "correctness" all stay;
what is large for several threads, or all multiprocessors of a GPU, has fewer rows,
or rows of a length that one thread sorts in the same way.
"""
import glob
import itertools
import json
import math
import re
import sys

SMALLER = [("[64, 128, 256]", "[9, 128, 256]"), ("[8, 12, 128, 128]", "[2, 12, 128, 128]"),
           ("[8, 1, 1, 128]", "[2, 1, 1, 128]"), ("[8, 1, 128, 128]", "[2, 1, 128, 128]")]

# Shapes of which no other argument says the first size, or channels that are alike.
ALWAYS_SMALLER = [
    ("[16, 192, 35, 35]", "[2, 192, 35, 35]"), ("[16, 128, 56, 56]", "[2, 128, 56, 56]"),
    ("[16, 64, 56, 56]", "[3, 64, 56, 56]"), ("[16, 256, 14, 14]", "[5, 256, 14, 14]"),
    ("[8, 256, 28, 28]", "[5, 256, 28, 28]"), ("[4, 64, 28, 28]", "[2, 64, 28, 28]"),
    ("[16, 36, 14, 14]", "[5, 36, 14, 14]"), ("[16, 36, 56, 56]", "[5, 36, 56, 56]"),
    ("[16, 64, 112, 112]", "[3, 64, 112, 112]"), ("[64, 1, 1000]", "[5, 1, 1000]"),
    ("[16, 384, 196]", "[5, 384, 196]"),
    ("[32, 512, 7, 7]", "[3, 512, 7, 7]"), ("[32, 512, 14, 14]", "[3, 512, 14, 14]"),
    ("[8, 32, 56, 56]", "[3, 32, 56, 56]"), ("[8, 32, 28, 28]", "[3, 32, 28, 28]"),
    ("[2, 64, 64, 64]", "[2, 20, 64, 64]"), ("[2, 64, 56, 56]", "[2, 20, 56, 56]"),
    ("[8, 640, 2, 20, 12]", "[3, 640, 2, 20, 12]"), ("[8, 640, 20, 20]", "[3, 640, 20, 20]"),
    ("[4, 64, 16390]", "[4, 9, 16390]"), ("[4, 64, 16384]", "[4, 9, 16384]"),
    ("[2, 12, 256, 256]", "[2, 3, 256, 256]"), ("[2, 64, 128, 128]", "[2, 9, 128, 128]"),
    ("[64, 196, 1000]", "[5, 196, 1000]"), ("[64, 768, 49]", "[9, 768, 49]"),
    ("[512, 512, 7]", "[96, 512, 7]"), ("[512, 1, 1]", "[96, 1, 1]"),
    ("[4, 128, 3072]", "[2, 128, 3072]"), ("[1024, 1024]", "[333, 1024]"),
    ("[54765]", "[9765]")]

FOR_MANY_THREADS = [
    ("[1, 300001]", "[1, 110001]"), ("[2, 300001]", "[2, 110001]"),
    ("[140, 20001]", "[14, 20001]"), ("[133, 56001]", "[5, 56001]")]


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


def replaced(case, table):
    for old, new in table:
        case = case.replace(old, new)
    return case


def smaller(entry):
    """Less so, where arguments beside tensors may be sizes, too."""
    entry = {**entry, "case": replaced(entry["case"], ALWAYS_SMALLER)}
    case = replaced(entry["case"], SMALLER)
    others = re.sub(r"T\([^)]*(\([^)]*\))?\)|\[[29], 1[^]]*\]", "", case)
    sizes = [int(n) for n in re.findall(r"\d+", others)]
    return entry if max(sizes, default=0) > 8 else {**entry, "case": case}


def of_one_thread(entry):
    if isinstance(entry, str):
        return replaced(entry, FOR_MANY_THREADS)
    return {**entry, "case": replaced(entry["case"], FOR_MANY_THREADS)}


def main(root):
    for path in glob.glob(root + "/*/gen_input.json"):
        cases = json.load(open(path))
        cases["correctness"] = [of_one_thread(c) for c in cases.get("correctness", [])]
        timed = [c for e in cases.get("performance", []) for c in expanded(e)]
        strided = [c for c in timed if "stride" in c["case"]]
        dense = [c for c in timed if c not in strided]
        cases["performance"] = [of_one_thread(smaller(min(group, key=elements)))
                                for group in (dense, strided) if group]
        with open(path, "w") as out:
            json.dump(cases, out)


main(sys.argv[1])
