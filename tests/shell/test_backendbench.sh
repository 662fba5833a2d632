# BackendBench's own words: its folders, commands and examples as they stand,
# with torch on the processor.
#
# takes 60 s

OPSWEEP_PYTHON=$(python_with torch) || skip "no python3 with torch"
export OPSWEEP_PYTHON
BB=tests/fixtures/backendbench

# rows FILE: "op impl state case" of each cell, sorted, to $TMP/rows
rows() {
    "$OPSWEEP" report "$1" --format csv -o "$TMP/cells.csv" >"$TMP/said" || true
    python3 - "$TMP/cells.csv" >"$TMP/rows" <<'PY'
import csv, sys

rows = csv.DictReader(open(sys.argv[1], newline=""))
for line in sorted("%s %s %s %s" % (r["op"], r["impl"] or "-", r["status"],
                                    r["case"]) for r in rows):
    print(line)
PY
}
count() { grep -cE "$1" "$TMP/rows" || true; }

# --- custom_ops: every form of item, device="cuda" without a GPU ---

expect_exit 1 "$OPSWEEP" run --suite custom_ops --backend custom_ops \
    --custom-ops-root $BB/custom_ops --device cpu --profile correct -n 1 \
    -o "$TMP/all.h5"
rows "$TMP/all.h5"
expect_equal 10 "$(count '^myop.default py pass ')" "cells that pass"
expect_equal 10 "$(count '^myop.default py_wrong value ')" "wrong cells"
expect_equal 10 "$(count '^myop.default triton (load|unsupported) ')" "Triton"
expect_grep "^myop.default py pass \(\(T\(\[16\], f32\),\), \{'alpha': 3.0\}\)" \
    "$TMP/rows"
expect_grep "^myop.default py pass \(\(T\(\[3, 2\], f32\), 2.5\), \{\}\)" \
    "$TMP/rows"
expect_exit 0 "$OPSWEEP" list --suite custom_ops --backend custom_ops \
    --custom-ops-root $BB/custom_ops --ops myop
expect_out '^myop.default +9 \+ 1 +cases'
