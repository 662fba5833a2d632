# Implementations whose clocks and processes are not what they seem, and honest
# ones that look similar: names are verdicts.
#
# runs alone: it times, also beside processes that take all cores
# takes 50 s

mkdir "$TMP/writable"
export OPSWEEP_WRITABLE=$TMP/writable
clock=(--suite custom_ops --custom-ops-root tests/fixtures/clock --device cpu
    -n 1 --seed 1 --force)

# A fresh process of a candidate that dies ends its cell; one of its baseline
# does not.
expect_exit 1 "$OPSWEEP" run "${clock[@]}" --profile sweep \
    --ops add_one,mortal --impls crash__in_a_fresh_process,pass__innocent \
    -o "$TMP/processes.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/processes.h5" --format csv \
    -o "$TMP/processes.csv"
python3 tests/shell/fixtures.py "$TMP/processes.csv" 2
expect_grep 'crash__in_a_fresh_process.*killed by signal 6' "$TMP/processes.csv"
[ "$(stat -c %s "$TMP/writable/mortal")" -ge 3 ] || fail "no baseline died"

# No clock that is slow in its process makes a kernel fast, and no kernel is
# accused of it that only sleeps, prints, or starts threads: on a machine that
# has nothing else to do, and on one that has.
judge_clocks() {
    expect_exit 1 "$OPSWEEP" run "${clock[@]}" --profile smoke \
        --impls '!crash__*' -o "$TMP/clock.h5"
    "$OPSWEEP" report "$TMP/clock.h5" --format csv -o "$TMP/clock.csv" || true
    python3 tests/shell/clock.py "$TMP/clock.csv"
}

judge_clocks
"$OPSWEEP" run "${clock[@]}" --profile smoke --cold --ops bump,add_one \
    --impls implausible__slow_1_3,pass__plain -o "$TMP/cold.h5" || true
"$OPSWEEP" report "$TMP/cold.h5" --format csv -o "$TMP/cold.csv" || true
python3 tests/shell/clock.py "$TMP/cold.csv" 4
burners=()
for _ in 1 2 3; do
    sh -c 'while :; do :; done' &
    burners+=($!)
done
judge_clocks

# Nor Python code whose calls take little: what a request takes beside them was
# taken for time that was not claimed.
OPSWEEP_PYTHON=$(python_with numpy) expect_exit 0 "$OPSWEEP" run \
    --custom-ops-root tests/fixtures/generators --ops sized -n 1 \
    --profile smoke --seed 3 -o "$TMP/sized.h5"
expect_no_grep implausible "$TMP/out"
kill "${burners[@]}"
