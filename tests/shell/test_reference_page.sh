# tests/shell/test_reference_page.sh - the examples of docs/OPS_REFERENCE.md are
# what opsweep reads: each is written to its file, then planned

page=$PWD/docs/OPS_REFERENCE.md
mkdir "$TMP/work"
expect_exit 0 bash -c 'cd "$1" && python3 "$2" "$3"' - "$TMP/work" \
    "$PWD/tests/shell/doc_page.py" "$page"
[ "$(find "$TMP/work" -type f | wc -l)" -eq 11 ] || fail 'not 11 files'
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
mkdir middle
mv rounded/w8a8 middle
cp declared/scale/scale_none.c middle/w8a8/w8a8_none.c
expect_exit 0 "$OPSWEEP" plan --custom-ops-root middle
expect_out '^8 cases'

# Codes with a fraction: one that is rounded passes, one that is cut off fails.
cd rounded/fp8_codes
echo '{"correctness": ["((T([999], f32), 0.5), {})"]}' >gen_input.json
sed -e 's/codes_reference/codes_kernel_impl/' \
    -e 's/double \*exact = .*/unsigned char *exact = y ? osw_data(y) : NULL;/' \
    -e 's/= code(/= (unsigned char)(code(/; s/, 1));/, 1)));/' \
    fp8_codes_reference.c >fp8_codes_cut.c
sed 's/(unsigned char)(code/(unsigned char)rint(code/' fp8_codes_cut.c \
    >fp8_codes_near.c
cd "$TMP/work"
expect_exit 1 "$OPSWEEP" run --custom-ops-root rounded --ops fp8_codes \
    --impls cut,near -n 1 --profile correct -f -o codes.h5
expect_exit 0 "$OPSWEEP" export codes.h5 --format csv
grep -q '^[^"]*,cut,.*,value,' "$TMP/out" || fail 'cut off, and passed'
grep -q '^[^"]*,near,.*,pass,' "$TMP/out" || fail 'rounded, and refused'

# Every form of BackendBench's tests is a case: five to verify, one to time.
if OPSWEEP_PYTHON=$(python_with torch); then
    export OPSWEEP_PYTHON
    expect_exit 0 "$OPSWEEP" plan --custom-ops-root generated
    expect_out '^6 cases'
else
    echo 'gen_input.py is left out: no torch'
fi
