# Unit tests of loops that are vectors where they are optimised.  All others, and
# what fuzzers have found, run once: with sanitizers (test_sanitized.sh).
#
# takes 15 s

. tests/programs/lib.sh
programs=$(grep -lE '^ \* optimised, too:' tests/unit/*/test_*.c | sed "s|^|$B/|; s|\.c$||")
[ -n "$programs" ] || fail "no unit test says 'optimised, too'"
made check-unit UNIT="${programs//$'\n'/ }"
