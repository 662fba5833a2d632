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

# Beside one that says so run only tests that mostly wait: "went" has what is there
# while each of them runs.
mkdir "$TMP/there"
cat >"$TMP/went" <<'T'
touch "$HERE/there/$me"
sleep 0.5
ls "$HERE/there" | xargs >"$HERE/$me"
sleep 0.5
rm "$HERE/there/$me"
T
for name in quiet busy waits; do
    case $name in
    quiet) line='beside waits: it counts' ;;
    waits) line='mostly waits: for a second' ;;
    busy) line='takes 9 s' ;;
    esac
    { echo "# $line"; echo me=$name; cat "$TMP/went"; } >"$TMP/test_$name.sh"
done
expect_exit 0 env B="$TMP/b" SLOTS=4 HERE="$TMP" tests/shell/run "$TMP"/test_{busy,quiet,waits}.sh
expect_no_grep busy "$TMP/quiet"
expect_no_grep quiet "$TMP/busy"
if unshare --mount mount -t tmpfs none /dev/shm 2>/dev/null; then # else one at a time
    expect_equal 'quiet waits' "$(cat "$TMP/quiet")" 'beside the quiet one'
fi
