# tests/shell/test_reference_page.sh - the examples of docs/OPS_REFERENCE.md are
# what opsweep reads: each is written to its file, then planned

page=$PWD/docs/OPS_REFERENCE.md
mkdir "$TMP/work"
expect_exit 0 bash -c 'cd "$1" && python3 "$2" "$3"' - "$TMP/work" \
    "$PWD/tests/shell/doc_page.py" "$page"
[ "$(find "$TMP/work" -type f | wc -l)" -eq 7 ] || fail 'not 7 files'
cd "$TMP/work"
cp calls.txt declared/scale/
sed -i 's/aten\._softmax\.default/scale/' declared/scale/calls.txt
for kind in declared generated; do
    echo 'int scale_kernel_impl(const void *call) { return call == 0; }' \
        >$kind/scale/scale_none.c
done

# One case, nine of one form, one with a fill, one of the trace, one to time.
expect_exit 0 "$OPSWEEP" plan --custom-ops-root declared
expect_out '^13 cases'
expect_exit 0 "$OPSWEEP" parse --trace calls.txt
diff calls.txt "$TMP/out" || fail 'a trace is not printed as it was read'

# Operators that a file registers are implementations.
echo '{"correctness": ["((T([4], f32), 2.0), {})"]}' >registered/scale/gen_input.json
touch registered/scale/scale.so registered/scale/scale_op.py
expect_exit 0 "$OPSWEEP" list --custom-ops-root registered
expect_out 'scale__fused  scale.so'
expect_out 'scale__python  scale_op.py'

# Integers that are named have a tolerance.
echo '{"correctness": ["((T([4], f32), 2.0), {})"]}' >rounded/quantize/gen_input.json
cp declared/scale/scale_none.c rounded/quantize/quantize_none.c
expect_exit 0 "$OPSWEEP" list --custom-ops-root rounded
expect_out 'quantize__none'
echo '{"correctness": ["((T([4], f32), 2.0), {})"]}' >rounded/to_fp8/gen_input.json
cp declared/scale/scale_none.c rounded/to_fp8/to_fp8_none.c
expect_exit 0 "$OPSWEEP" list --custom-ops-root rounded
expect_out 'to_fp8__none'

# Every form of BackendBench's tests is a case: five to verify, one to time.
if OPSWEEP_PYTHON=$(python_with torch); then
    export OPSWEEP_PYTHON
    expect_exit 0 "$OPSWEEP" plan --custom-ops-root generated
    expect_out '^6 cases'
else
    echo 'gen_input.py is left out: no torch'
fi
