# tests/shell/test_killed.sh - a worker that is killed from outside costs its cell nothing
#
# The reaper beside a worker outlives it, and says that it was killed while its
# sandbox ran: such a death is not counted.  Three others make a cell `lost`.
#
# takes 50 s
# mostly waits: for an op that sleeps

. tests/shell/stops.sh

make_slow_op "$TMP/ops" 1 1 # one cell; a call takes 1 s
words=(--custom-ops-root "$TMP/ops" --profile correct --heartbeat 0.2 --silence 6)

# A launcher kills the sandboxes of a job before their worker: whatever sandbox code is
# in, it is killed until 0.8 s after its first call.  Neither the reference nor an
# implementation is charged.
mkdir "$TMP/first"
make_op "$TMP/killed"
for file in reference plain; do
    cat >"$TMP/lines" <<C
    struct timespec now;
    struct stat first;
    int fd = open("$TMP/first/$file", O_CREAT | O_WRONLY, 0600);

    fstat(fd, &first);
    close(fd);
    clock_gettime(CLOCK_REALTIME, &now);
    if ((now.tv_sec - first.st_mtim.tv_sec) * 1e9 + now.tv_nsec - first.st_mtim.tv_nsec < 8e8)
        raise(SIGKILL);
C
    sed -i -e '1i #include <fcntl.h>\n#include <signal.h>\n#include <sys/stat.h>\n#include <time.h>\n#include <unistd.h>' \
        -e "/^{/r $TMP/lines" "$TMP/killed/scale/scale_$file.c"
done
OPSWEEP_WRITABLE=$TMP/first expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/killed" "${words[@]:2}" -n 1 -o "$TMP/killed.h5"
expect_out '2 cells, 2 pass'
expect_equal 2 "$(find "$TMP/first" -type f | wc -l)" 'files whose code was killed'

# begin N WORDS...: a run with N ranks in the background; sets $pid
begin() {
    local n=$1
    shift
    "$OPSWEEP" run "$@" "${words[@]:2}" -n "$n" >"$TMP/log" 2>&1 &
    pid=$!
}

# at_work FILE SESSION: ranks that began a cell there, in the order of their begins
at_work() {
    # shellcheck disable=SC2012
    ls -tr "$1.journal" 2>/dev/null | sed -n "s/^at_work.$2.//p" || true
}

# await_at_work N FILE SESSION: until N ranks did; prints the last one
await_at_work() {
    local i ranks
    for ((i = 0; i < 600; i++)); do
        ranks=$(at_work "$2" "$3")
        if [ "$(wc -w <<<"$ranks")" -ge "$1" ]; then
            sleep 0.5 # the sandbox is in its call
            tail -n 1 <<<"$ranks"
            return 0
        fi
        sleep 0.05
    done
    cat "$TMP/log" >&2
    fail "no $1 ranks began a cell in session $3"
}

# kill_ranks: -9 to all ranks and what started them, but not to what is beside them
kill_ranks() {
    local one
    for one in $(running); do
        [ "$(cat "/proc/$one/comm" 2>/dev/null)" != opsweep ] ||
            kill -KILL "$one" 2>/dev/null || true
    done
}

# state FILE: of its only cell, and why
state() {
    "$OPSWEEP" report "$1" --format json --fail-on none >"$TMP/cells.json" || true
    python3 -c 'import json, sys
c, = json.load(open(sys.argv[1]))["cells"]
print(c["status"], c["reason"])' "$TMP/cells.json"
}

# Four of five workers are killed, one after the other, each at the same cell: the
# fifth judges it.
file=$TMP/live.h5
begin 6 "${words[@]:0:2}" -o "$file"
for n in 1 2 3 4; do
    rank=$(await_at_work $n "$file" 0)
    kill -KILL "$(rank_pid "$rank")"
    await "rank $rank is lost" "$TMP/log"
done
rc=0
wait "$pid" || rc=$?
expect_equal 0 $rc "exit code; $(cat "$TMP/log")"
expect_equal 4 "$(grep -c 'is lost: .*; it was killed from outside' "$TMP/log")" \
    'workers that are said to be killed'
expect_equal 'pass ' "$(state "$file")" 'the cell of four workers that were killed'

# Open MPI writes to connections of ranks that were killed: none dies of that.
file=$TMP/pipe.h5
begin 3 "${words[@]:0:2}" -o "$file"
await_at_work 1 "$file" 0 >"$TMP/rank"
for rank in 0 1 2; do kill -PIPE "$(rank_pid "$rank")"; done
rc=0
wait "$pid" || rc=$?
expect_equal 0 $rc "exit code; $(cat "$TMP/log")"
expect_no_grep 'its process has ended' "$TMP/log"

# Likewise a worker that crashes by itself: three times are enough.
file=$TMP/crashes.h5
begin 6 "${words[@]:0:2}" -o "$file"
for n in 1 2 3; do
    rank=$(await_at_work $n "$file" 0)
    kill -SEGV "$(rank_pid "$rank")"
    await "rank $rank is lost" "$TMP/log"
done
rc=0
wait "$pid" || rc=$?
expect_equal 4 $rc "exit code; $(cat "$TMP/log")"
expect_no_grep 'killed from outside' "$TMP/log"
expect_equal 'lost its worker was lost 3 times' "$(state "$file")" 'the cell of three crashes'

# The whole run is killed four times; a run of one rank is both coordinator and
# worker.
for n in 1 3; do
    file=$TMP/run$n.h5
    begin $n "${words[@]:0:2}" -o "$file"
    for session in 0 1 2 3; do
        await_at_work 1 "$file" $session >"$TMP/rank"
        kill_ranks
        wait "$pid" || true
        [ $session -eq 3 ] || begin $n --resume "$file"
    done
    expect_exit 0 "$OPSWEEP" run --resume "$file" -n $n
    expect_out '1 cells?, 1 pass'
done

# Code that crashes its workers, of which there are two: each session ends without
# one.  The code is lost in the end, and what is judged with it passes.
cp -r "$TMP/ops" "$TMP/pair"
sed -e '1i #include <signal.h>' -e 's/usleep([^;]*/kill(getppid(), SIGSEGV)/' \
    "$TMP/ops/scale/scale_plain.c" >"$TMP/pair/scale/scale_kills.c"
file=$TMP/pair.h5
rc=0
OPSWEEP_ISOLATION=off "$OPSWEEP" run --custom-ops-root "$TMP/pair" "${words[@]:2}" -n 3 -o "$file" >"$TMP/log" 2>&1 || rc=$?
for ((n = 1; n < 8 && rc == 4; n++)); do
    if grep -q '2 cells, .*1 infra (1 lost)' "$TMP/log"; then break; fi
    rc=0
    OPSWEEP_ISOLATION=off "$OPSWEEP" run --resume "$file" -n 3 >"$TMP/log" 2>&1 || rc=$?
done
expect_equal 4 $rc "exit code of a run whose op crashes its workers; $(cat "$TMP/log")"
expect_grep '2 cells, 1 pass, 1 infra \(1 lost\)' "$TMP/log"
echo "an op that crashes its workers is lost after $n sessions"

# Code that kills its worker by the same signal, which isolation forbids, is
# pardoned so often, and lost all the same.
sed -e '1i #include <signal.h>' -e 's/usleep([^;]*/kill(getppid(), SIGKILL)/' \
    "$TMP/ops/scale/scale_plain.c" >"$TMP/scale_plain.c"
mv "$TMP/scale_plain.c" "$TMP/ops/scale/scale_plain.c"
export OPSWEEP_ISOLATION=off
file=$TMP/kills.h5
rc=0
"$OPSWEEP" run "${words[@]}" -n 1 -o "$file" >"$TMP/log" 2>&1 || rc=$?
for ((n = 1; n < 20 && rc == 137; n++)); do
    rc=0
    "$OPSWEEP" run --resume "$file" -n 1 >"$TMP/log" 2>&1 || rc=$?
done
expect_equal 4 $rc "exit code of a run whose op kills its worker; $(cat "$TMP/log")"
echo "an op that kills its worker is lost after $n sessions"
[ $n -ge 10 ] || fail "after $n sessions, pardoned less than ten times"
expect_grep '^lost sessions died each time' <(state "$file")
