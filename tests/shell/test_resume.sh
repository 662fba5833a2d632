# tests/shell/test_resume.sh - a run that was cut off is finished by --resume
#
# takes 60 s
# mostly waits: for an op that sleeps

. tests/shell/slow_op.sh
make_slow_op "$TMP/ops" 40 10
run() {
    "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile correct --heartbeat 0.1 \
        --silence 1 "$@"
}
resume() {
    "$OPSWEEP" run --resume "$@" --heartbeat 0.1 --silence 1
}

# cut_off FILE N: a run of FILE whose coordinator is killed after N results
cut_off() {
    local rc=0 pid
    run -n 2 -o "$1" >"$TMP/run.out" 2>&1 &
    pid=$!
    wait_results "$1" "$2" $pid
    kill -9 "$(coordinator "$1")"
    wait $pid || rc=$?
    expect_equal 4 $rc 'exit code of a run that was cut off'
}

expect_exit 1 run -n 2 -o "$TMP/whole.h5"
cells "$TMP/whole.h5" >"$TMP/want"
expect_equal 120 "$(wc -l <"$TMP/want")" cells

# Cells that were recorded are not begun again; the file is the same.
file=$TMP/run.h5
cut_off "$file" 30
n=$(results "$file")
cp -al "$file.journal" "$TMP/before.journal" # the same inodes: it goes on
expect_exit 1 resume "$file" -n 3
expect_out '120 cells, 80 pass, 40 fail \(40 value\); 2 workers'
expect_err "resume: $((120 - n)) of 120 cells are left, session 2"
expect_no_file "$file.journal" "$file".tmp.*
cells "$file" >"$TMP/got"
expect_same_file "$TMP/want" "$TMP/got"
expect_exit 0 "$OPSWEEP" journal dump "$TMP/before.journal"
python3 - "$TMP/out" <<'PY'
import json, sys
done, twice = set(), []
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r['type'] == 'begin' and r['cell'] in done:
        twice.append(r['cell'])
    if r['type'] == 'result':
        assert r['cell'] not in done, r
        done.add(r['cell'])
assert not twice, twice
assert len(done) == 120, len(done)
PY

# A finished run is reported as finished; its verdicts give the exit code.
cp "$file" "$TMP/finished.h5"
expect_exit 1 resume "$file"
expect_out '120 cells, 80 pass, 40 fail .40 value.; finished before'
expect_exit 0 resume "$file" --fail-on none
expect_same_file "$file" "$TMP/finished.h5"

# One that is not what the words ask for is no such run.
expect_exit 2 resume "$file" --seed 77
expect_err "is another campaign: option '--seed': the run has '[0-9]+', not '77'"
expect_exit 2 resume "$file" --shard 1/2
expect_err "option '--shard': '.*' is a whole campaign, found '1/2'"
expect_exit 1 resume "$file" --timeout 77

# ... also where its journal was not removed any more.
cut_off "$TMP/c.h5" 20
cp -r "$TMP/c.h5.journal" "$TMP/copy"
expect_exit 1 resume "$TMP/c.h5"
mv "$TMP/copy" "$TMP/c.h5.journal"
expect_exit 1 resume "$TMP/c.h5"
expect_no_file "$TMP/c.h5.journal"
cells "$TMP/c.h5" >"$TMP/got"
expect_same_file "$TMP/want" "$TMP/got"

# After a request to stop there is a file, and it is finished likewise.
"$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile correct -n 2 \
    -o "$TMP/stop.h5" >"$TMP/run.out" 2>&1 &
pid=$!
wait_results "$TMP/stop.h5" 20 $pid
kill -TERM $pid
rc=0
wait $pid || rc=$?
expect_equal 4 $rc 'exit code of a run that was stopped'
expect_exit 4 "$OPSWEEP" report "$TMP/stop.h5" --fail-on none
expect_exit 4 "$OPSWEEP" status "$TMP/stop.h5"
expect_out 'stop.h5: incomplete; opsweep run --resume .* goes on$'
cp "$TMP/stop.h5" "$TMP/alone.h5"
expect_exit 4 "$OPSWEEP" status "$TMP/alone.h5"
expect_out "incomplete; no run can go on: '.*/alone.h5.journal' is not there$"
expect_exit 2 resume "$TMP/alone.h5"
expect_err "its journal '.*/alone.h5.journal' is not there"
expect_exit 1 resume "$TMP/stop.h5" -n 1
cells "$TMP/stop.h5" >"$TMP/got"
expect_same_file "$TMP/want" "$TMP/got"

# Options that must not differ are named; others may differ.
file=$TMP/other.h5
cut_off "$file" 20
cp -r "$file.journal" "$TMP/kept"
expect_exit 2 resume "$file" --seed 5 --ops '!x'
expect_err "option '--ops': the run has '', not '!x'"
expect_err "option '--seed': the run has '0', not '5'"
expect_exit 2 resume "$file" --max-rss 1G
expect_err "option '--max-rss': the run has 'the default', not '"
expect_exit 2 resume "$file" -o "$TMP/elsewhere.h5"
expect_err "option '--output'"
expect_exit 2 resume "$file" --force
expect_err "'--resume' and '--force'"
expect_exit 2 resume "$TMP/none.h5"
expect_err 'nothing to resume: there is neither'
ln -s nowhere.h5 "$TMP/link.h5"
expect_exit 2 resume "$TMP/link.h5"
expect_err "link.h5' is a link to 'nowhere.h5', which is not there"
echo '/* */' >>"$TMP/ops/scale/scale_slow.c"
cp "$TMP/ops/scale/scale_plain.c" "$TMP/ops/scale/scale_new.c"
expect_exit 2 resume "$file"
expect_err "op 'scale.default': scale_slow.c changed since the run began"
expect_err "op 'scale.default': scale_new.c was not there when the run began"
expect_err 'the run has 120 cells, the plan is now 160'
rm "$TMP/ops/scale/scale_new.c"
sed -i '$d' "$TMP/ops/scale/scale_slow.c"
diff -r "$file.journal" "$TMP/kept" || fail 'the journal changed'
mv "$TMP/ops" "$TMP/moved"
expect_exit 2 resume "$file"
expect_err "cannot read '.*/ops' as a folder of ops: No such .*; say by --custom-ops-root where it is"
expect_exit 1 resume "$file" --custom-ops-root "$TMP/moved" --timeout 30
cells "$file" >"$TMP/got"
expect_same_file "$TMP/want" "$TMP/got"
mv "$TMP/moved" "$TMP/ops"

# A second opsweep on the same run is refused with a message.
run -n 2 -o "$TMP/busy.h5" >"$TMP/run.out" 2>&1 &
pid=$!
wait_results "$TMP/busy.h5" 1 $pid
expect_exit 2 resume "$TMP/busy.h5"
expect_err 'is held by process [0-9]+ on host .*: the run is still going on'
rc=0
wait $pid || rc=$?
expect_equal 1 $rc 'exit code of the run that was not disturbed'

# Killed over and over again with the same cell in work, from outside: its
# worker is there to say so, and it is not lost.  A cell that crashes
# the whole run is begun three times, the last time alone; then it is lost, at
# the third resume, and everything else is there.
make_slow_op "$TMP/deadly" 3 1
sed -e 's|nanosleep(&t, NULL);|if (x->shape[0] == 2) { t.tv_sec = 5; nanosleep(\&t, NULL); }|' \
    "$TMP/deadly/scale/scale_slow.c" >"$TMP/deadly/scale/scale_deadly.c"
rm "$TMP/deadly/scale/scale_slow.c" "$TMP/deadly/scale/scale_wrong.c"

# everybody FILE: the coordinator of that run and its workers
everybody() {
    pgrep -P "$(ps -o ppid= -p "$(coordinator "$1")" | tr -d " ")" opsweep
}

# death WHOSE FILE SESSION DONE WORDS...: crashes them (a command that names
# them) once the deadly cell is at work and DONE others are done; with it in its
# bundle is one that is innocent
death() {
    local pid rc=0 i whose=$1 file=$2 session=$3 n=$4
    shift 4
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
done = {x['cell'] for x in r if x['type'] == 'result'}
sys.exit(not (len(starts) == int(sys.argv[2]) and begun - done and
              len(done) == int(sys.argv[3])))
PY
    done
    # shellcheck disable=SC2046
    kill -SEGV $("$whose" "$file")
    wait $pid || rc=$?
    expect_equal 4 $rc 'exit code'
}

# most_begun FILE: how often the cell was that was begun most
most_begun() {
    "$OPSWEEP" journal dump "$1" | grep '"type": "begin"' | grep -o '"cell": [0-9]*' |
        sort | uniq -c | sort -n | tail -n 1 | awk '{ print $1 }'
}

file=$TMP/innocent.h5
death coordinator "$file" 1 4 --custom-ops-root "$TMP/deadly" --profile smoke -n 2 -o "$file"
[ -e "$file.journal/outlived.0.1" ] || fail 'the worker did not say that it was there'
death coordinator "$file" 2 4 --resume "$file"
death coordinator "$file" 3 4 --resume "$file"
[ -e "$file.journal/outlived.2.1" ] || fail 'the worker did not say that it was there'
expect_exit 0 resume "$file"
expect_out '6 cells, 6 pass'
expect_no_file "$file.journal"

file=$TMP/deadly.h5
death everybody "$file" 1 4 --custom-ops-root "$TMP/deadly" --profile smoke -n 2 -o "$file"
death everybody "$file" 2 4 --resume "$file"
death everybody "$file" 3 4 --resume "$file"
expect_exit 4 resume "$file"
expect_out '6 cells, 5 pass, 1 infra \(1 lost\)'
expect_out "opsweep run --resume $file --retry-lost judges what is lost once more"
expect_exit 4 resume "$file"
expect_out '1 infra \(1 lost\)'
expect_equal 3 "$(most_begun "$file")" 'times begun'
expect_exit 4 "$OPSWEEP" report "$file" --format csv --fail-on none
expect_out 'sessions died each time it was in work, its worker too'

# Asked for once more it is judged, and only lost again if it kills again.
mkdir "$TMP/keep.d"
cp -r "$file" "$file.journal" "$TMP/keep.d/"
expect_exit 0 resume "$file" --retry-lost
expect_out '6 cells, 6 pass'
expect_no_file "$file.journal"
cp -r "$TMP/keep.d/." "$TMP/"
"$OPSWEEP" run --resume "$file" --retry-lost >"$TMP/run.out" 2>&1 &
pid=$!
for i in $(seq 200); do
    [ "$(most_begun "$file")" -lt 4 ] || break
    sleep 0.1
done
# shellcheck disable=SC2046
kill -SEGV $(everybody "$file")
wait $pid || true
expect_exit 4 resume "$file"
expect_out '1 infra \(1 lost\)'
expect_exit 2 "$OPSWEEP" run --retry-lost
expect_err "'--retry-lost' needs '--resume FILE'"
