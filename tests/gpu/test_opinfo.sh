# The whole of suite opinfo, bf16, through torch's own operators on a GPU; the
# last lines printed are its figures.
#
# takes 70 s

OPSWEEP_PYTHON=$(python_with torch) ||
    skip "no python3 with torch: suite opinfo is not run on the GPU"
export OPSWEEP_PYTHON
"$OPSWEEP_PYTHON" -c 'import torch; assert torch.cuda.is_available()' ||
    skip "torch of $OPSWEEP_PYTHON has no CUDA"

start=$(date +%s.%N)
code=0
"$OPSWEEP" run --suite opinfo --backend aten --device cuda -n 1 \
    --profile correct --seed 1 -o "$TMP/o.h5" >"$TMP/out" 2>"$TMP/err" ||
    code=$?
end=$(date +%s.%N)
cat "$TMP/out"
[ $code -le 1 ] || fail "exit $code: $(tail -3 "$TMP/err")"
expect_out "operators found on cpu" # where values are generated, without a GPU
"$OPSWEEP" report "$TMP/o.h5" --format csv -o "$TMP/o.csv" || [ $? -eq 1 ]
python3 - "$TMP/o.csv" "$start" "$end" <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
wall = float(sys.argv[3]) - float(sys.argv[2])
states = collections.Counter(r["status"] for r in rows)
for (op, status), n in collections.Counter(
        (r["op"], r["status"]) for r in rows
        if r["status"] not in ("pass", "weak")).most_common(40):
    first = next(r for r in rows if (r["op"], r["status"]) == (op, status))
    print(n, op, status, first["reason"][:120])
print("%d tests in %.1f s, process start included: %s" %
      (len(rows), wall, dict(states)))
for k in ("build", "fill", "reference", "run", "verify"):
    print("  %s %.1f s" % (k, sum(float(r[k + "_ns"] or 0)
                                  for r in rows) * 1e-9))
assert len(rows) >= 3000, "too few tests"
good = states["pass"] + states["weak"] + states["unverified"]
assert good >= 0.9 * len(rows), states
again = [r for r in rows if "other values" in r["reason"]]
assert not again, "generated values are not the same again"
assert not states["crash"] and not states["timeout"], states
PY

# Small cases are judged in the host's memory: what would make a device's right
# outputs is not even compiled.
OPSWEEP_CACHE=$TMP/cache "$OPSWEEP" run --suite opinfo --backend aten \
    --device cuda -n 1 --profile correct --ops cumsum,add__Tensor --seed 1 \
    -o "$TMP/small.h5" >"$TMP/out" 2>"$TMP/err" || [ $? -eq 1 ] ||
    fail "$(tail -3 "$TMP/err")"
# The library's references for processors were compiled with the program.
expect_out ' pass'
! grep -rls --include='*.deps' '[.]cuh' "$TMP/cache" ||
    fail "a device's reference was compiled"
