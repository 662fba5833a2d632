# same_results.py A.h5 B.h5...: are results equal to the bit?
#
# Every column of /results counts, with the texts that it names (reason, output,
# oracle), but those that say when, where or how long.  Each difference is
# printed.  Exit code: 0 equal, 1 not.
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


def compare(base, path):
    """How many cells differ; with those that only one file has."""
    other = load(path)
    n_different = len(base.keys() ^ other.keys())
    for cell in sorted(base.keys() & other.keys()):
        a, b = base[cell], other[cell]
        wrong = [c for c in a if a[c] != b.get(c)]
        n_different += bool(wrong)
        name = b" ".join(a[c] for c in ("op_id", "impl_id", "case_id"))
        for c in wrong:
            print(f"{path}: cell {cell} {name.decode()}: {c}: "
                  f"{a[c]!r}, then {b.get(c)!r}")
    print(f"{path}: {len(other)} cells, {n_different} differ")
    return n_different


def main():
    base = load(sys.argv[1])
    return sum([compare(base, path) for path in sys.argv[2:]]) > 0


if __name__ == "__main__":
    sys.exit(main())
