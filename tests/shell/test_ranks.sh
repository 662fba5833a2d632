# The number of ranks changes nothing but the time: 1 (no MPI), 2 and 4 ranks
# give the same cells, keys, verdicts and errors, to the bit.
#
# takes 30 s

traces=tests/data/traces/hf_train/BertForMaskedLM_training.txt
for n in 1 2 4; do
    expect_exit 0 "$OPSWEEP" run --suite traces --traces "$traces" \
        --ops 'aten.mul.Tensor,aten.rsub.Scalar,aten._to_copy,aten.clone,aten.embedding,aten._softmax,aten.mm' \
        --max-work 1 -n "$n" --profile correct --seed 7 -o "$TMP/$n.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/$n.h5" --format csv -o "$TMP/$n.csv"
    rc=0
    quickly "$OPSWEEP" run --suite custom_ops --custom-ops-root tests/fixtures/ops \
        --impls 'pass__*,value__*,shape__*,guard__*,mutated__*,crash__*,weak__*' \
        -n "$n" --profile correct --seed 7 -o "$TMP/bad$n.h5" || rc=$?
    expect_equal 1 "$rc" "exit code of a run with bad ops"
    expect_exit 1 "$OPSWEEP" report "$TMP/bad$n.h5" --format csv -o "$TMP/bad$n.csv"
done

for n in 2 4; do
    python3 tests/shell/same_cells.py "$TMP/1.csv" "$TMP/$n.csv"
    python3 tests/shell/same_cells.py "$TMP/bad1.csv" "$TMP/bad$n.csv"
done

# Another seed gives other inputs: errors differ, verdicts do not.
expect_exit 0 "$OPSWEEP" run --suite traces --traces "$traces" \
    --ops aten._softmax --max-work 1 -n 1 --profile correct --seed 8 \
    -o "$TMP/other.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/other.h5" --format csv -o "$TMP/other.csv"
python3 - "$TMP" <<'PY'
import csv, sys

def load(name):
    rows = csv.DictReader(open(f"{sys.argv[1]}/{name}.csv", newline=""))
    return {r["cell_key"]: r for r in rows if "_softmax" in r["op"]}

one, other = load("1"), load("other")
assert other and set(other) <= set(one)
assert all(one[k]["status"] == other[k]["status"] for k in other)
assert any(one[k]["max_abs_err"] != other[k]["max_abs_err"] for k in other)
PY
