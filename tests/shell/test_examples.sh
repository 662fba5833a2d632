# tests/shell/test_examples.sh - ops/examples: Python and Triton that users may copy
# are right, and say so where they cannot run
#
# takes 4 s

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: ops/examples is not run"
export OPSWEEP_PYTHON
triton=unsupported
if "$OPSWEEP_PYTHON" -c 'import triton' 2>/dev/null; then
    triton=pass
    export TRITON_INTERPRET=1
fi

expect_exit 0 "$OPSWEEP" run --custom-ops-root ops/examples -n 1 --device cpu \
    --profile correct --max-bytes 8M --seed 1 -o "$TMP/e.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/e.h5" --format csv -o "$TMP/e.csv"
python3 - "$TMP/e.csv" "$triton" <<'PY'
import collections, csv, sys

seen = collections.defaultdict(set)
for row in csv.DictReader(open(sys.argv[1], newline="")):
    if "budget" not in row["reason"]:
        seen[row["op"].split(".")[0], row["impl"]].add(row["status"])
    if row["status"] == "unsupported":
        assert "needs Triton and a GPU" in row["reason"] or \
            "Triton's interpreter" in row["reason"], row["reason"]
for op in "softmax", "layer_norm", "matmul":
    assert seen[op, "plain"] == {"pass"}, (op, seen[op, "plain"])
    found = seen[op, "triton"]
    if op == "matmul":
        found = found - {"unsupported"} or found  # bf16
    assert found == {sys.argv[2]}, (op, found)
for op, impl in ("rms_norm", "torch"), ("adamw_", "torch"), ("rotary", "numpy"):
    assert seen[op, impl] == seen[op, "plain"] == {"pass"}, (op, seen[op, impl])
assert len(seen) == 12, sorted(seen)
PY

# Each folder is complete by itself, also as a copy elsewhere.
for op in ops/examples/*/; do
    cp -r "$op" "$TMP/copy"
    for file in "$TMP"/copy/*; do
        expect_no_grep '\.\./|ops/library' "$file"
    done
    rm -r "$TMP/copy"
done
expect_exit 0 "$OPSWEEP" new "$TMP/mine/top" --like ops/examples/softmax
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/mine" -n 1 --device cpu \
    --profile correct --max-bytes 8M --seed 1 -o "$TMP/mine.h5"
