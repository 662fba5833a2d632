# Bad ops whose names are their verdicts: `<state>__<how>` must end as <state>,
# in every case, and cost no other file's cells.
#
# takes turns: going first

go_first

# A call that was preempted each time that the judge looked at its clock has no
# verdict: that is said, and tried again.
for try in 1 2 3; do
    expect_exit 1 "$OPSWEEP" run --suite custom_ops --force \
        --custom-ops-root tests/fixtures/ops -n 1 --profile smoke --timeout 1 \
        --seed 1 -o "$TMP/bad.h5"
    expect_exit 1 "$OPSWEEP" report "$TMP/bad.h5" --format csv -o "$TMP/bad.csv"
    grep -qE ',pass__[a-z_]*,.*,(implausible|skipped),' "$TMP/bad.csv" || break
    echo "try $try: a clock could not be judged, on a busy machine"
done

python3 tests/shell/fixtures.py "$TMP/bad.csv" 20

# The flood of output is kept to its cap, the in-place op was timed,
# and rates rest on bytes that are known, not on those that code boasts of.
python3 - "$TMP/bad.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
flood = [r for r in rows if r["impl"] == "pass__flood_of_output"]
assert flood and all(0 < len(r["output"]) <= 4096 for r in flood), "output"
assert all("more bytes]" in r["output"] for r in flood), "note on the rest"
timed = [r for r in rows if r["impl"] == "pass__plain" and
         r["op"].startswith("inplace") and r["t_median_ns"]]
assert timed, "the in-place op has no time"
moved = {r["impl"]: r["bytes"] for r in rows if r["op"].startswith("timed")}
assert moved["pass__boasts"] == moved["pass__plain"], moved
PY
