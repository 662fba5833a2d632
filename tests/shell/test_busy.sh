# Machines whose cores and disks others use: no cell is charged for it.
#
# runs alone: it takes nine tenths of a core from others
# takes 20 s

. tests/shell/stops.sh

export XDG_CACHE_HOME=$TMP/cache
make_slow_op "$TMP/busy" 0 1
sed -i 's/usleep(.*);/for (clock_t t = clock(); clock() - t < CLOCKS_PER_SEC \/ 5;)\n        continue;/
    1i #include <time.h>' "$TMP/busy/scale/scale_plain.c"
# The same where another thread does it, and the first one sleeps meanwhile.
make_slow_op "$TMP/team" 0 1
sed -i 's/usleep(.*);/work_elsewhere();/
    1i #include <pthread.h>\
#include <time.h>\
static void *work(void *arg)\
{\
    for (clock_t t = clock(); clock() - t < CLOCKS_PER_SEC \/ 5;)\
        continue;\
    return arg;\
}\
static void work_elsewhere(void)\
{\
    pthread_t thread;\
    if (pthread_create(\&thread, 0, work, 0) == 0)\
        pthread_join(thread, 0);\
}' "$TMP/team/scale/scale_plain.c"
campaign=(taskset -c 0 "$OPSWEEP" run --device cpu -n 1 --threads 1
    --profile correct --force -o "$TMP/run.h5" --custom-ops-root)
for op in busy team; do
    expect_exit 0 "${campaign[@]}" "$TMP/$op"
done

# A call takes a fifth of a second of its core, of which it gets a tenth: 2 s.
burners=()
for _ in 1 2 3 4 5 6 7 8 9; do
    taskset -c 0 sh -c 'while :; do :; done' &
    burners+=($!)
done
for op in busy team; do
    expect_exit 0 "${campaign[@]}" "$TMP/$op" --timeout 1.2
    expect_out '1 cell, 1 pass'
done
kill "${burners[@]}"

# It waits for a disk, as far as the kernel's account goes: so does one that
# waits for a process that borrows its memory.
make_slow_op "$TMP/disk" 1 1
sed -i 's/usleep(.*);/if (vfork() == 0) {\n        &\n        _exit(0);\n    }/' "$TMP/disk/scale/scale_plain.c"
grep -q vfork "$TMP/disk/scale/scale_plain.c" || fail "no call waits"
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/disk" --device cpu -n 1 \
    --profile correct --timeout 0.6 --force -o "$TMP/run.h5"
expect_out '1 cell, 1 pass'
