# opsweep check: every sub-test notices what it is for, and nothing else does.
# Where memory is a device's own, too, for cases small and large.

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'
devices=cpu
[ ! -e "$B/libopsweep-twin.so" ] || devices="twin cpu"
for device in $devices; do
    for op in scale add_; do
        expect_exit 1 "$OPSWEEP" check tests/fixtures/check/$op --seed 3 \
            --device $device
        cp "$TMP/out" "$TMP/$op.txt"
    done
    python3 tests/shell/opcheck.py "$TMP/scale.txt" "$TMP/add_.txt"
    mkdir -p "$TMP/$device/scale"
    cp tests/fixtures/check/scale/op.json \
        tests/fixtures/check/scale/scale_{ok,reference}.c \
        tests/fixtures/check/scale/scale.h "$TMP/$device/scale/"
    echo '{"correctness": ["((T([2500000], f32), 2.0), {})"]}' \
        >"$TMP/$device/scale/gen_input.json"
    expect_exit 0 "$OPSWEEP" check "$TMP/$device/scale" --device $device
    for test in schema meta shapes prepare; do
        expect_out "^ok +scale_ok.c +$test: "
    done
done
cp "$TMP/scale.txt" "$TMP/out"
expect_out "FAILED .*mutates.c +schema: wrote to input argument 'x', byte 92"
expect_out "FAILED .*aliases.c +schema: output 0 is argument 'x', which"
expect_out "FAILED .*strides.c +meta: .*strides \[1, 4\], the run made"
expect_out "FAILED .*first_case_only.c +meta: .*, the run made f32 \[31, 6\]"
expect_out "FAILED .*refuses.c +shapes: .*runs in a fresh process.*returned 2: made for"
expect_out "FAILED .*leaks.c +prepare: memory of the host grows by [0-9]+ KiB"
expect_out "skipped scale_ok.c +capture: needs --device cuda"
cp "$TMP/add_.txt" "$TMP/out"
expect_out "FAILED .*new.c +schema: output 0 is new memory, the schema returns"

# A library op keeps it all.
expect_exit 0 "$OPSWEEP" check ops/library/relu_ -n 1
expect_out "ok +relu__simd.c +schema: writes and aliases what the schema says"
expect_no_grep "^FAILED" "$TMP/out"
expect_exit 2 "$OPSWEEP" check ops/library/relu_ --device gpu
