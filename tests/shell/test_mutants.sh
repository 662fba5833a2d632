# Mutants: implementations that are wrong in known ways, and right ones that
# look unusual.  The verifier must refuse the first, for the reason in their
# name, and pass the second.

# On a busy machine the one that lies about its time may use too little of the
# processor to be told from an honest one: then all is tried once more.
for try in 1 2; do
    expect_exit 1 "$OPSWEEP" run --suite custom_ops \
        --custom-ops-root tests/mutants --device cpu -n 3 --profile smoke \
        --timeout 1 --seed 1 --force -o "$TMP/mutants.h5"
    expect_exit 1 "$OPSWEEP" report "$TMP/mutants.h5" --format csv \
        -o "$TMP/mutants.csv"
    rc=0
    tests/mutants/matrix.py "$TMP/mutants.csv" --json "$TMP/mutants.json" ||
        rc=$?
    [ $rc -ne 0 ] || break
    echo "try $try: see above"
done
expect_equal 0 "$rc" "mutants that disagree with their names"

# A suite that shrank would prove less than it says.
python3 - "$TMP/mutants.json" <<'PY'
import json, sys

s = json.load(open(sys.argv[1]))["runs"][0]["summary"]
print(s)
assert s["bad"] >= 100 and s["right"] >= 60, "too few were judged"
PY

# -1 is all ones, as poison is: over inputs of which it is the first result that
# is wrong, it is no output that was left unwritten.
expect_exit 1 "$OPSWEEP" run --suite custom_ops --custom-ops-root tests/mutants \
    --device cpu -n 1 --profile smoke --seed 4 --ops quotient --force \
    -o "$TMP/ones.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/ones.h5" --format csv -o "$TMP/ones.csv"
tests/mutants/matrix.py "$TMP/ones.csv"
