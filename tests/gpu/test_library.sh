# Library ops whose kernels a processor runs in part only: by CUB, with warps, with
# atomics.  Each passes a case at least, and what is timed is captured into a graph; by CUB and by tiles
# rows of 65536 elements take less than a tenth of the time that comparing each element
# with each other takes.
#
# Then all kernels of the library, on tensors that begin an element later.
#
# takes 200 s

ops='sort sort.stable topk div.Tensor_mode floor_divide _safe_softmax grid_sampler_2d grid_sampler_2d_backward _embedding_bag_backward any all tanh_'
mkdir "$TMP/ops"
cp -r ops/library/shared "$TMP/ops"
for op in $ops; do
    cp -r "ops/library/${op/./__}" "$TMP/ops"
done
expect_exit 0 "$OPSWEEP" build --device cuda "$TMP/ops"
expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile smoke --seed 1 \
    --custom-ops-root "$TMP/ops" -o "$TMP/l.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/l.h5" --format csv -o "$TMP/l.csv"
python3 - "$TMP/l.csv" "$TMP"/ops/*/op.json <<'PY'
import collections, csv, json, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
passed = collections.Counter()
for r in rows:
    assert r["status"] in ("pass", "unsupported", "skipped"), (
        r["status"], r["op"], r["impl"], r["case"], r["reason"])
    passed[r["op"], r["impl"]] += r["status"] == "pass"
    if r["t_median_ns"]:
        assert r["timer"] == "graph", (r["op"], r["impl"], r["timer"])
print(dict(passed))
names = {json.load(open(f))["name"] for f in sys.argv[2:]}
none = names - {op for (op, _), n in passed.items() if n}
assert len(names) == 12 and not none, ("no cell passes", none)
for op in ("sort.default", "sort.stable", "topk.default"):
    for impl, least in (("cub", 40), ("fast", 100), ("plain", 100)):
        assert passed["aten." + op, impl] >= least, (op, impl)
    times = {r["impl"]: float(r["t_median_ns"]) for r in rows
             if r["op"] == "aten." + op and "[4, 65536]" in r["case"]}
    print(op, {k: "%.0f us" % (v / 1000) for k, v in times.items()})
    assert 10 * max(times["cub"], times["fast"]) < times["plain"], times
PY

expect_exit 0 "$OPSWEEP" build --device cuda ops/library
expect_exit 0 "$OPSWEEP" run --device cuda -n 2 --profile correct --max-work 0.001 --seed 2 \
    --custom-ops-root ops/library --offset 1 -o "$TMP/shifted.h5"
"$OPSWEEP" report "$TMP/shifted.h5" --fail-on none >"$TMP/table"
tail -n 8 "$TMP/table"
expect_exit 0 "$OPSWEEP" report "$TMP/shifted.h5" --format csv -o "$TMP/shifted.csv"
n=$(grep -c 'offset=1.*,pass,' "$TMP/shifted.csv") || true
[ "$n" -ge 20000 ] || fail "$n cells pass at an offset, fewer than 20000"
