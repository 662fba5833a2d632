# tests/tally.sh - sourced by the runners: one line per test, counts to TALLY
#
# TALLY names a file that `make test` sums up; unset, counts go to the end of
# only the runner's own output.

n_passed=0
n_failed=0
n_skipped=0
n_not_run=0

# passed NAME [COUNT]
passed() {
    n_passed=$((n_passed + ${2:-1}))
    printf 'ok    %s%s\n' "$1" "${2:+ ($2)}"
}

# failed NAME LOG [COUNT]: shows the log
failed() {
    n_failed=$((n_failed + ${3:-1}))
    printf 'FAIL  %s\n' "$1"
    sed 's/^/      | /' "$2" | tail -n 60
}

# skipped NAME REASON
skipped() {
    n_skipped=$((n_skipped + 1))
    printf 'skip  %s: %s\n' "$1" "$2"
}

# skips_of NAME LOG: the tests that a program of cmocka skipped
skips_of() {
    local test
    for test in $(sed -n 's/^\[  SKIPPED \] \([a-zA-Z_0-9]*\)$/\1/p' "$2" | sort -u); do
        skipped "$1" "$test"
    done
}

# did_not_run NAME REASON
did_not_run() {
    n_not_run=$((n_not_run + 1))
    printf 'NOT RUN  %s: %s\n' "$1" "$2"
}

# The last word of a runner: 0 when nothing failed, 1 also when it was given no test,
# 4 when some of it did not run.
tally() {
    local n=$((n_passed + n_failed + n_skipped + n_not_run))
    if [ -n "${TALLY:-}" ]; then
        mkdir -p "$(dirname "$TALLY")"
        echo "$n_passed $n_failed $n_skipped" >>"$TALLY"
    fi
    printf '%s: %d passed, %d failed' "$1" "$n_passed" "$n_failed"
    [ "$n_not_run" -eq 0 ] || printf ', %d not run' "$n_not_run"
    [ "$n_skipped" -eq 0 ] || printf ', %d skipped' "$n_skipped"
    echo
    [ "$n" -gt 0 ] || { echo "$1: expected tests, found none" >&2; return 1; }
    [ "$n_failed" -eq 0 ] || return 1
    [ "$n_not_run" -eq 0 ] || return 4
}
