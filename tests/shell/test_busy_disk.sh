# A machine whose disk others use: no cell is charged for it, no worker lost.
#
# mostly waits: for a disk that is slow
# takes 8 s

. tests/shell/stops.sh

export XDG_CACHE_HOME=$TMP/cache

# It waits for a disk, as far as the kernel's account goes: so does one that
# waits for a process that borrows its memory.
make_slow_op "$TMP/disk" 1 1
sed -i 's/usleep(.*);/if (vfork() == 0) {\n        &\n        _exit(0);\n    }/' "$TMP/disk/scale/scale_plain.c"
grep -q vfork "$TMP/disk/scale/scale_plain.c" || fail "no call waits"
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/disk" --device cpu -n 1 \
    --profile correct --timeout 0.6 --force -o "$TMP/run.h5"
expect_out '1 cell, 1 pass'

# What a compiler made waits for a disk longer than a worker may be silent.
echo 'fsync op.so 0 1 -4000' >"$TMP/rule"
expect_exit 0 env LD_PRELOAD="$B/tests/chaos/bad_disk.so" OSW_BAD_DISK="$TMP/rule" \
    OPSWEEP_CACHE="$TMP/cold" "$OPSWEEP" run --custom-ops-root "$TMP/disk" \
    --device cpu -n 1 --profile correct --heartbeat 0.2 --silence 1.5 --force \
    -o "$TMP/run.h5"
expect_out '1 cell, 1 pass'
expect_grep '^fsync .*op\.so$' "$TMP/rule.struck"
expect_no_grep 'is lost' "$TMP/err"
