# tests/tally.sh - sourced by the runners: one line per test, counts to TALLY
#
# TALLY names a file that `make test` sums up; unset, counts go to the end of
# only the runner's own output.

n_passed=0
n_failed=0

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
    printf 'skip  %s: %s\n' "$1" "$2"
}

# The last word of a runner: 0 when nothing failed.
tally() {
    if [ -n "${TALLY:-}" ]; then
        mkdir -p "$(dirname "$TALLY")"
        echo "$n_passed $n_failed" >>"$TALLY"
    fi
    printf '%s: %d passed, %d failed\n' "$1" "$n_passed" "$n_failed"
    [ "$n_failed" -eq 0 ]
}
