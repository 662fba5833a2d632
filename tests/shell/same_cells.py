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

def reason(path, row):
    for r in csv.DictReader(open(path, newline="")):
        if (r["cell"], r["status"]) == (row[0], row[6]):
            return r["reason"]

one, other = load(sys.argv[1]), load(sys.argv[2])
assert len(one) > 10, len(one)
for a, b in zip(one, other):
    assert a == b, "%s and %s differ:\n%s: %s\n%s: %s" % (
        sys.argv[1], sys.argv[2], a, reason(sys.argv[1], a), b, reason(sys.argv[2], b))
assert len(one) == len(other), (len(one), len(other))
print(len(one), "cells alike")
