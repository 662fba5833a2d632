# Hostile ops on a GPU get the verdicts in their names, cost only their
# own cells, and leave everything else as it was (tests/attacks/cuda): memory of the
# device that one takes is there for its neighbours again, and what the driver
# compiles is not kept in the user's home.
#
# takes 60 s

"$(dirname "$(readlink -f "$OPSWEEP")")/opsweep-sandbox" --probe >"$TMP/probe"
if grep -q "$(printf '\tno\t')" "$TMP/probe"; then
    cat "$TMP/probe"
    skip 'this kernel or build does not have all of isolation'
fi

# A GPU is slow to end what never ends: some 60 s in all.
rc=0
timeout 90 tests/attacks/run.py --verbose "$OPSWEEP" "$TMP/attacks" cuda \
    >"$TMP/said" 2>&1 || rc=$?
cat "$TMP/said"
expect_equal 0 "$rc" 'exit code of tests/attacks/run.py (124: longer than 90 s)'
expect_grep '^attacks: 1[0-9], unexpected: 0$' "$TMP/said"
