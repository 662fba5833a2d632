# Bad ops whose names are their verdicts: `<state>__<how>` must end as <state>,
# in every case, and cost no other file's cells.
#
# takes turns: going first
# takes 35 s

go_first
compile_quickly

run_fixtures tests/fixtures/ops 20

# The flood of output is kept to its cap, the in-place op was timed,
# and rates rest on bytes that are known, not on those that code boasts of.
python3 - "$TMP/fixtures.csv" <<'PY'
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
for impl, words in (("work_nan_flops", "bytes to 8 and flops to nan"),
                    ("work_minus_inf_bytes", "bytes to -inf and flops to 8")):
    said = [r["reason"] for r in rows if r["impl"] == "returned__" + impl]
    assert said and all("_work set " + words in r for r in said), said
said = [r["reason"] for r in rows if r["impl"] == "value__zeros"]
assert said and all("the rms of all errors is 1 of that of the values, of which "
                    "rounding explains 0.00391" in r for r in said), said
PY
