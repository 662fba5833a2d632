# tests/programs/lib.sh - whole runs of unit tests and fuzz corpora, as tests beside others
#
# Most of them wait, for processes and deadlines, more than they work.

# made WORD...: `make` with these words; its last lines, and what failed
made() {
    local rc=0
    # The make that runs this test shares no jobs with it.
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u OPSWEEP make -s "$@" >"$TMP/log" 2>&1 || rc=$?
    if [ "$rc" -ne 0 ]; then
        grep -aE -A 30 '^FAIL|[Ee]rror' "$TMP/log" | tail -n 100
        fail "make $*: exit code $rc"
    fi
    grep -aE '^(unit tests|fuzz corpora): ' "$TMP/log" | tee /dev/fd/3
}
