# tests/shell/test_recover.sh - a run that was cut off: its journal, and recover

. tests/shell/slow_op.sh
make_slow_op "$TMP/ops" 40 10
file=$TMP/run.h5
run() {
    "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile correct --heartbeat 0.1 \
        --silence 1 "$@"
}

# Kill the coordinator half-way: no file, a journal, and what is in it.
run -n 2 -o "$file" >"$TMP/run.out" 2>&1 &
pid=$!
wait_results "$file" 30 $pid
kill -9 "$(coordinator "$file")"
rc=0
wait $pid || rc=$?
expect_equal 4 $rc 'exit code'
expect_no_file "$file"
expect_exit 0 "$OPSWEEP" journal verify "$file"
expect_out 'run.h5.journal: whole: [0-9]+ records in 1 segment,'
expect_exit 0 "$OPSWEEP" journal verify "$file.journal"
expect_exit 0 "$OPSWEEP" journal dump "$file"
cp "$TMP/out" "$TMP/dump"
python3 -c "
import json, sys
d = [json.loads(line) for line in open(sys.argv[1])]
assert [r['seq'] for r in d] == list(range(1, len(d) + 1))
assert [r['type'] for r in d[:2]] == ['run', 'plan']
assert {r['op'] for r in d if r['type'] == 'result'} == {'scale.default'}
assert {r['cell'] for r in d if r['type'] == 'result'} <= \\
    {r['cell'] for r in d if r['type'] == 'begin'}
" "$TMP/dump"
expect_exit 0 "$OPSWEEP" journal tail -n 2 "$file"
tail -n 2 "$TMP/dump" >"$TMP/tail"
expect_same_file "$TMP/out" "$TMP/tail"

# recover writes that, runs nothing, and leaves the journal.
n=$(results "$file")
expect_exit 4 "$OPSWEEP" journal recover "$file"
expect_out "run.h5: $n of 120 cells; opsweep run --resume finishes the run"
expect_exit 4 "$OPSWEEP" report "$file" --fail-on none
expect_out 'INCOMPLETE, [0-9]+ of 120'
expect_exit 0 test -d "$file.journal"
expect_exit 4 "$OPSWEEP" journal recover "$file"
expect_equal "$n" "$(results "$file")" 'results'

# A torn tail and a flipped bit are named, and stop at the right record.
cp -r "$file.journal" "$TMP/torn.h5.journal"
truncate -s -3 "$TMP/torn.h5.journal/000000.jnl"
expect_exit 1 "$OPSWEEP" journal verify "$TMP/torn.h5"
expect_out "torn tail at byte [0-9]+ of '.*/000000.jnl', where record [0-9]+"
expect_out 'cut off: '
expect_exit 0 "$OPSWEEP" journal dump "$TMP/torn.h5"
cp -r "$file.journal" "$TMP/flip.h5.journal"
offset=$(python3 -c "
import json, sys
r = [json.loads(line) for line in open(sys.argv[1])][20]
f = open(sys.argv[2], 'r+b')
f.seek(r['offset'] + 30)
b = f.read(1)[0] ^ 4
f.seek(r['offset'] + 30)
f.write(bytes([b]))
print(r['offset'])" "$TMP/dump" "$TMP/flip.h5.journal/000000.jnl")
expect_exit 1 "$OPSWEEP" journal verify "$TMP/flip.h5"
expect_out "DAMAGED at byte $offset of '.*/000000.jnl', where record 21 should"
expect_out '20 records before it are whole, and [0-9]+ after it'
for verb in dump tail; do # what is whole before it is printed
    expect_exit 2 "$OPSWEEP" journal $verb "$TMP/flip.h5"
    expect_out '"seq": *20,'
    expect_err 'is damaged at record 21 .*after it (is|are) not printed'
done
expect_exit 4 "$OPSWEEP" journal recover "$TMP/flip.h5"
expect_err 'is damaged at byte '"$offset"' of segment 0: its checksum is'
expect_exit 0 test -s "$TMP/flip.h5.journal/000000.torn"

# A file that holds more than its journal stays, and so does that of another run (below).
cp "$file" "$TMP/less.h5"
cp -r "$TMP/flip.h5.journal" "$TMP/less.h5.journal"
expect_exit 2 "$OPSWEEP" journal recover "$TMP/less.h5"
expect_err "less.h5' holds $n of 120 cells, '.*' only [0-9]+: [0-9]+ would be lost"
expect_same_file "$file" "$TMP/less.h5"
expect_exit 4 "$OPSWEEP" report "$TMP/less.h5"
expect_err "less.h5' is read, with $n cells, and not '.*journal', which holds [0-9]+"
expect_exit 4 "$OPSWEEP" status "$TMP/less.h5"
expect_out "^read     '.*less.h5.journal'; '.*less.h5' holds $n cells"

# What is no journal, or in use.
expect_exit 2 "$OPSWEEP" journal verify "$TMP/none.h5"
expect_err "no journal: neither '.*none.h5' nor"
expect_exit 2 "$OPSWEEP" journal recover "$TMP/none.h5"
expect_exit 2 "$OPSWEEP" journal look "$file"
expect_err "command 'journal': expected one of dump, verify, tail, recover; found 'look'"
run -n 2 -o "$TMP/other.h5" >"$TMP/run.out" 2>&1 &
pid=$!
wait_results "$TMP/other.h5" 1 $pid
expect_exit 2 "$OPSWEEP" journal recover "$TMP/other.h5"
expect_err 'is held by process [0-9]+ on host'
"$OPSWEEP" journal verify "$TMP/other.h5" >"$TMP/out" || true
expect_out 'held by process'

# Followed, it tells each record once, and ends with the journal.
"$OPSWEEP" journal tail -f -n 1000 "$TMP/other.h5" >"$TMP/followed" &
follower=$!
wait $pid || true
expect_no_file "$TMP/other.h5.journal"
wait $follower || fail "journal tail -f ended with $?"
python3 -c "
import json, sys
f = [json.loads(line) for line in open(sys.argv[1])]
assert [r['seq'] for r in f] == list(range(1, len(f) + 1)), f
assert 'result' in {r['type'] for r in f}, f
" "$TMP/followed"

# The journal of one run beside the file of another.
cp "$TMP/other.h5" "$TMP/mixed.h5"
cp -r "$file.journal" "$TMP/mixed.h5.journal"
for words in 'journal recover' 'run -n 1 --resume'; do
    # shellcheck disable=SC2086
    expect_exit 2 "$OPSWEEP" $words "$TMP/mixed.h5"
    expect_err "mixed.h5' is of run .* \\(120 cells\\), '.*mixed.h5.journal' of run .* \\($n cells\\)"
    expect_same_file "$TMP/other.h5" "$TMP/mixed.h5"
done
"$OPSWEEP" report "$TMP/mixed.h5" --fail-on none >"$TMP/out" 2>"$TMP/err" ||
    fail "report ended with $?"
expect_err "mixed.h5' is read, with 120 cells, and not '.*mixed.h5.journal', which holds $n of another run"
expect_exit 4 "$OPSWEEP" status "$TMP/mixed.h5"
expect_out "^read     '.*mixed.h5.journal'; '.*mixed.h5' is of another run and holds 120 cells"
