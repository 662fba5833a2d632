# same_cells.py A.csv B.csv: do two campaigns (opsweep report --format csv) have
# the same cells, keys and verdicts, and the same errors to the bit?
import csv, sys

COLUMNS = ["cell", "cell_key", "op", "impl", "case", "fill", "status", "phase",
           "check", "n_elem", "n_bad", "n_nan", "first_bad", "max_abs_err",
           "max_rel_err", "max_ulp_err"]

def load(path):
    rows = list(csv.DictReader(open(path, newline="")))
    missing = [c for c in COLUMNS if c not in rows[0]]
    assert not missing, f"no columns {missing} in {list(rows[0])}"
    return sorted(tuple(r[c] for c in COLUMNS) for r in rows)

one, other = load(sys.argv[1]), load(sys.argv[2])
assert len(one) > 10, len(one)
for a, b in zip(one, other):
    assert a == b, f"{sys.argv[1]} and {sys.argv[2]} differ:\n{a}\n{b}"
assert len(one) == len(other), (len(one), len(other))
print(len(one), "cells alike")
