# Every shipped op passes its own cases, all implementations of it, and enough
# ops are shipped for the Hugging Face traces.
#
# takes 95 s

# Every op has something to be compared with on a processor: a vendor's library
# or a plain loop.
without=
for source in ops/library/*/gen_input.json; do
    folder=${source%/*}
    op=${folder##*/}
    found=
    for name in openblas onednn plain; do
        [ ! -f "$folder/${op}_$name.c" ] || found=$name
    done
    [ -n "$found" ] || without="$without $op"
done
expect_equal '' "$without" 'ops without openblas, onednn or plain'

# Cases for timing are large.  A few of each op show what small ones do not.
cp -r ops/library "$TMP/library"
python3 tests/shell/fewer_cases.py "$TMP/library"
rc=0
"$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/library" -n 3 \
    --threads 1 --profile correct --max-work 0.6 -o "$TMP/library.h5" \
    >"$TMP/log" 2>&1 || rc=$?
"$OPSWEEP" report "$TMP/library.h5" --fail-on none >"$TMP/table" || true
[ "$rc" -eq 0 ] || { tail -n 60 "$TMP/table"; fail "exit $rc"; }
tail -n 4 "$TMP/table"
expect_no_grep 'weak|unverified' "$TMP/table"

# Every implementation passes, and four of five on something large.
"$OPSWEEP" report "$TMP/library.h5" --format csv -o "$TMP/library.csv"
python3 - "$TMP/library.csv" <<'PY'
import csv, sys

bytes_of = {}
for r in csv.DictReader(open(sys.argv[1], newline="")):
    if r["status"] == "pass":
        key = r["op"], r["impl"]
        bytes_of[key] = max(bytes_of.get(key, 0), int(r["bytes"]))
large = [k for k, v in bytes_of.items() if v >= 1 << 20]
print("%d implementations pass, %d of them on 1 MiB and more" % (
    len(bytes_of), len(large)))
assert len(bytes_of) >= 340 and len(large) >= 0.8 * len(bytes_of), sorted(
    set(bytes_of) - set(large))
PY

# Other inputs: nothing right is called wrong because of its random values, nor is
# anything wrong where tensors begin elsewhere, which those of half of the cases do.
# Each half has a seed of its own.
for half in 1 2; do
    expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root ops/library \
        --offset $((half - 1)) \
        -n 3 --threads 1 --profile correct --max-work 0.01 --shard $half/2 \
        --seed $((3 + 2 * half)) --force -o "$TMP/drawn.h5"
done

# Rows that several threads share.  Equal elements keep their order, which sort and
# topk leave open: here their references do not.
mkdir "$TMP/ties"
cp -r ops/library/shared ops/library/sort__stable ops/library/sort ops/library/topk "$TMP/ties"
sed -i 's/{.only_distinct = 1}/{0}/' "$TMP/ties"/{sort/sort,topk/topk}_reference.c
cat >"$TMP/ties/topk/gen_input.json" <<'JSON'
{"correctness": [
  {"case": "((T([3, {n}], {dtype}), {k}, -1, {largest}), {})", "for": {"n": [65, 1000], "dtype": ["f32", "i64", "bf16", "u8"], "k": [1, 64, 65], "largest": ["True", "False"]}, "fill": {"self": "int(0, 9)"}},
  {"case": "((T([1, 300001], {dtype}), {k}, -1, {largest}), {})", "for": {"dtype": ["f32", "i64"], "k": [10, 1000, 200000], "largest": ["True", "False"]}, "fill": {"self": "int(-9, 99)"}},
  {"case": "((T([3, 1000], {dtype}), {k}), {})", "for": {"dtype": ["f32", "f16", "f64"], "k": [64, 500]}, "fill": {"self": "special"}}]}
JSON
cat >"$TMP/ties/sort/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([1, 300001], {dtype}), -1, {d}), {})", "for": {"dtype": ["f32", "i64"], "d": ["True", "False"]}, "fill": {"self": "int(-9, 99)"}}]}
JSON
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/ties" --impls radix -n 1 --threads 3 \
    --profile correct --max-work 1 --seed 1 -o "$TMP/ties.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/ties.h5" --fail-on none --format csv -o "$TMP/ties.csv"
for op in sort.default:4 sort.stable:120 topk.default:60; do
    [ "$(grep "aten.${op%:*}," "$TMP/ties.csv" | grep -c ',pass,')" -ge "${op#*:}" ] ||
        fail "${op%:*}: fewer than ${op#*:} cases pass"
done

# A sum over a row is as good as float can make it, or wrong: in order, without
# the last element, rounded to bf16 in between.
mkdir "$TMP/rows"
cp -r ops/library/shared "$TMP/rows"
for op in _softmax_backward_data _log_softmax_backward_data; do
    mkdir "$TMP/rows/$op"
    cp ops/library/$op/*_reference.c "$TMP/rows/$op"
    grep -vE '"(build|baseline)"' ops/library/$op/op.json |
        sed '/"flops"/s/,$//' >"$TMP/rows/$op/op.json"
    for n in 31 1025; do
        echo "\"((T([13, $n], f32), T([13, $n], f32), 1, f32), {})\""
    done | paste -sd , | sed 's/.*/{"correctness": [&]}/' >"$TMP/rows/$op/gen_input.json"
    sed 's/double sum/float sum/; /reduction/d' ops/library/$op/${op}_rows.c \
        >"$TMP/rows/$op/${op}_pass.c"
    sed '0,/i < n/s//i + 1 < n/' "$TMP/rows/$op/${op}_pass.c" \
        >"$TMP/rows/$op/${op}_loses.c"
    sed '0,/sum +=.*;/s//{\n        uint16_t h;\n        osw_dtype to = {OSW_BFLOAT, 16, 1};\n&\n        osw_store(to, \&h, sum);\n        sum = (float)osw_load(to, \&h);\n    }/' \
        "$TMP/rows/$op/${op}_pass.c" >"$TMP/rows/$op/${op}_rounds.c"
done
for seed in 1 2 3; do
    expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/rows" -n 2 --threads 1 \
        --profile correct --seed $seed --force -o "$TMP/rows.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/rows.h5" --fail-on none --format csv \
        -o "$TMP/rows.csv"
    expect_equal 4 "$(grep -c ',pass,.*,pass,' "$TMP/rows.csv")" "right sums, seed $seed"
    expect_equal 8 "$(grep -cE ',(loses|rounds),.*,(value|precision),' "$TMP/rows.csv")" \
        "wrong sums, seed $seed"
done

# Cases of a trace that no op covers are skipped with that reason.
expect_exit 0 "$OPSWEEP" plan --suite traces \
    --traces tests/data/traces/hf_train --json
python3 - "$TMP/out" <<'PY'
import json, sys

plan = json.load(open(sys.argv[1]))
cases = plan["bundles"]
without = [b for b in cases if all(c["reason"] == "no folder of this op" for c in b["cells"])]
assert without, {c["reason"] for b in cases for c in b["cells"]}
share = 1 - len(without) / len(cases)
print("%d distinct cases, ops for %d (%.1f %%)" % (
    len(cases), len(cases) - len(without), 100 * share))
assert share >= 0.7
PY
