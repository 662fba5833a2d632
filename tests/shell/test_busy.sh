# Machines whose cores others use: no cell is charged for it.
#
# takes turns: going first
# takes 25 s

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

# campaign CORE OP WORD...: judged on that core, with files of its own
campaign() {
    local core=$1 root=$TMP/$2
    export TMP=$TMP/judged_$2
    mkdir -p "$TMP"
    expect_exit 0 taskset -c "$core" "$OPSWEEP" run --device cpu -n 1 --threads 1 \
        --profile correct --force -o "$TMP/run.h5" --custom-ops-root "$root" "${@:3}"
    expect_out '1 cell, 1 pass'
}
# Each has a core, where this process may use two.
read -ra cores < <(python3 -c 'import os; print(*(2 * sorted(os.sched_getaffinity(0))[:2])[:2])')
both() {
    local busy
    campaign "${cores[0]}" busy "$@" &
    busy=$!
    (campaign "${cores[1]}" team "$@")
    wait $busy
}
both

# A call takes a fifth of a second of its core, of which it gets a tenth: 2 s.  So
# much it gets, being nice, beside one other process.
burners=()
for core in $(printf '%s\n' "${cores[@]}" | uniq); do
    taskset -c "$core" sh -c 'while :; do :; done' &
    burners+=($!)
done
renice -n 10 -p $$ >/dev/null
both --timeout 1.2
kill "${burners[@]}"
