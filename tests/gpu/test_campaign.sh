# Whole runs on a GPU: keys, verdicts and errors to the bit in two runs, and a
# faulty implementation that costs no other file's cells.
#
# takes 60 s

tests/bench/gpu/roots.py fourteen "$TMP/root"
for i in 1 2; do
    expect_exit 0 "$OPSWEEP" run --device cuda --suite custom_ops \
        --custom-ops-root "$TMP/root" -n 1 --profile smoke --seed 1 \
        -o "$TMP/$i.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/$i.h5" --format csv -o "$TMP/$i.csv"
done
tests/bench/gpu/roots.py faults "$TMP/faults"
expect_exit 1 "$OPSWEEP" run --device cuda --suite custom_ops \
    --custom-ops-root "$TMP/faults/illegal" --profile correct -n 1 --keep-going \
    -o "$TMP/f.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/f.h5" --format csv -o "$TMP/f.csv"
python3 - "$TMP/1.csv" "$TMP/2.csv" "$TMP/f.csv" <<'PY'
import csv, sys

one, two, faults = ([r for r in csv.DictReader(open(f, newline=""))]
                    for f in sys.argv[1:])
columns = ("cell_key", "op", "impl", "case", "status", "max_abs_err", "n_elem")
assert [[r[c] for c in columns] for r in one] == \
    [[r[c] for c in columns] for r in two], "two runs differ"
assert all(r["status"] == "pass" and r["timer"] == "graph" for r in one)
states = {k: {r["status"] for r in faults if r["impl"] == k}
          for k in ("bad", "right")}
assert states == {"bad": {"cuda"}, "right": {"pass"}}, states
print(len(one), "cells twice,", len(faults) // 2, "faults")
PY
