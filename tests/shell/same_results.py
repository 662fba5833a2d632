# same_results.py [--known TEXT] A.h5 B.h5...: are results equal to the bit?
#
# Every column of /results counts, with the texts that it names (reason, output,
# oracle), but those that say when, where or how long.  Each difference is
# printed.  Cells whose reason contains TEXT in either file are known to differ:
# they are counted, and no failure.  Exit code: 0 equal, 1 not.
import argparse
import collections
import re
import sys

import h5py

NOT_COMPARED = re.compile(
    r".*_ns|rank|attempt|host_id|device_id|sample_off|clock_mhz|"
    r"temperature_c|power_w|energy_j|throttle")
# Addresses, processes and folders of their own, in texts.
NAMES = re.compile(rb"0x[0-9a-f]{6,}|\b(pid|process|rank) \d+|opsweep-work-\w+")


def text_of(value):
    return NAMES.sub(b"#", value if isinstance(value, bytes) else value.encode())


def bits_of(value):
    return "nan" if value != value else value.tobytes().hex()


def load(path):
    """{cell: {column: text or bits}}"""
    with h5py.File(path) as f:
        columns = {}
        for name, data in f["results"].items():
            if NOT_COMPARED.fullmatch(name):
                continue
            word = "dict/" + name[:-3]
            if name.endswith("_id") and word in f:
                words = [text_of(w) for w in f[word][:]]
                columns[name] = [words[i] for i in data[:]]
            else:
                columns[name] = [bits_of(v) for v in data[:]]
        return {int(cell): {c: v[i] for c, v in columns.items()}
                for i, cell in enumerate(f["results/cell"][:])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--known", default=None)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    known = (options.known or "\0none").encode()
    base = load(options.files[0])
    failed = False
    for path in options.files[1:]:
        other = load(path)
        n = collections.Counter()
        if base.keys() != other.keys():
            print(f"{path}: other cells than in {options.files[0]}")
            failed = True
        for cell in sorted(base.keys() & other.keys()):
            a, b = base[cell], other[cell]
            wrong = [c for c in a if a[c] != b.get(c)]
            if not wrong:
                continue
            if known in a["reason_id"] or known in b["reason_id"]:
                n["known"] += 1
                continue
            n["different"] += 1
            name = b" ".join(a[c] for c in ("op_id", "impl_id", "case_id"))
            for c in wrong:
                print(f"{path}: cell {cell} {name.decode()}: {c}: "
                      f"{a[c]!r}, then {b.get(c)!r}")
        failed = failed or n["different"] > 0
        print(f"{path}: {len(other)} cells, {n['different']} differ, "
              f"{n['known']} differ as is known")
    return failed


if __name__ == "__main__":
    sys.exit(main())
