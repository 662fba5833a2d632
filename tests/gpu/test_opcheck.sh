# opsweep check on a GPU: what cannot be captured into a graph is said, what can
# is replayed, and the shipped library's .cu files keep the whole contract.
expect_exit 1 "$OPSWEEP" check tests/fixtures/check/scale --device cuda --seed 3
cp "$TMP/out" "$TMP/scale.txt"
cat "$TMP/out"
python3 tests/shell/opcheck.py "$TMP/scale.txt"
expect_out "FAILED .*waits.cu +capture: a call cannot be captured"
expect_out "FAILED .*allocates.cu +capture: a call cannot be captured"
expect_out "ok +scale_ok.cu +capture: captured into a graph and replayed, same"

for op in relu_ mm sum__dim_IntList; do
    expect_exit 0 "$OPSWEEP" check ops/library/$op --device cuda -n 1
    grep -E '\.cu ' "$TMP/out" || fail "$op: no .cu file was checked"
    expect_no_grep "^FAILED" "$TMP/out"
done
