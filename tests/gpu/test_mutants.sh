# The mutants' CUDA twins, and those that only a GPU has: each bad one must be
# caught in the state of its name, and no right one refused.  The suite must not
# shrink: its size is checked.
#
# takes 250 s

expect_exit 1 "$OPSWEEP" run --suite custom_ops \
    --custom-ops-root tests/mutants --device cuda -n 1 --profile smoke \
    --timeout 2 --seed 1 -o "$TMP/mutants.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/mutants.h5" --format csv \
    -o "$TMP/mutants.csv"
tests/mutants/matrix.py "$TMP/mutants.csv" --json "$TMP/mutants.json"
python3 - "$TMP/mutants.json" <<'PY'
import json, sys

s = json.load(open(sys.argv[1]))["runs"][0]["summary"]
assert s["bad"] >= 160 and s["right"] >= 80, s
PY
