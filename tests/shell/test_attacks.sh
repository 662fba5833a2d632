# Hostile and clumsy ops get the verdicts in their names, cost their own cells,
# and leave everything else as it was (tests/attacks).  ATTACKS_SLOW=1 adds
# those that hold their worker for long.
#
# takes 115 s

# Other tests go first: ranks that get no core for seconds count as silent.
renice -n 5 -p $$ >/dev/null

python=$(python_with numpy) || fail 'no python3 with numpy'
roots='correct timed python results'
[ -z "${ATTACKS_SLOW:-}" ] || roots="$roots slow"

"$(dirname "$(readlink -f "$OPSWEEP")")/opsweep-sandbox" --probe >"$TMP/probe"
if grep -q "$(printf '\tno\t')" "$TMP/probe"; then
    cat "$TMP/probe"
    skip 'this kernel or build does not have all of isolation'
fi

# shellcheck disable=SC2086
tests/attacks/run.py "$OPSWEEP" "$TMP/attacks" --python "$python" \
    $roots | tee "$TMP/said"

# The suite must not shrink: its size is checked.
expect_grep '^attacks: 2[0-9][0-9], unexpected: 0$' "$TMP/said"
