# Forged clocks, and honest ones, beside processes that take all cores; processes
# that die while they are timed.
#
# takes 45 s

. tests/shell/clock.sh

mkdir "$TMP/writable"
export OPSWEEP_WRITABLE=$TMP/writable

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

# Other tests take what they need of the cores first.
burners=()
for _ in 1 2 3; do
    chrt --idle 0 sh -c 'while :; do :; done' &
    burners+=($!)
done
judge_clocks

# Nor is Python code accused whose calls take little: what a request takes beside
# them was taken for time that was not claimed.
OPSWEEP_PYTHON=$(python_with numpy) expect_exit 0 "$OPSWEEP" run \
    --custom-ops-root tests/fixtures/generators --ops sized -n 1 \
    --profile smoke --seed 3 -o "$TMP/sized.h5"
expect_no_grep implausible "$TMP/out"
kill "${burners[@]}"
