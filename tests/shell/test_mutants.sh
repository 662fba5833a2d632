# Mutants: implementations that are wrong in known ways, and right ones that
# look unusual.  The verifier must refuse the first, for the reason in their
# name, and pass the second.

expect_exit 1 "$OPSWEEP" run --suite custom_ops \
    --custom-ops-root tests/mutants --device cpu -n 3 --profile smoke \
    --timeout 1 --seed 1 -o "$TMP/mutants.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/mutants.h5" --format csv \
    -o "$TMP/mutants.csv"
tests/mutants/matrix.py "$TMP/mutants.csv" --json "$TMP/mutants.json"

# A suite that shrank would prove less than it says.
python3 - "$TMP/mutants.json" <<'PY'
import json, sys

s = json.load(open(sys.argv[1]))["runs"][0]["summary"]
print(s)
assert s["bad"] >= 100 and s["right"] >= 60, "too few were judged"
PY
