# opsweep check on a GPU: what cannot be captured into a graph is said, what can
# is replayed, and the shipped library's .cu files keep the whole contract.
#
# takes 60 s

expect_exit 1 "$OPSWEEP" check tests/fixtures/check/scale --device cuda --seed 3
cp "$TMP/out" "$TMP/scale.txt"
cat "$TMP/out"
python3 tests/shell/opcheck.py "$TMP/scale.txt"
expect_out "FAILED .*waits.cu +capture: a call cannot be captured"
expect_out "FAILED .*allocates.cu +capture: a call cannot be captured"
expect_out "ok +scale_ok.cu +capture: captured into a graph and replayed, same"

for op in gelu mm sum__dim_IntList; do
    expect_exit 0 "$OPSWEEP" check ops/library/$op --device cuda -n 1
    grep -E '\.cu ' "$TMP/out" || fail "$op: no .cu file was checked"
    expect_no_grep "^FAILED" "$TMP/out"
done

# torch's own operator as a baseline, compiled where torch can.
OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: the baselines aten and compile are not run"
export OPSWEEP_PYTHON
baselines=aten
"$OPSWEEP_PYTHON" -c 'import torch; torch.compile' &&
    baselines="aten compile" || echo "no torch.compile in $OPSWEEP_PYTHON"
for baseline in $baselines; do
    expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile smoke --seed 1 \
        --ops mm --case "((T([512, 768], bf16), T([768, 768], bf16)), {})" \
        --baseline $baseline --impls "fast,$baseline" --timeout 60 \
        -o "$TMP/$baseline.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/$baseline.h5" --format csv \
        -o "$TMP/$baseline.csv"
    python3 - "$TMP/$baseline.csv" $baseline <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
own = [r for r in rows if r["impl"] == sys.argv[2]]
timed = [r for r in rows if r["speedup"] and r["impl"] != sys.argv[2]]
for r in own[:3] + timed[:5]:
    print(r["op"], r["impl"], r["case"], r["status"], r["speedup"], r["reason"])
assert own and {r["status"] for r in own} == {"pass"}
assert timed and all(r["baseline"] == sys.argv[2] for r in timed)
PY
done
