# tests/shell/test_predict.sh - durations in earlier result files predict a campaign
#
# mostly waits: for ops that sleep, and for ranks
# takes 25 s

. tests/shell/slow_op.sh
export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
mv "$TMP/ops/scale" "$TMP/ops/quick"
make_slow_op "$TMP/ops" 6 150
mv "$TMP/ops/scale" "$TMP/ops/slow"
for op in quick slow; do
    for f in "$TMP/ops/$op"/scale_*.c; do
        sed "s/scale_/${op}_/" "$f" >"${f%/*}/${op}_${f##*_}"
        rm "$f"
    done
done
rm "$TMP/ops/slow"/*_{plain,wrong}.c
cat >"$TMP/ops/quick/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}, 500], f32), 2.0), {})",
                  "for": {"n": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}]}
JSON
options=(--suite custom_ops --custom-ops-root "$TMP/ops" --profile correct)
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$TMP/out" "$1"; }
first_op() { # FILE: the op that was begun first
    expect_exit 0 "$OPSWEEP" report "$1" --format csv -o "$TMP/cells.csv"
    python3 - "$TMP/cells.csv" <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(min(rows, key=lambda r: float(r["t_start_ns"]))["op"].split(".")[-2])
PY
}

expect_exit 0 "$OPSWEEP" run "${options[@]}" -n 1 -o "$TMP/first.h5"
expect_equal 0 "$(grep -c '^predicted' "$TMP/out" || true)" 'lines about a prediction without a history'
rm -r "$TMP/cache" # only the file tells what cells took

# --- plan -------------------------------------------------------------------------
expect_exit 0 "$OPSWEEP" plan "${options[@]}" -n 3 --history "$TMP/first.h5"
expect_out '^predicted [0-9]+:[0-9]{2} on 2 workers \(--ranks\), [0-9.e-]+ device hours; 18 of 18 cells known by --history$'
expect_exit 0 "$OPSWEEP" plan "${options[@]}" -n 3 --history "$TMP/first.h5" --json
python_h5 - "$TMP/out" "$TMP/first.h5" <<'PY' >"$TMP/longest_op"
import json, sys, h5py
plan, f = json.load(open(sys.argv[1])), h5py.File(sys.argv[2])
col = lambda name: f["results/" + name][:].tolist()
took = {"%016x" % k: w - b for k, w, b in zip(col("cell_key"), col("wall_ns"), col("build_ns"))}
by_op = {}
for b in plan["bundles"]:
    want = sum(took[c["cell_key"]] for c in b["cells"])
    assert abs(b["expect_ns"] - want) <= 1, (b["case"], b["expect_ns"], want)
    by_op.setdefault(b["op"].split(".")[-2], []).append(b["expect_ns"])
assert len(by_op["slow"]) == 6 and len(by_op["quick"]) == 12, by_op
work = sum(took.values())
longest = max(max(v) for v in by_op.values())
assert abs(plan["predicted_work_ns"] - work) < 100
assert abs(plan["predicted_wall_ns"] - max(longest, work / 2)) < 100
assert plan["n_workers"] == 2 and plan["n_known"] == 18
print(max(by_op, key=lambda op: sum(by_op[op])))
PY
cp "$TMP/out" "$TMP/plan.json"
digest=$(field digest)
expect_exit 0 "$OPSWEEP" plan "${options[@]}" --json
expect_equal "$digest" "$(field digest)" 'digest of the plan with a history'

# --- run: the op that takes longest is begun first, and the file says how far off it was -------
expect_exit 0 "$OPSWEEP" run "${options[@]}" -n 1 --history "$TMP/first.h5" -o "$TMP/second.h5"
expect_out '^predicted 0:[0-9]{2} on 1 worker \(18 of 18 cells known\), took 0:[0-9]{2}$'
expect_equal "$(cat "$TMP/longest_op")" "$(first_op "$TMP/second.h5")" 'begun first'
python_h5 - "$TMP/second.h5" "$TMP/first.h5" "$TMP/plan.json" <<'PY'
import json, sys, h5py
a, b = (h5py.File(p).attrs for p in sys.argv[1:3])
assert a["predicted_workers"] == 1 and a["predicted_n_cells"] == 18
assert a["predicted_n_known"] == 18 and b["predicted_n_known"] == 0
assert a["predicted_ns"] == a["predicted_work_ns"]
assert a["predicted_work_ns"] == json.load(open(sys.argv[3]))["predicted_work_ns"]
assert a["took_ns"] > 0
PY

# --- shards are split by it: two shards of equal predicted cost -----------------------
for i in 1 2; do
    expect_exit 0 "$OPSWEEP" plan "${options[@]}" --shard $i/2 --history "$TMP/first.h5" --json -o "$TMP/shard.$i.json"
done
python3 - "$TMP" <<'PY'
import json, sys
whole, a, b = (json.load(open("%s/%s.json" % (sys.argv[1], n))) for n in ("plan", "shard.1", "shard.2"))
work = [p["predicted_work_ns"] for p in (a, b)]
assert abs(sum(work) - whole["predicted_work_ns"]) < 100
assert max(work) - min(work) <= max(x["expect_ns"] for x in whole["bundles"]), work
PY

# --- a shard goes on with the same history, and not with another split ------------------
"$OPSWEEP" run "${options[@]}" -n 1 --shard 1/2 --history "$TMP/first.h5" -o "$TMP/cut.h5" >"$TMP/said" 2>&1 &
pid=$!
wait_results "$TMP/cut.h5" 1 $pid
kill -KILL $pid
wait $pid || true
mv "$TMP/first.h5" "$TMP/moved.h5"
expect_exit 2 "$OPSWEEP" run --resume "$TMP/cut.h5"
expect_err "option '--history': .*first.h5'.*No such file"
expect_exit 0 "$OPSWEEP" run "${options[@]}" -n 1 --impls slow -o "$TMP/slow.h5"
expect_exit 2 "$OPSWEEP" run --resume "$TMP/cut.h5" --history "$TMP/slow.h5"
expect_err "split in another way: predicted costs changed; expected the run's --history"
expect_exit 0 "$OPSWEEP" run --resume "$TMP/cut.h5" --history "$TMP/moved.h5"

# A run that is no shard goes on without, and says so once.
"$OPSWEEP" run "${options[@]}" -n 2 --history "$TMP/moved.h5" -o "$TMP/cut2.h5" >"$TMP/said" 2>&1 &
pid=$!
wait_results "$TMP/cut2.h5" 1 $pid
kill -KILL "$(coordinator "$TMP/cut2.h5")"
wait $pid || true
cp "$TMP/moved.h5" "$TMP/first.h5"
mv "$TMP/moved.h5" "$TMP/away.h5"
expect_exit 0 "$OPSWEEP" run --resume "$TMP/cut2.h5"
expect_equal 1 "$(grep -c "option '--history': .*moved.h5.*; the run goes on without it" "$TMP/err")" 'times that it is told'
mv "$TMP/away.h5" "$TMP/moved.h5"

# --- bad input ----------------------------------------------------------------------------
expect_exit 2 "$OPSWEEP" plan "${options[@]}" --history "$TMP/none.h5"
expect_err "option '--history': .*none.h5'.*No such file"
echo nonsense >"$TMP/bad.h5"
expect_exit 2 "$OPSWEEP" run "${options[@]}" -n 1 --history "$TMP/bad.h5" -o "$TMP/no.h5"
expect_err "option '--history': '.*bad.h5' is no HDF5 file"
expect_no_file "$TMP/no.h5" "$TMP/no.h5.journal"
expect_exit 0 "$OPSWEEP" plan --suite custom_ops --custom-ops-root "$TMP/ops" --profile smoke --history "$TMP/moved.h5"
expect_err "option '--history': '.*moved.h5' is left out: it has profile correct, expected smoke as of this campaign"
expect_out '; 0 of 18 cells known by --history$'
expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/ops" --profile smoke -n 2 --history "$TMP/moved.h5" -o "$TMP/smoke.h5"
expect_equal 1 "$(grep -c "is left out" "$TMP/err")" 'times that it is told'
