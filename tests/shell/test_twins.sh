# tests/shell/test_twins.sh - a cell that takes a rank far too long is given to another one, too
#
# takes 40 s
# mostly waits: for an op that sleeps

. tests/shell/stops.sh

# What another test's op of the same name took is no prediction for this one.
export XDG_CACHE_HOME=$TMP/cache

# results_of JOURNAL: its cells, and how many results it has of each
results_of() {
    "$OPSWEEP" journal dump "$1" >"$TMP/dump"
    python3 - "$TMP/dump" <<'PY'
import collections, json, sys
n = collections.Counter()
for line in open(sys.argv[1]):
    r = json.loads(line)
    if 'cell' in r:
        n[r['cell']] += r['type'] == 'result'
print(len(n), set(n.values()))
PY
}

# A rank that is stopped for ever holds a cell, and those that it got ahead, as it is
# not known yet how long they take; it would be given up after 40 s.
make_slow_op "$TMP/ops" 0.2 4
"$OPSWEEP" build "$TMP/ops" # a rank that is stopped while it compiles holds up the others
file=$TMP/stopped.h5
"$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile correct -n 3 --silence 120 \
    --heartbeat 0.2 -o "$file" >"$TMP/log" 2>&1 &
pid=$!
mkdir "$TMP/kept"
for ((i = 0; i < 600; i++)); do
    [ ! -s "$file.journal/at_work.0.2" ] || break
    sleep 0.05
done
kill -STOP "$(rank_pid 2)"
await 'rank 1 judges what rank 2 has been at for' "$TMP/log" 60
ln "$file.journal"/*.jnl "$TMP/kept/"
rc=0
wait "$pid" || rc=$?
expect_equal 0 $rc "exit code; $(cat "$TMP/log")"
await_gone 5
expect_grep '4 cells, 4 pass' "$TMP/log"
expect_no_grep 'rank 2 is lost' "$TMP/log"
expect_grep 'rank 2 is not waited for: another rank was faster' "$TMP/log"
expect_equal "4 {1}" "$(results_of "$TMP/kept")" 'cells, and results of each'
expect_exit 0 "$OPSWEEP" report --format json "$file"
python3 - "$TMP/out" <<'PY'
import json, sys
ranks = [c['rank'] for c in json.load(open(sys.argv[1]))['cells']]
assert len(ranks) == 4 and ranks.count(2) <= 3 and 1 in ranks, ranks
PY

# A call that hangs for ever has a second copy, and each ends by its deadline: one
# verdict, as without.
make_slow_op "$TMP/hangs" 1000 1
for more in '' --no-twins; do
    file=$TMP/hangs$more.h5
    # shellcheck disable=SC2086
    expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/hangs" --timeout 8 \
        --profile correct -n 3 -o "$file" --heartbeat 0.2 $more
    expect_out '1 cell, 1 error \(1 timeout\)'
    grep -c 'judges what rank' "$TMP/err" >"$TMP/copies" || true
    expect_equal "$([ -n "$more" ] && echo 0 || echo 1)" "$(cat "$TMP/copies")" 'second copies'
done
