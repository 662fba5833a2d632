# tests/shell/test_runner.sh - the end of a long log tells what failed; what would let
# a test pass without having checked anything is refused

for name in good bad worse; do echo "echo $name says more" >"$TMP/test_$name.sh"; done
echo "fail 'the sky is not blue'" >>"$TMP/test_bad.sh"
echo "expect_equal 1 2 legs" >>"$TMP/test_worse.sh"
unset TALLY
expect_exit 1 env B="$TMP/b" SLOTS=1 tests/shell/run "$TMP"/test_{bad,good,worse}.sh
tail -n 9 "$TMP/out" | sed "s/[0-9.]* s)/T s)/" >"$TMP/tail"
of=$(basename "$TMP")
expect_equal "  failed: $of/bad
      FAILED: the sky is not blue
      | bad says more
      | (exit 1 after T s)
  failed: $of/worse
      FAILED: legs: expected '1', found '2'
      | worse says more
      | (exit 1 after T s)
shell tests: 1 passed, 2 failed" "$(cat "$TMP/tail")" 'the end of the log'

# --- skips are counted, and a run of no test fails ---------------------------------
echo "skip 'no luck'" >"$TMP/test_away.sh"
TALLY=$TMP/tally B=$TMP/b expect_exit 0 tests/shell/run "$TMP"/test_{good,away}.sh
expect_equal 'shell tests: 1 passed, 0 failed, 1 skipped' "$(tail -n 1 "$TMP/out")" 'the last line'
expect_equal '1 0 1' "$(cat "$TMP/tally")" 'what make test counts'
for runner in shell unit fuzz; do
    expect_exit 1 tests/$runner/run
    expect_err '^[a-z ]+: expected tests, found none$'
done

# --- expect_no_grep ------------------------------------------------------------------
# refuses WORDS WORD...: expect_no_grep WORD... fails, and says so
refuses() {
    ! (expect_no_grep "${@:2}") >"$TMP/said" 2>&1 || fail "passed: expect_no_grep ${*:2}"
    expect_grep "$1" "$TMP/said"
}
printf '%s\n' one two >"$TMP/file"
expect_no_grep three "$TMP/file"
refuses "^FAILED: a line of $TMP/file matches: tw" tw "$TMP/file"
refuses '^2:two$' tw "$TMP/file"
refuses "^FAILED: grep could not look for 'tw' in $TMP/none" tw "$TMP/none"
refuses "^FAILED: grep could not look for 'tw.' in $TMP/file" 'tw(' "$TMP/file"
refuses '^FAILED: expect_no_grep: expected 2 words, found 3' three "$TMP/file" "$TMP/file"

# --- what a host has once: nothing is said of a claim that is not there ---------------
(
    . tests/claim.sh
    claim "$TMP/claim" "$TMP"
    expect_equal "$TMP" "$(claimed "$TMP/claim")" 'who has it'
    ! claimed "$TMP/no-claim"
) 2>"$TMP/said"
expect_equal '' "$(cat "$TMP/said")" 'what is said'
