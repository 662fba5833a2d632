# tests/shell/test_runner.sh - the end of a long log tells what failed

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
