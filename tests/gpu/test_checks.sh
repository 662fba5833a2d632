# Every check of the verifier matters, also on a GPU: a build that leaves out
# one passes an implementation that only this check refuses.
#
# takes 180 s: most of it compiles, the first time
[ -x "$OPSWEEP-checks" ] || skip "no $OPSWEEP-checks was built"

checks() { tests/mutants/checks.py "$OPSWEEP-checks" --device cuda "$@"; }
expect_exit 1 checks --only guard --dead guard
expect_out 'WRONG guard: .* is not caught'
expect_exit 0 checks
cat "$TMP/out"
