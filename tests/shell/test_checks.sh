# Every check of the verifier matters: a build that can leave out one check
# passes an implementation that only this check refuses.
#
# takes turns: going first
# takes 40 s

go_first
compile_quickly

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'
[ -x "$OPSWEEP-checks" ] || skip "no $OPSWEEP-checks was built"

# The installed program cannot leave out a check, even if the variable is set.
expect_no_grep OPSWEEP_DISABLE_CHECK "$OPSWEEP"
judge() {
    expect_exit "$1" "${@:2}" run --suite custom_ops \
        --custom-ops-root tests/mutants --ops matmul --impls guard__one_past \
        --device cpu -n 1 --profile correct --seed 1 -f -o "$TMP/one.h5"
}
export OPSWEEP_DISABLE_CHECK=guard
judge 1 "$OPSWEEP"
judge 0 "$OPSWEEP-checks"
expect_err "left out: the check 'guard'"

# With a misspelt name no check is left out, so the test would prove nothing.
OPSWEEP_DISABLE_CHECK=gaurd expect_exit 2 "$OPSWEEP-checks" list
expect_err "'gaurd': no such check, expected one of shape, dtype, .*, untouched"
unset OPSWEEP_DISABLE_CHECK

checks() { tests/mutants/checks.py "$OPSWEEP-checks" "$@"; }
for device in cpu twin; do
    expect_exit 0 checks --device "$device"
    cat "$TMP/out"
    grep 'NOT PROVED' "$TMP/out" >&3 || true
    expect_out '[0-9]+ checks, [0-9]+ rows, 0 wrong'
done

# The test notices a check that does nothing, ...
expect_exit 1 checks --only guard,weak --dead guard
expect_out 'WRONG guard: matmul/guard__one_past is not caught'
expect_no_grep 'WRONG weak' "$TMP/out"
expect_exit 1 checks --only doubt --dead doubt
expect_out 'WRONG doubt: .* is not caught: .*value'
# ... one that is not left out where it should be, or is not the only one, ...
echo 'offset softmax/value__base_two' >"$TMP/rows.txt"
expect_exit 1 checks --only offset --rows "$TMP/rows.txt"
expect_out 'WRONG offset: softmax/value__base_two is caught without it'
# ... and one that no implementation needs.
expect_exit 1 checks --only offset,weak --rows "$TMP/rows.txt"
expect_out 'WRONG weak: no implementation needs it'
