# Forged clocks, and honest ones, on a machine that has nothing else to do.
#
# runs alone: it times
# takes 25 s

. tests/shell/clock.sh

judge_clocks
"$OPSWEEP" run "${clock[@]}" --profile smoke --cold --ops bump,add_one \
    --impls implausible__slow_1_3,pass__plain -o "$TMP/cold.h5" || true
"$OPSWEEP" report "$TMP/cold.h5" --format csv -o "$TMP/cold.csv" || true
python3 tests/shell/clock.py "$TMP/cold.csv" 4

# A short call after caches were cleared: what clearing does to the clock itself, and
# to what judge and sandbox share, is not in its time.
for seed in 1 2; do
    expect_exit 0 "$OPSWEEP" run "${clock[@]}" --profile smoke --cold --ops add_one \
        --impls pass__plain --case '((T([4096], f32),), {})' --seed $seed -o "$TMP/short.h5"
    "$OPSWEEP" report "$TMP/short.h5" --format csv -o "$TMP/short.csv"
    python3 tests/shell/clock.py "$TMP/short.csv" 1
done
