# A sandbox that had to give way, since the device's memory does not hold those of
# all implementations, is called as often as before in its new process: what only
# shows in a third call is not missed.

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'

# Wrong from its third call on: the case's own inputs take two.
make_op "$TMP/root"
echo '{"correctness": ["((T([300000], f32), -0.5), {})"]}' \
    >"$TMP/root/scale/gen_input.json"
sed '/^int scale_kernel/i static int calls;
    s/^    return 0;/    if (++calls >= 3)\n        *(float *)osw_data(y) += 1;\n&/' \
    "$TMP/root/scale/scale_plain.c" >"$TMP/root/scale/scale_third.c"

# A sandbox of the reference has 293 MiB of it, one of an implementation 98.
for mib in 1000 480 440 400; do
    TWIN_MIB=$mib expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/root" \
        --device twin -n 1 --profile correct --seed 1 -o "$TMP/$mib.h5"
    expect_exit 1 "$OPSWEEP" report "$TMP/$mib.h5" --format csv -o "$TMP/$mib.csv"
    expect_grep ',plain,.*,pass,' "$TMP/$mib.csv"
    expect_grep ',third,.*,stale,.*right in a fresh process' "$TMP/$mib.csv"
done
