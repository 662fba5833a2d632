# The times of ops decide only their order in the next campaign.

. tests/shell/slow_op.sh
export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
mv "$TMP/ops/scale" "$TMP/ops/quick"
make_slow_op "$TMP/ops" 4 30
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

campaign() { # NAME: the op that was begun first is in $TMP/first
    expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/ops" \
        --profile correct --seed 1 -n 1 -o "$TMP/$1.h5"
    cp "$TMP/err" "$TMP/said"
    expect_exit 0 "$OPSWEEP" report "$TMP/$1.h5" --format csv -o "$TMP/$1.csv"
    python3 - "$TMP/$1.csv" <<'PY' >"$TMP/first"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(min(rows, key=lambda r: float(r["t_start_ns"]))["op"].split(".")[-2])
PY
}

campaign first
expect_equal quick "$(cat "$TMP/first")" "begun first, when nothing is known"
expect_equal 2 "$(grep -c '^cpu correct	' "$TMP/cache/cost_history.txt")" "ops that are kept"
campaign second
expect_equal slow "$(cat "$TMP/first")" "begun first, when it is known to be slow"
python3 tests/shell/same_cells.py "$TMP/first.csv" "$TMP/second.csv"

# Profiles have separate lines; a bad file is reported, and written anew.
printf 'opsweep cost history 1\ncpu sweep\tquick\t3\nnonsense\n' >"$TMP/cache/cost_history.txt"
campaign third
expect_equal quick "$(cat "$TMP/first")" "begun first after a wrong file"
expect_grep "cost_history.txt': line 3: expected where, op and factor" "$TMP/said"
expect_equal 1 "$(grep -c '^cpu sweep	quick	3$' "$TMP/cache/cost_history.txt")" \
    "lines of another profile"
expect_equal 2 "$(grep -c '^cpu correct	' "$TMP/cache/cost_history.txt")" "ops that are kept"
