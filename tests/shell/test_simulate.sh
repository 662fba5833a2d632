# The simulator: the real coordinator hands out cells to ranks that are made up.
# Nothing is lost or judged twice, a seed decides everything, and mistakes that
# are planted are noticed.

simulate() { "$B/tests/simulate/simulate" "$@"; }

# The lines that do not depend on the processor.
made_up() { grep -E '^(cluster|campaign|lost|cells|efficiency|digest|rules)' "$1"; }

failures=(--cells 6000 --lost 400 --lost-nodes 800 --paused 800 --pause 40)

# Twice the same, and another seed is another course of events.
expect_exit 0 simulate "${failures[@]}" --seed 7
made_up "$TMP/out" >"$TMP/first"
expect_exit 0 simulate "${failures[@]}" --seed 7
made_up "$TMP/out" >"$TMP/second"
expect_equal "$(cat "$TMP/first")" "$(cat "$TMP/second")" 'one seed, twice'
expect_exit 0 simulate "${failures[@]}" --seed 8
made_up "$TMP/out" >"$TMP/other"
[ "$(grep digest "$TMP/first")" != "$(grep digest "$TMP/other")" ] ||
    fail 'two seeds have one digest'

# Ranks die and come back, and every cell is recorded once.
for run in first other; do
    expect_grep '^lost +[1-9][0-9]* ranks died, [1-9][0-9]* were stopped' "$TMP/$run"
    expect_grep '^cells +6000 recorded, .* [1-9][0-9]* of these once more' "$TMP/$run"
    expect_grep '^rules +0 broken' "$TMP/$run"
done

# All ranks work until the end, in virtual time: the machine's load is no matter.
percent_of() { sed -n 's/^efficiency *\([0-9]*\)\..*/\1/p' "$1"; }
expect_exit 0 simulate --ranks 64 --cells 20000
[ "$(percent_of "$TMP/out")" -ge 97 ] ||
    fail "$(grep efficiency "$TMP/out"), expected 97 % or more"

# Towards the end others wait for a silent rank, but only for a third of --silence
# (where that is five heartbeats), where no second copies of what it has are
# judged: seconds until the last result, of four campaigns.
seconds() { # SILENCE
    local seed
    for seed in 2 3 5 6; do
        simulate --cells 20000 --lost 300 --seed "$seed" --silence "$1" --no-twins
    done | awk '/^efficiency/ { sum += $7 } END { printf "%d", sum }'
}
long=$(seconds 14) short=$(seconds 15)
[ $((short + 15)) -lt "$long" ] ||
    fail "--silence 14: $long s, 15: $short s, expected 15 s less at least"

# Ranks that are ten times slower: a second copy of what they are late with ends
# the campaign earlier, and no cell is recorded twice.
slow=(--ranks 256 --cells 40000 --slow 2 --error 0.2 --seed 1)
expect_exit 0 simulate "${slow[@]}"
expect_grep '^slow +[1-9][0-9]* ranks, 10 times; [1-9][0-9]* late bundles had a second' "$TMP/out"
expect_grep '^cells +40000 recorded, ' "$TMP/out"
with=$(percent_of "$TMP/out")
expect_exit 0 simulate "${slow[@]}" --no-twins
expect_grep '^slow .* 0 late bundles had a second copy' "$TMP/out"
without=$(percent_of "$TMP/out")
[ "$with" -ge $((without + 10)) ] ||
    fail "efficiency $with % with second copies, $without % without"
expect_exit 0 simulate --cells 6000 --slow 10 --lost 400 --paused 800 --pause 40
expect_grep '^rules +0 broken' "$TMP/out"

# Cells that 2, 4 or 8 ranks judge together, among others: no rank waits long for
# the others of its gang, whatever the share of such cells, and one seed is one
# course of events.
for gangs in 3 20 60; do
    expect_exit 0 simulate --cells 10000 --gangs "$gangs"
    expect_grep '^gangs .* 0 gangs broke, 0 cells found no node' "$TMP/out"
    [ "$(percent_of "$TMP/out")" -ge 95 ] ||
        fail "--gangs $gangs: $(grep efficiency "$TMP/out"), expected 95 % or more"
done
lossy=(--cells 6000 --gangs 20 --lost 60 --lost-nodes 60 --paused 200 --pause 40)
expect_exit 0 simulate "${lossy[@]}" --seed 4
expect_grep '^gangs .* [1-9][0-9]* gangs broke, 0 cells found no node' "$TMP/out"
expect_grep '^cells +6000 recorded, .* [1-9][0-9]* of these once more' "$TMP/out"
made_up "$TMP/out" >"$TMP/first"
expect_exit 0 simulate "${lossy[@]}" --seed 4
expect_equal "$(cat "$TMP/first")" "$(made_up "$TMP/out")" 'one seed, twice'

# No node is left that has 8 ranks: their cells end so, and no other does.
expect_exit 0 simulate --ranks 7 --cells 2000 --gangs 50
expect_grep '^gangs .* [1-9][0-9]* cells found no node with ranks enough' "$TMP/out"

# What a rank without work costs the coordinator.
expect_exit 0 simulate --ranks 2000 --cells 1
bytes=$(sed -n 's/^memory .* at most, \([0-9]*\) bytes a rank.*/\1/p' "$TMP/out")
[ "$bytes" -le 4096 ] || fail "$bytes bytes for an idle rank, expected 4096 at most"

# Mistakes: what is said of each.
while IFS='|' read -r fault words more; do
    # shellcheck disable=SC2086
    expect_exit 1 simulate --cells 4000 $more --fault "$fault"
    expect_grep "^simulate: broken: $words" "$TMP/err"
    expect_no_grep '^rules +0 broken' "$TMP/out"
done <<'FAULTS'
lose-result|rank [0-9]+ begins cell [0-9]+, which rank 1 had begun and was not lost
twice-result|ranks said 400[0-9] results, but 4000 were taken and [0-9] refused
lose-ack|rank 1 was told of 0 of its [1-9][0-9]* results
twice-bundle|rank 2 begins cell [0-9]+, which rank 1 had begun and was not lost
twice-twin|rank [0-9]+ begins cell [0-9]+, which rank [0-9]+ had begun and was not lost|--slow 5
wrong-part|ranks [0-9]+ and [0-9]+ of one gang are at cells [0-9]+ and [0-9]+|--gangs 20
forget-cell|1 of 4000 cells have no record
FAULTS

# Durations of a campaign that ran.
expect_exit 0 "$OPSWEEP" run --suite smoke --device cpu -n 1 --profile smoke \
    --ops relu --fail-on none -o "$TMP/recorded.h5"
expect_exit 0 simulate --from "$TMP/recorded.h5" --cells 4000
expect_grep '^rules +0 broken' "$TMP/out"
expect_exit 2 simulate --from "$TMP/none.h5"
expect_grep "none.h5" "$TMP/err"
expect_exit 2 simulate --cell 1
expect_grep "unknown option '--cell' \(did you mean '--cells'\?\)" "$TMP/err"
expect_exit 2 simulate --ranks 0
expect_grep "option '--ranks': expected 1 to 1.*, found 0" "$TMP/err"
