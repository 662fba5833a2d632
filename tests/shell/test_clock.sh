# Implementations whose clocks, processes or timings are not what they seem, and
# honest ones that look similar: names are verdicts.

mkdir "$TMP/writable"
export OPSWEEP_WRITABLE=$TMP/writable
timed=(--suite custom_ops --custom-ops-root tests/fixtures/clock --device cpu
    -n 1 --profile smoke --seed 1)

# A fresh process of a candidate that dies ends its cell; one of its baseline
# does not.
expect_exit 1 "$OPSWEEP" run "${timed[@]}" -o "$TMP/clock.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/clock.h5" --format csv -o "$TMP/clock.csv"
python3 tests/shell/fixtures.py "$TMP/clock.csv" 2
