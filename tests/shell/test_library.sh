# Every shipped op passes its own cases, all implementations of it, and enough
# ops are shipped for the Hugging Face traces.

rc=0
"$OPSWEEP" run --suite custom_ops --custom-ops-root ops/library -n 3 \
    --threads 1 --profile correct --max-work 20 -o "$TMP/library.h5" \
    >"$TMP/log" 2>&1 || rc=$?
"$OPSWEEP" report "$TMP/library.h5" --fail-on none >"$TMP/table" || true
[ "$rc" -eq 0 ] || { tail -n 60 "$TMP/table"; fail "exit $rc"; }
tail -n 4 "$TMP/table"
expect_no_grep 'weak|unverified' "$TMP/table"

# Other inputs: nothing right is called wrong for what was drawn.
for seed in 5 7 9 11; do
    expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root ops/library \
        -n 3 --threads 1 --profile correct --max-work 0.01 --seed $seed --force \
        -o "$TMP/drawn.h5"
done

# Cases of a trace that no op covers are skipped with that reason.
expect_exit 0 "$OPSWEEP" plan --suite traces \
    --traces tests/data/traces/hf_train --json
python3 - "$TMP/out" <<'PY'
import json, sys

plan = json.load(open(sys.argv[1]))
cases = plan["bundles"]
without = [b for b in cases if all(c["reason"] == "no op" for c in b["cells"])]
share = 1 - len(without) / len(cases)
print("%d distinct cases, ops for %d (%.1f %%)" % (
    len(cases), len(cases) - len(without), 100 * share))
assert share >= 0.7
PY
