# The number of ranks changes nothing but the time: 1 (no MPI), 2 and 4 ranks
# give the same cells, keys, verdicts and errors, to the bit.

traces=tests/data/traces/hf_train/BertForMaskedLM_training.txt
for n in 1 2 4; do
    expect_exit 0 "$OPSWEEP" run --suite traces --traces "$traces" \
        --ops 'aten.mul.Tensor,aten.rsub.Scalar,aten._to_copy,aten.clone,aten.embedding,aten._softmax,aten.mm' \
        --max-work 1 -n "$n" --profile correct --seed 7 -o "$TMP/$n.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/$n.h5" --format csv -o "$TMP/$n.csv"
    rc=0
    "$OPSWEEP" run --suite custom_ops --custom-ops-root tests/fixtures/ops \
        --impls 'pass__*,value__*,shape__*,guard__*,mutated__*,crash__*,weak__*' \
        -n "$n" --profile correct --seed 7 -o "$TMP/bad$n.h5" || rc=$?
    expect_equal 1 "$rc" "exit code of a run with bad ops"
    expect_exit 1 "$OPSWEEP" report "$TMP/bad$n.h5" --format csv -o "$TMP/bad$n.csv"
done

python3 - "$TMP" <<'PY'
import csv, sys

COLUMNS = ["cell", "cell_key", "op", "impl", "case", "fill", "status", "phase",
           "check", "n_elem", "n_bad", "n_nan", "first_bad", "max_abs_err",
           "max_rel_err", "max_ulp_err"]

def load(name):
    rows = list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv", newline="")))
    missing = [c for c in COLUMNS if c not in rows[0]]
    assert not missing, f"no columns {missing} in {list(rows[0])}"
    return sorted(tuple(r[c] for c in COLUMNS) for r in rows)

for name in ["", "bad"]:
    one = load(name + "1")
    assert len(one) > 10, len(one)
    for n in "24":
        many = load(name + n)
        for a, b in zip(one, many):
            assert a == b, f"{name}{n} ranks:\n{a}\n{b}"
        assert len(one) == len(many)
    print(name or "good", len(one), "cells alike on 1, 2 and 4 ranks")
PY

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
