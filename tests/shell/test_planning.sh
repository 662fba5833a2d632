# tests/shell/test_planning.sh - workers wait for as long as rank 0 plans, and
# not for ever for one that does not go on; which cases are one
#
# takes 15 s

. tests/shell/stops.sh

export TMP
make_op "$TMP/ops"
mkdir "$TMP/ops/late"
touch "$TMP/ops/late/late_plain.c"
# plans_for SECONDS: so long it takes to learn that an op has no cases
plans_for() {
    printf 'import time\n\ntime.sleep(%s)\nraise ValueError("no cases")\n' "$1" \
        >"$TMP/ops/late/gen_input.py"
}
words=(run --custom-ops-root "$TMP/ops" --profile correct --heartbeat 0.1 --silence 0.5
    -o "$TMP/run.h5" --force)
ranks=(mpirun --enable-recovery --bind-to none --oversubscribe --allow-run-as-root -n 3)

# Longer than the silence that ends a worker, which is three times --silence.
plans_for 4
expect_exit 0 "${ranks[@]}" "$OPSWEEP" "${words[@]}"
expect_out '2 pass.*; 2 workers, '

# Rank 0 is there, and says nothing any more.
plans_for 30
"${ranks[@]}" "$OPSWEEP" "${words[@]}" >"$TMP/log" 2>&1 &
pid=$!
sleep 4
stopped=$(rank_pid 0)
kill -STOP "$stopped"
await 'the coordinator was silent for' "$TMP/log" 10
kill -KILL "$stopped"
wait "$pid" || true
cat "$TMP/log"
await_gone 10

# Two cases that differ by their fills only are one where a check has fills of its own.
mkdir "$TMP/twice"
cp -r ops/library/shared ops/library/mm "$TMP/twice/"
case='((T([2048, 2048], f32), T([2048, 2048], f32)), {})'
echo "{\"correctness\": [{\"case\": \"$case\", \"fill\": {\"self\": \"uniform\"}}, \"$case\"]}" \
    >"$TMP/twice/mm/gen_input.json"
planned() { "$OPSWEEP" plan --custom-ops-root "$TMP/twice" --device cpu --profile correct --max-work "$1"; }
expect_exit 0 planned 10
expect_out '^1 case, 1 to judge'
expect_out 'freivalds'
expect_exit 0 planned 1000
expect_out '^2 cases, 2 to judge'
