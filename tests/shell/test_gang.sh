# Workers that judge a cell together tell each other a few bytes by way of rank 0:
# over MPI all of them get what each said.

gang() { "$B/tests/bench/bench_gang" "$@"; }

expect_exit 0 gang 2 200
expect_grep '^exchanges of 8 bytes over MPI .* us each, of 200$' "$TMP/out"
expect_exit 0 gang 3 50
expect_grep '^exchanges of 8 bytes over MPI .* us each, of 50$' "$TMP/out"
expect_exit 2 gang 1
expect_grep '^usage: bench_gang' "$TMP/err"
