# A machine whose disk others use: no cell is charged for it.
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
