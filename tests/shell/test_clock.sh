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
