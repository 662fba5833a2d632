# tests/shell/test_suspects.sh - after kill -9 of all ranks, few cells are suspects
#
# Of what the dead workers had in hand only the cells that they were at are
# tried one by one, and side by side on all workers.
#
# mostly waits: for ops that sleep, and for ranks
# takes 25 s

. tests/shell/slow_op.sh
make_slow_op "$TMP/ops" 60 50
rm "$TMP/ops/scale/scale_wrong.c"
file=$TMP/run.h5

# everybody FILE: the coordinator of that run and its workers
everybody() {
    pgrep -P "$(ps -o ppid= -p "$(coordinator "$1")" | tr -d " ")" opsweep
}

# kill_all N WORDS...: all ranks of a run, after N results
kill_all() {
    local n=$1 pid rc=0
    shift
    "$OPSWEEP" run "$@" --heartbeat 0.2 --silence 4 >"$TMP/run.out" 2>&1 &
    pid=$!
    wait_results "$file" "$n" $pid
    # shellcheck disable=SC2046
    kill -9 $(everybody "$file")
    wait $pid || rc=$?
    expect_equal 4 $rc 'exit code of a run that was killed'
}

# suspects: how many cells the run that was resumed said are suspects
suspects() {
    sed -n 's/.*resume: \([0-9]*\) of them may have ended a session.*/\1/p' "$TMP/err"
}

# in_hand: cells that were begun in the journal and have no result
in_hand() {
    "$OPSWEEP" journal dump "$file" >"$TMP/dump"
    python3 - "$TMP/dump" <<'PY'
import json, sys
r = [json.loads(line) for line in open(sys.argv[1])]
print(len({x['cell'] for x in r if x['type'] == 'begin'} -
          {x['cell'] for x in r if x['type'] == 'result'}))
PY
}

# never_twice: no cell of $TMP/kept, a journal, was begun after its result
never_twice() {
    expect_exit 0 "$OPSWEEP" journal dump "$TMP/kept"
    python3 - "$TMP/out" <<'PY'
import json, sys
done = set()
for line in open(sys.argv[1]):
    r = json.loads(line)
    assert r['type'] not in ('begin', 'result') or r['cell'] not in done, r
    if r['type'] == 'result':
        done.add(r['cell'])
assert len(done) == 120, len(done)
PY
}

# Three workers that take one bundle of two cells at a time, and have more.
kill_all 30 --custom-ops-root "$TMP/ops" --profile correct -n 4 -o "$file"
for r in 1 2 3; do
    [ -s "$file.journal/at_work.0.$r" ] || fail "worker $r did not say what it was at"
done
n=$(in_hand)
cp -al "$file.journal" "$TMP/kept"
expect_exit 0 "$OPSWEEP" run --resume "$file"
s=$(suspects)
echo "$n cells in hand of three workers that were killed, $s suspects"
[ "${s:-0}" -ge 1 ] || fail 'no cell is suspected'
[ "$s" -le 6 ] || fail "$s suspects: more than a bundle of two cells for each of three workers"
expect_out '120 cells, 120 pass'
expect_no_file "$file.journal"
never_twice

# Killed from outside again and again while three suspects are in work, none of
# them is ever lost.
rm -r "$TMP/kept"
make_slow_op "$TMP/few" 3 1
rm "$TMP/few/scale/scale_wrong.c" "$TMP/few/scale/scale_plain.c"
sed -i 's|nanosleep(&t, NULL);|t.tv_sec = 1; t.tv_nsec = 0; &|' "$TMP/few/scale/scale_slow.c"

# kill_all_at_work SESSION N WORDS...: once N cells were begun in that session
kill_all_at_work() {
    local session=$1 n=$2 pid rc=0 i
    shift 2
    "$OPSWEEP" run "$@" --heartbeat 0.2 --silence 4 >"$TMP/run.out" 2>&1 &
    pid=$!
    for i in $(seq 200); do
        sleep 0.1
        "$OPSWEEP" journal dump "$file" >"$TMP/dump" 2>/dev/null || continue
        python3 - "$TMP/dump" "$session" "$n" <<'PY' && break
import json, sys
r = [json.loads(line) for line in open(sys.argv[1])]
starts = [0] + [i for i, x in enumerate(r) if x.get('kind') == 'resume']
begun = {x['cell'] for x in r[starts[-1]:] if x['type'] == 'begin'}
sys.exit(not (len(starts) == int(sys.argv[2]) and len(begun) == int(sys.argv[3])))
PY
    done
    # shellcheck disable=SC2046
    kill -"${signal:-KILL}" $(everybody "$file")
    wait $pid || rc=$?
    expect_equal 4 $rc 'exit code of a run that was killed'
}

file=$TMP/few.h5
kill_all_at_work 1 3 --custom-ops-root "$TMP/few" --profile correct -n 4 -o "$file"
kill_all_at_work 2 3 --resume "$file" # three suspects, side by side
expect_exit 0 "$OPSWEEP" run --resume "$file"
expect_equal 3 "$(suspects)" suspects
expect_out '3 cells, 3 pass'

# Nor if all ranks crash with three suspects in work.  Of these one goes alone in
# the third session, ends it, and is lost in the fourth.
signal=SEGV
file=$TMP/lost.h5
kill_all_at_work 1 3 --custom-ops-root "$TMP/few" --profile correct -n 4 -o "$file"
kill_all_at_work 2 3 --resume "$file"
kill_all_at_work 3 1 --resume "$file"
expect_exit 4 "$OPSWEEP" run --resume "$file"
expect_out '3 cells, 2 pass, 1 infra \(1 lost\)'
expect_exit 4 "$OPSWEEP" report "$file" --format csv --fail-on none
expect_out 'at least one of them with nothing else under suspicion'
