# tests/shell/clock.sh - read in by tests of implementations whose clocks and
# processes are not what they seem, and of honest ones that look similar

clock=(--suite custom_ops --custom-ops-root tests/fixtures/clock --device cpu
    -n 1 --seed 1 --force)

# No clock that is slow in its process makes a kernel fast, and no kernel is
# accused of it that only sleeps, prints, or starts threads: names are verdicts.
judge_clocks() {
    expect_exit 1 "$OPSWEEP" run "${clock[@]}" --profile smoke \
        --impls '!crash__*' -o "$TMP/clock.h5"
    "$OPSWEEP" report "$TMP/clock.h5" --format csv -o "$TMP/clock.csv" || true
    python3 tests/shell/clock.py "$TMP/clock.csv"
}
